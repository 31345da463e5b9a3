// Watches whether the queue's server answers: commands to a server that is away wait for it, without an error. Must never
// end the work.
import type { Redis } from 'ioredis';

/** News of the server. */
export type ServerNews = { readonly type: 'away'; readonly reason: string | null } | { readonly type: 'back' };

export interface QueueWatchOptions {
  readonly redis: Redis;
  readonly onNews: (news: ServerNews) => void;
  /** How often the server is asked, and how long it may take to answer. Milliseconds. @default 10 000 */
  readonly askMs?: number;
}

const ASK_MS = 10_000;

/** Asks the server again and again, until it is closed. Says once when there is no answer, and once when there is one again. */
export class QueueWatch {
  readonly #redis: Redis;
  readonly #onNews: (news: ServerNews) => void;
  readonly #timer: NodeJS.Timeout;
  readonly #onError = (problem: Error): void => void (this.#reason = problem.message);
  /** The connection's latest fault since the last answer. */
  #reason: string | null = null;
  #isAsking = false;
  #isAway = false;
  #isClosed = false;

  constructor({ redis, onNews, askMs = ASK_MS }: QueueWatchOptions) {
    this.#redis = redis;
    this.#onNews = onNews;
    redis.on('error', this.#onError);
    this.#ask();
    this.#timer = setInterval(() => (this.#isAsking ? this.#setAway() : this.#ask()), askMs);
  }

  #ask(): void {
    this.#isAsking = true;
    this.#redis
      .ping()
      .then(
        () => this.#setBack(),
        (fault: Error) => {
          this.#reason = fault.message;
          this.#setAway();
        },
      )
      .finally(() => (this.#isAsking = false));
  }

  #setAway(): void {
    if (this.#isAway || this.#isClosed) return;
    this.#isAway = true;
    this.#onNews({ type: 'away', reason: this.#reason });
  }

  #setBack(): void {
    this.#reason = null;
    if (!this.#isAway || this.#isClosed) return;
    this.#isAway = false;
    this.#onNews({ type: 'back' });
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#redis.off('error', this.#onError);
  }
}
