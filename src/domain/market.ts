// A market, its event group, and its life.
import type { EventTicker, MarketIndex, SeriesTicker, Ticker } from './ids.ts';
import type { PriceGrid } from './price-grid.ts';
import { EPOCH, type Micros, type Price } from './units.ts';

/** One of the two contracts of a market. */
export type Outcome = 'yes' | 'no';

/**
 * A market's place in its life. From first to last: before opening, trading, halted by the venue, past its close,
 * result known, result challenged, result changed, paid out.
 */
export type MarketStatus =
  | 'initialized'
  | 'active'
  | 'inactive'
  | 'closed'
  | 'determined'
  | 'disputed'
  | 'amended'
  | 'finalized';

/** A market's resolution; `scalar` pays each YES the settlement value and each NO the rest of the dollar. */
export type MarketResult = Outcome | 'scalar';

/** Comparison between a strike and the number that the event group is about. */
export type StrikeType = 'greater' | 'greater_or_equal' | 'less' | 'less_or_equal' | 'between';

/**
 * The range in which a market resolves YES: above `floor`, below `cap`, or between both, with or without the ends. All
 * markets of a group that have a strike ask about the same number.
 */
export interface Strike {
  /** Comparison of the number with `floor` and `cap`. */
  readonly type: StrikeType;
  /** Lower end, in the unit of the number; `null` where there is none. */
  readonly floor: number | null;
  /** Upper end, in the unit of the number; `null` where there is none. */
  readonly cap: number | null;
}

/**
 * One question with a YES and a NO contract, a price grid and a resolution.
 * @example
 * import { type Market, type StrategyView } from 'presage-trading';
 *
 * export const minutesLeft = (market: Market, view: StrategyView): number => (market.closeAt - view.now) / 60e6;
 */
export interface Market {
  /** Name of the market at the venue; the same in every session. */
  readonly ticker: Ticker;
  /** Number of the market within this session, for `view` and intents. */
  readonly index: MarketIndex;
  /** Event group that the market belongs to. */
  readonly eventTicker: EventTicker;
  /** The question, as the venue words it. */
  readonly title: string;
  /** Place in its life; orders are accepted only while `active`. */
  readonly status: MarketStatus;
  /** Time at which trading opens. */
  readonly openAt: Micros;
  /** Time at which trading closes, unless the venue moves it or closes early. */
  readonly closeAt: Micros;
  /** True when the venue may close the market before `closeAt`. */
  readonly canCloseEarly: boolean;
  /** Prices that may be quoted. */
  readonly grid: PriceGrid;
  /** Result of the market; `null` until it is determined. */
  readonly result: MarketResult | null;
  /** Payout of each YES, in ten-thousandths of a dollar; `null` until determined. */
  readonly settlementValue: Price | null;
  /** Range of the number in which the market resolves YES. Absent or `null` when the venue gives none. */
  readonly strike?: Strike | null;
  /** Time until which the market's trades cost no fee; absent or `null` where they are charged. */
  readonly feesWaivedUntil?: Micros | null;
}

/** True when two descriptions of a market are equal. */
export const isSameMarket = (a: Market, b: Market): boolean =>
  a === b ||
  (a.ticker === b.ticker &&
    a.index === b.index &&
    a.eventTicker === b.eventTicker &&
    a.title === b.title &&
    a.status === b.status &&
    a.openAt === b.openAt &&
    a.closeAt === b.closeAt &&
    a.canCloseEarly === b.canCloseEarly &&
    a.grid === b.grid &&
    a.result === b.result &&
    a.settlementValue === b.settlementValue &&
    (a.feesWaivedUntil ?? null) === (b.feesWaivedUntil ?? null) &&
    isSameStrike(a.strike ?? null, b.strike ?? null));

const isSameStrike = (a: Strike | null, b: Strike | null): boolean =>
  a === b || (a !== null && b !== null && a.type === b.type && a.floor === b.floor && a.cap === b.cap);

/** Fee terms of trades. An unknown fee type keeps the venue's name. */
export interface FeeTerms {
  /** Fee type as the venue names it; see `FEE_RATES`. */
  readonly feeType: string;
  /** Multiplier of the fee formula, in hundredths: 100 is 1. */
  readonly feeMultiplierPercent: number;
}

/** Fee terms of a series from a time on. */
export interface FeeChange {
  readonly at: Micros;
  readonly terms: FeeTerms;
}

