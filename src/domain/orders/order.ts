// An order, and its life as one table: (state, change) → state. A change outside the table has no effect and is
// reported as unexpected. Denied orders never get here.
import type { ClientOrderId, StrategyName, VenueOrderId } from '../ids.ts';
import type { OrderTerms, Side } from './order-terms.ts';
import type { Micros, Money, Price, Qty } from '../units.ts';

export type { Side, TimeInForce } from './order-terms.ts';

/** `maker` when the order rested, `taker` when it traded at once. */
export type Liquidity = 'maker' | 'taker';

/**
 * State of an order in its life. `filled`, `canceled`, `expired`, `rejected` and `not-sent` are ends. Even then a late
 * report, such as a fill, may change the state.
 */
export type OrderState =
  /**
   * Approved, waiting in the planner, not at the venue. An order refused because of the venue's rate limit is queued
   * again.
   */
  | 'queued'
  /** Sent, not answered yet. */
  | 'in-flight'
  /** At the venue, not finished. */
  | 'working'
  /** Working, with a cancel in flight. */
  | 'pending-cancel'
  /** Working, with an amend or decrease in flight. */
  | 'pending-amend'
  /** Perhaps at the venue. The order counts against every limit until a lookup decides. */
  | 'unknown'
  /** Filled completely. */
  | 'filled'
  /** Canceled, by us or by the venue, perhaps after partial fills. */
  | 'canceled'
  /** Expired at its time. */
  | 'expired'
  /** Refused by the venue. */
  | 'rejected'
  /** Certainly never reached the venue, and will not be sent again. */
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

/** The state each change leads to. `null` marks a change that cannot happen; it is reported as unexpected. */
type Row = Readonly<Record<OrderChange, OrderState | null>>;

/** A row in which no change can happen. The rows below add theirs. */
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

/** Changes that can happen to any order which may rest at the venue. */
const AT_VENUE: Row = { ...NOTHING, 'fill-all': 'filled', cancel: 'canceled', expire: 'expired', lose: 'unknown' };

/** Answers that change nothing, because another event already decided the state. */
const overtaken = (state: OrderState): Pick<Row, (typeof ANSWERS)[number]> => ({
  'refuse-cancel': state,
  'lose-cancel': state,
  amend: state,
  'refuse-amend': state,
  'lose-amend': state,
});
const ANSWERS = ['refuse-cancel', 'lose-cancel', 'amend', 'refuse-amend', 'lose-amend'] as const;

