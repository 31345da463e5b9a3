// Values the outcomes of an exclusive event group from all their quotes together. Must never guess for a book that is
// missing, not live or one-sided: then it returns no value.
import type { EventTicker, MarketIndex } from '../domain/ids.ts';
import type { Market } from '../domain/market.ts';
import { type Probability, probability } from '../domain/units.ts';
import type { StrategyView } from '../state/strategy-view.ts';
import { impliedProbability } from './fair-prices.ts';
import { type MarginMethod, fairProbabilities } from './fair-probabilities.ts';

/** Options of the valuation of an event group. */
export interface GroupValueOptions {
  /**
   * Price of each book to use. `others` is the mid without the account's own quotes, so that a strategy does not follow
   * itself.
   * @default `mid`
   */
  readonly by?: 'mid' | 'microprice' | 'others';
  /**
   * Method that removes the margin of quotes that sum to more than a dollar. `power` and `shin` take more of the margin
   * from longshots.
   * @default `proportional`
   */
  readonly method?: MarginMethod;
  /**
   * True: one of the outcomes must happen, so the probabilities sum to one. False: the rest to one dollar is the chance
   * that none happens. A venue that calls a group exclusive promises only that at most one happens.
   * @default `false`
   */
  readonly isComplete?: boolean;
}

/** Probabilities of an event group's outcomes. Together with `none` they sum to one. */
export interface GroupValues {
  /** Fair probability of YES, by market. */
  readonly byMarket: ReadonlyMap<MarketIndex, Probability>;
  /** The chance that none of the outcomes happens. */
  readonly none: Probability;
  /** Sum of the quotes, in dollars: above 1 with a margin, below 1 with a discount. */
  readonly quoted: number;
}

/**
 * The fair values of an event group whose outcomes exclude one another. `null` when the group is not known or not
 * exclusive. Also `null` unless every market of the group is active and has a live book with both sides.
 * @example
 * import { type EventTicker, type StrategyView, groupFairValues } from 'presage-trading';
 *
 * // The chance that none of the outcomes happens.
 * export function chanceOfNone(view: StrategyView, event: EventTicker): number | null {
 *   return groupFairValues(view, event, { by: 'others', method: 'shin' })?.none ?? null;
 * }
 */
export function groupFairValues(
  view: StrategyView,
  eventTicker: EventTicker,
  { by = 'mid', method = 'proportional', isComplete = false }: GroupValueOptions = {},
): GroupValues | null {
  const group = view.group(eventTicker);
  const members = view.groupMarkets(eventTicker);
  if (!group?.isExclusive || members.length === 0 || group.tickers.length !== members.length) return null;
  const ratios = members.map((member) => ratioOf(view, member, by));
  if (!ratios.every((ratio) => ratio !== null)) return null;
  const implied = ratios.map(impliedProbability);
  const quoted = implied.reduce((total, each) => total + each, 0);
  const isPartial = !isComplete && quoted < 1;
  const fair = isPartial ? implied : fairProbabilities(implied, method);
  return {
    byMarket: new Map(members.map(({ index }, position) => [index, fair[position] ?? probability(0)])),
    none: probability(isPartial ? 1 - quoted : 0),
    quoted,
  };
}

function ratioOf(view: StrategyView, market: Market, by: NonNullable<GroupValueOptions['by']>): number | null {
  const book = view.book(market.index);
  if (!book.isLive || market.status !== 'active') return null;
  return by === 'others' ? view.othersMid(market.index) : book[by];
}
