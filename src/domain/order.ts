// An order, and its life as one table: (state, change) → state. What is not in the table does not happen.
// Denied orders never get here: *rejected* is the venue's word, *not-sent* and *unknown* are the wire's.
import type { ClientOrderId, MarketIndex, StrategyName, VenueOrderId } from './ids.ts';
import type { Micros, Money, Price, Qty } from './units.ts';

/** Which way on the YES book: buying YES, or selling it, which is buying NO at the complement. */
export type Side = 'buy' | 'sell';
/** Until canceled, until a time, fill what can be and cancel the rest, all or nothing. */
export type TimeInForce = 'gtc' | 'gtd' | 'ioc' | 'fok';
/** Whether a fill rested (`maker`) or crossed (`taker`). */
export type Liquidity = 'maker' | 'taker';

export type OrderState =
  /** Approved, waiting in the planner; not at the venue, by its own word where it was refused for rate before. */
  | 'queued'
  /** Sent, unanswered. */
  | 'in-flight'
  /** At the venue, not finished. */
  | 'working'
  /** Working, and a cancel is on its way. */
  | 'pending-cancel'
  /** Working, and an amend or decrease is on its way. */
  | 'pending-amend'
  /** It may or may not be at the venue; counts against every limit until a probe tells. */
  | 'unknown'
  /** Traded in full. */
  | 'filled'
  /** Withdrawn, by us or by the venue, perhaps after partial fills. */
  | 'canceled'
  /** Lapsed at its time. */
  | 'expired'
  /** Refused by the venue. */
  | 'rejected'
  /** Certainly never arrived, and will not be sent again. */
  | 'not-sent';

export type OrderChange =
  | 'send'
  | 'drop'
  | 'retry'
  | 'accept'
  | 'reject'
  | 'lose'
  | 'fill'
  | 'fill-all'
  | 'request-cancel'
  | 'refuse-cancel'
  | 'lose-cancel'
  | 'request-amend'
  | 'amend'
  | 'refuse-amend'
  | 'lose-amend'
  | 'cancel'
  | 'expire';

/** What each change leads to; `null`: such a change cannot happen, and is told as a surprise. */
type Row = Readonly<Record<OrderChange, OrderState | null>>;

/** Nothing can happen but what a row adds. */
const NOTHING: Row = {
  send: null,
  drop: null,
  retry: null,
  accept: null,
  reject: null,
  lose: null,
  fill: null,
  'fill-all': null,
  'request-cancel': null,
  'refuse-cancel': null,
  'lose-cancel': null,
  'request-amend': null,
  amend: null,
  'refuse-amend': null,
  'lose-amend': null,
  cancel: null,
  expire: null,
};

/** Changes that any order which may rest at the venue can meet. */
const AT_VENUE: Row = { ...NOTHING, 'fill-all': 'filled', cancel: 'canceled', expire: 'expired', lose: 'unknown' };

/** Words that change nothing: what they answer was overtaken by something else. */
const overtaken = (state: OrderState): Pick<Row, (typeof ANSWERS)[number]> => ({
  'refuse-cancel': state,
  'lose-cancel': state,
  amend: state,
  'refuse-amend': state,
  'lose-amend': state,
});
const ANSWERS = ['refuse-cancel', 'lose-cancel', 'amend', 'refuse-amend', 'lose-amend'] as const;

/**
 * Words that reach an order which has already ended and change nothing: the answer that comes after the feed said
 * it, the feed's word after the answer, a cancel that crossed a fill, a look-up that tells the end again.
 */
const late = (state: OrderState): Row => ({
  ...NOTHING,
  ...overtaken(state),
  accept: state,
  cancel: state,
  expire: state,
  lose: state,
  'fill-all': state,
});

