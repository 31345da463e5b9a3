// A thread is worn out when its heap has grown from trial to trial: something leaks. Its pool recognizes its end by the exit
// code, which piscina puts into the fault. Must never take garbage for growth: a new thread must compile everything again.

/** Exit code of a thread that ends because its heap has grown. */
export const WORN_OUT_EXIT = 77;

/** True for the fault of a thread that ended so, before it began the trial. */
export const isWornOutFault = (fault: unknown): boolean =>
  fault instanceof Error && fault.message === `worker exited with code: ${WORN_OUT_EXIT}`;

/** A heap that has grown by this factor, and by this many bytes, since the first trial has grown too much. */
const GROWTH_MAX = 2;
const GROWTH_BYTES_MIN = 128 * 1024 * 1024;

/** The heap of a thread. */
export interface WatchedHeap {
  /** Bytes in use, with garbage that is not collected yet. */
  readonly usedBytes: () => number;
  /** Collects all garbage. */
  readonly collect: () => void;
}

/** Watches a thread's heap from trial to trial. */
export class HeapWatch {
  readonly #heap: WatchedHeap;
  /** Bytes that the heap may have; `null` before the end of the first trial. */
  #bytesMax: number | null = null;

  constructor(heap: WatchedHeap) {
    this.#heap = heap;
  }

  /** Decides whether the thread is worn out. Must be called at the end of each trial. */
  isWornOut(): boolean {
    const used = this.#heap.usedBytes();
    this.#bytesMax ??= Math.max(GROWTH_MAX * used, used + GROWTH_BYTES_MIN);
    if (used <= this.#bytesMax) return false;
    this.#heap.collect();
    return this.#heap.usedBytes() > this.#bytesMax;
  }
}
