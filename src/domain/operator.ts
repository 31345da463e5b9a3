// What an operator may order, and what a session takes over from those before it. An order of the operator enters the
// engine as an event, so that a journal holds it; a halt holds until it is lifted, over any number of restarts.
import type { ClientOrderId, MarketIndex, StrategyName, Ticker, VenueOrderId } from './ids.ts';
import type { Side } from './order.ts';
import type { Micros, Money, Price, Qty } from './units.ts';

/** What a halt or a withdrawal is about. */
export type HaltScope =
  | { readonly type: 'account' }
  | { readonly type: 'strategy'; readonly strategy: StrategyName }
  | { readonly type: 'market'; readonly ticker: Ticker };

/** Who halted: a person, a rule of risk, the watchdog, or a fault. */
export type HaltedBy = 'operator' | 'risk' | 'watchdog' | 'fault';

/** No new order within the scope until it is lifted. */
export interface Halt {
  readonly scope: HaltScope;
  readonly by: HaltedBy;
  readonly reason: string;
  readonly since: Micros;
}

/** A limit set otherwise for a while. `value` is in the limit's own unit (`risk/limits.ts`). */
export interface Override {
  /** A limit's name, as `RISK_LIMITS` lists them. */
  readonly limit: string;
  readonly value: number;
  /** The strategy it is for; `null` for the account's limit. */
  readonly strategy: StrategyName | null;
  readonly until: Micros;
  readonly reason: string;
}

/** What an operator orders. */
export type OperatorOrder =
  | { readonly type: 'halt'; readonly scope: HaltScope; readonly by: HaltedBy; readonly reason: string }
  | { readonly type: 'resume'; readonly scope: HaltScope; readonly reason: string }
  | { readonly type: 'cancel-all'; readonly scope: HaltScope; readonly reason: string }
  /** Halts the account, withdraws everything, and closes every position at what the book pays. */
  | { readonly type: 'flatten'; readonly reason: string }
  | { readonly type: 'override'; readonly override: Override };

/** A position that closing everything has not closed, and why. */
export interface Unclosed {
  readonly market: MarketIndex;
  /** What is held: + YES, − NO. */
  readonly qty: Qty;
  readonly why: string;
}

/** An order of a session that died before it learned what became of it: it may rest, or may yet arrive. */
export interface UnresolvedOrder {
  readonly clientOrderId: ClientOrderId;
  readonly ticker: Ticker;
  readonly side: Side;
  readonly price: Price;
  readonly qty: Qty;
  /** When it was sent. */
  readonly sentAt: Micros;
}

/** Figures that loss limits are reckoned from, kept over restarts: a crash must not begin the day anew. */
export interface LossStanding {
  /** The day they are of, in UTC: `2026-11-21`. */
  readonly day: string;
  /** Equity when the day began. */
  readonly dayEquity: Money;
  /** The most that equity has been. */
  readonly peakEquity: Money;
}

/** What a session that died leaves to be found out. */
export interface Remains {
  readonly unresolved: readonly UnresolvedOrder[];
  /** When it was last known to act: what it did then may not be in the venue's lists yet. `null` when none died. */
  readonly diedAt: Micros | null;
}

/** What one strategy holds, and has earned of what is over. */
export interface KeptBook {
  readonly strategy: StrategyName;
  /** Profit of all that was closed or settled, before fees. */
  readonly realized: Money;
  readonly fees: Money;
  /** Figures that its own loss limits are reckoned from, what it has earned in place of equity. */
  readonly losses: LossStanding | null;
  readonly positions: readonly { readonly ticker: Ticker; readonly qty: Qty; readonly cost: Money }[];
}

/** Whose the account's positions are, kept over restarts: its own figures do not say. */
export interface KeptBooks {
  /** As of when, by our clock. Fills told since are in no book. */
  readonly at: Micros;
  /** The session that kept them, and its strategies by their places in its orders' ids. */
  readonly session: string;
  readonly strategies: readonly StrategyName[];
  readonly books: readonly KeptBook[];
  /** What the account holds beyond its strategies, where they hold something. */
  readonly others: readonly { readonly ticker: Ticker; readonly qty: Qty }[];
  /** Orders that had not ended, for fills that name them as the venue does. */
  readonly orders: readonly { readonly venueOrderId: VenueOrderId; readonly strategy: StrategyName }[];
  /** The latest fills that are in the books, which lists may show again. */
  readonly fills: readonly string[];
}

/** What must not be forgotten by a restart. */
export interface CarriedOver extends Remains {
  readonly halts: readonly Halt[];
  readonly losses: LossStanding | null;
  readonly overrides: readonly Override[];
  /** What strategies kept, as JSON, by their names; absent where none kept anything. */
  readonly saved?: Readonly<Record<string, unknown>>;
  /** Absent where no session before has kept any. */
  readonly books?: KeptBooks;
  /**
   * The sessions whose orders are this one's to cancel: those that ran on its data folder, and those it takes over. Absent
   * in journals that were written before this was kept: then every order counts as one of them.
   */
  readonly sessions?: readonly string[];
}

/** No session died. */
export const NO_REMAINS: Remains = { unresolved: [], diedAt: null };

/** Nothing to take over. */
export const NOTHING_CARRIED: CarriedOver = { ...NO_REMAINS, halts: [], losses: null, overrides: [] };
