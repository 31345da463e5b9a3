// Decides if orders may leave, and detects when they may leave again. Must never report readiness while the session
// does not trade or the feed is not trusted.
import type { Readiness } from '../risk/rules/proposal.ts';

/** The parts that allow or forbid orders. */
export interface ReadinessSources {
  readonly session: { readiness(): Readiness };
  /** `blockingFault`: the reason why the feed allows no order; `null` when the feed allows orders. */
  readonly feedWatch: { blockingFault(): string | null };
}

/** The readiness of session and feed together. */
export class OrderReadiness {
  readonly #sources: ReadinessSources;
  #wasReady = false;

  constructor(sources: ReadinessSources) {
    this.#sources = sources;
  }

  /** Ready only when the session trades and the feed is trusted. */
  current(): Readiness {
    const readiness = this.#sources.session.readiness();
    const fault = readiness.type === 'ready' ? this.#sources.feedWatch.blockingFault() : null;
    return fault === null ? readiness : { type: 'not-ready', reason: fault };
  }

  /** True when orders may leave now and could not at the last call. */
  hasBecomeReady(): boolean {
    const isReady = this.current().type === 'ready';
    const hasRisen = isReady && !this.#wasReady;
    this.#wasReady = isReady;
    return hasRisen;
  }
}
