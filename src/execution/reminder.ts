// When an alarm about something that lasts is raised: at once, and again from time to time while it lasts.
// Pure: the time is handed in. Must never let a lasting trouble raise an alarm at every look.
import type { Micros } from '../domain/units.ts';

/** A trouble that lasts raises its alarm again after this long. */
const AGAIN_MS = 600_000;

/** The alarms of one trouble. */
export class Reminder {
  #raisedAt: Micros | null = null;

  /** Whether the alarm is to be raised now; if so, it counts as raised. */
  isDue(now: Micros): boolean {
    if (this.#raisedAt !== null && now - this.#raisedAt < AGAIN_MS * 1000) return false;
    this.#raisedAt = now;
    return true;
  }

  /** The trouble is over: the next one raises its alarm at once. */
  clear(): void {
    this.#raisedAt = null;
  }
}
