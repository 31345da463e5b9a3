// Worst-case loss of an account in an event group, by trying each outcome, and for each the worse of filling and not
// filling each order. Deliberately independent of risk, which is checked against it.
import type { OrderView, PositionView } from '../../../src/exchange/machine/exchange-output.ts';

/** Position and orders in one market. */
export interface MarketStake {
  readonly held: Pick<PositionView, 'qty' | 'cost'>;
  readonly orders: readonly Pick<OrderView, 'side' | 'price' | 'leavesQty'>[];
}

const DOLLAR = 10_000;

/** Loss of one market for a payout of YES, without orders that gain. */
function lossAt({ held, orders }: MarketStake, pays: number): number {
  const worth = held.qty >= 0 ? held.qty * pays : -held.qty * (DOLLAR - pays);
  let loss = held.cost - worth;
  for (const { side, price, leavesQty } of orders)
    loss += Math.max(0, (side === 'buy' ? price - pays : pays - price) * leavesQty);
  return loss;
}

/** Loss in the worst of a group's outcomes, never negative. Without fees: they can only make it worse. */
export function worstOf(stakes: readonly MarketStake[], isExclusive: boolean): number {
  const [no, yes] = [stakes.map((stake) => lossAt(stake, 0)), stakes.map((stake) => lossAt(stake, DOLLAR))];
  const none = no.reduce((sum, loss) => sum + loss, 0);
  if (!isExclusive)
    return Math.max(
      0,
      no.reduce((sum, loss, i) => sum + Math.max(loss, yes[i] ?? 0), 0),
    );
  return Math.max(0, none, ...yes.map((loss, i) => none - (no[i] ?? 0) + loss));
}