/**
 * The fee terms of an event group, now and as scheduled, earliest first.
 * @param own fee terms of the event group that replace those of its series.
 */
export const feeTimeline = (
  series: FeeTerms,
  planned: readonly FeeChange[],
  own: Partial<FeeTerms> | null | undefined,
): readonly FeeChange[] =>
  [{ at: EPOCH, terms: series }, ...planned].map(({ at, terms }) => ({
    at,
    terms: {
      feeType: own?.feeType ?? terms.feeType,
      feeMultiplierPercent: own?.feeMultiplierPercent ?? terms.feeMultiplierPercent,
    },
  }));

/** The markets of one event, such as an election or a day's weather. */
export interface EventGroup {
  readonly eventTicker: EventTicker;
  readonly seriesTicker: SeriesTicker;
  readonly title: string;
  /** True when the venue promises at most one YES among the markets. */
  readonly isExclusive: boolean;
  /** Tickers of its markets, as the venue lists them. */
  readonly tickers: readonly Ticker[];
  /** Fee terms that replace those of the series; absent or `null` where there are none. */
  readonly fees?: Partial<FeeTerms> | null;
}

/** True when two descriptions of an event group are equal. */
export const isSameGroup = (a: EventGroup, b: EventGroup): boolean =>
  a === b ||
  (a.eventTicker === b.eventTicker &&
    a.seriesTicker === b.seriesTicker &&
    a.title === b.title &&
    a.isExclusive === b.isExclusive &&
    a.fees?.feeType === b.fees?.feeType &&
    a.fees?.feeMultiplierPercent === b.fees?.feeMultiplierPercent &&
    a.tickers.length === b.tickers.length &&
    a.tickers.every((ticker, place) => ticker === b.tickers[place]));

/** A recurring family of event groups, and its fee terms. */
export interface Series extends FeeTerms {
  readonly ticker: SeriesTicker;
  readonly title: string;
  readonly category: string;
  readonly frequency: string;
}

/**
 * The statuses that a market may go to from each status. Source: the exchange's market life, with early close, dispute,
 * re-determination and reopening after a close was moved.
 */
export const MARKET_LIFE: Readonly<Record<MarketStatus, readonly MarketStatus[]>> = {
  initialized: ['active', 'inactive', 'closed'],
  active: ['inactive', 'closed'],
  inactive: ['active', 'closed'],
  closed: ['active', 'determined'],
  determined: ['disputed', 'amended', 'finalized'],
  disputed: ['determined', 'amended', 'finalized'],
  amended: ['disputed', 'finalized'],
  finalized: [],
};

/** True when a market may go from one status to another, directly or not. */
export function canBecome(from: MarketStatus, to: MarketStatus): boolean {
  const reachable = new Set<MarketStatus>([from]);
  for (const status of reachable) for (const next of MARKET_LIFE[status]) reachable.add(next);
  return reachable.has(to);
}

/** True when the status allows new orders. */
export const isOpen = (status: MarketStatus): boolean => status === 'active';

/** True when the market's trading has ended. It may be opened again while its status is `closed`. */
export const isPastClose = (status: string): boolean => PAST_CLOSE.has(status);
const PAST_CLOSE: ReadonlySet<string> = new Set<MarketStatus>([
  'closed',
  'determined',
  'disputed',
  'amended',
  'finalized',
]);

/** True when nothing more can happen to the market. */
export const isSettled = (status: string): boolean => status === ('finalized' satisfies MarketStatus);

type Lifetime = Pick<Market, 'status' | 'openAt' | 'closeAt'>;

const mayTrade = (status: MarketStatus): boolean =>
  status === 'initialized' || status === 'active' || status === 'inactive';

/** The status that follows from the clock alone: opened at its opening, closed at its close. */
export function statusByClock({ status, openAt, closeAt }: Lifetime, now: Micros): MarketStatus {
  if (mayTrade(status) && now >= closeAt) return 'closed';
  return status === 'initialized' && now >= openAt ? 'active' : status;
}

/** Time at which the clock alone changes the market's status; infinite when it never does. */
export function nextClockStatusAt({ status, openAt, closeAt }: Lifetime): number {
  if (!mayTrade(status)) return Number.POSITIVE_INFINITY;
  return status === 'initialized' ? Math.min(openAt, closeAt) : closeAt;
}
