// Compares a live session with its backtest: every difference with its cause, and the share of trades that agree. Must
// never call a difference explained without a rule.
import { centsText, contractsText, dollarsText } from '../../src/domain/amounts.ts';
import { strategyName, ticker as tickerName } from '../../src/domain/ids.ts';
import { money, price, qty } from '../../src/domain/units.ts';
import { isInHaltScope } from '../../src/execution/operator/halts.ts';
import { type OrderPair, pairOrders, pairTime } from './order-pairs.ts';
import type { RunTrace, TracedFill, TracedOrder } from './run-trace.ts';

/** The cause of a difference between two runs. */
export type DifferenceCause =
  /** The orders were decided, arrived, were moved or were canceled at different times. */
  | 'latency'
  /** Both orders rested at the time, with different quantities ahead of them. */
  | 'queue'
  /** The same trade was charged a different fee. */
  | 'fee'
  /** A rate budget held one of the orders back. */
  | 'budget'
  /** The venue refused one of the orders, and accepted the other. */
  | 'refused'
  /** The code has changed since: the journal replays with other decisions. */
  | 'code'
  /** The tape has a gap in that market when the order was decided, or before the trade that only one run had. */
  | 'tape'
  /** The other run did not trade yet when the order was decided. */
  | 'start'
  /** The other run was halted for the order's strategy or market when the order was decided, or this one for a flatten. */
  | 'halt'
  /** An earlier difference in the same event group led to this one. */
  | 'follows'
  /** The session began with a position in the event group; the backtest begins with none. */
  | 'position'
  /** No rule explains the difference. */
  | 'unexplained';

export type DifferenceKind = 'only-live' | 'only-simulated' | 'filled' | 'price' | 'fee';

/** One difference. */
export interface ParityDifference {
  readonly at: number;
  readonly kind: DifferenceKind;
  readonly cause: DifferenceCause;
  readonly strategy: string;
  readonly ticker: string;
  /** The orders' ids; `null` where a run had no such order. */
  readonly live: string | null;
  readonly simulated: string | null;
  /** A sentence with figures. */
  readonly what: string;
}

/** Quantities in hundredths of a contract. `qty` is the largest quantity that each order had. */
export interface RestingTotals {
  readonly orders: number;
  readonly qty: number;
  readonly filledQty: number;
}

export interface ParityReport {
  readonly orders: { readonly live: number; readonly simulated: number; readonly paired: number };
  /**
   * Quantity traded, in hundredths of a contract. `same`: the quantity that both orders of a pair traded, over all
   * pairs.
   */
  readonly filledQty: { readonly live: number; readonly simulated: number; readonly same: number };
  /** Orders of each run that came to rest at the venue, before any trade: how much of them filled. */
  readonly resting: { readonly live: RestingTotals; readonly simulated: RestingTotals };
  /**
   * Twice `filledQty.same`, divided by the sum of both runs' quantities, from 0 to 1 (the Sørensen–Dice coefficient). 1
   * where neither run traded.
   */
  readonly agreement: number;
  /** Cash moved by each run's trades, less fees. Millionths of a dollar. */
  readonly cash: { readonly live: number; readonly simulated: number };
  readonly differences: readonly ParityDifference[];
  readonly byCause: Readonly<Partial<Record<DifferenceCause, number>>>;
}

export interface CompareOptions {
  readonly live: RunTrace;
  readonly simulated: RunTrace;
  readonly windowMicros: number;
  /** Time ranges that the tape does not cover, with the tickers of the markets; an empty list means all markets. */
  readonly gaps: readonly { readonly from: number; readonly to: number; readonly tickers: readonly string[] }[];
  /** The time from which the journal replays differently, or `null`. */
  readonly codeDiffersAt: number | null;
  /** Tickers of the markets in which the session held a position when it began to trade. */
  readonly openingTickers: ReadonlySet<string>;
}

/** Final state of orders that never reached the venue. A rate budget is assumed to be the cause. */
const HELD_BACK = 'not-sent';
/** Final state of orders that the venue refused. */
const REFUSED = 'rejected';

