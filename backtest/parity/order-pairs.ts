// Pairs orders of two runs over the same time range: a live session, and the backtest of its own tape. Must never pair
// an order twice, nor orders of different strategies, markets or sides.
import { DueQueue } from '../../src/base/due-queue.ts';
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
 * equal price, then any; and of these the two orders that are nearest in time. So an order that only one run had does
 * not shift the pairs after it.
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

/** Orders with the same text are alike. The strictest criterion comes first. */
const LIKENESSES: readonly ((order: TracedOrder) => string)[] = [
  ({ price, qty }) => `${price} ${qty}`,
  ({ price }) => `${price}`,
  () => '',
];

function pairGroup({ live, simulated }: Group, windowMicros: number): OrderPair[] {
  const partners = new Map<TracedOrder, TracedOrder>();
  const isAlone = (order: TracedOrder): boolean => !partners.has(order);
  for (const likeness of LIKENESSES) {
    const theirs = groupedBy(simulated.filter(isAlone), likeness);
    for (const [alike, ours] of groupedBy(live.filter(isAlone), likeness))
      for (const [a, b] of nearestPairs(ours, theirs.get(alike) ?? [], windowMicros)) {
        partners.set(a, b);
        partners.set(b, a);
      }
  }
  const paired = live.map((order): OrderPair => ({ live: order, simulated: partners.get(order) ?? null }));
  return [...paired, ...simulated.filter(isAlone).map((order) => ({ live: null, simulated: order }))];
}

function groupedBy(orders: readonly TracedOrder[], keyOf: (order: TracedOrder) => string): Map<string, TracedOrder[]> {
  const groups = new Map<string, TracedOrder[]>();
  for (const order of orders) {
    const key = keyOf(order);
    const group = groups.get(key);
    if (group) group.push(order);
    else groups.set(key, [order]);
  }
  return groups;
}

/** An order among those of both runs that have no partner yet, in the sequence of time. */
interface Place {
  readonly order: TracedOrder;
  readonly isOfSession: boolean;
  before: Place | null;
  after: Place | null;
  isTaken: boolean;
}

interface Neighbors {
  readonly earlier: Place;
  readonly later: Place;
}

/**
 * Pairs the two orders that are nearest in time, again and again. The nearest two of different runs have no order
 * between them, so that only neighbors need to be compared.
 */
function* nearestPairs(
  ours: readonly TracedOrder[],
  theirs: readonly TracedOrder[],
  windowMicros: number,
): Generator<[TracedOrder, TracedOrder]> {
  const nearest = new DueQueue<Neighbors, number>(({ earlier, later }) => !earlier.isTaken && !later.isTaken);
  const consider = (earlier: Place | null, later: Place | null): void => {
    if (!earlier || !later || earlier.isOfSession === later.isOfSession) return;
    nearest.schedule(later.order.createdAt - earlier.order.createdAt, { earlier, later });
  };
  for (const place of placesOf(ours, theirs)) consider(place.before, place);
  for (let pair = nearest.popDue(windowMicros); pair !== null; pair = nearest.popDue(windowMicros)) {
    const { earlier, later } = pair;
    for (const place of [earlier, later]) remove(place);
    consider(earlier.before, later.after);
    yield earlier.isOfSession ? [earlier.order, later.order] : [later.order, earlier.order];
  }
}

function placesOf(ours: readonly TracedOrder[], theirs: readonly TracedOrder[]): Place[] {
  const placeOf =
    (isOfSession: boolean) =>
    (order: TracedOrder): Place => ({ order, isOfSession, before: null, after: null, isTaken: false });
  const places = [...ours.map(placeOf(true)), ...theirs.map(placeOf(false))];
  places.sort((a, b) => a.order.createdAt - b.order.createdAt);
  places.forEach((place, i) => {
    place.before = places[i - 1] ?? null;
    place.after = places[i + 1] ?? null;
  });
  return places;
}

function remove(place: Place): void {
  place.isTaken = true;
  if (place.before) place.before.after = place.after;
  if (place.after) place.after.before = place.before;
}
