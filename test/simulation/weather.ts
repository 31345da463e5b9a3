// What the network is like: spells of trouble drawn from the seed, and what they do to each request and connection.
// Nothing is lost inside a connection that lives: what is lost takes its connection with it, as TCP has it.
import type { Draws } from './draws.ts';
import type { Trace } from './trace.ts';

/** Kinds of trouble. */
export const TROUBLES = [
  /** Nothing passes either way; what streams is late, and what is asked is lost. */
  'partition',
  /** The exchange's port turns every new request and connection away. */
  'refusal',
  /** Requests or their answers are lost with their connection. */
  'loss',
  /** Everything takes up to seconds. */
  'slowness',
  /** Streams that are open fall silent for ever without being closed. */
  'half-open',
  /** Streams that are open are cut. */
  'cut',
] as const;
export type Trouble = (typeof TROUBLES)[number];

/** One spell of trouble, in milliseconds since the world began. */
export interface Spell {
  readonly trouble: Trouble;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** How far a healthy network is from the exchange. */
export interface Distance {
  readonly latencyMs: number;
  readonly jitterMs: number;
}

export interface WeatherOptions {
  readonly spells: readonly Spell[];
  readonly distance: Distance;
  readonly draws: Draws;
  readonly trace: Trace;
  /** Since the world began. */
  readonly now: () => number;
  /** However slow the network, nothing arrives later than this after it was sent. */
  readonly latestMs: number;
}

/** What becomes of one request. */
export type Fate =
  | { readonly type: 'refused'; readonly afterMs: number }
  /** It never arrives. The sender learns that its connection broke after so long, or nothing at all. */
  | { readonly type: 'lost'; readonly toldMs: number | null }
  /** Its connection may break behind it: the sender learns of that after so long, and the request arrives all the same. */
  | { readonly type: 'arrives'; readonly afterMs: number; readonly brokenMs: number | null };

/** How an answer travels. */
export type Return =
  | { readonly type: 'lost'; readonly toldMs: number | null }
  | { readonly type: 'arrives'; readonly afterMs: number };

const LOSS = 0.2;
/** How many of the requests whose connection breaks arrive all the same. */
const LATE = 0.4;
const SLOW_MS_MAX = 950;

/** The network's state at any time. */
export class Weather {
  readonly #options: WeatherOptions;

  constructor(options: WeatherOptions) {
    this.#options = options;
  }

  is(trouble: Trouble): boolean {
    const now = this.#options.now();
    return this.#options.spells.some(
      (spell) => spell.trouble === trouble && spell.fromMs <= now && now < spell.untilMs,
    );
  }

  /** When the partition of this moment ends, from now; 0 when there is none. */
  get partitionMs(): number {
    const now = this.#options.now();
    const ends = this.#options.spells
      .filter(({ trouble, fromMs, untilMs }) => trouble === 'partition' && fromMs <= now && now < untilMs)
      .map(({ untilMs }) => untilMs - now);
    return Math.max(0, ...ends);
  }

  /** How long one way takes now. */
  latencyMs(): number {
    const { distance, draws, latestMs } = this.#options;
    const usual = distance.latencyMs + draws.wait(distance.jitterMs);
    const slow = this.is('slowness') ? draws.between(0, SLOW_MS_MAX) : 0;
    return Math.min(latestMs, usual + slow);
  }

  /** What becomes of a request that leaves now. */
  fateOfRequest(): Fate {
    const { draws, trace, latestMs } = this.#options;
    const afterMs = this.latencyMs();
    if (this.is('refusal')) {
      trace.count('fault: request refused');
      return { type: 'refused', afterMs };
    }
    if (!this.#isLost('request')) return { type: 'arrives', afterMs, brokenMs: null };
    if (draws.happens(LATE)) return { type: 'arrives', afterMs: draws.between(afterMs, latestMs), brokenMs: afterMs };
    return { type: 'lost', toldMs: draws.happens(0.5) ? afterMs : null };
  }

  /** What becomes of an answer that leaves now. */
  fateOfAnswer(): Return {
    const { draws } = this.#options;
    const afterMs = this.latencyMs();
    return this.#isLost('answer')
      ? { type: 'lost', toldMs: draws.happens(0.5) ? afterMs : null }
      : { type: 'arrives', afterMs };
  }

  #isLost(what: 'request' | 'answer'): boolean {
    const { draws, trace } = this.#options;
    if (!this.is('partition') && !(this.is('loss') && draws.happens(LOSS))) return false;
    trace.count(`fault: ${what} lost`);
    return true;
  }
}