/** The life of an order: every state and every change. */
export const ORDER_LIFE: Readonly<Record<OrderState, Row>> = {
  queued: {
    ...NOTHING,
    send: 'in-flight',
    drop: 'not-sent',
    // Put back after a refusal for rate that was none: the feed shows it, and it must not be sent a second time.
    accept: 'working',
    fill: 'working',
    'fill-all': 'filled',
    cancel: 'canceled',
    expire: 'expired',
  },
  'in-flight': {
    ...AT_VENUE,
    accept: 'working',
    reject: 'rejected',
    // Refused at the door for its rate: it never reached the book, and may be sent again under the same id.
    retry: 'queued',
    drop: 'not-sent',
    // The feed may tell of the order before the answer does.
    fill: 'working',
  },
  working: {
    ...AT_VENUE,
    ...overtaken('working'),
    accept: 'working',
    fill: 'working',
    'request-cancel': 'pending-cancel',
    'request-amend': 'pending-amend',
    // The feed told of it, against the venue's word that it refused it for rate: it is there.
    retry: 'working',
  },
  'pending-cancel': {
    ...AT_VENUE,
    // What became of an amend does not matter any more: the larger of its terms counts until the cancel is answered.
    ...overtaken('pending-cancel'),
    accept: 'pending-cancel',
    fill: 'pending-cancel',
    'request-cancel': 'pending-cancel',
    // The venue's "not found" does not say whether it was filled, canceled or never there: it must be looked up.
    'refuse-cancel': 'unknown',
    // A cancel can be sent again without harm.
    'lose-cancel': 'working',
    retry: 'pending-cancel',
  },
  'pending-amend': {
    ...AT_VENUE,
    ...overtaken('pending-amend'),
    accept: 'pending-amend',
    fill: 'pending-amend',
    'request-cancel': 'pending-cancel',
    amend: 'working',
    'refuse-amend': 'working',
    // Whether the new terms hold must be looked up.
    'lose-amend': 'unknown',
    retry: 'pending-amend',
  },
  unknown: {
    ...AT_VENUE,
    ...overtaken('unknown'),
    accept: 'working',
    reject: 'rejected',
    drop: 'not-sent',
    fill: 'unknown',
    'request-cancel': 'unknown',
    amend: 'working',
    retry: 'unknown',
  },
  filled: late('filled'),
  // A fill that happened before the cancel may be told after it.
  canceled: { ...late('canceled'), fill: 'canceled', 'fill-all': 'filled' },
  expired: { ...late('expired'), fill: 'expired', 'fill-all': 'filled' },
  // A probe that found nothing may be overtaken by what proves it wrong: the venue's word is the truth.
  rejected: {
    ...late('rejected'),
    accept: 'working',
    fill: 'working',
    'fill-all': 'filled',
    cancel: 'canceled',
    expire: 'expired',
    reject: 'rejected',
  },
  'not-sent': {
    ...late('not-sent'),
    accept: 'working',
    fill: 'working',
    'fill-all': 'filled',
    cancel: 'canceled',
    expire: 'expired',
    drop: 'not-sent',
    reject: 'not-sent',
  },
};

/** The next state, or `null` when such a change cannot happen in this state. */
export const nextOrderState = (state: OrderState, change: OrderChange): OrderState | null => ORDER_LIFE[state][change];

/** Whether nothing more is expected of the order. */
export const isFinished = (state: OrderState): boolean => FINISHED.has(state);
const FINISHED: ReadonlySet<OrderState> = new Set(['filled', 'canceled', 'expired', 'rejected', 'not-sent']);

/** Whether the order may rest at the venue now. */
export const mayRest = (state: OrderState): boolean => state !== 'queued' && !isFinished(state);

/** An order of ours. Prices are on the YES scale; quantities in hundredths of a contract. */
export interface Order {
  readonly clientOrderId: ClientOrderId;
  readonly venueOrderId: VenueOrderId | null;
  readonly strategy: StrategyName;
  readonly market: MarketIndex;
  readonly side: Side;
  readonly price: Price;
  /** What was asked for in all. */
  readonly qty: Qty;
  /** What has traded so far. */
  readonly filledQty: Qty;
  /** Σ price × qty of the fills, on the YES scale. */
  readonly filledNotional: Money;
  readonly fees: Money;
  readonly state: OrderState;
  readonly timeInForce: TimeInForce;
  readonly postOnly: boolean;
  readonly reduceOnly: boolean;
  readonly expiresAt: Micros | null;
  readonly createdAt: Micros;
  readonly changedAt: Micros;
  /** Why the strategy wanted it. */
  readonly reason: string;
}

/** What remains unfilled. */
export const leavesQty = (order: Pick<Order, 'qty' | 'filledQty'>): Qty => (order.qty - order.filledQty) as Qty;

/** The other side. */
export const opposite = (side: Side): Side => (side === 'buy' ? 'sell' : 'buy');
/** +1 for buying YES, −1 for selling it. */
export const signOf = (side: Side): 1 | -1 => (side === 'buy' ? 1 : -1);
