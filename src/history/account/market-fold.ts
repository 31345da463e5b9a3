// The money of one market, added up from its facts. The account's openings reveal fills that no journal holds. Pure;
// whole numbers only.
import type { Side } from '../../domain/orders/order.ts';
import { FLAT, type Position, afterSettlement, afterTrade, cashOfTrade, payout } from '../../domain/position.ts';
import { type Money, type Price, money, price, qty } from '../../domain/units.ts';

/** A fill as stored. */
export interface FoldFill {
  readonly id: number;
  readonly atUs: number;
  readonly venueUs: number | null;
  /** Session of the fill's order; `null` when no session placed the order. */
  readonly orderSession: number | null;
  readonly strategy: string;
  readonly side: Side;
  readonly price: number;
  readonly qty: number;
  readonly fee: number;
}

/** The venue's figures at the opening of a session, for one market. */
export interface FoldOpening {
  readonly session: number;
  /** Time at which the figures were requested. */
  readonly askedUs: number;
  readonly qty: number;
  readonly cost: number;
  readonly realized: number;
  readonly fees: number;
  /** The last price of YES before the session; `null` when there is none. */
  readonly yes: number | null;
}

/** A settlement of the market. */
export interface FoldSettlement {
  readonly atUs: number;
  readonly price: number;
  /** The session in which an embedded exchange has begun again with the same market; `null` when none has. */
  readonly until: number | null;
}

/** The facts of a market. */
export interface MarketInput {
  readonly fills: readonly FoldFill[];
  /** The openings of all sessions, the oldest first, also where the market was not held. */
  readonly openings: readonly FoldOpening[];
  /** One settlement, or one for each session of an embedded exchange in which the market settled; the oldest first. */
  readonly settlements: readonly FoldSettlement[];
}

/** One step of the market's money. Steps are sorted as the account made them. */
export type FoldStep =
  | { readonly type: 'fill'; readonly epoch: number; readonly fill: FoldFill }
  | { readonly type: 'opening'; readonly epoch: number; readonly opening: FoldOpening }
  | { readonly type: 'settlement'; readonly epoch: number; readonly atUs: number; readonly price: Price };

/** A payout of a position. */
export interface Payout {
  /** The last session that opened before it; 0 for none. */
  readonly session: number;
  readonly atUs: number;
  readonly qty: number;
  readonly price: number;
  readonly paid: Money;
  readonly realized: Money;
}

/** Money of a market. */
export interface MarketFold {
  readonly steps: readonly FoldStep[];
  readonly fills: readonly { readonly id: number; readonly cash: Money; readonly realized: Money }[];
  /** One payout, or one for each session of an embedded exchange, which begins again with the same markets. */
  readonly payouts: readonly Payout[];
  readonly position: Position;
  /** Change of cash after fees since each session's opening; 0 stands for the time before the first opening. */
  readonly flows: ReadonlyMap<number, number>;
  /** Openings at which the venue's quantity differed from ours. */
  readonly adjustments: readonly { readonly session: number; readonly ours: number; readonly theirs: number }[];
}

/** A venue's time of a payout may be this much ahead of ours, because clocks differ. Microseconds. */
const CLOCKS_APART_US = 5_000_000;

