// Raises an alarm when the feed is down for too long, and repeats it. Must never act: the feed reconnects by itself.
import type { Micros } from '../../domain/units.ts';
import type { State } from '../../state/state.ts';
import type { Observer } from '../engine-notice.ts';
import { AlarmReminder } from './alarm-reminder.ts';

/** A feed that is down for longer than this raises an alarm. */
const DOWN_MS_MAX = 30_000;

/** Watches the connection of the feed. */
export class OutageWatch {
  readonly #state: State;
  readonly #observe: Observer;
  readonly #reminder = new AlarmReminder();
  /** Time at which a check first found the feed down. `null` while the feed is up, and before the first check. */
  #downSince: Micros | null = null;
  #reason = 'it has not connected yet';

  constructor(state: State, observe: Observer) {
    this.#state = state;
    this.#observe = observe;
  }

  /** Handles a connection that was lost or could not be made. */
  onLost(reason: string): void {
    this.#reason = reason;
    this.#observe({ type: 'feed', isUp: false, reason });
  }

  /**
   * Handles a new connection.
   * @param connection Its number within the session, from 1.
   */
  onConnected(connection: number): void {
    this.#observe({ type: 'feed', isUp: true, reason: `connection ${connection}` });
  }

  checkOutage(now: Micros): void {
    if (this.#state.feed.isUp) {
      this.#downSince = null;
      this.#reminder.endCondition();
      return;
    }
    this.#downSince ??= now;
    const downMs = Math.round((now - this.#downSince) / 1000);
    if (downMs <= DOWN_MS_MAX || !this.#reminder.isDue(now)) return;
    const text = `the feed is down for ${downMs} ms: ${this.#reason}`;
    const figures = { downMs, downMsMax: DOWN_MS_MAX };
    this.#observe({ type: 'alarm', code: 'feed-down', at: now, text, figures });
  }
}
