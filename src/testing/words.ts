// What is said on a stage, in the words of people: cents, contracts, milliseconds; and what they are in the house's units.
import type { BookSide } from '../domain/event.ts';
import type { FeeType } from '../domain/fees.ts';
import { type TickerTable, eventTicker, seriesTicker, ticker } from '../domain/ids.ts';
import type { EventGroup, Market, Outcome, Series, Strike } from '../domain/market.ts';
import type { Side } from '../domain/order.ts';
import { type PriceGrid, CENT_GRID } from '../domain/price-grid.ts';
import { type Micros, type Price, type Qty, EPOCH, cents, contracts, fromMillis, micros } from '../domain/units.ts';

/** A market of the stage. */
export interface MarketSpec {
  readonly ticker: string;
  /** Its event group; `EVENT` where nothing is said. */
  readonly event?: string;
  /** The group's series; `SERIES` where nothing is said. */
  readonly series?: string;
  /** Until it closes; an hour where nothing is said. */
  readonly closesInMs?: number;
  /** Whole cents where nothing is said. */
  readonly grid?: PriceGrid;
  readonly strike?: Strike;
}

/** How the stage is set. */
export interface StageOptions {
  /** What a config would say under `params`; nothing where absent. A parameter that is a file is given its text. */
  readonly params?: Readonly<Record<string, unknown>>;
  /** Markets, or their tickers alone: one called `MARKET` where nothing is said. */
  readonly markets?: readonly (string | MarketSpec)[];
  /** Event groups of whose markets at most one resolves YES. */
  readonly exclusive?: readonly string[];
  /** Dollars that the account opens with; 1000 where nothing is said. */
  readonly cash?: number;
  /** Limits as a config writes them, in place of very wide ones. */
  readonly limits?: Readonly<Record<string, unknown>>;
  /** Dollars that the strategy may have at risk; all of the account where nothing is said. */
  readonly capital?: number;
  /** How trades are charged: `quadratic`, that is takers, where nothing is said. */
  readonly fees?: FeeType;
  /** What the strategy kept in a session before. */
  readonly saved?: unknown;
  /** When it begins; 2026-01-01T00:00Z where nothing is said. */
  readonly beginsAt?: Micros;
}

/** What others bid and offer, each level as [cents, contracts]; a side that is left out is empty. */
export interface BookLevels {
  readonly bids?: readonly (readonly [cents: number, contracts: number])[];
  readonly asks?: readonly (readonly [cents: number, contracts: number])[];
}

/** A trade of others. */
export interface PrintWords {
  readonly cents: number;
  readonly contracts: number;
  /** Who was in a hurry: the taker's side, of YES. */
  readonly taker: Side;
}

/** Which order of ours is filled, and how far. */
export interface FillWords {
  /** Contracts; all that is left where nothing is said. */
  readonly contracts?: number;
}

/** 2026-01-01T00:00Z. */
export const BEGIN: Micros = micros(1_767_225_600_000_000);
const HOUR_MS = 3_600_000;

/** A side of a book by price. */
export const sideOf = (levels: BookLevels, side: BookSide): Map<Price, Qty> =>
  new Map((side === 'bid' ? levels.bids : levels.asks)?.map(([at, size]) => [cents(at), contracts(size)]));

/** What YES pays, in cents or by outcome. */
export const paidTo = (result: Outcome | number): Price => cents(result === 'yes' ? 100 : result === 'no' ? 0 : result);

/** Everything that is listed. */
export interface Listed {
  readonly markets: readonly Market[];
  readonly groups: readonly EventGroup[];
  readonly series: readonly Series[];
}

/** Lists the markets of a stage. */
export function listed(options: StageOptions, tickers: TickerTable): Listed {
  const { markets = ['MARKET'], exclusive = [], fees = 'quadratic', beginsAt = BEGIN } = options;
  const specs = markets.map((market): MarketSpec => (typeof market === 'string' ? { ticker: market } : market));
  const events = [...new Set(specs.map(eventOf))];
  return {
    markets: specs.map((spec) => marketOf(spec, tickers, beginsAt)),
    groups: events.map((event): EventGroup => {
      const members = specs.filter((spec) => eventOf(spec) === event);
      return {
        eventTicker: eventTicker(event),
        seriesTicker: seriesTicker(members[0]?.series ?? 'SERIES'),
        title: event,
        isExclusive: exclusive.includes(event),
        tickers: members.map((spec) => ticker(spec.ticker)),
      };
    }),
    series: [...new Set(specs.map(({ series = 'SERIES' }) => series))].map((name): Series => ({
      ticker: seriesTicker(name),
      title: name,
      category: 'stage',
      frequency: 'once',
      feeType: fees,
      feeMultiplierPercent: 100,
    })),
  };
}

const eventOf = ({ event = 'EVENT' }: MarketSpec): string => event;

function marketOf(spec: MarketSpec, tickers: TickerTable, beginsAt: Micros): Market {
  const { closesInMs = HOUR_MS, grid = CENT_GRID, strike } = spec;
  const name = ticker(spec.ticker);
  return {
    ticker: name,
    index: tickers.intern(name),
    eventTicker: eventTicker(eventOf(spec)),
    title: spec.ticker,
    status: 'active',
    openAt: EPOCH,
    closeAt: micros(beginsAt + fromMillis(closesInMs)),
    canCloseEarly: true,
    grid,
    result: null,
    settlementValue: null,
    ...(strike && { strike }),
  };
}
