// Clock and timers of the transport. Tests supply their own, so that no test waits for real time. Must never be used by
// code that a replay runs: that code gets its time with the events.

/** An active timer. */
export type Timer = object;

/** Monotonic time and one-shot timers, both in milliseconds. */
export interface Scheduler {
  /** Milliseconds since a fixed point in time; never decreases. */
  now(): number;
  /** Calls `act` once, `delayMs` from now. */
  after(delayMs: number, act: () => void): Timer;
  cancel(timer: Timer): void;
  /** Calls `act` once, after the current turn of the event loop. */
  soon(act: () => void): void;
}

/** The machine's own clock and timers. */
export const systemScheduler: Scheduler = {
  now: () => performance.now(),
  after: (delayMs, act) => setTimeout(act, delayMs),
  // tidy: as — every timer passed in was returned by `after` above.
  cancel: (timer) => clearTimeout(timer as NodeJS.Timeout),
  soon: (act) => void setImmediate(act),
};
