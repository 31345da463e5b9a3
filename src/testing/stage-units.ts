// The units of a stage (cents, contracts, milliseconds), and their conversion to the framework's units.
import { must } from '../base/assert.ts';
import type { GridName } from '../config/grid-names.ts';
import type { BookSide } from '../domain/event.ts';
import type { FeeType } from '../domain/fee-schedule.ts';
import { type TickerTable, eventTicker, seriesTicker, ticker } from '../domain/ids.ts';
import type { EventGroup, Market, Outcome, Series, Strike } from '../domain/market.ts';
import type { Side } from '../domain/orders/order.ts';
import { type Micros, type Price, type Qty, EPOCH, cents, contracts, fromMillis, micros } from '../domain/units.ts';
import { gridByName } from '../venues/trade-api/normalize/grids-by-name.ts';

/** One market of the stage. All members but its ticker have defaults. */
export interface MarketSpec {
  /** Ticker by which the stage's methods name the market. */
  readonly ticker: string;
  /**
   * Ticker of its event group. Markets with the same value are in one group.
   * @default `EVENT`
   */
  readonly event?: string;
  /**
   * Ticker of the series of its event group.
   * @default `SERIES`
   */
  readonly series?: string;
  /**
   * Milliseconds from the start until the market closes. `advance` past that time closes it, and it takes no more
   * orders.
   * @default `3_600_000` (one hour)
   */
  readonly closesInMs?: number;
  /**
   * Prices that may be quoted, by the exchange's name for them, such as `deci_cent`. An order at another price is denied.
   * @default `linear_cent`: whole cents, 1 to 99
   */
  readonly grid?: GridName;
  /**
   * Range of the number for which the market resolves YES. Strategies may read it.
   * @default none: the market is not decided by a number
   */
  readonly strike?: Strike;
}

/** The settings of a stage. */
export interface StageOptions {
  /**
   * Parameters as a config writes them. For a parameter that is a file, give the file's text.
   * @default `{}`: the defaults of the strategy's schema
   */
  readonly params?: Readonly<Record<string, unknown>>;
  /**
   * Markets, or only their tickers. They open when the stage starts, with empty books.
   * @default `['MARKET']`
   */
  readonly markets?: readonly (string | MarketSpec)[];
  /**
   * Tickers of the exclusive event groups. At most one market of such a group resolves YES.
   * @default `[]`: no group is exclusive
   */
  readonly exclusive?: readonly string[];
  /**
   * Cash of the account at the start, in dollars. Orders that need more are denied as `cash-short`.
   * @default `1000`
   */
  readonly cash?: number;
  /**
   * Risk limits as a config writes them, such as `{ positionQtyMax: 10 }`. Each replaces one of the stage's very wide
   * limits.
   * @default `{}`: limits so wide that only invalid orders are denied
   */
  readonly limits?: Readonly<Record<string, unknown>>;
  /**
   * Capital of the strategy in dollars. Orders that could lose more are denied as `strategy-capital`.
   * @default none: the whole account
   */
  readonly capital?: number;
  /**
   * Fee type of every market. `quadratic` is paid by takers, and `free` by no one. Every other type is paid by makers,
   * too.
   * @default `quadratic`
   */
  readonly fees?: FeeType;
  /**
   * State that the strategy saved in an earlier session. `restore` gets it before `onStart`.
   * @default none: `restore` is not called
   */
  readonly saved?: unknown;
  /**
   * Time at the start, in microseconds since the epoch.
   * @default `1_767_225_600_000_000` (2026-01-01T00:00Z)
   */
  readonly beginsAt?: Micros;
}

/**
 * Quotes of others, each level as [cents, contracts]. A missing side is empty. Prices are on the market's grid, and each bid
 * is below each ask.
 */
export interface BookLevels {
  /**
   * Bids for YES, best first or not.
   * @default `[]`: nothing is bid
   */
  readonly bids?: readonly (readonly [cents: number, contracts: number])[];
  /**
   * Offers of YES, best first or not.
   * @default `[]`: nothing is offered
   */
  readonly asks?: readonly (readonly [cents: number, contracts: number])[];
}

/** A public trade between others, for `print`. */
export interface PrintSpec {
  /** Price of YES in cents. */
  readonly cents: number;
  /** Quantity in contracts. */
  readonly contracts: number;
  /** The taker's side, of YES. */
  readonly taker: Side;
}

/** The extent of a fill, for `fill`. */
export interface FillSpec {
  /**
   * Contracts to fill. A number below what is left makes a partial fill.
   * @default none: everything that is left of the order
   */
  readonly contracts?: number;
}

/** 2026-01-01T00:00Z. */
export const STAGE_START: Micros = micros(1_767_225_600_000_000);
const HOUR_MS = 3_600_000;

/** Converts a side of a book to quantities by price. */
export const levelsOf = (levels: BookLevels, side: BookSide): Map<Price, Qty> =>
  new Map(
    (side === 'bid' ? levels.bids : levels.asks)?.map(([priceCents, count]) => [cents(priceCents), contracts(count)]),
  );

/** Converts cents or an outcome to the payout of YES. */
export const payoutOf = (result: Outcome | number): Price =>
  cents(result === 'yes' ? 100 : result === 'no' ? 0 : result);

/** The descriptions of all markets, event groups and series. */
export interface StageListing {
  readonly markets: readonly Market[];
  readonly groups: readonly EventGroup[];
  readonly series: readonly Series[];
}

/** Makes the descriptions of a stage's markets. */
export function listMarkets(options: StageOptions, tickers: TickerTable): StageListing {
  const { exclusive = [], fees = 'quadratic', beginsAt = STAGE_START } = options;
  const specs = marketSpecs(options);
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

/** Returns the markets of a stage. */
export const marketSpecs = ({ markets = ['MARKET'] }: StageOptions): MarketSpec[] =>
  markets.map((market) => (typeof market === 'string' ? { ticker: market } : market));

/** Returns the event group of a market. */
export const eventOf = ({ event = 'EVENT' }: MarketSpec): string => event;

function marketOf(spec: MarketSpec, tickers: TickerTable, beginsAt: Micros): Market {
  const { closesInMs = HOUR_MS, grid = 'linear_cent', strike } = spec;
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
    grid: must(gridByName(grid), `the grid ${grid}`),
    result: null,
    settlementValue: null,
    ...(strike && { strike }),
  };
}
