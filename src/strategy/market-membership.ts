// Decides which markets join one strategy, and which leave. Must never remove an unsettled market while the strategy
// has a position there or an order of unknown state.
import type { MarketIndex } from '../domain/ids.ts';
import type { Market } from '../domain/market.ts';
import type { State } from '../state/state.ts';
import type { StrategyView } from '../state/strategy-view.ts';
import { MarketSelection, TIME_CHANGE_WITHIN } from './market-selection.ts';
import type { MarketSelector } from './strategy-definition.ts';

/** A market that joins a strategy's markets or leaves them. */
export interface MembershipChange {
  readonly market: Market;
  readonly isIn: boolean;
}

const NONE: readonly MarketIndex[] = [];

/** The candidates and members of one strategy. */
export class MarketMembership {
  readonly #state: State;
  readonly #selection: MarketSelection;
  /** The members, the first to join at the head. */
  readonly markets: MarketIndex[] = [];
  readonly #members = new Set<MarketIndex>();
  /**
   * Markets that fit every fixed condition of the selector, members or not. Empty when the selector has only fixed
   * conditions. Added when a market is described; removed when it settles.
   */
  readonly #candidates = new Set<MarketIndex>();
  /** Until this time, no candidate joins or leaves by the time left. */
  #quietUntil = Number.NEGATIVE_INFINITY;
  /** Members that no longer fit, and stay for a position or an order. Added and removed by each check. */
  readonly #lingering = new Set<MarketIndex>();

  constructor(state: State, selector: MarketSelector) {
    this.#state = state;
    this.#selection = new MarketSelection(selector);
  }

  /** True: the selector has conditions that change, so markets must be checked again. */
  get isDynamic(): boolean {
    return this.#selection.isDynamic;
  }

  /**
   * Time at which `findChanges` is due: infinite without candidates, and minus infinity while an order, a position or a
   * condition without a known time may move one. A change by the time left has happened by then, a few microseconds
   * before at most. Microseconds.
   */
  changesDueAt(view: StrategyView): number {
    if (this.#candidates.size === 0) return Number.POSITIVE_INFINITY;
    return this.#hasCandidatesOfOrders(view) ? Number.NEGATIVE_INFINITY : this.#quietUntil + TIME_CHANGE_WITHIN;
  }

  /**
   * Returns true when a new or changed market joins now; `addMarket` then adds it.
   * @throws an error that the strategy's own predicate throws.
   */
  shouldJoin(market: Market, view: StrategyView): boolean {
    // The market is new, or its close may have moved.
    this.#quietUntil = Number.NEGATIVE_INFINITY;
    if (this.#members.has(market.index) || !this.#selection.coversMarket(market, this.#state.markets)) return false;
    if (!this.isDynamic) return true;
    this.#candidates.add(market.index);
    return this.#belongs(market, view, false);
  }

  addMarket(market: MarketIndex): void {
    this.#members.add(market);
    this.markets.push(market);
  }

  /** Removes a market that may come back. */
  removeMarket(market: MarketIndex): void {
    if (this.#members.delete(market)) this.markets.splice(this.markets.indexOf(market), 1);
  }

  /** Removes a settled market, member or candidate. */
  dropMarket(market: MarketIndex): void {
    this.removeMarket(market);
    this.#candidates.delete(market);
    this.#lingering.delete(market);
  }

  /**
   * Checks the candidates again and returns the changes to make. While no candidate can join or leave by the time left, it
   * checks only those that orders and positions may keep in or bring back.
   * @throws an error that the strategy's own predicate throws.
   */
  findChanges(view: StrategyView): readonly MembershipChange[] {
    if (view.now < this.#quietUntil) return this.#changesAmong(this.#candidatesOfOrders(view), view);
    const moves = this.#changesAmong(this.#candidates, view);
    if (this.#selection.isTimed) this.#quietUntil = this.#nextTimeChange(view.now);
    return moves;
  }

  #changesAmong(candidates: Iterable<MarketIndex>, view: StrategyView): readonly MembershipChange[] {
    const moves: MembershipChange[] = [];
    for (const index of candidates) {
      const market = this.#state.markets.get(index);
      if (market === undefined) continue;
      const wasIn = this.#members.has(index);
      const isIn = this.#belongs(market, view, wasIn);
      if (isIn !== wasIn) moves.push({ market, isIn });
    }
    return moves;
  }

  #nextTimeChange(now: number): number {
    let next = Number.POSITIVE_INFINITY;
    for (const index of this.#candidates) {
      const market = this.#state.markets.get(index);
      if (market !== undefined) next = Math.min(next, this.#selection.nextTimeChange(market, now));
    }
    return next;
  }

  /** True when `#candidatesOfOrders` may return any. */
  #hasCandidatesOfOrders(view: StrategyView): boolean {
    const { orders, strategyLedgers } = this.#state;
    return this.#lingering.size > 0 || strategyLedgers.ledgerOf(view.strategy).heldCount > 0 || orders.openCount > 0;
  }

  /** The candidates that lingered at the last check, or in which the strategy has a position or an open order. */
  #candidatesOfOrders(view: StrategyView): readonly MarketIndex[] {
    const { orders, strategyLedgers } = this.#state;
    const concerned = new Set(this.#lingering);
    for (const [market, { qty }] of strategyLedgers.ledgerOf(view.strategy).positions())
      if (qty !== 0) concerned.add(market);
    for (const market of orders.marketsWithOpenOrders()) concerned.add(market);
    return concerned.size === 0 ? NONE : [...this.#candidates].filter((market) => concerned.has(market));
  }

  #belongs(market: Market, view: StrategyView, isIn: boolean): boolean {
    const { index } = market;
    if (this.#selection.fitsMarket(market, view, isIn)) {
      this.#lingering.delete(index);
      return true;
    }
    const isHeld = this.#isHeld(index, view);
    if (isHeld) this.#lingering.add(index);
    else this.#lingering.delete(index);
    return isHeld;
  }

  /**
   * A strategy keeps a market with a position or an order of unknown state. An order may have filled while it was being
   * canceled.
   */
  #isHeld(market: MarketIndex, view: StrategyView): boolean {
    if (view.own(market).qty !== 0) return true;
    return this.#state.orders.openIn(market).length > 0 && view.orders(market).some(({ state }) => state === 'unknown');
  }
}
