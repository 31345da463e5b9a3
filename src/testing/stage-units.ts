// The units of a stage (cents, contracts, milliseconds), and their conversion to the framework's units.
import type { BookSide } from '../domain/event.ts';
import type { FeeType } from '../domain/fee-schedule.ts';
import { type TickerTable, eventTicker, seriesTicker, ticker } from '../domain/ids.ts';
import type { EventGroup, Market, Outcome, Series, Strike } from '../domain/market.ts';
import type { Side } from '../domain/order.ts';
import { type PriceGrid, CENT_GRID } from '../domain/price-grid.ts';
import { type Micros, type Price, type Qty, EPOCH, cents, contracts, fromMillis, micros } from '../domain/units.ts';

/** A market of the stage. */
export interface MarketSpec {
  readonly ticker: string;
  /** Event group. Default `EVENT`. */
  readonly event?: string;
  /** Series of the group. Default `SERIES`. */
  readonly series?: string;
  /** Time until it closes. Default one hour. */
  readonly closesInMs?: number;
  /** Default whole cents. */
  readonly grid?: PriceGrid;
  readonly strike?: Strike;
}

/** The settings of a stage. */
export interface StageOptions {
  /** The `params` of a config. Default empty. A parameter that is a file gets the text of the file. */
  readonly params?: Readonly<Record<string, unknown>>;
  /** Markets, or only their tickers. Default one market named `MARKET`. */
  readonly markets?: readonly (string | MarketSpec)[];
  /** Event groups of whose markets at most one resolves YES. */
  readonly exclusive?: readonly string[];
  /** Opening cash in dollars. Default 1000. */
  readonly cash?: number;
  /** Limits as a config writes them. They replace very wide ones. */
  readonly limits?: Readonly<Record<string, unknown>>;
  /** Capital of the strategy in dollars. Default the whole account. */
  readonly capital?: number;
  /** Fee type. Default `quadratic`, which charges takers. */
  readonly fees?: FeeType;
  /** State that the strategy saved in an earlier session. */
  readonly saved?: unknown;
  /** Start time. Default 2026-01-01T00:00Z. */
  readonly beginsAt?: Micros;
}

/** Quotes of others, each level as [cents, contracts]; a side that is left out is empty. */
export interface BookLevels {
  readonly bids?: readonly (readonly [cents: number, contracts: number])[];
  readonly asks?: readonly (readonly [cents: number, contracts: number])[];
}

/** A trade of others. */
export interface PrintSpec {
  readonly cents: number;
  readonly contracts: number;
  /** The taker's side, of YES. */
  readonly taker: Side;
}

/** The extent of a fill. */
export interface FillSpec {
  /** Contracts. Default everything that is left of the order. */
  readonly contracts?: number;
}

/** 2026-01-01T00:00Z. */
export const STAGE_START: Micros = micros(1_767_225_600_000_000);
const HOUR_MS = 3_600_000;

/** A side of a book by price. */
export const levelsOf = (levels: BookLevels, side: BookSide): Map<Price, Qty> =>
  new Map(
    (side === 'bid' ? levels.bids : levels.asks)?.map(([priceCents, count]) => [cents(priceCents), contracts(count)]),
  );

/** Payout of YES, from cents or an outcome. */
export const payoutOf = (result: Outcome | number): Price =>
  cents(result === 'yes' ? 100 : result === 'no' ? 0 : result);

/** The descriptions of all markets, groups and series. */
export interface StageListing {
  readonly markets: readonly Market[];
  readonly groups: readonly EventGroup[];
  readonly series: readonly Series[];
}

/** Makes the descriptions of a stage's markets. */
export function listMarkets(options: StageOptions, tickers: TickerTable): StageListing {
  const { markets = ['MARKET'], exclusive = [], fees = 'quadratic', beginsAt = STAGE_START } = options;
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
    index: tickers.internTicker(name),
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
