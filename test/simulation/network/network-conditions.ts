// Network conditions: spells of trouble drawn from the seed, and their effect on each request and connection. Nothing
// is lost inside a live connection: a loss breaks the connection, as in TCP.
import type { Draws } from '../draws.ts';
import type { Trace } from '../trace.ts';

/** Kinds of trouble. */
export const TROUBLES = [
  /** Nothing passes either way; streams are delayed, and requests are lost. */
  'partition',
  /** The exchange's port refuses every new request and connection. */
  'refusal',
  /** Requests or their answers are lost with their connection. */
  'loss',
  /** Everything is delayed by up to a second. */
  'slowness',
  /** Open streams fall silent forever without being closed. */
  'half-open',
  /** Open streams are cut. */
  'cut',
] as const;
export type Trouble = (typeof TROUBLES)[number];

/** One spell of trouble, in milliseconds since the simulation began. */
export interface Spell {
  readonly trouble: Trouble;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Latency of a healthy network. */
export interface NetworkLatency {
  readonly latencyMs: number;
  readonly jitterMs: number;
}

export interface NetworkOptions {
  readonly spells: readonly Spell[];
  readonly distance: NetworkLatency;
  readonly draws: Draws;
  readonly trace: Trace;
  /** Milliseconds since the simulation began. */
  readonly now: () => number;
  /** Longest one-way latency, however slow the network. */
  readonly latestMs: number;
}

/** Outcome of one request. */
export type RequestTransit =
  | { readonly type: 'refused'; readonly afterMs: number }
  /** It never arrives. The sender learns of the broken connection after this long, or never. */
  | { readonly type: 'lost'; readonly noticedMs: number | null }
  /**
   * Its connection may break behind it: the sender learns of that after this long, and the request arrives all the
   * same.
   */
  | { readonly type: 'arrives'; readonly afterMs: number; readonly brokenMs: number | null };

/** Outcome of one answer. */
export type AnswerTransit =
  | { readonly type: 'lost'; readonly noticedMs: number | null }
  | { readonly type: 'arrives'; readonly afterMs: number };

const LOSS = 0.2;
/** Share of requests with a broken connection that arrive all the same. */
const LATE = 0.4;
const SLOW_MS_MAX = 950;

/** The state of the network at any time. */
export class NetworkConditions {
  readonly #options: NetworkOptions;

  constructor(options: NetworkOptions) {
    this.#options = options;
  }

  isUnder(trouble: Trouble): boolean {
    const now = this.#options.now();
    return this.#options.spells.some(
      (spell) => spell.trouble === trouble && spell.fromMs <= now && now < spell.untilMs,
    );
  }

  /** Time until the present partition ends; 0 when there is none. */
  get partitionMs(): number {
    const now = this.#options.now();
    const ends = this.#options.spells
      .filter(({ trouble, fromMs, untilMs }) => trouble === 'partition' && fromMs <= now && now < untilMs)
      .map(({ untilMs }) => untilMs - now);
    return Math.max(0, ...ends);
  }

  /** One-way latency now. */
  latencyMs(): number {
    const { distance, draws, latestMs } = this.#options;
    const usual = distance.latencyMs + draws.wait(distance.jitterMs);
    const slow = this.isUnder('slowness') ? draws.between(0, SLOW_MS_MAX) : 0;
    return Math.min(latestMs, usual + slow);
  }

  /** The outcome of a request sent now. */
  requestTransit(): RequestTransit {
    const { draws, trace, latestMs } = this.#options;
    const afterMs = this.latencyMs();
    if (this.isUnder('refusal')) {
      trace.addCount('fault: request refused');
      return { type: 'refused', afterMs };
    }
    if (!this.#isLost('request')) return { type: 'arrives', afterMs, brokenMs: null };
    if (draws.happens(LATE)) return { type: 'arrives', afterMs: draws.between(afterMs, latestMs), brokenMs: afterMs };
    return { type: 'lost', noticedMs: draws.happens(0.5) ? afterMs : null };
  }

  /** The outcome of an answer sent now. */
  answerTransit(): AnswerTransit {
    const { draws } = this.#options;
    const afterMs = this.latencyMs();
    return this.#isLost('answer')
      ? { type: 'lost', noticedMs: draws.happens(0.5) ? afterMs : null }
      : { type: 'arrives', afterMs };
  }

  #isLost(what: 'request' | 'answer'): boolean {
    const { draws, trace } = this.#options;
    if (!this.isUnder('partition') && !(this.isUnder('loss') && draws.happens(LOSS))) return false;
    trace.addCount(`fault: ${what} lost`);
    return true;
  }
}
