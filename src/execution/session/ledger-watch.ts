// Compares positions and cash with the venue's, even while orders rest. A difference is at first a suspicion: fills,
// settlements and figures are read again. A difference that stays unexplained is drift. Must never declare drift after
// a single comparison, nor from an outdated figure.
import { assert } from '../../base/assert.ts';
import { contractsText, dollarsText } from '../../domain/amounts.ts';
import type { PositionReport } from '../../domain/event.ts';
import type { MarketIndex } from '../../domain/ids.ts';
import { countedLeaves } from '../../domain/orders/order.ts';
import { type Micros, type Money, NO_MONEY, NO_QTY, type Qty, money, qty } from '../../domain/units.ts';
import { reservedCash } from '../../state/account/equity.ts';
import type { State } from '../../state/state.ts';
import type { Observer } from '../engine-notice.ts';
import type { OrderPolicy } from '../orders/order-policy.ts';
import type { VenueReader } from './venue-reader.ts';
import { RecentPositions } from './recent-positions.ts';
import type { SessionActions } from './session-actions.ts';

export interface LedgerWatchOptions {
  readonly state: State;
  readonly reader: VenueReader;
  readonly policy: OrderPolicy;
  /** Time by which the venue's lists may lag behind. Milliseconds. */
  readonly graceMs: number;
  readonly observe: Observer;
  /** Reads what may explain a difference: fills and settlements. */
  readonly requestPast: () => void;
  readonly actions: Pick<SessionActions, 'haltAccount'>;
}

/** Our figures compared with the venue's. */
export interface LedgerComparison {
  /** Time at which positions were last compared; `null` before the first time. */
  readonly comparedAt: Micros | null;
  /** Unexplained contracts, summed over the markets. */
  readonly qty: Qty;
  /** Unexplained cash, as an absolute value. */
  readonly cash: Money;
  readonly markets: number;
  /** True when any difference is drift: checked again, and still unexplained. */
  readonly isDrift: boolean;
}

type Subject = MarketIndex | 'cash';

/** The venue's figure minus ours: exact when both ends are equal, else within these bounds. */
interface Difference {
  readonly least: number;
  readonly most: number;
}

interface Suspicion {
  readonly ours: number;
  readonly theirs: number;
  /** The differences that are consistent with every figure compared so far. */
  readonly difference: Difference;
  /** Times of the requests for the first and the last figures that showed this difference. */
  readonly firstAskedAt: Micros;
  readonly lastAskedAt: Micros;
  /** Time at which the first such figure arrived. Only lists requested later can explain the difference. */
  readonly seenAt: Micros;
  readonly rounds: number;
  readonly isPastRead: { fills: boolean; settlements: boolean };
  readonly isDrift: boolean;
}

/** Comparisons that must show a difference before it is drift. Fewer suffice while our own figure does not change. */
const ROUNDS_QUIET = 2;
const ROUNDS_BUSY = 4;
/**
 * The most that venues reserve for the fees of a resting order: five cents a contract, in money per unit of quantity.
 */
const FEE_PER_QTY_MAX = 500;

interface Comparison {
  readonly subject: Subject;
  readonly ours: number;
  readonly theirs: number;
  readonly difference: Difference;
  readonly askedAt: Micros;
  readonly isQuiet: (since: number) => boolean;
}

const exactly = (value: number): Difference => ({ least: value, most: value });

/** The differences that explain both comparisons; `null` when there are none. */
function intersect(a: Difference, b: Difference): Difference | null {
  const least = Math.max(a.least, b.least);
  const most = Math.min(a.most, b.most);
  return least <= most ? { least, most } : null;
}

/** Watches positions and cash. */
export class LedgerWatch {
  readonly #options: LedgerWatchOptions;
  readonly #state: State;
  readonly #recent = new RecentPositions();
  /** Suspicions by subject. Added when a figure differs from the venue's; removed when the difference is explained. */
  readonly #suspicions = new Map<Subject, Suspicion>();
  #comparedAt: { positions: Micros | null; cash: Micros | null } = { positions: null, cash: null };
  /**
   * Time at which we last learned of a change of cash or reserved collateral: a fill, a settlement, the end of an
   * order.
   */
  #moneyMovedAt = 0;
  /** True while the opening cash may lack what an unknown order had reserved. */
  #isCashProvisional = false;

  constructor(options: LedgerWatchOptions) {
    this.#options = options;
    this.#state = options.state;
  }

