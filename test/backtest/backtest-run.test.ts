// A whole backtest: equal runs make equal decisions, no money appears, and what the tape does not contain is not traded
// on.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Command } from '../../src/domain/venue-command.ts';
import { strategyName } from '../../src/domain/ids.ts';
import type { Micros } from '../../src/domain/units.ts';
import { Engine, type EngineOptions } from '../../src/engine.ts';
import type { Notice } from '../../src/execution/engine-notice.ts';
import type { BoundStrategy, Handlers } from '../../src/strategy/strategy-definition.ts';
import quoter from '../../strategies/two-sided-quoter.ts';
import { aBacktestConfig, at, activeTape, backtestOver } from '../support/tapes/active-tape.ts';

const aQuoter = (name = 'quoter'): BoundStrategy =>
  quoter.bind(strategyName(name), { qtyContracts: 5, halfSpreadCents: 1, toleranceCents: 0 });
const strategyOf = (handlers: Handlers, name = 'quoter'): BoundStrategy => ({
  name: strategyName(name),
  selector: {},
  handlers,
});

interface Decision {
  readonly at: Micros;
  readonly command: Command;
}

describe('a backtest', () => {
  it('a repeated backtest makes the same decisions to the byte, and trades', async () => {
    const tape = activeTape({ settlement: { at: 30, result: 'yes' } });
    const lines: string[][] = [[], []];
    const runs = [];
    for (const each of lines)
      runs.push(await backtestOver(tape, [aQuoter()], { onDecision: (text) => void each.push(text) }));
    expect(lines[0]).toEqual(lines[1]);
    expect(runs[0]!.decisionHash).toBe(runs[1]!.decisionHash);
    expect(runs[0]!.driver.venue.account.fills.length).toBeGreaterThan(5);
    expect(runs[0]!.driver.phase).toBe('over');
    expect(runs[0]!.driver.engine.session.phase).toBe('stopped');
  });

  it('the state of a strategy is read after fills and at the end, not once a second, with the same decisions', async () => {
    const tape = activeTape({ settlement: { at: 30, result: 'yes' } });
    const runWith = async (keepsStates: boolean) => {
      let saves = 0;
      const persistence = { schema: z.number(), save: () => (saves += 1), restore: () => undefined };
      const strategies = [{ ...aQuoter(), persistence }];
      const makeEngine = (parts: EngineOptions) => new Engine({ ...parts, keepsStates });
      const run = await backtestOver(tape, strategies, { makeEngine });
      return { saves, run };
    };
    const [spared, kept] = [await runWith(false), await runWith(true)];
    const { fills } = spared.run.driver.venue.account;
    expect(spared.run.decisionHash).toBe(kept.run.decisionHash);
    expect(spared.saves).toBeGreaterThanOrEqual(fills.length);
    expect(spared.saves).toBeLessThan(fills.length + 5);
    expect(kept.saves).toBeGreaterThan(spared.saves);
    const byDefault = await backtestOver(tape, [aQuoter()]);
    expect(byDefault.decisionHash).toBe(kept.run.decisionHash);
  });

  it('quotes that move by amends: fewer requests, the same books of account, and equal runs', async () => {
    const tape = activeTape({ settlement: { at: 30, result: 'yes' } });
    const runWith = async (moveQuotesBy: 'cancel' | 'amend') => {
      const types: Record<string, number> = {};
      const onDecision = (text: string): void => {
        const { type } = JSON.parse(text.slice(text.indexOf('{'))) as Command;
        types[type] = (types[type] ?? 0) + 1;
      };
      const config = aBacktestConfig({ orders: { moveQuotesBy } });
      return { types, run: await backtestOver(tape, [aQuoter()], { config, onDecision }) };
    };
    const [moved, amended, again] = [await runWith('cancel'), await runWith('amend'), await runWith('amend')];
    expect(moved.types['amend']).toBeUndefined();
    expect(amended.types['amend']).toBeGreaterThan(5);
    const tradesOf = ({ place = 0, cancel = 0, amend = 0 }: Record<string, number>): number => place + cancel + amend;
    expect(tradesOf(amended.types)).toBeLessThan(tradesOf(moved.types));
    expect(again.run.decisionHash).toBe(amended.run.decisionHash);
    const { driver, imbalances } = amended.run;
    expect(imbalances).toEqual([]);
    expect(driver.venue.account.fills.length).toBeGreaterThan(5);
    expect(driver.engine.state.portfolio.cash).toBe(driver.venue.account.cash);
    expect(driver.engine.session.phase).toBe('stopped');
  });

  it("the positions and earnings of two strategies add up to the account's", async () => {
    const tape = activeTape({ settlement: { at: 30, result: 'yes' } });
    const strategies = [
      { name: 'one', file: 'quoter.ts' },
      { name: 'two', file: 'quoter.ts', capital: 20 },
    ];
    const config = aBacktestConfig({ strategies });
    const leaning = quoter.bind(strategyName('two'), { qtyContracts: 3, halfSpreadCents: 2, toleranceCents: 0 });
    const { driver, imbalances } = await backtestOver(tape, [aQuoter('one'), leaning], { config });
    expect(imbalances).toEqual([]);
    const { strategyLedgers } = driver.engine.state;
    expect([...strategyLedgers.all().keys()].sort()).toEqual(['one', 'two']);
    for (const { fees } of strategyLedgers.all().values()) expect(fees).toBeGreaterThan(0);
  });

  it('blocks of any length give the same run', async () => {
    const hashes = [];
    for (const blockRows of [1, 2, 7, 10_000]) {
      const run = await backtestOver(activeTape({ blockRows, gap: { from: 20, to: 22 } }), [aQuoter()]);
      hashes.push(run.decisionHash);
    }
    expect(new Set(hashes).size).toBe(1);
  });

  it('delays depend on the seed alone', async () => {
    const tape = activeTape();
    const slow = { model: 'log-normal', median: '80ms', p99: '900ms' };
    const simulation = { latency: { feed: slow, order: slow, answer: slow } };
    const hash = async (seed: number): Promise<string> => {
      const config = aBacktestConfig({ simulation, seed });
      const run = await backtestOver(tape, [aQuoter()], { config });
      expect(run.imbalances).toEqual([]);
      return run.decisionHash;
    };
    expect(await hash(1)).toBe(await hash(1));
    expect(await hash(1)).not.toBe(await hash(2));
  });

  it.each([1, 2, 3, 4, 5, 6])('cash, positions, fees and settlements are conserved on tape %i', async (seed) => {
    const tape = activeTape({
      seed,
      settlement: { at: 25, result: seed % 2 === 0 ? 'yes' : 'no' },
      gap: { from: 40, to: 43 },
    });
    const run = await backtestOver(tape, [aQuoter(), aQuoter('other')], {
      config: aBacktestConfig({
        strategies: [
          { name: 'quoter', file: 'a.ts' },
          { name: 'other', file: 'a.ts' },
        ],
      }),
    });
    const { account } = run.driver.venue;
    expect(run.imbalances).toEqual([]);
    expect(account.fills.length).toBeGreaterThan(0);
    expect(account.cash).toBe(account.openingCash + account.traded - account.feesPaid + account.settled);
    expect(run.driver.engine.state.portfolio.cash).toBe(account.cash);
  });

  it('a position is paid out when its market settles', async () => {
    const settled: Notice[] = [];
    const tape = activeTape({ settlement: { at: 30, result: 'yes' } });
    const buyer = strategyOf({
      onBook: ({ market }, view) => {
        const { bestAsk } = view.book(market);
        if (market !== 0 || bestAsk === null || view.position(market).qty > 0 || view.orders(market).length > 0) return;
        return [{ type: 'place', market, side: 'buy', price: bestAsk, qty: 100 as never, timeInForce: 'ioc' }];
      },
    });
    const observe = (notice: Notice): void => void (notice.type === 'settled' && settled.push(notice));
    const run = await backtestOver(tape, [buyer], { observe });
    expect(settled).toMatchObject([{ held: 100, paid: 1_000_000 }]);
    expect(run.driver.venue.account.settled).toBe(1_000_000);
    expect(run.unsettled).toEqual([]);
    expect(run.imbalances).toEqual([]);
  });

  it('two strategies in one account each have their own orders', async () => {
    const placed = new Map<string, number>();
    const config = aBacktestConfig({
      strategies: [
        { name: 'one', file: 'a.ts' },
        { name: 'two', file: 'b.ts' },
      ],
    });
    const onDecision = (_text: string, command: Command): void => {
      if (command.type === 'place') placed.set(command.strategy, (placed.get(command.strategy) ?? 0) + 1);
    };
    const run = await backtestOver(activeTape(), [aQuoter('one'), aQuoter('two')], { config, onDecision });
    expect([...placed.keys()].sort()).toEqual(['one', 'two']);
    expect(run.imbalances).toEqual([]);
  });

  it('no order is placed while a gap leaves the books unknown, and trading resumes after the next snapshots', async () => {
    const places: Decision[] = [];
    const tape = activeTape({ gap: { from: 20, to: 30 }, seconds: 50 });
    const onDecision = (_text: string, command: Command, when: Micros): void => {
      if (command.type === 'place') places.push({ at: when, command });
    };
    const trusts: { at: Micros; trust: string }[] = [];
    const run = await backtestOver(tape, [aQuoter()], {
      onDecision,
      observer: {
        beforeEvent: (event) => {
          if (event.kind === 'feed-gap' || event.kind === 'book-snapshot')
            trusts.push({ at: event.at, trust: event.kind });
        },
      },
    });
    const within = places.filter((decision) => decision.at >= at(20.1) && decision.at < at(29.9));
    expect(within).toEqual([]);
    expect(places.some((decision) => decision.at < at(20))).toBe(true);
    expect(places.some((decision) => decision.at >= at(30))).toBe(true);
    expect(trusts.filter(({ trust }) => trust === 'feed-gap')).toHaveLength(1);
    expect(run.imbalances).toEqual([]);
  });

  it('rows before the start build the books, and trading stays within the range', async () => {
    const tape = activeTape();
    const decided: Decision[] = [];
    const events: string[] = [];
    const run = await backtestOver(tape, [aQuoter()], {
      from: at(20),
      to: at(40),
      onDecision: (_text, command, when) => void decided.push({ at: when, command }),
      observer: { beforeEvent: (event) => void events.push(`${event.kind} ${event.at}`) },
    });
    expect(events[0]).toBe(`start ${at(20)}`);
    expect(decided.every((decision) => decision.at >= at(20))).toBe(true);
    expect(decided.filter(({ command }) => command.type === 'place').every((decision) => decision.at < at(40))).toBe(
      true,
    );
    expect(decided.some(({ command }) => command.type === 'place')).toBe(true);
    // The first subscription is answered with a book from twenty seconds before, brought up to date.
    expect(events.find((text) => text.startsWith('book-snapshot'))).toBeDefined();
    expect(run.driver.now).toBeGreaterThanOrEqual(at(40));
    expect(run.imbalances).toEqual([]);
  });

  it('an interrupted run keeps its results, and says so', async () => {
    const abort = new AbortController();
    let places = 0;
    const run = await backtestOver(activeTape({ seconds: 400, markets: 8, perSecond: 60 }), [aQuoter()], {
      signal: abort.signal,
      onProgress: () => {
        if (places > 0) abort.abort();
      },
      onDecision: (_text, command) => void (places += command.type === 'place' ? 1 : 0),
    });
    expect(run.isWhole).toBe(false);
    expect(places).toBeGreaterThan(0);
    expect(run.driver.engine.session.phase).toBe('stopped');
    expect(run.imbalances).toEqual([]);
  });

  it('a run with a slow strategy is interrupted after a few of its events, not after thousands', async () => {
    const abort = new AbortController();
    const pause = new Int32Array(new SharedArrayBuffer(4));
    let calls = 0;
    const slow = strategyOf({
      onBook: () => {
        calls += 1;
        Atomics.wait(pause, 0, 0, 20);
        return undefined;
      },
    });
    const run = await backtestOver(activeTape({ seconds: 400, markets: 8, perSecond: 60 }), [slow], {
      signal: abort.signal,
      onProgress: () => {
        if (calls > 0) abort.abort();
      },
    });
    expect(run.isWhole).toBe(false);
    expect(calls).toBeLessThan(500);
  });

  it('a range without rows is refused', async () => {
    await expect(backtestOver(activeTape(), [aQuoter()], { from: at(1000) })).rejects.toThrow(/no row/);
    await expect(backtestOver(activeTape(), [aQuoter()], { to: at(-1) })).rejects.toThrow(/no row/);
    const between = { from: (at(1) + 1) as Micros, to: (at(1) + 2) as Micros };
    await expect(backtestOver(activeTape(), [aQuoter()], between)).rejects.toThrow('the tape has no row in the range');
  });
});
