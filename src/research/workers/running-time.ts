// Limits a time to that in which the process runs. Must never count a stop of the process, as by Ctrl-Z or while a virtual machine
// is paused: its threads stand still, too.

/** A timer is checked at most this often. Milliseconds. */
const TICK_MS_MAX = 1000;
/** A stop adds one tick at most, so there are several. */
const TICKS_MIN = 10;

/**
 * Calls `onOver` once the process has run for a time. A process that was stopped gets one tick of a timer when it goes on, however
 * long the stop.
 * @returns a function that ends the count.
 */
export function afterRunning(limitMs: number, onOver: () => void): () => void {
  const ticks = Math.max(TICKS_MIN, Math.ceil(limitMs / TICK_MS_MAX));
  let left = ticks;
  const timer = setInterval(() => {
    left -= 1;
    if (left > 0) return;
    clearInterval(timer);
    onOver();
  }, limitMs / ticks);
  return () => clearInterval(timer);
}