/** Changes without effect once the order has ended, such as an answer that follows the feed's report. */
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
    // A refusal because of the rate limit makes an order wait again. If the feed shows the order all the same, it must
    // not be sent twice.
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
    // The rate limit refused the order before it reached the book: it may be sent again under the same id.
    retry: 'queued',
    drop: 'not-sent',
    // The feed may report the order before the answer does.
    fill: 'working',
  },
  working: {
    ...AT_VENUE,
    ...overtaken('working'),
    accept: 'working',
    fill: 'working',
    'request-cancel': 'pending-cancel',
    'request-amend': 'pending-amend',
    // The rate limit refused the order, but the feed has shown the order at the venue.
    retry: 'working',
  },
  'pending-cancel': {
    ...AT_VENUE,
    // Until the cancel is answered, the larger of the order's two sizes counts. An amend's outcome no longer matters.
    ...overtaken('pending-cancel'),
    accept: 'pending-cancel',
    fill: 'pending-cancel',
    'request-cancel': 'pending-cancel',
    // The venue's "not found" leaves open whether the order was filled, canceled or never there. A lookup must follow.
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
    // A lookup must find out which terms are in force.
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
  // A fill that happened before the cancel may arrive after it.
  canceled: { ...late('canceled'), fill: 'canceled', 'fill-all': 'filled' },
  expired: { ...late('expired'), fill: 'expired', 'fill-all': 'filled' },
  // A later event may contradict the rejection or the failed lookup: the later event is right.
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

/** The next state, or `null` when the change cannot happen in this state. */
export const nextOrderState = (state: OrderState, change: OrderChange): OrderState | null => ORDER_LIFE[state][change];

/** True when nothing more is expected of the order. */
export const isFinished = (state: OrderState): boolean => FINISHED.has(state);
const FINISHED: ReadonlySet<OrderState> = new Set(['filled', 'canceled', 'expired', 'rejected', 'not-sent']);

/** True when the order may rest at the venue now. */
export const mayRest = (state: OrderState): boolean => state !== 'queued' && !isFinished(state);

/** The terms that an amend gives an order. */
export interface AmendedTerms {
  /** Limit on the YES scale, in ten-thousandths of a dollar. */
  readonly price: Price;
  /** Total quantity, what is filled included, in hundredths of a contract. */
  readonly qty: Qty;
}

/** An order of ours. Prices are on the YES scale; quantities in hundredths of a contract. */
export interface Order extends OrderTerms {
  /** Our id of the order, given before it was sent. `cancel` and `decrease` intents name the order by it. */
  readonly clientOrderId: ClientOrderId;
  /** The venue's id of the order; `null` until the venue has given one. */
  readonly venueOrderId: VenueOrderId | null;
  /**
   * Terms of an amend whose effect is not known yet; `null` without one. Limits then count the worse of these and the
   * order's own terms.
   */
  readonly amend: AmendedTerms | null;
  /** Name of the strategy that the order belongs to. */
  readonly strategy: StrategyName;
  /** Quantity filled so far. */
  readonly filledQty: Qty;
  /** Σ price × qty of the fills, on the YES scale. */
  readonly filledNotional: Money;
  /** Fees of all fills so far, in millionths of a dollar. */
  readonly fees: Money;
  readonly state: OrderState;
  /** Time at which risk approved the order, by our clock. */
  readonly createdAt: Micros;
  /** Time of the order's latest change, by our clock. */
  readonly changedAt: Micros;
  /** The strategy's reason for the order. */
  readonly reason: string;
}

/**
 * The quantity of an order that is not filled yet, in hundredths of a contract.
 * @example
 * import { contracts, leavesQty } from 'presage-trading';
 *
 * leavesQty({ qty: contracts(10), filledQty: contracts(4) }); // 600
 */
export const leavesQty = (order: Pick<Order, 'qty' | 'filledQty'>): Qty => (order.qty - order.filledQty) as Qty;

/** The price that counts against the limits: the one that costs more, while an amend is not answered. */
export const countedPrice = ({ side, price, amend }: Pick<Order, 'side' | 'price' | 'amend'>): Price => {
  if (amend === null) return price;
  const isWorse = side === 'buy' ? amend.price > price : amend.price < price;
  return isWorse ? amend.price : price;
};

/**
 * True when new terms would trade with a resting order. YES and NO share one book, so this covers both. An order with an
 * unanswered amend may rest at its old or its new price.
 */
export const crosses = ({ side, price }: Pick<Order, 'side' | 'price'>, resting: Order): boolean =>
  side !== resting.side && (side === 'buy' ? price >= countedPrice(resting) : price <= countedPrice(resting));

/** The total quantity that counts against the limits: the larger one, while an amend is not answered. */
export const countedQty = ({ qty, amend }: Pick<Order, 'qty' | 'amend'>): Qty =>
  amend !== null && amend.qty > qty ? amend.qty : qty;

/** The quantity that may still fill, as it counts against the limits. */
export const countedLeaves = (order: Pick<Order, 'qty' | 'filledQty' | 'amend'>): Qty =>
  (countedQty(order) - order.filledQty) as Qty;

/**
 * The side that closes what a side opens: `sell` for `buy`, and the reverse.
 * @example
 * import { opposite } from 'presage-trading';
 *
 * opposite('buy'); // 'sell'
 */
export const opposite = (side: Side): Side => (side === 'buy' ? 'sell' : 'buy');
/** +1 for buying YES, −1 for selling it. */
export const signOf = (side: Side): 1 | -1 => (side === 'buy' ? 1 : -1);
