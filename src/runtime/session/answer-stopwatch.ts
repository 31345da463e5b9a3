// Measures how long strategies take to answer, with a clock that the engine never sees. A strategy that is too slow is
// halted by an operator's instruction. The journal holds the instruction, so a replay halts the strategy at the same
// point. Must never change a strategy's inputs or answers.
import type { StrategyName } from '../../domain/ids.ts';
import { HANDLER_NAMES } from '../../strategy/handler-names.ts';
import type { BoundStrategy } from '../../strategy/strategy-definition.ts';

export interface AnswerStopwatchOptions {
  /** Milliseconds since a fixed moment, with fractions. Never goes back. */
  readonly now: () => number;
  /** The longest acceptable answer time of a strategy. Milliseconds. */
  readonly msMax: (name: StrategyName) => number;
  /** Called for a strategy that is too slow, right after its answer. */
  readonly onSlow: (name: StrategyName, reason: string) => void;
}

/** A strategy is too slow after this many slow answers within `WITHIN_MS`. */
const SLOW_ANSWERS = 3;
const WITHIN_MS = 60_000;
/** One longer answer is enough for a report, except below the strategy's own bound. Milliseconds. */
const ONE_MS_MAX = 2000;

interface SlowAnswer {
  readonly handler: string;
  readonly tookMs: number;
  readonly atMs: number;
}

/** Measures strategies' answer times. */
export class AnswerStopwatch {
  readonly #options: AnswerStopwatchOptions;
  /**
   * Recent slow answers of each strategy. Removed when the strategy is reported. Answers older than `WITHIN_MS` are
   * removed at its next slow answer.
   */
  readonly #slow = new Map<StrategyName, readonly SlowAnswer[]>();

  constructor(options: AnswerStopwatchOptions) {
    this.#options = options;
  }

  /** Returns the same strategy, with its methods measured. */
  measureStrategy(strategy: BoundStrategy): BoundStrategy {
    const { name, selector, handlers, persistence } = strategy;
    return {
      name,
      selector: this.#measuredCopy(name, selector, ['where']),
      handlers: this.#measuredCopy(name, handlers, HANDLER_NAMES),
      ...(persistence && { persistence: this.#measuredCopy(name, persistence, ['save', 'restore']) }),
    };
  }

  /** Returns an object that behaves like `target`, with some of its methods measured. */
  #measuredCopy<Target extends object>(name: StrategyName, target: Target, methodNames: readonly string[]): Target {
    // tidy: as (it has everything that its prototype has)
    const measured = Object.create(target) as Target;
    for (const act of methodNames) {
      const method: unknown = Reflect.get(target, act);
      if (typeof method !== 'function') continue;
      // tidy: as (no method of a strategy takes more than two arguments)
      const original = method as (this: Target, first: unknown, second: unknown) => unknown;
      Object.defineProperty(measured, act, { value: this.#timed(name, act, original.bind(target)), enumerable: true });
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
        if (atMs - fromMs > msMax) this.#onSlowAnswer(name, msMax, { handler, tookMs: atMs - fromMs, atMs });
      }
    };
  }

  #onSlowAnswer(name: StrategyName, msMax: number, slow: SlowAnswer): void {
    const recent = [...(this.#slow.get(name) ?? []), slow].filter(({ atMs }) => atMs > slow.atMs - WITHIN_MS);
    const oneMsMax = Math.max(ONE_MS_MAX, msMax);
    const isOneEnough = slow.tookMs > oneMsMax;
    this.#slow.set(name, recent);
    if (recent.length < SLOW_ANSWERS && !isOneEnough) return;
    // After a resume, the count begins at zero again.
    this.#slow.delete(name);
    const bound = isOneEnough
      ? `at most ${oneMsMax} ms once`
      : `${SLOW_ANSWERS} answers within ${WITHIN_MS / 1000} s above ${msMax} ms are too many`;
    this.#options.onSlow(name, `too slow: ${(isOneEnough ? [slow] : recent).map(slowText).join(', ')}; ${bound}`);
  }
}

const slowText = ({ handler, tookMs }: SlowAnswer): string => `${handler} took ${Math.ceil(tookMs)} ms`;