/** Compares a live session with its backtest. */
export function compareRuns(options: CompareOptions): ParityReport {
  const { live, simulated, windowMicros } = options;
  const [ours, theirs] = [live.orders, simulated.orders];
  const pairs = pairOrders(ours, theirs, { windowMicros });
  const finder = new CauseFinder(options);
  const differences = pairs.flatMap((pair) => finder.differencesOf(pair));
  const same = sum(pairs.map(({ live: a, simulated: b }) => Math.min(a?.filledQty ?? 0, b?.filledQty ?? 0)));
  const filledQty = { live: sum(ours.map(filled)), simulated: sum(theirs.map(filled)), same };
  const total = filledQty.live + filledQty.simulated;
  return {
    orders: { live: ours.length, simulated: theirs.length, paired: pairs.filter(isPaired).length },
    filledQty,
    resting: { live: restingTotals(ours), simulated: restingTotals(theirs) },
    agreement: total === 0 ? 1 : (2 * same) / total,
    cash: { live: sum(ours.map(cashOf)), simulated: sum(theirs.map(cashOf)) },
    differences,
    byCause: tally(differences),
  };
}

function restingTotals(orders: readonly TracedOrder[]): RestingTotals {
  const resting = orders.filter(
    ({ hasRested, fills }) => hasRested && fills.every(({ liquidity }) => liquidity === 'maker'),
  );
  return { orders: resting.length, qty: sum(resting.map(largestQty)), filledQty: sum(resting.map(filled)) };
}

const largestQty = ({ qty, moves }: TracedOrder): number => Math.max(qty, ...moves.map((move) => move.qty));
const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
const filled = ({ filledQty }: TracedOrder): number => filledQty;
const isPaired = ({ live, simulated }: OrderPair): boolean => live !== null && simulated !== null;

/** Cash moved by an order's trades, less its fees. */
const cashOf = (order: TracedOrder): number => (order.side === 'buy' ? -costOf(order) : costOf(order)) - feeOf(order);

function tally(differences: readonly ParityDifference[]): Partial<Record<DifferenceCause, number>> {
  const counts: Partial<Record<DifferenceCause, number>> = {};
  for (const { cause } of differences) counts[cause] = (counts[cause] ?? 0) + 1;
  return counts;
}

/** Finds causes by time: later differences may follow from earlier ones. */
class CauseFinder {
  readonly #options: CompareOptions;
  readonly #groupOf: ReadonlyMap<string, string>;
  readonly #openingGroups: ReadonlySet<string>;
  /**
   * Time from which the runs differ, by strategy and event group. Added at the first difference other than a fee; never
   * removed.
   */
  readonly #divergedAt = new Map<string, number>();

  constructor(options: CompareOptions) {
    this.#options = options;
    this.#groupOf = new Map([...options.live.groups, ...options.simulated.groups]);
    this.#openingGroups = new Set([...options.openingTickers].map((ticker) => this.#groupOfMarket(ticker)));
  }

  differencesOf(pair: OrderPair): ParityDifference[] {
    const found = this.#differenceOf(pair);
    if (found && found.kind !== 'fee') this.#addDivergence(this.#keyOf(found), divergenceOf(pair));
    return found ? [found] : [];
  }

