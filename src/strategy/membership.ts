// The markets of one strategy: those that could be its, and those that are.
// Must never let a market go while the strategy holds something there, or an order's fate is not known.
import type { MarketIndex } from '../domain/ids.ts';
import type { Market } from '../domain/market.ts';
import type { State } from '../state/state.ts';
import type { StrategyView } from '../state/view.ts';
import { Selection } from './selector.ts';
import type { MarketSelector } from './strategy.ts';

/** A market that joins a strategy's, or leaves them. */
export interface Move {
  readonly market: Market;
  readonly isIn: boolean;
}

/** One strategy's markets. */
export class Membership {
  readonly #state: State;
  readonly #selection: Selection;
  /** In the order they joined: what the strategy's view shows. */
  readonly list: MarketIndex[] = [];
  readonly #members = new Set<MarketIndex>();
  /** What is taken by all that does not change, members or not; empty where nothing changes. */
  readonly #candidates = new Set<MarketIndex>();

  constructor(state: State, selector: MarketSelector) {
    this.#state = state;
    this.#selection = new Selection(selector);
  }

  /** Whether there is anything to look at again. */
  get isDynamic(): boolean {
    return this.#selection.isDynamic;
  }

  /**
   * Hears of a market, new or described anew. Whether it joins now; `add` is what lets it.
   * @throws whatever the strategy's own predicate throws.
   */
  takes(market: Market, view: StrategyView): boolean {
    if (this.#members.has(market.index) || !this.#selection.covers(market, this.#state.markets)) return false;
    if (!this.isDynamic) return true;
    this.#candidates.add(market.index);
    return this.#belongs(market, view, false);
  }

  add(market: MarketIndex): void {
    this.#members.add(market);
    this.list.push(market);
  }

  /** Takes a market out that may come back. */
  remove(market: MarketIndex): void {
    if (this.#members.delete(market)) this.list.splice(this.list.indexOf(market), 1);
  }

  /** Forgets a settled market. */
  drop(market: MarketIndex): void {
    this.remove(market);
    this.#candidates.delete(market);
  }

  /**
   * Looks at every candidate again, and says what is to be moved.
   * @throws whatever the strategy's own predicate throws.
   */
  look(view: StrategyView): readonly Move[] {
    const moves: Move[] = [];
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
    return this.#selection.fits(market, view, isIn) || this.#isBound(market.index, view);
  }

  /** Whether the strategy has something in a market, fit or not: also what filled while it was being withdrawn. */
  #isBound(market: MarketIndex, view: StrategyView): boolean {
    if (view.own(market).qty !== 0) return true;
    return this.#state.orders.openIn(market).length > 0 && view.orders(market).some(({ state }) => state === 'unknown');
  }
}
