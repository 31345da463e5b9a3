// A new order on its way from an intent to a command. Each object is written member by member: with `...` it takes several
// times as long to create, and every order passes here. Must never change a term of the intent.
import type { StrategyName } from '../../domain/ids.ts';
import type { PlaceIntent } from '../../domain/intent.ts';
import { completeTerms } from '../../domain/orders/order-terms.ts';
import type { PlaceCommand } from '../../domain/venue-command.ts';
import type { Proposal } from '../../risk/rules/proposal.ts';

/** The order that an intent asks for, without an id. */
export function proposalOf(strategy: StrategyName, intent: PlaceIntent): Proposal {
  const { market, side, price, qty, timeInForce, postOnly, reduceOnly, expiresAt } = completeTerms(intent);
  return { strategy, market, side, price, qty, timeInForce, postOnly, reduceOnly, expiresAt };
}

/** The parts of a command that its proposal does not have. */
type Sending = Omit<PlaceCommand, keyof Proposal | 'type'>;

/** The command that sends a proposed order. */
export const placeCommandOf = (proposal: Proposal, sending: Sending): PlaceCommand => ({
  type: 'place',
  lane: sending.lane,
  id: sending.id,
  clientOrderId: sending.clientOrderId,
  ticker: sending.ticker,
  strategy: proposal.strategy,
  market: proposal.market,
  side: proposal.side,
  price: proposal.price,
  qty: proposal.qty,
  timeInForce: proposal.timeInForce,
  postOnly: proposal.postOnly,
  reduceOnly: proposal.reduceOnly,
  expiresAt: proposal.expiresAt,
  createdAt: sending.createdAt,
  validUntil: sending.validUntil,
});