  #addDivergence(key: string, at: number): void {
    this.#divergedAt.set(key, Math.min(at, this.#divergedAt.get(key) ?? Infinity));
  }

  #groupOfMarket(ticker: string): string {
    return this.#groupOf.get(ticker) ?? ticker;
  }

  #keyOf({ strategy, ticker }: { readonly strategy: string; readonly ticker: string }): string {
    return JSON.stringify([strategy, this.#groupOfMarket(ticker)]);
  }

  #differenceOf(pair: OrderPair): ParityDifference | null {
    const { live, simulated } = pair;
    if (live && simulated) return this.#compare(live, simulated);
    const order = live ?? simulated;
    if (!order) return null;
    // An order that never reached the venue changed nothing: its absence in the other run is no difference.
    if (order.state === HELD_BACK && order.filledQty === 0) return null;
    const kind = live ? 'only-live' : 'only-simulated';
    return this.#difference(
      pair,
      kind,
      this.#causeOfUnpaired(order, live ? this.#options.simulated : this.#options.live),
    );
  }

  #difference(pair: OrderPair, kind: DifferenceKind, cause: DifferenceCause): ParityDifference {
    const order = pair.live ?? pair.simulated;
    return {
      at: pairTime(pair),
      kind,
      cause,
      strategy: order?.strategy ?? '',
      ticker: order?.ticker ?? '',
      live: pair.live?.clientOrderId ?? null,
      simulated: pair.simulated?.clientOrderId ?? null,
      what: sentenceOf(pair, kind),
    };
  }

  #compare(live: TracedOrder, simulated: TracedOrder): ParityDifference | null {
    const pair = { live, simulated };
    if (live.filledQty !== simulated.filledQty)
      return this.#difference(pair, 'filled', this.#causeOfFill(live, simulated));
    if (live.filledQty === 0) return null;
    if (costOf(live) !== costOf(simulated)) return this.#difference(pair, 'price', this.#causeOfFill(live, simulated));
    if (feeOf(live) !== feeOf(simulated)) return this.#difference(pair, 'fee', 'fee');
    return null;
  }

  /**
   * Returns a cause that does not depend on the orders' terms, or `null`.
   * @param at time of the decision
   * @param seenAt time at which the runs differ. The same decision comes at another time in each run, so that the changed
   *   code may have decided earlier in the backtest.
   */
  #generalCause(order: TracedOrder, at: number, seenAt: number): DifferenceCause | null {
    const { codeDiffersAt, gaps, windowMicros } = this.#options;
    if (codeDiffersAt !== null && codeDiffersAt - windowMicros <= at) return 'code';
    const isLost = (tickers: readonly string[]): boolean => tickers.length === 0 || tickers.includes(order.ticker);
    if (gaps.some(({ from, to, tickers }) => seenAt >= from && at <= to && isLost(tickers))) return 'tape';
    return (this.#divergedAt.get(this.#keyOf(order)) ?? Infinity) <= at ? 'follows' : null;
  }

  #causeOfUnpaired(order: TracedOrder, other: RunTrace): DifferenceCause {
    const general = this.#generalCause(order, order.createdAt, order.createdAt);
    if (general === 'code' || general === 'tape') return general;
    if (order.createdAt < other.tradesFrom) return 'start';
    const { live, simulated, windowMicros } = this.#options;
    // While a run is halted itself, it has the orders of a flatten alone.
    if (isHalted(other, order, windowMicros) || isHalted(other === live ? simulated : live, order, 0)) return 'halt';
    if (general !== null) return general;
    if (isHeldBackThere(order, other, this.#options.windowMicros)) return 'budget';
    // The other run had an order on this side of the market at that time: it saw the market at another moment.
    const isNear = other.orders.some(
      ({ strategy, ticker, side, createdAt, endedAt }) =>
        strategy === order.strategy &&
        ticker === order.ticker &&
        side === order.side &&
        createdAt <= order.createdAt + this.#options.windowMicros &&
        (endedAt ?? Infinity) >= order.createdAt - this.#options.windowMicros,
    );
    if (isNear) return 'latency';
    return this.#openingGroups.has(this.#groupOfMarket(order.ticker)) ? 'position' : 'unexplained';
  }

  #causeOfFill(live: TracedOrder, simulated: TracedOrder): DifferenceCause {
    const decidedAt = Math.min(live.createdAt, simulated.createdAt);
    const general = this.#generalCause(live, decidedAt, firstOwnFill(live, simulated));
    if (general === 'code' || general === 'tape') return general;
    if ((live.state === REFUSED) !== (simulated.state === REFUSED)) return 'refused';
    if (live.state === HELD_BACK || simulated.state === HELD_BACK) return 'budget';
    if (hasOtherTerms(live, simulated)) return general ?? 'latency';
    const missed = [...missedBy(live, simulated), ...missedBy(simulated, live)];
    if (missed.length > 0) return 'latency';
    const isTaker = [...live.fills, ...simulated.fills].some(({ liquidity }) => liquidity === 'taker');
    return isTaker ? 'latency' : 'queue';
  }
}

/** Time from which the runs differ by a pair: by the decision, or by a trade or an end that only one order had. */
function divergenceOf(pair: OrderPair): number {
  const { live, simulated } = pair;
  if (!live || !simulated || hasOtherTerms(live, simulated) || hasOtherArrival(live, simulated)) return pairTime(pair);
  return Math.min(firstOwnFill(live, simulated), live.endedAt ?? Infinity, simulated.endedAt ?? Infinity);
}

