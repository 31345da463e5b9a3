// Times the alarm of a lasting condition: at once, and again from time to time. Must never raise an alarm at every
// check.
import type { Micros } from '../../domain/units.ts';

/** The time after which an alarm is repeated. Milliseconds. */
const REPEAT_MS = 600_000;

/** Times the alarms of one condition. */
export class AlarmReminder {
  #raisedAt: Micros | null = null;

  /** True when the alarm is to be raised now. It then counts as raised. */
  isDue(now: Micros): boolean {
    if (!this.wouldBeDue(now)) return false;
    this.#raisedAt = now;
    return true;
  }

  /** True when the alarm would be raised now. It does not count as raised. */
  wouldBeDue(now: Micros): boolean {
    return this.#raisedAt === null || now - this.#raisedAt >= REPEAT_MS * 1000;
  }

  /** True while the condition lasts, from its first alarm on. */
  get isRaised(): boolean {
    return this.#raisedAt !== null;
  }

  /** Ends the condition: its next alarm is raised at once. */
  endCondition(): void {
    this.#raisedAt = null;
  }
}