/** Adds up a market. */
export function foldMarket(input: MarketInput): MarketFold {
  const { settlements } = input;
  const steps: FoldStep[] = [];
  const fills: { id: number; cash: Money; realized: Money }[] = [];
  const adjustments: { session: number; ours: number; theirs: number }[] = [];
  const flows = new Map<number, number>();
  const addFlow = (epoch: number, amount: number): void => void flows.set(epoch, (flows.get(epoch) ?? 0) + amount);
  const payouts: Payout[] = [];
  let position: Position = FLAT;
  const payOut = (epoch: number, settlement: FoldSettlement | undefined): void => {
    if (settlement === undefined || position.qty === 0) return;
    const { atUs } = settlement;
    const settledAt = price(settlement.price);
    const after = afterSettlement(position, settledAt);
    const paid = payout(position.qty, settledAt);
    const realized = money(after.realized - position.realized);
    payouts.push({ session: epoch, atUs, qty: position.qty, price: settledAt, paid, realized });
    steps.push({ type: 'settlement', epoch, atUs, price: settledAt });
    addFlow(epoch, paid);
    position = after;
  };
  let epoch = 0;
  for (const step of stepsOf(input)) {
    if (step.type === 'opening') payOut(epoch, settlementBefore(step.opening, { epoch, settlements }));
    epoch = step.epoch;
    steps.push(step);
    if (step.type === 'fill') {
      const trade = tradeOf(step.fill);
      const cash = cashOfTrade(position.qty, trade);
      const after = afterTrade(position, trade);
      fills.push({ id: step.fill.id, cash, realized: money(after.realized - position.realized) });
      addFlow(step.epoch, cash - trade.fee);
      position = after;
    } else if (step.opening.qty !== position.qty) {
      adjustments.push({ session: step.opening.session, ours: position.qty, theirs: step.opening.qty });
      position = positionOf(step.opening);
    }
  }
  payOut(epoch, settlements.find(isOf(epoch)));
  return { steps, fills, payouts, position, flows, adjustments };
}

/** The terms of a stored fill. */
export const tradeOf = (fill: FoldFill) => ({
  side: fill.side,
  price: price(fill.price),
  qty: qty(fill.qty),
  fee: money(fill.fee),
});

const positionOf = ({ qty: held, cost, realized, fees }: FoldOpening): Position => ({
  qty: qty(held),
  cost: money(cost),
  realized: money(realized),
  fees: money(fees),
});

/** A settlement pays out no position of a session in which the market is open again. */
const isOf =
  (epoch: number) =>
  ({ until }: FoldSettlement): boolean =>
    until === null || epoch < until;

/** The settlement by which a position of an epoch was paid out before the next opening. */
function settlementBefore(
  { qty: held, askedUs }: FoldOpening,
  { epoch, settlements }: { readonly epoch: number; readonly settlements: readonly FoldSettlement[] },
): FoldSettlement | undefined {
  if (held !== 0) return undefined;
  return settlements.filter(isOf(epoch)).find(({ atUs }) => askedUs >= atUs - CLOCKS_APART_US);
}

type UnpaidStep = Exclude<FoldStep, { readonly type: 'settlement' }>;

/**
 * Sorts fills and openings as the account made them. A fill belongs to the session of its order, however late it is
 * listed. At an opening no order of an earlier session rests.
 */
function stepsOf({ fills, openings }: MarketInput): UnpaidStep[] {
  const epochOf = (session: number): number => openings.findLast((opening) => opening.session <= session)?.session ?? 0;
  const epochAt = (atUs: number): number => openings.findLast(({ askedUs }) => askedUs <= atUs)?.session ?? 0;
  return [
    ...fills.map((fill): UnpaidStep => {
      const { orderSession, venueUs, atUs } = fill;
      const epoch = orderSession === null ? epochAt(venueUs ?? atUs) : epochOf(orderSession);
      return { type: 'fill', epoch, fill };
    }),
    ...openings.map((opening): UnpaidStep => ({ type: 'opening', epoch: opening.session, opening })),
  ].toSorted(compareSteps);
}

function compareSteps(a: UnpaidStep, b: UnpaidStep): number {
  if (a.epoch !== b.epoch) return a.epoch - b.epoch;
  if (a.type !== 'fill' || b.type !== 'fill') return Number(a.type === 'fill') - Number(b.type === 'fill');
  const timeOf = ({ venueUs, atUs }: FoldFill): number => venueUs ?? atUs;
  return timeOf(a.fill) - timeOf(b.fill) || a.fill.id - b.fill.id;
}
