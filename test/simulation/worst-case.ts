// The most that an account could lose in an event group, tried out: each outcome, and for each the worse of filling and
// not filling each order. Written apart from risk on purpose: it is what risk is held against.
import type { OrderView, PositionView } from '../../src/exchange/output.ts';

/** What is at stake in one market. */
export interface MarketStake {
  readonly held: Pick<PositionView, 'qty' | 'cost'>;
  readonly orders: readonly Pick<OrderView, 'side' | 'price' | 'leavesQty'>[];
}

const DOLLAR = 10_000;

/** What one market loses if YES pays so much, orders that gain left out. */
function lossAt({ held, orders }: MarketStake, pays: number): number {
  const worth = held.qty >= 0 ? held.qty * pays : -held.qty * (DOLLAR - pays);
  let loss = held.cost - worth;
  for (const { side, price, leavesQty } of orders)
    loss += Math.max(0, (side === 'buy' ? price - pays : pays - price) * leavesQty);
  return loss;
}

/** The worst of a group's outcomes, never less than nothing. Fees are left out: they can only make it worse. */
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
