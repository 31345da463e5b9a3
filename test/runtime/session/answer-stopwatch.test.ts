// A strategy is too slow after three slow answers within a minute, or one that takes two seconds. Nothing else is
// changed.
import { describe, expect, it } from 'vitest';
import { strategyName } from '../../../src/domain/ids.ts';
import { micros } from '../../../src/domain/units.ts';
import { AnswerStopwatch } from '../../../src/runtime/session/answer-stopwatch.ts';
import type { BoundStrategy, Handlers, Intents, TimerDue } from '../../../src/strategy/strategy-definition.ts';

const NAME = strategyName('s');
const DUE: TimerDue = { name: 't', at: micros(1_000_000) };

/** A strategy on a clock that its answers advance. */
class Bench {
  nowMs = 0;
  takesMs = 0;
  readonly slow: string[] = [];
  readonly strategy: BoundStrategy;

  constructor(strategy: Partial<BoundStrategy> = {}) {
    const stopwatch = new AnswerStopwatch({
      now: () => this.nowMs,
      msMax: () => 250,
      onSlow: (name, reason) => void this.slow.push(`${name} ${reason}`),
    });
    const handlers: Handlers = { onTimer: () => void (this.nowMs += this.takesMs) };
    this.strategy = stopwatch.measureStrategy({ name: NAME, selector: {}, handlers, ...strategy });
  }

  answer(takesMs: number): this {
    this.takesMs = takesMs;
    this.strategy.handlers.onTimer?.(DUE, undefined as never);
    return this;
  }

  pass(ms: number): this {
    this.nowMs += ms;
    return this;
  }
}

const SUM = '3 answers within 60 s above 250 ms are too many';

describe('a strategy', () => {
  it('a strategy that answers in time is never too slow', () => {
    const bench = new Bench();
    for (let i = 0; i < 1000; i++) bench.answer(250);
    expect(bench.slow).toEqual([]);
  });

  it('a strategy that is slow three times within a minute is too slow, and its figures are reported', () => {
    const bench = new Bench().answer(251).answer(10).answer(300.2);
    expect(bench.slow).toEqual([]);
    bench.answer(1999);
    expect(bench.slow).toEqual([`s too slow: onTimer took 251 ms, onTimer took 301 ms, onTimer took 1999 ms; ${SUM}`]);
  });

  it('a strategy that is rarely slow is not too slow', () => {
    const bench = new Bench();
    for (let i = 0; i < 10; i++) bench.answer(300).pass(30_000);
    expect(bench.slow).toEqual([]);
  });

  it('a strategy that takes more than two seconds once is too slow at once, and its count starts again', () => {
    const bench = new Bench().answer(300).answer(2001);
    expect(bench.slow).toEqual(['s too slow: onTimer took 2001 ms; at most 2000 ms once']);
    bench.answer(300).answer(300);
    expect(bench.slow).toHaveLength(1);
    expect(bench.answer(300).slow).toHaveLength(2);
  });

  it('a measured strategy is called and answers as before: its own this, its arguments, its faults', () => {
    class Own implements Handlers {
      readonly #answer = [{ type: 'cancel-all' }] as const;
      onTimer(event: TimerDue, view: unknown): Intents {
        expect([event, view]).toEqual([DUE, 'the view']);
        return this.#answer;
      }
      onStop(): never {
        throw new RangeError('too far');
      }
    }
    const { handlers } = new Bench({ handlers: new Own() }).strategy;
    expect(handlers.onTimer?.(DUE, 'the view' as never)).toEqual([{ type: 'cancel-all' }]);
    expect(() => handlers.onStop?.({ at: DUE.at, reason: 'the end' }, undefined as never)).toThrow('too far');
    expect('onBook' in handlers).toBe(false);
  });

  it('a strategy is measured in its predicate and in saving and restoring, too', () => {
    const bench: Bench = new Bench({
      selector: { tickers: ['M-0'], where: () => (bench.nowMs += 2500) > 0 },
      persistence: {
        schema: undefined as never,
        save: () => void (bench.nowMs += 2600),
        restore: () => void (bench.nowMs += 2700),
      },
    });
    const { selector, persistence } = bench.strategy;
    expect([selector.tickers, selector.where?.(undefined as never, undefined as never)]).toEqual([['M-0'], true]);
    persistence?.save();
    persistence?.restore(1, undefined as never);
    expect(bench.slow.map((line) => line.split(';')[0])).toEqual([
      's too slow: where took 2500 ms',
      's too slow: save took 2600 ms',
      's too slow: restore took 2700 ms',
    ]);
  });
});
