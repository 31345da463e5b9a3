// The timers of a strategy behave as a plain map of names and times would, however often they are set again.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Micros, micros } from '../../src/domain/units.ts';
import { StrategyTimers } from '../../src/strategy/strategy-timers.ts';

/** Timers as a map in the sequence in which their names were first set: every call goes over all of them. */
class PlainTimers {
  readonly #byName = new Map<string, Micros>();

  set(name: string, at: Micros): void {
    this.#byName.set(name, at);
  }

  nextAt(): Micros | null {
    return this.#byName.size === 0 ? null : micros(Math.min(...this.#byName.values()));
  }

  takeDue(now: Micros): { readonly name: string; readonly at: Micros }[] {
    const due = [...this.#byName].filter(([, at]) => at <= now).map(([name, at]) => ({ name, at }));
    for (const { name } of due) this.#byName.delete(name);
    return due;
  }

  clear(): void {
    this.#byName.clear();
  }
}

const time = fc.nat({ max: 30 }).map(micros);
const act = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant('set' as const),
      name: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
      at: time,
    }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('take' as const), now: time }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('clear' as const) }) },
);

describe('the timers of a strategy', () => {
  it('are those of a plain map, due in the same sequence', () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
        const timers = new StrategyTimers();
        const plain = new PlainTimers();
        for (const each of acts) {
          if (each.type === 'set') for (const kept of [timers, plain]) kept.set(each.name, each.at);
          if (each.type === 'clear') for (const kept of [timers, plain]) kept.clear();
          if (each.type === 'take')
            expect(timers.takeDue(each.now).map(({ name, at }) => ({ name, at }))).toEqual(plain.takeDue(each.now));
          expect(timers.nextAt()).toBe(plain.nextAt());
        }
      }),
    );
  });
  it('that are set again and again take no more memory', () => {
    const timers = new StrategyTimers();
    for (let at = 0; at < 100_000; at++) timers.set('look', micros(at));
    expect(timers.size).toBe(1);
    expect(timers.takeDue(micros(100_000))).toMatchObject([{ name: 'look', at: 99_999 }]);
    expect(timers.nextAt()).toBeNull();
  });
});
