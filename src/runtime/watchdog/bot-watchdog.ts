// Watches a bot from another process. It strikes once heartbeats stop, or when the bot dies without a goodbye. The
// caller then cancels the bot's orders. Must never strike only because this process itself was asleep.
import type { Scheduler, Timer } from '../../transport/scheduler.ts';
import type { Heartbeat, BotMessage } from './watchdog-messages.ts';

/** Reason of a strike: the bot's process is gone, or it exists and does nothing. */
export type StrikeCause = 'died' | 'hung';

export interface BotWatchdogOptions {
  readonly scheduler: Scheduler;
  /** The longest time without a heartbeat. */
  readonly deadlineMs: number;
  /** Cancels the bot's orders. Never rejects. */
  readonly strike: (cause: StrikeCause, last: Heartbeat | null) => Promise<void>;
  /** Called at the first heartbeat of a bot that hung. */
  readonly onReturn?: () => void;
  /** Called when nothing is left to watch. */
  readonly onEnd: (why: 'bye' | 'died') => void;
}

const CHECKS = 20;

/** Watches one bot. */
export class BotWatchdog {
  readonly #options: BotWatchdogOptions;
  readonly #checkMs: number;
  #lastHeartbeat: Heartbeat | null = null;
  /** Time without a heartbeat, as this process measured it. */
  #silentMs = 0;
  #checkedAt: number;
  #timer: Timer | null = null;
  #strikes: Promise<void> = Promise.resolve();
  /** True after a strike at a bot that hangs. The next strike needs a heartbeat first. */
  #hasStruck = false;
  #isEnded = false;

  constructor(options: BotWatchdogOptions) {
    this.#options = options;
    this.#checkMs = Math.max(1, Math.floor(options.deadlineMs / CHECKS));
    this.#checkedAt = options.scheduler.now();
    this.#scheduleCheck();
  }

  /** The latest heartbeat; `null` before any heartbeat. */
  get lastHeartbeat(): Heartbeat | null {
    return this.#lastHeartbeat;
  }

  /** Time since the latest heartbeat. Milliseconds. */
  get silentMs(): number {
    return this.#silentMs;
  }

  onMessage(message: BotMessage): void {
    if (message.type === 'bye') return this.#finish('bye');
    this.#lastHeartbeat = message;
    this.#silentMs = 0;
    if (this.#hasStruck) this.#options.onReturn?.();
    this.#hasStruck = false;
  }

  /** Handles the end of the connection to the bot. Without a goodbye, the bot died. */
  onDisconnect(): void {
    if (this.#isEnded) return;
    this.#stopChecks();
    this.#strikes = this.#strikes.then(() => this.#options.strike('died', this.#lastHeartbeat));
    void this.#strikes.then(() => this.#finish('died'));
  }

  #scheduleCheck(): void {
    this.#timer = this.#options.scheduler.after(this.#checkMs, () => this.#check());
  }

  #check(): void {
    const now = this.#options.scheduler.now();
    // A late check shows that this process or the machine slept. The bot may have been unable to send, too, so at most
    // two check intervals are counted.
    this.#silentMs += Math.min(now - this.#checkedAt, 2 * this.#checkMs);
    this.#checkedAt = now;
    this.#scheduleCheck();
    if (this.#silentMs < this.#options.deadlineMs || this.#hasStruck) return;
    this.#hasStruck = true;
    this.#strikes = this.#strikes.then(() => this.#options.strike('hung', this.#lastHeartbeat));
  }

  #stopChecks(): void {
    this.#isEnded = true;
    if (this.#timer) this.#options.scheduler.cancel(this.#timer);
    this.#timer = null;
  }

  #finish(why: 'bye' | 'died'): void {
    if (why === 'bye' && this.#isEnded) return;
    this.#stopChecks();
    this.#options.onEnd(why);
  }
}
