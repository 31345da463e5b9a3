// What a live session did and its backtest did not, or the other way round: every difference with its cause, and how much
// of what was traded is the same. Pure. Must never call a difference explained that no rule here explains.
import { centsText, contractsText, dollarsText } from '../../src/domain/amounts.ts';
import type { DenialCode } from '../../src/domain/denial.ts';
import { money, price, qty } from '../../src/domain/units.ts';
import { type OrderPair, pairOrders, timeOf } from './pairs.ts';
import type { Trace, TracedFill, TracedOrder } from './trace.ts';

/** Why two runs differ. */
export type Cause =
  /** The one order arrived, or was withdrawn, at another time than the other: it saw another book, or missed a trade. */
  | 'latency'
  /** Both rested at the time, and what stood before them was not the same. */
  | 'queue'
  /** The same trade was charged otherwise. */
  | 'fee'
  /** A rate budget held the one back. */
  | 'budget'
  /** The code that decides is not the one that decided then: the journal itself replays otherwise. */
  | 'code'
  /** The tape has a gap there. */
  | 'tape'
  /** What was held or rested differed already, by an earlier difference in the same event group. */
  | 'follows'
  /** No rule explains it. */
  | 'unexplained';

export type DifferenceKind = 'only-live' | 'only-simulated' | 'filled' | 'price' | 'fee';

/** One difference. */
export interface ParityDifference {
  readonly at: number;
  readonly kind: DifferenceKind;
  readonly cause: Cause;
  readonly strategy: string;
  readonly ticker: string;
  /** The orders' ids; `null` where a run had none. */
  readonly live: string | null;
  readonly simulated: string | null;
  /** In a sentence, with its figures. */
  readonly what: string;
}

export interface ParityReport {
  readonly orders: { readonly live: number; readonly simulated: number; readonly paired: number };
  /** Contracts traded, in hundredths; `same` in both, by paired orders. */
  readonly filledQty: { readonly live: number; readonly simulated: number; readonly same: number };
  /**
   * The summary: twice what both traded by the same orders over the sum of what each traded, from 0 to 1 (the Sørensen–Dice
   * coefficient); 1 where neither traded.
   */
  readonly agreement: number;
  /** What each run's trades moved, fees taken off, settlements and marks left out. Millionths of a dollar. */
  readonly cash: { readonly live: number; readonly simulated: number };
  readonly differences: readonly ParityDifference[];
  readonly byCause: Readonly<Partial<Record<Cause, number>>>;
}

export interface CompareOptions {
  readonly live: Trace;
  readonly simulated: Trace;
  readonly windowMicros: number;
  /** Stretches that the tape does not cover. */
  readonly gaps: readonly { readonly from: number; readonly to: number }[];
  /** From when on the journal replays otherwise; `null` when it replays the same. */
  readonly codeDiffersAt: number | null;
}

/** Orders that a budget held back end so. */
const HELD_BACK: ReadonlySet<string> = new Set(['not-sent', 'denied']);
/** Denials by a rule about rates. */
const RATE_CODES: ReadonlySet<DenialCode> = new Set(['order-rate-above-limit', 'message-rate-above-limit']);

