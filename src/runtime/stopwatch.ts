// How long strategies take to answer, by a clock of the machine, which no engine may see: one that holds everything up is
// halted by an order like any other, so that a replay, which measures nothing, halts it at the same place.
// Must never change what a strategy is asked, or answers.
import type { StrategyName } from '../domain/ids.ts';
import { HANDLER_NAMES } from '../strategy/handler-names.ts';
import type { BoundStrategy } from '../strategy/strategy.ts';

export interface StopwatchOptions {
  /** Milliseconds since some fixed moment, in fractions; never goes back. */
  readonly now: () => number;
  /** How long a strategy may take to answer. Milliseconds. */
  readonly msMax: (name: StrategyName) => number;
  /** Told of a strategy that is too slow, right after its answer. */
  readonly onSlow: (name: StrategyName, reason: string) => void;
}

/** So many slow answers within so long are too many. */
const SLOW_ANSWERS = 3;
const WITHIN_MS = 60_000;
/** One that took this long is too many by itself. */
const ONE_MS_MAX = 2000;

interface SlowAnswer {
  readonly handler: string;
  readonly tookMs: number;
  readonly atMs: number;
}

/** Measures strategies. */
export class Stopwatch {
  readonly #options: StopwatchOptions;
  /** Each strategy's slow answers of late. */
  readonly #slow = new Map<StrategyName, readonly SlowAnswer[]>();

  constructor(options: StopwatchOptions) {
    this.#options = options;
  }

  /** The same strategy, measured. */
  watch(strategy: BoundStrategy): BoundStrategy {
    const { name, selector, handlers, keeping } = strategy;
    return {
      name,
      selector: this.#measured(name, selector, ['where']),
      handlers: this.#measured(name, handlers, HANDLER_NAMES),
      ...(keeping && { keeping: this.#measured(name, keeping, ['save', 'restore']) }),
    };
  }

  /** An object that does what another does, some of it measured. */
  #measured<Doer extends object>(name: StrategyName, doer: Doer, acts: readonly string[]): Doer {
    // tidy: as (it has all that its prototype has)
    const measured = Object.create(doer) as Doer;
    for (const act of acts) {
      const done: unknown = Reflect.get(doer, act);
      if (typeof done !== 'function') continue;
      // tidy: as (nothing that is asked of a strategy takes more than two arguments)
      const original = done as (this: Doer, first: unknown, second: unknown) => unknown;
      Object.defineProperty(measured, act, { value: this.#timed(name, act, original.bind(doer)), enumerable: true });
    }
    return measured;
  }

  #timed(name: StrategyName, handler: string, act: (first: unknown, second: unknown) => unknown): typeof act {
    const { now } = this.#options;
    const msMax = this.#options.msMax(name);
    return (first, second) => {
      const fromMs = now();
      try {
        return act(first, second);
      } finally {
        const atMs = now();
        if (atMs - fromMs > msMax) this.#note(name, msMax, { handler, tookMs: atMs - fromMs, atMs });
      }
    };
  }

  #note(name: StrategyName, msMax: number, slow: SlowAnswer): void {
    const recent = [...(this.#slow.get(name) ?? []), slow].filter(({ atMs }) => atMs > slow.atMs - WITHIN_MS);
    const oneMsMax = Math.max(ONE_MS_MAX, msMax);
    const isOneEnough = slow.tookMs > oneMsMax;
    this.#slow.set(name, recent);
    if (recent.length < SLOW_ANSWERS && !isOneEnough) return;
    // Should it be resumed, it begins anew.
    this.#slow.delete(name);
    const bound = isOneEnough
      ? `at most ${oneMsMax} ms once`
      : `${SLOW_ANSWERS} answers within ${WITHIN_MS / 1000} s above ${msMax} ms are too many`;
    this.#options.onSlow(name, `too slow: ${(isOneEnough ? [slow] : recent).map(wordsOf).join(', ')}; ${bound}`);
  }
}

const wordsOf = ({ handler, tookMs }: SlowAnswer): string => `${handler} took ${Math.ceil(tookMs)} ms`;
