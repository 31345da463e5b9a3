// Decides which markets join one strategy, and which leave. Must never remove an unsettled market while the strategy
// has a position there or an order of unknown state.
import type { MarketIndex } from '../domain/ids.ts';
import type { Market } from '../domain/market.ts';
import type { State } from '../state/state.ts';
import type { StrategyView } from '../state/strategy-view.ts';
import { MarketSelection } from './market-selection.ts';
import type { MarketSelector } from './strategy-definition.ts';

/** A market that joins a strategy's markets or leaves them. */
export interface MembershipChange {
  readonly market: Market;
  readonly isIn: boolean;
}

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

  constructor(state: State, selector: MarketSelector) {
    this.#state = state;
    this.#selection = new MarketSelection(selector);
  }

  /** True: the selector has conditions that change, so markets must be checked again. */
  get isDynamic(): boolean {
    return this.#selection.isDynamic;
  }

  get hasCandidates(): boolean {
    return this.#candidates.size > 0;
  }

  /**
   * Returns true when a new or changed market joins now; `addMarket` then adds it.
   * @throws an error that the strategy's own predicate throws.
   */
  shouldJoin(market: Market, view: StrategyView): boolean {
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
  }

  /**
   * Checks every candidate again and returns the changes to make.
   * @throws an error that the strategy's own predicate throws.
   */
  findChanges(view: StrategyView): readonly MembershipChange[] {
    const moves: MembershipChange[] = [];
    for (const index of this.#candidates) {
      const market = this.#state.markets.get(index);
      if (market === undefined) continue;
      const wasIn = this.#members.has(index);
      const isIn = this.#belongs(market, view, wasIn);
      if (isIn !== wasIn) moves.push({ market, isIn });
    }
    return moves;
  }

  #belongs(market: Market, view: StrategyView, isIn: boolean): boolean {
    return this.#selection.fitsMarket(market, view, isIn) || this.#isHeld(market.index, view);
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