const hasOtherTerms = (a: TracedOrder, b: TracedOrder): boolean => a.qty !== b.qty || a.price !== b.price;

/** True when only one of the orders came to the venue and was accepted. */
const hasOtherArrival = ({ state: a }: TracedOrder, { state: b }: TracedOrder): boolean =>
  (a === REFUSED) !== (b === REFUSED) || a === HELD_BACK || b === HELD_BACK;

/** Time of the first trade that only one of the orders had. */
function firstOwnFill({ fills: a }: TracedOrder, { fills: b }: TracedOrder): number {
  const isOwn = ({ price, qty }: TracedFill, other: TracedFill | undefined): boolean =>
    price !== other?.price || qty !== other.qty;
  const own = [...a.filter((fill, i) => isOwn(fill, b[i])), ...b.filter((fill, i) => isOwn(fill, a[i]))];
  return Math.min(...own.map(({ at }) => at));
}

/**
 * Trades of `other` before `order` was decided or after it had ended, while it rested at another price, or beyond the
 * quantity that it had.
 */
function missedBy(order: TracedOrder, other: TracedOrder): TracedFill[] {
  let filledQty = 0;
  return other.fills.filter((fill) => {
    filledQty += fill.qty;
    const { price: restingAt, qty: restingQty } = order.moves.findLast((move) => move.at <= fill.at) ?? order;
    const isElsewhere = fill.liquidity === 'maker' && restingAt !== fill.price;
    const isGone = fill.at < order.createdAt || fill.at > (order.endedAt ?? Infinity);
    return isGone || isElsewhere || filledQty > restingQty;
  });
}

function isHeldBackThere(order: TracedOrder, other: RunTrace, windowMicros: number): boolean {
  const isNear = (at: number): boolean => Math.abs(at - order.createdAt) <= windowMicros;
  const isHeld = ({ state, strategy, ticker, side, createdAt }: TracedOrder): boolean =>
    state === HELD_BACK &&
    strategy === order.strategy &&
    ticker === order.ticker &&
    side === order.side &&
    isNear(createdAt);
  const isDenied = ({ at, strategy }: RunTrace['rateDenials'][number]): boolean =>
    strategy === order.strategy && isNear(at);
  return other.orders.some(isHeld) || other.rateDenials.some(isDenied);
}

function isHalted(run: RunTrace, { strategy, ticker, createdAt }: TracedOrder, windowMicros: number): boolean {
  return run.halts.some(
    ({ halt, from, to }) =>
      isInHaltScope(halt.scope, strategyName(strategy), tickerName(ticker)) &&
      createdAt >= from - windowMicros &&
      createdAt < to + windowMicros,
  );
}

const costOf = ({ fills }: TracedOrder): number => sum(fills.map(({ price, qty }) => price * qty));
const feeOf = ({ fills }: TracedOrder): number => sum(fills.map(({ fee }) => fee));

const contracts = (amount: number): string => contractsText(qty(amount));

function sentenceOf({ live, simulated }: OrderPair, kind: DifferenceKind): string {
  const order = live ?? simulated;
  if (!order) return '';
  const terms = `${order.side} ${contracts(order.qty)} at ${centsText(price(order.price))}`;
  switch (kind) {
    case 'only-live':
      return `${terms}: only the session had it; it filled ${contracts(order.filledQty)}`;
    case 'only-simulated':
      return `${terms}: only the backtest had it; it filled ${contracts(order.filledQty)}`;
    case 'filled':
      return `${terms}: the session filled ${contracts(live?.filledQty ?? 0)}, the backtest ${contracts(simulated?.filledQty ?? 0)}`;
    case 'price':
      return `${terms}: traded for ${traded(live)} in the session, for ${traded(simulated)} in the backtest`;
    case 'fee':
      return `${terms}: charged ${charged(live)} in the session, ${charged(simulated)} in the backtest`;
  }
}

const traded = (order: TracedOrder | null): string => dollarsText(money(order ? costOf(order) : 0));
const charged = (order: TracedOrder | null): string => dollarsText(money(order ? feeOf(order) : 0));
