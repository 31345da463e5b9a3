// The transport's clock and timers, so that a test can hand in its own and no test waits for real time.
// Must never be seen by the pure rooms.

/** A timer that was set. */
export type Timer = object;

/** Monotonic time and one-shot timers, both in milliseconds. */
export interface Scheduler {
  /** Milliseconds since some fixed moment; never goes back. */
  now(): number;
  /** Calls `act` once, `delayMs` from now. */
  after(delayMs: number, act: () => void): Timer;
  /** Makes sure that a timer no longer fires. */
  cancel(timer: Timer): void;
  /** Calls `act` once, when what is being handled now is done. */
  soon(act: () => void): void;
}

/** The machine's own clock and timers. */
export const systemScheduler: Scheduler = {
  now: () => performance.now(),
  after: (delayMs, act) => setTimeout(act, delayMs),
  // tidy: as — the timers handed in are those handed out above.
  cancel: (timer) => clearTimeout(timer as NodeJS.Timeout),
  soon: (act) => void setImmediate(act),
};
