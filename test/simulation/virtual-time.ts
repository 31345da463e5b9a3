// The one clock of a simulation: pending actions lie in a heap by their time, and time jumps from one to the next.
// Actions due at the same moment run in an order drawn from the seed. Must never read a real clock or set a timer.
import { AssertionFault } from '../../src/base/assert.ts';
import { type Micros, micros } from '../../src/domain/units.ts';
import type { Scheduler, Timer } from '../../src/transport/scheduler.ts';

/** Start of every simulation. */
const START = 1_800_000_000_000_000;
/** Bound on events: beyond it a loop keeps time from advancing. */
const EVENTS_MAX = 5_000_000;

/** A pending action. */
interface PendingAction {
  readonly at: number;
  /** A draw that decides between actions of the same time. */
  readonly draw: number;
  readonly order: number;
  readonly act: () => void;
  /** True when promises may follow from it, which must have run before the next action. */
  readonly settles: boolean;
  isCanceled: boolean;
}

const isBefore = (a: PendingAction, b: PendingAction): boolean =>
  a.at !== b.at ? a.at < b.at : a.draw !== b.draw ? a.draw < b.draw : a.order < b.order;

/** Owner of timers: none fire once it is dead. */
export interface Life {
  readonly isAlive: boolean;
}

const ALWAYS: Life = { isAlive: true };

/** Virtual time. */
export class VirtualTime {
  readonly #seed: number;
  readonly #eventsMax: number;
  readonly #heap: PendingAction[] = [];
  #now = START;
  #count = 0;
  #actionsRun = 0;

  constructor(seed: number, eventsMax = EVENTS_MAX) {
    this.#seed = seed | 0;
    this.#eventsMax = eventsMax;
  }

  /** Microseconds since the epoch. */
  now(): Micros {
    return micros(this.#now);
  }

  /** Milliseconds since the simulation began. */
  get elapsedMs(): number {
    return (this.#now - START) / 1000;
  }

  /** Number of actions run so far. */
  get happened(): number {
    return this.#actionsRun;
  }

  /** Schedules an action. Actions set for the same time with the same delay run in the order in which they were set. */
  later(delayMs: number, act: () => void, settles = false): Timer {
    const delay = Math.max(0, Math.round(delayMs * 1000));
    const at = this.#now + delay;
    const pending = { at, draw: mix(this.#seed, at, delay), order: ++this.#count, act, settles, isCanceled: false };
    this.#push(pending);
    return pending;
  }

  cancel(timer: Timer): void {
    // tidy: as — the timers passed in are those returned above.
    (timer as PendingAction).isCanceled = true;
  }

  /** The timers of one process: they fire a little late, as real ones do, and die with the process. */
  scheduler(life: Life = ALWAYS): Scheduler {
    const alive = (act: () => void) => (): void => {
      if (life.isAlive) act();
    };
    return {
      now: () => (this.#now - START) / 1000,
      after: (delayMs, act) => this.later(delayMs + this.#lateness(delayMs), alive(act), true),
      cancel: (timer) => this.cancel(timer),
      soon: (act) => void this.later(0, alive(act), true),
    };
  }

  /** Lateness up to a millisecond, the same for timers set together. */
  #lateness(delayMs: number): number {
    return (mix(this.#seed + 1, this.#now, delayMs | 0) >>> 0) / 0x1_0000_0000;
  }

  /** Runs actions until a time is reached, or `isOver`. */
  async run(untilMs: number, isOver: () => boolean = () => false): Promise<void> {
    const until = START + Math.round(untilMs * 1000);
    for (let next = this.#heap[0]; next !== undefined && next.at <= until; next = this.#heap[0]) {
      this.#pop();
      if (next.isCanceled) continue;
      this.#now = next.at;
      if (++this.#actionsRun > this.#eventsMax)
        throw new AssertionFault('the simulation does not end: too many events');
      next.act();
      // A turn of the real loop runs every promise to its end; no simulated time passes meanwhile.
      if (next.settles) await turn();
      if (isOver()) return;
    }
    this.#now = Math.max(this.#now, until);
  }

  #push(pending: PendingAction): void {
    const heap = this.#heap;
    let at = heap.push(pending) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || !isBefore(pending, above)) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = pending;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      const right = heap[child + 1];
      let least = heap[child];
      if (least === undefined) break;
      if (right !== undefined && isBefore(right, least)) {
        least = right;
        child += 1;
      }
      if (!isBefore(least, last)) break;
      heap[at] = least;
      at = child;
    }
    heap[at] = last;
  }
}

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Hashes three numbers to one that looks random. */
function mix(a: number, b: number, c: number): number {
  let hash = Math.imul(a ^ ((b % 0xffff_ffff) | 0), 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 13) ^ c, 0xc2b2_ae35);
  return hash ^ (hash >>> 16);
}
