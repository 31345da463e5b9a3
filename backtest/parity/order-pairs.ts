// Pairs orders of two runs over the same time range: a live session, and the backtest of its own tape. Must never pair
// an order twice, nor orders of different strategies, markets or sides.
import type { TracedOrder } from './run-trace.ts';

/** The same order in both runs; `null` where a run never had it. */
export interface OrderPair {
  readonly live: TracedOrder | null;
  readonly simulated: TracedOrder | null;
}

export interface PairOptions {
  /** The maximum time between two decisions that count as the same. Microseconds. */
  readonly windowMicros: number;
}

/**
 * Pairs orders of the same strategy, market and side within a time window. Equal price and quantity come first, then
 * equal price, then any. Each live order gets the nearest unpaired order.
 * @returns every order of both runs exactly once, sorted by time.
 */
export function pairOrders(
  live: readonly TracedOrder[],
  simulated: readonly TracedOrder[],
  { windowMicros }: PairOptions,
): OrderPair[] {
  const groups = grouped(live, simulated);
  const pairs = [...groups.values()].flatMap((group) => pairGroup(group, windowMicros));
  return pairs.sort((a, b) => pairTime(a) - pairTime(b));
}

/** The time of the earlier decision of a pair. */
export const pairTime = ({ live, simulated }: OrderPair): number =>
  Math.min(live?.createdAt ?? Infinity, simulated?.createdAt ?? Infinity);

interface Group {
  readonly live: TracedOrder[];
  readonly simulated: TracedOrder[];
}

function grouped(live: readonly TracedOrder[], simulated: readonly TracedOrder[]): Map<string, Group> {
  const groups = new Map<string, Group>();
  const groupOf = ({ strategy, ticker, side }: TracedOrder): Group => {
    const key = JSON.stringify([strategy, ticker, side]);
    const known = groups.get(key);
    if (known) return known;
    const made: Group = { live: [], simulated: [] };
    groups.set(key, made);
    return made;
  };
  for (const order of byTime(live)) groupOf(order).live.push(order);
  for (const order of byTime(simulated)) groupOf(order).simulated.push(order);
  return groups;
}

const byTime = (orders: readonly TracedOrder[]): TracedOrder[] => [...orders].sort((a, b) => a.createdAt - b.createdAt);

type Alike = (a: TracedOrder, b: TracedOrder) => boolean;

/** The strictest criterion comes first. */
const LIKENESSES: readonly Alike[] = [
  (a, b) => a.price === b.price && a.qty === b.qty,
  (a, b) => a.price === b.price,
  () => true,
];

function pairGroup({ live, simulated }: Group, windowMicros: number): OrderPair[] {
  const partner = new Map<TracedOrder, TracedOrder>();
  const taken = new Set<TracedOrder>();
  for (const isAlike of LIKENESSES)
    for (const order of live) {
      if (partner.has(order)) continue;
      const free = near(order, simulated, windowMicros).filter(
        (candidate) => !taken.has(candidate) && isAlike(order, candidate),
      );
      const found = nearest(order, free);
      if (!found) continue;
      partner.set(order, found);
      taken.add(found);
    }
  const paired = live.map((order): OrderPair => ({ live: order, simulated: partner.get(order) ?? null }));
  const alone = simulated.filter((order) => !taken.has(order)).map((order) => ({ live: null, simulated: order }));
  return [...paired, ...alone];
}

/** @param sorted orders, sorted by time. */
function near({ createdAt }: TracedOrder, sorted: readonly TracedOrder[], windowMicros: number): TracedOrder[] {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle]?.createdAt ?? Infinity) < createdAt - windowMicros) low = middle + 1;
    else high = middle;
  }
  const found: TracedOrder[] = [];
  for (let i = low; i < sorted.length; i++) {
    const order = sorted[i];
    if (order === undefined || order.createdAt > createdAt + windowMicros) break;
    found.push(order);
  }
  return found;
}

function nearest({ createdAt }: TracedOrder, among: readonly TracedOrder[]): TracedOrder | null {
  let best: TracedOrder | null = null;
  for (const order of among)
    if (best === null || Math.abs(order.createdAt - createdAt) < Math.abs(best.createdAt - createdAt)) best = order;
  return best;
}
