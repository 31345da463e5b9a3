// Rules about the moment: the session, the market, its book and its price must allow trading now.
import type { Denial } from '../../domain/denial.ts';
import type { MarketIndex } from '../../domain/ids.ts';
import { type Market, type MarketStatus, isOpen } from '../../domain/market.ts';
import { type Micros, PAYOUT, type Price } from '../../domain/units.ts';
import type { State } from '../../state/state.ts';
import type { RuleContext, Proposal } from './proposal.ts';
import type { Rule } from './rule.ts';

export const readiness: Rule = (_, { readiness: session }) => {
  if (session.type === 'ready') return null;
  return session.type === 'stopping' ? { code: 'stopping' } : { code: 'not-ready', reason: session.reason };
};

export const notHalted: Rule = (_, { halt }) =>
  halt === null ? null : { code: 'halted', scope: halt.scope.type, by: halt.by, reason: halt.reason };

export const marketOpen: Rule = (_, { market, state }) => marketClosure(market.status, state.exchange.isTrading);

/** Returns the denial for a closed market or a paused venue, or `null`. */
export function marketClosure(marketStatus: MarketStatus, isTrading: boolean): Denial | null {
  const status = isTrading ? marketStatus : 'paused by the venue';
  return isOpen(marketStatus) && isTrading ? null : { code: 'market-not-open', status };
}

export const closeGuard: Rule = (_, { market, state, limits }) => closingSoon(market, state.now, limits.closeGuardMs);

/** Returns the denial for a market that closes within the guard, or `null`. */
export function closingSoon({ closeAt }: Pick<Market, 'closeAt'>, now: Micros, closeGuardMs: number): Denial | null {
  const closesInMs = Math.floor((closeAt - now) / 1000);
  return closesInMs < closeGuardMs ? { code: 'market-closing', closesInMs, closeGuardMs } : null;
}

export const bookLive: Rule = (proposal, { state }) =>
  state.books.isLive(proposal.market) ? null : { code: 'book-not-live', trust: state.books.trust(proposal.market) };

export const bookFresh: Rule = ({ market }, { state, limits }) => staleBook(state, market, limits.bookAgeMsMax);

/** Returns the denial for a book that was confirmed too long ago, or `null`. */
export function staleBook(state: State, market: MarketIndex, bookAgeMsMax: number): Denial | null {
  const ageMs = Math.floor((state.now - state.confirmedAt(market)) / 1000);
  return ageMs > bookAgeMsMax ? { code: 'book-stale', ageMs, bookAgeMsMax } : null;
}

export const bookNotJumped: Rule = ({ market }, { state, watch, accountLimits: { touchJumpMax } }) => {
  if (touchJumpMax === null) return null;
  const doubt = watch.doubtOf(market, state.now);
  return doubt === null ? null : { code: 'book-jumped', ...doubt, touchJumpMax };
};

/** A missing side counts as the end of the price range. */
export const spread: Rule = ({ market }, { state: { books }, limits: { spreadMax } }) => {
  if (spreadMax === null) return null;
  const width = (books.bestAsk(market) ?? PAYOUT) - (books.bestBid(market) ?? 0);
  return width <= spreadMax ? null : { code: 'spread-too-wide', spread: width, spreadMax };
};

/**
 * A buy must not be priced above the market's price by more than the limit, nor a sale below it. A better price for us
 * rests far from the touch and does no harm. The market's price is the mid, or else the last trade while fresh. Without
 * either, only a post-only order passes. Its price is then compared with the one side of the book, if any. In an empty
 * book, someone has to quote first.
 */
export const collar: Rule = (proposal, context) => {
  const doubled = twiceReferencePrice(proposal, context);
  if (doubled === null) return proposal.postOnly ? null : { code: 'no-reference' };
  const { side, price } = proposal;
  const { priceDistanceMax } = context.limits;
  const doubledDistance = side === 'buy' ? 2 * price - doubled : doubled - 2 * price;
  if (doubledDistance <= 2 * priceDistanceMax) return null;
  // Half a price unit is rounded down.
  return { code: 'price-too-far', price, reference: Math.floor(doubled / 2) as Price, priceDistanceMax };
};

function twiceReferencePrice({ market, postOnly }: Proposal, { state, watch }: RuleContext): number | null {
  const doubled = state.books.twiceMid(market);
  if (doubled > 0) return doubled;
  const lastTrade = watch.lastPrintPrice(market, state.now);
  if (lastTrade !== null) return 2 * lastTrade;
  const onlySide = state.books.bestBid(market) ?? state.books.bestAsk(market);
  return onlySide === null || !postOnly ? null : 2 * onlySide;
}
