// Rules about the moment: whether the session, the market, its book and its price can be traded on now.
import { isOpen } from '../domain/market.ts';
import { PAYOUT, type Price } from '../domain/units.ts';
import type { MarketContext, Proposal } from './proposal.ts';
import type { Rule } from './rule.ts';

export const readiness: Rule = (_, { readiness: session }) => {
  if (session.type === 'ready') return null;
  return session.type === 'stopping' ? { code: 'stopping' } : { code: 'not-ready', reason: session.reason };
};

export const notHalted: Rule = (_, { halt }) =>
  halt === null ? null : { code: 'halted', scope: halt.scope.type, by: halt.by, reason: halt.reason };

export const marketOpen: Rule = (_, { market, state }) => {
  const status = state.exchange.isTrading ? market.status : 'paused by the venue';
  return isOpen(market.status) && state.exchange.isTrading ? null : { code: 'market-not-open', status };
};

export const closeGuard: Rule = (_, { market, state, limits }) => {
  const closesInMs = Math.floor((market.closeAt - state.now) / 1000);
  const { closeGuardMs } = limits;
  return closesInMs < closeGuardMs ? { code: 'market-closing', closesInMs, closeGuardMs } : null;
};

export const bookLive: Rule = (proposal, { state }) =>
  state.books.isLive(proposal.market) ? null : { code: 'book-not-live', trust: state.books.trust(proposal.market) };

export const bookFresh: Rule = ({ market }, { state, limits }) => {
  const ageMs = Math.floor((state.now - state.confirmedAt(market)) / 1000);
  const { bookAgeMsMax } = limits;
  return ageMs > bookAgeMsMax ? { code: 'book-stale', ageMs, bookAgeMsMax } : null;
};

export const bookCalm: Rule = ({ market }, { state, watch, accountLimits: { touchJumpMax } }) => {
  if (touchJumpMax === null) return null;
  const doubt = watch.doubt(market, state.now);
  return doubt === null ? null : { code: 'book-jumped', ...doubt, touchJumpMax };
};

/** A side that nobody bids on leaves a spread of a whole dollar. */
export const spread: Rule = ({ market }, { state: { books }, limits: { spreadMax } }) => {
  if (spreadMax === null) return null;
  const wide = (books.bestAsk(market) ?? PAYOUT) - (books.bestBid(market) ?? 0);
  return wide <= spreadMax ? null : { code: 'spread-too-wide', spread: wide, spreadMax };
};

/**
 * A price must not be worse for us than the market's by more than the limit: a buy above it, a sale below it. What is
 * better for us rests far from the touch and harms nobody. The market's price is the mid; where a side is missing, the
 * last trade while it is fresh. With neither, an order that may trade at once is denied, because nothing says what it
 * would trade against; one that can only rest is held to the one side there is, and to the price band alone where the
 * book is empty: somebody has to begin a book.
 */
export const collar: Rule = (proposal, context) => {
  const twice = twiceTheReference(proposal, context);
  if (twice === null) return proposal.postOnly ? null : { code: 'no-reference' };
  const { side, price } = proposal;
  const { priceDistanceMax } = context.limits;
  const worse = side === 'buy' ? 2 * price - twice : twice - 2 * price;
  if (worse <= 2 * priceDistanceMax) return null;
  // Half of an odd sum of prices is told rounded down.
  return { code: 'price-too-far', price, reference: Math.floor(twice / 2) as Price, priceDistanceMax };
};

function twiceTheReference({ market, postOnly }: Proposal, { state, watch }: MarketContext): number | null {
  const twice = state.books.twiceMid(market);
  if (twice > 0) return twice;
  const traded = watch.lastTrade(market, state.now);
  if (traded !== null) return 2 * traded;
  const one = state.books.bestBid(market) ?? state.books.bestAsk(market);
  return one === null || !postOnly ? null : 2 * one;
}
