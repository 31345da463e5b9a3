// Watches a bot from another process: no sign of life within the deadline, or a death without goodbye, and it strikes.
// Decides when; what striking means is the caller's. Must never strike for time that it spent asleep itself.
import type { Scheduler, Timer } from '../transport/scheduler.ts';
import type { Beat, Sign } from './watchdog-messages.ts';

/** Why a watchdog strikes: the bot is gone, or it is there and does nothing. */
export type Cause = 'died' | 'hung';

export interface WatchdogOptions {
  readonly scheduler: Scheduler;
  /** How long the bot may be silent. */
  readonly deadlineMs: number;
  /** Withdraws what rests. Never rejects. */
  readonly strike: (cause: Cause, last: Beat | null) => Promise<void>;
  /** Nothing is left to watch. */
  readonly onEnd: (why: 'bye' | 'died') => void;
}

/** Looks a deadline has. */
const LOOKS = 20;

/** One watch. */
export class Watchdog {
  readonly #options: WatchdogOptions;
  readonly #lookMs: number;
  #last: Beat | null = null;
  /** Time without a sign of life, as this process saw it pass. */
  #silentMs = 0;
  #lookedAt: number;
  #timer: Timer | null = null;
  #strikes: Promise<void> = Promise.resolve();
  /** A bot that hangs is struck once; it must give a sign of life before it can hang again. */
  #hasStruck = false;
  #isOver = false;

  constructor(options: WatchdogOptions) {
    this.#options = options;
    this.#lookMs = Math.max(1, Math.floor(options.deadlineMs / LOOKS));
    this.#lookedAt = options.scheduler.now();
    this.#lookLater();
  }

  /** The last sign of life; `null` before the first. */
  get last(): Beat | null {
    return this.#last;
  }

  /** How long the bot has been silent. Milliseconds. */
  get silentMs(): number {
    return this.#silentMs;
  }

  /** Takes a sign of life. */
  take(sign: Sign): void {
    if (sign.type === 'bye') return this.#end('bye');
    this.#last = sign;
    this.#silentMs = 0;
    this.#hasStruck = false;
  }

  /** The line to the bot is cut. Without goodbye, it died. */
  cut(): void {
    if (this.#isOver) return;
    this.#stopLooking();
    this.#strikes = this.#strikes.then(() => this.#options.strike('died', this.#last));
    void this.#strikes.then(() => this.#end('died'));
  }

  #lookLater(): void {
    this.#timer = this.#options.scheduler.after(this.#lookMs, () => this.#look());
  }

  #look(): void {
    const now = this.#options.scheduler.now();
    // A look that comes late says that this process slept, or the machine: the bot may have been as unable to speak.
    this.#silentMs += Math.min(now - this.#lookedAt, 2 * this.#lookMs);
    this.#lookedAt = now;
    this.#lookLater();
    if (this.#silentMs < this.#options.deadlineMs || this.#hasStruck) return;
    this.#hasStruck = true;
    this.#strikes = this.#strikes.then(() => this.#options.strike('hung', this.#last));
  }

  #stopLooking(): void {
    this.#isOver = true;
    if (this.#timer) this.#options.scheduler.cancel(this.#timer);
    this.#timer = null;
  }

  #end(why: 'bye' | 'died'): void {
    if (why === 'bye' && this.#isOver) return;
    this.#stopLooking();
    this.#options.onEnd(why);
  }
}