/** Compares a live session with its backtest. */
export function compareRuns(options: CompareOptions): ParityReport {
  const { live, simulated, windowMicros } = options;
  const [ours, theirs] = [live.orders, simulated.orders];
  const pairs = pairOrders(ours, theirs, { windowMicros });
  const judge = new Judge(options);
  const differences = pairs.flatMap((pair) => judge.look(pair));
  const same = sum(pairs.map(({ live: a, simulated: b }) => Math.min(a?.filledQty ?? 0, b?.filledQty ?? 0)));
  const filledQty = { live: sum(ours.map(filled)), simulated: sum(theirs.map(filled)), same };
  const both = filledQty.live + filledQty.simulated;
  return {
    orders: { live: ours.length, simulated: theirs.length, paired: pairs.filter(isPaired).length },
    filledQty,
    agreement: both === 0 ? 1 : (2 * same) / both,
    cash: { live: sum(ours.map(cashOf)), simulated: sum(theirs.map(cashOf)) },
    differences,
    byCause: tally(differences),
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
const filled = ({ filledQty }: TracedOrder): number => filledQty;
const isPaired = ({ live, simulated }: OrderPair): boolean => live !== null && simulated !== null;

/** What an order's trades moved, its fees taken off. */
const cashOf = (order: TracedOrder): number => (order.side === 'buy' ? -costOf(order) : costOf(order)) - feeOf(order);

function tally(differences: readonly ParityDifference[]): Partial<Record<Cause, number>> {
  const counts: Partial<Record<Cause, number>> = {};
  for (const { cause } of differences) counts[cause] = (counts[cause] ?? 0) + 1;
  return counts;
}

/** Finds the cause of each difference, in the order of time: later ones may follow from earlier ones. */
class Judge {
  readonly #options: CompareOptions;
  readonly #groupOf: ReadonlyMap<string, string>;
  /** Event groups, by strategy, in which the runs have parted. */
  readonly #parted = new Set<string>();

  constructor(options: CompareOptions) {
    this.#options = options;
    this.#groupOf = new Map([...options.live.groups, ...options.simulated.groups]);
  }

  look(pair: OrderPair): ParityDifference[] {
    const found = this.#differenceOf(pair);
    if (found && found.kind !== 'fee') this.#parted.add(this.#keyOf(found));
    return found ? [found] : [];
  }

  #keyOf({ strategy, ticker }: { readonly strategy: string; readonly ticker: string }): string {
    return JSON.stringify([strategy, this.#groupOf.get(ticker) ?? ticker]);
  }

  #differenceOf(pair: OrderPair): ParityDifference | null {
    const { live, simulated } = pair;
    if (live && simulated) return this.#compare(live, simulated);
    const order = live ?? simulated;
    if (!order) return null;
    // A wish that neither the venue nor the account ever felt is no difference worth a line.
    if (HELD_BACK.has(order.state) && order.filledQty === 0) return null;
    const kind = live ? 'only-live' : 'only-simulated';
    return this.#difference(pair, kind, this.#causeOfLone(order, live ? this.#options.simulated : this.#options.live));
  }

  #difference(pair: OrderPair, kind: DifferenceKind, cause: Cause): ParityDifference {
    const order = pair.live ?? pair.simulated;
    return {
      at: timeOf(pair),
      kind,
      cause,
      strategy: order?.strategy ?? '',
      ticker: order?.ticker ?? '',
      live: pair.live?.clientOrderId ?? null,
      simulated: pair.simulated?.clientOrderId ?? null,
      what: wordsOf(pair, kind),
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

  /** What holds whatever the orders were. */
  #general(at: number, order: TracedOrder): Cause | null {
    const { codeDiffersAt, gaps } = this.#options;
    if (codeDiffersAt !== null && codeDiffersAt <= at) return 'code';
    if (gaps.some(({ from, to }) => at >= from && at <= to)) return 'tape';
    return this.#parted.has(this.#keyOf(order)) ? 'follows' : null;
  }

  #causeOfLone(order: TracedOrder, other: Trace): Cause {
    const general = this.#general(order.createdAt, order);
    if (general !== null) return general;
    if (isHeldBackThere(order, other, this.#options.windowMicros)) return 'budget';
    // The other run had, or had just had, an order there: it saw the market at another moment.
    const isNear = other.orders.some(
      ({ strategy, ticker, side, createdAt, endedAt }) =>
        strategy === order.strategy &&
        ticker === order.ticker &&
        side === order.side &&
        createdAt <= order.createdAt + this.#options.windowMicros &&
        (endedAt ?? Infinity) >= order.createdAt - this.#options.windowMicros,
    );
    return isNear ? 'latency' : 'unexplained';
  }

  #causeOfFill(live: TracedOrder, simulated: TracedOrder): Cause {
    const general = this.#general(Math.min(live.createdAt, simulated.createdAt), live);
    if (general === 'code' || general === 'tape') return general;
    if (HELD_BACK.has(live.state) || HELD_BACK.has(simulated.state)) return 'budget';
    if (live.qty !== simulated.qty || live.price !== simulated.price) return general ?? 'latency';
    const missed = [...missedBy(live, simulated), ...missedBy(simulated, live)];
    if (missed.length > 0) return 'latency';
    const isTaker = [...live.fills, ...simulated.fills].some(({ liquidity }) => liquidity === 'taker');
    return isTaker ? 'latency' : 'queue';
  }
}

/** Trades of the one that came when the other was not there. */
const missedBy = (one: TracedOrder, other: TracedOrder): TracedFill[] =>
  other.fills.filter(({ at }) => at < one.createdAt || at > (one.endedAt ?? Infinity));

function isHeldBackThere(order: TracedOrder, other: Trace, windowMicros: number): boolean {
  const isHeld = other.orders.some(
    ({ state, strategy, ticker, side, createdAt }) =>
      HELD_BACK.has(state) &&
      strategy === order.strategy &&
      ticker === order.ticker &&
      side === order.side &&
      Math.abs(createdAt - order.createdAt) <= windowMicros,
  );
  return (
    isHeld ||
    other.denials.some(
      ({ at, strategy, code }) =>
        strategy === order.strategy && RATE_CODES.has(code) && Math.abs(at - order.createdAt) <= windowMicros,
    )
  );
}

const costOf = ({ fills }: TracedOrder): number => sum(fills.map(({ price, qty }) => price * qty));
const feeOf = ({ fills }: TracedOrder): number => sum(fills.map(({ fee }) => fee));

const contracts = (amount: number): string => contractsText(qty(amount));

function wordsOf({ live, simulated }: OrderPair, kind: DifferenceKind): string {
  const order = live ?? simulated;
  if (!order) return '';
  const wish = `${order.side} ${contracts(order.qty)} at ${centsText(price(order.price))}`;
  switch (kind) {
    case 'only-live':
      return `${wish}: only the session had it; it filled ${contracts(order.filledQty)}`;
    case 'only-simulated':
      return `${wish}: only the backtest had it; it filled ${contracts(order.filledQty)}`;
    case 'filled':
      return `${wish}: the session filled ${contracts(live?.filledQty ?? 0)}, the backtest ${contracts(simulated?.filledQty ?? 0)}`;
    case 'price':
      return `${wish}: traded for ${traded(live)} in the session, for ${traded(simulated)} in the backtest`;
    case 'fee':
      return `${wish}: charged ${charged(live)} in the session, ${charged(simulated)} in the backtest`;
  }
}

const traded = (order: TracedOrder | null): string => dollarsText(money(order ? costOf(order) : 0));
const charged = (order: TracedOrder | null): string => dollarsText(money(order ? feeOf(order) : 0));
