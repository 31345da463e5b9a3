// The one clock of a simulated world: what is to happen lies in a heap by its time, and time jumps from one to the next.
// What falls due at the same moment comes in an order drawn from the seed. Must never read a real clock or set a timer.
import { AssertionFault } from '../../src/domain/assert.ts';
import { type Micros, micros } from '../../src/domain/units.ts';
import type { Scheduler, Timer } from '../../src/transport/scheduler.ts';

/** When every simulated world begins. */
const BEGINNING = 1_800_000_000_000_000;
/** More of them without an end are a loop that time never leaves. */
const EVENTS_MAX = 5_000_000;

/** Something that is to happen. */
interface Pending {
  readonly at: number;
  /** Drawn: decides between those of the same time. */
  readonly draw: number;
  readonly order: number;
  readonly act: () => void;
  /** Whether promises may follow from it, which must have run before the next thing happens. */
  readonly settles: boolean;
  isCanceled: boolean;
}

const isBefore = (a: Pending, b: Pending): boolean =>
  a.at !== b.at ? a.at < b.at : a.draw !== b.draw ? a.draw < b.draw : a.order < b.order;

/** Whose timers fire: none once it is dead. */
export interface Life {
  readonly isAlive: boolean;
}

const ALWAYS: Life = { isAlive: true };

/** Virtual time. */
export class VirtualTime {
  readonly #seed: number;
  readonly #eventsMax: number;
  readonly #heap: Pending[] = [];
  #now = BEGINNING;
  #count = 0;
  #happened = 0;

  constructor(seed: number, eventsMax = EVENTS_MAX) {
    this.#seed = seed | 0;
    this.#eventsMax = eventsMax;
  }

  /** Microseconds since the epoch. */
  now(): Micros {
    return micros(this.#now);
  }

  /** Since the world began. */
  get elapsedMs(): number {
    return (this.#now - BEGINNING) / 1000;
  }

  /** How much has happened. */
  get happened(): number {
    return this.#happened;
  }

  /** Has something happen later. The order of what was set for one time with one delay is kept. */
  later(delayMs: number, act: () => void, settles = false): Timer {
    const delay = Math.max(0, Math.round(delayMs * 1000));
    const at = this.#now + delay;
    const pending = { at, draw: mix(this.#seed, at, delay), order: ++this.#count, act, settles, isCanceled: false };
    this.#push(pending);
    return pending;
  }

  cancel(timer: Timer): void {
    // tidy: as — the timers handed in are those handed out above.
    (timer as Pending).isCanceled = true;
  }

  /** The timers of one process: they fire a little late, as real ones do, and die with it. */
  scheduler(life: Life = ALWAYS): Scheduler {
    const alive = (act: () => void) => (): void => {
      if (life.isAlive) act();
    };
    return {
      now: () => (this.#now - BEGINNING) / 1000,
      after: (delayMs, act) => this.later(delayMs + this.#lateness(delayMs), alive(act), true),
      cancel: (timer) => this.cancel(timer),
      soon: (act) => void this.later(0, alive(act), true),
    };
  }

  /** Up to a millisecond, the same for what was set together. */
  #lateness(delayMs: number): number {
    return (mix(this.#seed + 1, this.#now, delayMs | 0) >>> 0) / 0x1_0000_0000;
  }

  /** Lets things happen until a time has come, or something has. */
  async run(untilMs: number, isOver: () => boolean = () => false): Promise<void> {
    const until = BEGINNING + Math.round(untilMs * 1000);
    for (let next = this.#heap[0]; next !== undefined && next.at <= until; next = this.#heap[0]) {
      this.#pop();
      if (next.isCanceled) continue;
      this.#now = next.at;
      if (++this.#happened > this.#eventsMax) throw new AssertionFault('the world never ends: too much has happened');
      next.act();
      // A turn of the real loop runs every promise to its end; no time passes in the world meanwhile.
      if (next.settles) await turn();
      if (isOver()) return;
    }
    this.#now = Math.max(this.#now, until);
  }

  #push(pending: Pending): void {
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

/** Three numbers to one that looks drawn. */
function mix(a: number, b: number, c: number): number {
  let hash = Math.imul(a ^ ((b % 0xffff_ffff) | 0), 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 13) ^ c, 0xc2b2_ae35);
  return hash ^ (hash >>> 16);
}
