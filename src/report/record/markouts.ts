// Reads the mid one second and one minute after each of our trades. Trades come due in the sequence of their reports:
// one queue for each delay is enough.
import type { MarketIndex } from '../../domain/ids.ts';
import type { State } from '../../state/state.ts';
import type { FillSums, MidDelay, TrackedTrade } from './fill-sums.ts';
import { mid2Of } from './market-log.ts';

const AFTER: readonly (readonly [MidDelay, number])[] = [
  ['after1s', 1_000_000],
  ['after1m', 60_000_000],
];
/** Read entries are dropped once there are this many, or when no unread entry is left. */
const READ_MAX = 4096;

interface FollowedTrade {
  readonly trade: TrackedTrade;
  readonly market: MarketIndex;
}

class Queue {
  readonly horizon: MidDelay;
  readonly #after: number;
  #waiting: FollowedTrade[] = [];
  #next = 0;

  constructor(horizon: MidDelay, after: number) {
    this.horizon = horizon;
    this.#after = after;
  }

  get dueAt(): number {
    const head = this.#waiting[this.#next];
    return head === undefined ? Number.POSITIVE_INFINITY : head.trade.at + this.#after;
  }

  push(followed: FollowedTrade): void {
    this.#waiting.push(followed);
  }

  shift(): FollowedTrade | undefined {
    const head = this.#waiting[this.#next];
    this.#next += 1;
    if (this.#next >= READ_MAX || this.#next >= this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#next);
      this.#next = 0;
    }
    return head;
  }
}

/** Trades that still wait for later mids. */
export class Markouts {
  readonly #queues = AFTER.map(([horizon, after]) => new Queue(horizon, after));

  get dueAt(): number {
    let earliest = Number.POSITIVE_INFINITY;
    for (const queue of this.#queues) earliest = Math.min(earliest, queue.dueAt);
    return earliest;
  }

  addTrade(trade: TrackedTrade, market: MarketIndex): void {
    if (trade.mid2 !== null) for (const queue of this.#queues) queue.push({ trade, market });
  }

  /** Reads the mids that are due. A closed market or an incomplete book has no mid. */
  readDue(now: number, state: State, sums: FillSums): void {
    for (const queue of this.#queues)
      while (queue.dueAt <= now) {
        const due = queue.shift();
        const mid2 = due === undefined ? null : laterMid(state, due);
        if (due !== undefined && mid2 !== null) sums.addLaterMid(due.trade, queue.horizon, mid2);
      }
  }
}

function laterMid(state: State, { market, trade }: FollowedTrade): number | null {
  const known = state.markets.get(market);
  if (!known || known.ticker !== trade.ticker) return null;
  return known.status === 'active' || known.status === 'inactive' ? mid2Of(state, market) : null;
}
