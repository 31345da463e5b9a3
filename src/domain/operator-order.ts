// Instructions of the operator, and the state that a session restores from earlier sessions. An instruction enters the
// engine as an event, so that a journal holds it. A halt stays in force over restarts until it is lifted.
import type { ClientOrderId, MarketIndex, StrategyName, Ticker, VenueOrderId } from './ids.ts';
import type { Side } from './orders/order.ts';
import type { Micros, Money, Price, Qty } from './units.ts';

/** Scope of a halt, or of canceling all orders. */
export type HaltScope =
  | { readonly type: 'account' }
  | { readonly type: 'strategy'; readonly strategy: StrategyName }
  | { readonly type: 'market'; readonly ticker: Ticker };

/** Source of a halt: a person, a rule of risk, the watchdog, or a fault. */
export type HaltedBy = 'operator' | 'risk' | 'watchdog' | 'fault';

/** A halt. Until it is lifted, no new order may be placed within its scope. */
export interface Halt {
  readonly scope: HaltScope;
  readonly by: HaltedBy;
  readonly reason: string;
  readonly since: Micros;
}

/** A different value of a limit, in force until a time. `value` is in the limit's own unit (`risk/risk-limits.ts`). */
export interface LimitOverride {
  /** A limit's name, as `RISK_LIMITS` lists them. */
  readonly limit: string;
  readonly value: number;
  /** The strategy whose limit it is; `null` for the account's limit. */
  readonly strategy: StrategyName | null;
  readonly until: Micros;
  readonly reason: string;
}

/** The person who gives an instruction. Absent in journals written before this field existed. */
interface GivenBy {
  readonly who?: string;
}

/** Instructions that an operator may give. */
export type OperatorOrder = GivenBy &
  (
    | {
        readonly type: 'halt';
        readonly scope: HaltScope;
        readonly by: HaltedBy;
        readonly reason: string;
        /** Time at which the halt was saved, when the session learns of it later. Default: the time of the instruction. */
        readonly since?: Micros;
      }
    | { readonly type: 'resume'; readonly scope: HaltScope; readonly reason: string }
    | { readonly type: 'cancel-all'; readonly scope: HaltScope; readonly reason: string }
    /** Halts the account, cancels every order, and closes every position at the prices in the book. */
    | { readonly type: 'flatten'; readonly reason: string }
    | { readonly type: 'override'; readonly override: LimitOverride }
  );

/** A position that a flatten could not close, and why. */
export interface UnclosedPosition {
  readonly market: MarketIndex;
  /** Quantity held: + YES, − NO. */
  readonly qty: Qty;
  readonly why: string;
}

/** An order whose session died before the venue answered: the order may rest, or may yet arrive. */
export interface UnresolvedOrder {
  readonly clientOrderId: ClientOrderId;
  readonly ticker: Ticker;
  readonly side: Side;
  readonly price: Price;
  readonly qty: Qty;
  readonly sentAt: Micros;
}

/** Baselines of loss limits, kept across restarts: a crash must not reset the day's loss. */
export interface LossBaseline {
  /** Day of the baselines, in UTC: `2026-11-21`. */
  readonly day: string;
  readonly dayEquity: Money;
  /**
   * Equity at the start of the day, with positions at their marks: the day's profit begins there. It is absent in figures of a
   * strategy, and in those that an earlier version wrote.
   */
  readonly dayMarkEquity?: Money;
  /** Highest equity so far. */
  readonly peakEquity: Money;
}

/** Unresolved state of a session that died. */
export interface UnresolvedState {
  readonly unresolved: readonly UnresolvedOrder[];
  /**
   * Time of the last known action of the session that died; `null` when no session died. The venue's lists may not show
   * that action yet.
   */
  readonly diedAt: Micros | null;
}

/** Ledger of one strategy: its positions, and the profit it has realized. */
export interface SavedLedger {
  readonly strategy: StrategyName;
  /** Profit on everything closed or settled, before fees. */
  readonly realized: Money;
  readonly fees: Money;
  /** Baselines of the strategy's own loss limits, with its profit in place of equity. */
  readonly losses: LossBaseline | null;
  readonly positions: readonly { readonly ticker: Ticker; readonly qty: Qty; readonly cost: Money }[];
}

/** Saved ledgers: after a restart they show which strategy holds which of the account's positions. */
export interface SavedLedgers {
  /** Time of the save, by our clock. Later fills are in no ledger. */
  readonly at: Micros;
  /** The session that saved the ledgers. The index in `strategies` is the strategy's `place` in order ids. */
  readonly session: string;
  readonly strategies: readonly StrategyName[];
  readonly books: readonly SavedLedger[];
  /** Quantities that the account holds beyond those of its strategies. */
  readonly others: readonly { readonly ticker: Ticker; readonly qty: Qty }[];
  /** Unfinished orders, for fills that name an order only by its venue order id. */
  readonly orders: readonly { readonly venueOrderId: VenueOrderId; readonly strategy: StrategyName }[];
  /** The latest fills in the ledgers; the venue's lists may show them again. */
  readonly fills: readonly string[];
  /** Profits with which the day of each market began. Absent before the day has begun, and in files of an earlier version. */
  readonly dayMarkets?: SavedDayMarkets;
}

/** Profit of each market of the account at the beginning of a day. A later session of the day continues from it. */
export interface SavedDayMarkets {
  /** A UTC day such as `2026-11-30`. */
  readonly day: string;
  /** Realized profit after fees, and unrealized profit at the mark. Other markets began the day without a profit. */
  readonly profits: readonly { readonly ticker: Ticker; readonly profit: Money }[];
}

/** State that must survive a restart. */
export interface RestoredState extends UnresolvedState {
  readonly halts: readonly Halt[];
  readonly losses: LossBaseline | null;
  readonly overrides: readonly LimitOverride[];
  /** Saved state of strategies, as JSON, by strategy name. */
  readonly saved?: Readonly<Record<string, unknown>>;
  readonly books?: SavedLedgers;
  /** Names of sessions whose orders this session may cancel. Absent in old journals: then it may cancel every order. */
  readonly sessions?: readonly string[];
}

/** The unresolved state when no session died. */
export const NOTHING_UNRESOLVED: UnresolvedState = { unresolved: [], diedAt: null };

/** The restored state when there is nothing to restore. */
export const NOTHING_RESTORED: RestoredState = { ...NOTHING_UNRESOLVED, halts: [], losses: null, overrides: [] };