  get #lag(): number {
    return this.#options.graceMs * 1000;
  }

  /** Records a change of position, with the quantity held before it. */
  onPositionChange(market: MarketIndex, before: Qty): void {
    const { now } = this.#state;
    this.#recent.recordChange(market, before, now);
    this.onMoneyMoved(now);
  }

  /** Records the time, by our clock, at which a fill, a settlement or the end of an order changed our figures. */
  onMoneyMoved(at: Micros): void {
    if (at > this.#moneyMovedAt) this.#moneyMovedAt = at;
  }

  /** Time at which our positions, cash or reserved collateral last changed; 0 when nothing has. */
  get moneyMovedAt(): number {
    return this.#moneyMovedAt;
  }

  /**
   * Marks cash as provisional: it may lack what an unknown order has reserved. The first exact comparison corrects it.
   */
  markCashProvisional(): void {
    this.#isCashProvisional = true;
  }

  /** Requires both comparisons again: `drift` is `null` until they have been made. */
  restartComparison(): void {
    this.#comparedAt = { positions: null, cash: null };
  }

  /** Compares a complete list of positions. A market that is not listed counts as flat at the venue. */
  comparePositions(rows: readonly PositionReport[], askedAt: Micros): void {
    const { portfolio, now } = this.#state;
    this.#comparedAt.positions = now;
    const theirsByMarket = new Map(rows.map((row) => [row.market, row.qty]));
    const markets = new Set([...theirsByMarket.keys(), ...portfolio.positions().keys()]);
    for (const subject of this.#suspicions.keys()) if (subject !== 'cash') markets.add(subject);
    for (const market of markets) {
      const ours = portfolio.position(market).qty;
      const theirs = theirsByMarket.get(market) ?? NO_QTY;
      if (this.#wasHeldRecently(market, theirs, askedAt)) this.#explain(market, "the venue's figure is ours again");
      else {
        const isQuiet = (since: number): boolean => this.#recent.changedAt(market) < since;
        this.#suspect({ subject: market, ours, theirs, difference: exactly(theirs - ours), askedAt, isQuiet });
      }
    }
    this.#recent.dropBefore(now - 10 * this.#lag);
  }

  #wasHeldRecently(market: MarketIndex, theirs: Qty, askedAt: number): boolean {
    return (
      this.#state.portfolio.position(market).qty === theirs || this.#recent.wasHeld(market, theirs, askedAt - this.#lag)
    );
  }

  /**
   * Compares the venue's available cash with ours. While orders rest, bounds are compared, because the venue reserves
   * fees, too. Returns false when the figure proves nothing: it may be older than the last change of our cash.
   */
  compareBalance(available: Money, askedAt: Micros): boolean {
    const { orders, portfolio, now } = this.#state;
    const { cash } = portfolio;
    const isExact = orders.openCount === 0;
    const isCurrent = this.#moneyMovedAt < askedAt - this.#lag;
    if (!isCurrent && !(isExact && available === cash)) return false;
    this.#comparedAt.cash = now;
    assert(!isExact || reservedCash(this.#state) === 0, 'no cash may be reserved while no order is open');
    const [least, most] = isExact ? [cash, cash] : [cash - reservedCash(this.#state) - this.#feesMax(), cash];
    if (available >= least && available <= most) this.#explain('cash', "the venue's figure is ours again");
    else if (isExact && this.#isCashProvisional) this.#correctCash(available);
    else {
      const ours = available > most ? most : least;
      const difference = { least: available - most, most: available - least };
      const isQuiet = (since: number): boolean => this.#moneyMovedAt < since;
      this.#suspect({ subject: 'cash', ours, theirs: available, difference, askedAt, isQuiet });
    }
    if (isExact) this.#isCashProvisional = false;
    return true;
  }

  #feesMax(): number {
    let sum = 0;
    for (const order of this.#state.orders.unfinishedOrders()) sum += countedLeaves(order) * FEE_PER_QTY_MAX;
    return sum;
  }

  #correctCash(available: Money): void {
    const why = `cash is corrected to ${dollarsText(available)}: no order is in an unknown state any longer`;
    this.#state.portfolio.setOpeningCash(available);
    this.#options.observe({ type: 'reconciled', why });
  }

  #suspect(found: Comparison): void {
    const { subject, ours, theirs, askedAt, isQuiet } = found;
    const old = this.#suspicions.get(subject);
    const difference = old ? intersect(old.difference, found.difference) : null;
    if (!old || !difference) return this.#beginSuspicion(found);
    const updated = { ...old, ours, theirs, difference };
    assert(difference.least <= difference.most, 'a suspicion must leave a possible difference');
    this.#suspicions.set(subject, updated);
    // A list requested this soon after the last one may be the same old list.
    if (old.isDrift || askedAt - old.lastAskedAt < this.#lag) return;
    const again = { ...updated, lastAskedAt: askedAt, rounds: old.rounds + 1 };
    this.#suspicions.set(subject, again);
    if (!this.#isPastKnown(again)) return this.#options.requestPast();
    const needed = isQuiet(old.firstAskedAt) ? ROUNDS_QUIET : ROUNDS_BUSY;
    if (again.rounds >= needed) this.#declareDrift(subject, again);
  }

  #beginSuspicion({ subject, ours, theirs, difference, askedAt }: Comparison): void {
    const isPastRead = { fills: false, settlements: false };
    const first = { ours, theirs, difference, firstAskedAt: askedAt, lastAskedAt: askedAt, seenAt: this.#state.now };
    this.#suspicions.set(subject, { ...first, rounds: 1, isPastRead, isDrift: false });
    this.#report(subject, { ours, theirs, change: 'raised', why: "differs from the venue's figure" });
    this.#options.requestPast();
  }

  /**
   * True when fills and settlements have been read since the difference appeared. After `unknownMsMax` they are no
   * longer awaited.
   */
  #isPastKnown({ isPastRead, firstAskedAt }: Suspicion): boolean {
    if (isPastRead.fills && isPastRead.settlements) return true;
    return this.#state.now - firstAskedAt >= this.#options.policy.unknownMsMax * 1000;
  }

  /** Handles a complete list of fills or settlements. Our figures already include its rows. */
  onPastRead(what: 'fills' | 'settlements', askedAt: Micros): void {
    for (const [subject, suspicion] of this.#suspicions) {
      if (askedAt < suspicion.seenAt) continue;
      suspicion.isPastRead[what] = true;
      if (subject !== 'cash' && this.#state.portfolio.position(subject).qty === suspicion.theirs)
        this.#explain(subject, `${what} that had not been reported`);
    }
  }

  #explain(subject: Subject, why: string): void {
    const suspicion = this.#suspicions.get(subject);
    if (!suspicion) return;
    this.#suspicions.delete(subject);
    this.#report(subject, { ours: suspicion.ours, theirs: suspicion.theirs, change: 'explained', why });
  }

  #report(
    subject: Subject,
    found: { ours: number; theirs: number; change: 'raised' | 'explained'; why: string },
  ): void {
    const { ours, theirs, change, why } = found;
    const market = subject === 'cash' ? null : subject;
    this.#options.observe({ type: 'suspicion', market, ours, theirs, change, why });
  }

  #declareDrift(subject: Subject, suspicion: Suspicion): void {
    const { observe, policy, actions } = this.#options;
    const { ours, theirs } = suspicion;
    assert(suspicion.rounds >= ROUNDS_QUIET, 'a difference must be seen twice before it is drift');
    this.#suspicions.set(subject, { ...suspicion, isDrift: true });
    if (subject === 'cash') observe({ type: 'cash-drift', ours: money(ours), theirs: money(theirs) });
    else observe({ type: 'position-drift', market: subject, ours: qty(ours), theirs: qty(theirs) });
    const text = this.#driftText(subject, suspicion);
    observe({ type: 'alarm', code: 'drift', at: this.#state.now, text, figures: { ours, theirs } });
    if (policy.onDrift === 'halt') actions.haltAccount(text);
  }

  #driftText(subject: Subject, { ours, theirs }: Suspicion): string {
    const past = 'and neither fills nor settlements explain it';
    if (subject === 'cash')
      return `cash is ${dollarsText(money(ours))} here and ${dollarsText(money(theirs))} at the venue, ${past}`;
    const ticker = this.#state.tickers.tickerOf(subject);
    return `${contractsText(qty(ours))} of ${ticker} are held here and ${contractsText(qty(theirs))} at the venue, ${past}`;
  }

  /** Reads suspicious figures again, once the venue's lists have had time to catch up. */
  recheckSuspicions(): void {
    const { reader } = this.#options;
    const { now } = this.#state;
    for (const [subject, { isDrift, lastAskedAt }] of this.#suspicions) {
      if (isDrift || now - lastAskedAt < this.#lag) continue;
      reader.requestOnce({ what: subject === 'cash' ? 'balance' : 'positions' }, now);
    }
  }

  /** True when a market's position differs from the venue's, and nothing explains it yet. */
  isSuspected(market: MarketIndex): boolean {
    return this.#suspicions.has(market);
  }

  /** Forgets a market. Its index will be reused. */
  forgetMarket(market: MarketIndex): void {
    this.#recent.forgetMarket(market);
  }

  /** True when a figure differs from the venue's, drift included. */
  get hasSuspicions(): boolean {
    return this.#suspicions.size > 0;
  }

  /** True when no difference waits for another comparison. */
  get isSettled(): boolean {
    return [...this.#suspicions.values()].every(({ isDrift }) => isDrift);
  }

  /** The result of the comparisons since the last restart; `null` until both have been made. */
  get drift(): { readonly positions: number; readonly isCashEqual: boolean } | null {
    const { positions, cash } = this.#comparedAt;
    if (positions === null || cash === null) return null;
    return { positions: this.comparison.markets, isCashEqual: !this.#suspicions.has('cash') };
  }

  get comparison(): LedgerComparison {
    let [contracts, markets, isDrift] = [0, 0, false];
    for (const [subject, suspicion] of this.#suspicions) {
      if (suspicion.isDrift) isDrift = true;
      if (subject === 'cash') continue;
      contracts += Math.abs(suspicion.theirs - suspicion.ours);
      markets += 1;
    }
    const cash = this.#suspicions.get('cash');
    assert(markets + (cash ? 1 : 0) === this.#suspicions.size, 'each suspicion must be about one market or cash');
    return {
      comparedAt: this.#comparedAt.positions,
      qty: qty(contracts),
      cash: cash ? money(Math.abs(cash.theirs - cash.ours)) : NO_MONEY,
      markets,
      isDrift,
    };
  }
}
