// Calls to strategies: joining and leaving markets, timers, and strategies that throw.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type MarketIndex, strategyName } from '../../src/domain/ids.ts';
import type { Intent } from '../../src/domain/intent.ts';
import { type Micros, cents } from '../../src/domain/units.ts';
import { State } from '../../src/state/state.ts';
import type { LevelChange } from '../../src/strategy/book-listeners.ts';
import { StrategyRunner, type RunningStrategy } from '../../src/strategy/strategy-runner.ts';
import { defineStrategy } from '../../src/strategy/define-strategy.ts';
import type { BoundStrategy, Handlers, MarketSelector, TimerDue } from '../../src/strategy/strategy-definition.ts';
import { M0, M1, aMarket, after, tickerOf, tickerTable } from '../support/engine/builders.ts';

interface Heard {
  readonly roster: StrategyRunner;
  readonly state: State;
  readonly answers: [string, readonly Intent[]][];
  readonly halts: [string, string][];
  readonly left: [string, number][];
  readonly saved: [string, string][];
}

const bound = (name: string, handlers: Handlers, selector: MarketSelector = {}): BoundStrategy => ({
  name: strategyName(name),
  selector,
  handlers,
});

const changeOf = (market: MarketIndex, at: Micros): LevelChange => ({ market, at, side: 'bid', price: cents(40) });

function rosterOf(...strategies: readonly BoundStrategy[]): Heard {
  const state = new State(tickerTable(2));
  const answers: Heard['answers'] = [];
  const halts: Heard['halts'] = [];
  const left: Heard['left'] = [];
  const saved: Heard['saved'] = [];
  const roster = new StrategyRunner(state, {
    strategies,
    actions: {
      submitIntents: ({ name }: RunningStrategy, intents) => void answers.push([name, intents]),
      haltFailed: ({ name }: RunningStrategy, reason) => void halts.push([name, reason]),
      cancelStrategy: ({ name }: RunningStrategy, market) => void left.push([name, market]),
      saveState: ({ name }: RunningStrategy, json) => void saved.push([name, json]),
    },
  });
  for (const number of [0, 1]) {
    state.markets.defineMarket(aMarket(number));
    roster.joinMarket(aMarket(number));
  }
  return { roster, state, answers, halts, left, saved };
}

describe('a market', () => {
  it('is announced to each strategy that selects it, once although it joins again', () => {
    const calls: string[] = [];
    const handlers = (name: string): Handlers => ({
      onBook: ({ market, isTouch }) => void calls.push(`${name} ${market} ${isTouch}`),
    });
    const { roster } = rosterOf(
      bound('all', handlers('all')),
      bound('one', handlers('one'), { tickers: [tickerOf(1)] }),
    );
    roster.joinMarket(aMarket(0));
    roster.emitBookChange(changeOf(M0, after(0)), true);
    roster.emitBookChange(changeOf(M1, after(0)), false);
    expect(calls).toEqual(['all 0 true', 'all 1 false', 'one 1 false']);
    expect(roster.strategyNamed(strategyName('one'))?.view.markets).toEqual([M1]);
  });
  it('that has left causes no more calls', () => {
    let calls = 0;
    const { roster } = rosterOf(bound('all', { onBook: () => void (calls += 1) }));
    roster.dropMarket(M0);
    roster.emitBookChange(changeOf(M0, after(0)), true);
    expect(calls).toBe(0);
    expect(roster.allStrategies()[0]?.view.markets).toEqual([M1]);
  });
});

describe('timers', () => {
  it('fire once at their time, and a later one replaces an earlier one of the same name', () => {
    const fired: TimerDue[] = [];
    const { roster } = rosterOf(bound('s', { onTimer: (event) => void fired.push(event) }));
    const { timers } = roster.allStrategies()[0]!;
    timers.set('a', after(10));
    timers.set('b', after(20));
    timers.set('a', after(30));
    expect(roster.timerAt()).toBe(after(20));
    for (const ms of [19, 20, 20, 30, 40]) roster.fireTimers(after(ms));
    expect(fired).toEqual([
      { name: 'b', at: after(20) },
      { name: 'a', at: after(30) },
    ]);
    expect(roster.timerAt()).toBeNull();
  });
});

describe('a strategy that throws', () => {
  it('is halted with its reason, and no other is', () => {
    let calls = 0;
    const cancelAll: Intent = { type: 'cancel-all' };
    const { roster, halts, answers } = rosterOf(
      bound('bad', {
        onBook() {
          calls += 1;
          throw new RangeError('too far');
        },
      }),
      bound('good', { onBook: () => [cancelAll] }),
    );
    for (let i = 0; i < 3; i++) roster.emitBookChange(changeOf(M0, after(i)), true);
    roster.callAll((handlers, view) => handlers.onStop?.({ at: after(3), reason: 'the end' }, view));
    expect(calls).toBe(1);
    expect(halts).toEqual([['bad', expect.stringMatching(/^RangeError: too far \(strategy-runner\.test\.ts:\d+\)$/)]]);
    expect(answers).toEqual([1, 2, 3].map(() => ['good', [cancelAll]]));
  });
  it('something that is not an error is halted with it, and a second halt changes nothing', () => {
    const { roster, halts } = rosterOf(
      bound('bad', {
        onStart() {
          // oxlint-disable-next-line no-throw-literal, typescript/only-throw-error -- a strategy may throw anything
          throw 'a string';
        },
      }),
    );
    roster.callAll((handlers, view) => handlers.onStart?.({ at: after(0) }, view));
    roster.haltStrategy(roster.allStrategies()[0]!, 'again');
    expect(halts).toEqual([['bad', 'a string']]);
    expect(roster.allStrategies()[0]?.haltedBy).toBe('a string');
  });
});

describe('a definition', () => {
  const strategy = defineStrategy({
    name: 'edge',
    params: z.strictObject({ ticker: z.string(), edge: z.int().default(3) }),
    markets: ({ ticker }) => ({ tickers: [ticker] }),
    setup: ({ name, params }) => ({ onStart: () => [{ type: 'timer', name: `${name} ${params.edge}`, at: after(1) }] }),
  });
  it('parses its parameters, with their defaults, before anything runs', () => {
    const bound = strategy.bind(strategyName('mine'), { ticker: 'M-1' });
    expect(bound.selector).toEqual({ tickers: ['M-1'] });
    expect(bound.handlers.onStart?.({ at: after(0) }, undefined as never)).toEqual([
      { type: 'timer', name: 'mine 3', at: after(1) },
    ]);
  });
  it('refuses parameters that its schema does not have', () => {
    expect(() => strategy.bind(strategyName('mine'), { ticker: 'M-1', egde: 4 })).toThrow(z.ZodError);
    expect(() => strategy.bind(strategyName('mine'), {})).toThrow(z.ZodError);
  });
});
