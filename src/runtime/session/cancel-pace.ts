// The pace of cancels outside the engine. They leave at once until the venue refuses one for its rate, and then wait as
// long as the venue takes to free room. Must never wait longer only because several cancels were refused together.
import { type RateLimit, capacityOf } from '../../domain/rate-budget.ts';
import type { Scheduler } from '../../transport/scheduler.ts';
import type { Capabilities } from '../../venue.ts';
import { SAMPLE_CANCEL } from './budget-check.ts';

export interface CancelPaceOptions {
  /** Another process may use the venue's rate limit, too. */
  readonly capabilities: Pick<Capabilities, 'limits' | 'cost'>;
  readonly scheduler: Pick<Scheduler, 'now'>;
}

const WAIT_MS_MIN = 100;
/** The longest wait after a refusal that names none. */
const WAIT_MS_MAX = 5000;

/** Spaces the cancels of one sweep. */
export class CancelPace {
  readonly #options: CancelPaceOptions;
  readonly #cost: number;
  /** Refusals in a row. Those of one round count as one. */
  #refusals = 0;
  #resumeAtMs = 0;

  constructor(options: CancelPaceOptions) {
    this.#options = options;
    this.#cost = options.capabilities.cost(SAMPLE_CANCEL);
  }

  /** The most cancels for which the rate limit ever has room at once. */
  get cancelsMax(): number {
    return Math.floor(capacityOf(this.#options.capabilities.limits.trade) / Math.max(1, this.#cost));
  }

  /** Milliseconds until the next cancel may leave. */
  get waitMs(): number {
    return Math.max(0, this.#resumeAtMs - this.#options.scheduler.now());
  }

  onAccepted(): void {
    this.#refusals = 0;
  }

  /**
   * @param cancels Number of cancels that leave together next.
   * @param retryAfterMs The wait that the venue asks for, or `null`.
   */
  onRefused(cancels: number, retryAfterMs: number | null): void {
    const { capabilities, scheduler } = this.#options;
    const isSameRound = this.waitMs > 0;
    if (!isSameRound) this.#refusals += 1;
    const refillMs = refillMsOf(capabilities.limits.trade, cancels * this.#cost);
    const ownMs = isSameRound ? 0 : Math.min(WAIT_MS_MAX, refillMs * 2 ** Math.min(this.#refusals - 1, 10));
    const waitMs = Math.max(WAIT_MS_MIN, retryAfterMs ?? ownMs);
    this.#resumeAtMs = Math.max(this.#resumeAtMs, scheduler.now() + waitMs);
  }
}

/** Time in which a used-up limit has room for a number of units again. Milliseconds. */
const refillMsOf = (limit: RateLimit, units: number): number =>
  limit.model === 'rolling-window' ? limit.windowMs : Math.ceil((1000 * units) / limit.refillPerSecond);
