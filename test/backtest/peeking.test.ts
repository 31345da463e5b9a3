// Whoever looks at what is not yet known, or at the wall clock, is caught: by the types, by the run, or by the check.
import { beforeAll, describe, expect, it } from 'vitest';
import { checkOutcomeFlip } from '../../backtest/outcome-check.ts';
import { PeekError } from '../../backtest/run.ts';
import { guardWallClock, withoutWallClock } from '../../backtest/wall-clock.ts';
import { strategyName } from '../../src/domain/ids.ts';
import type { Intents } from '../../src/strategy/strategy.ts';
import type { BoundStrategy, Handlers } from '../../src/strategy/strategy.ts';
import type { StrategyView } from '../../src/state/view.ts';
import quoter from '../../strategies/two-sided-quoter.ts';
import { at, livelyTape, runOver } from '../support/lively-tape.ts';

const strategyOf = (handlers: Handlers, name = 'quoter'): BoundStrategy => ({
  name: strategyName(name),
  selector: {},
  handlers,
});
const aQuoter = (): BoundStrategy =>
  quoter.bind(strategyName('quoter'), { qtyContracts: 5, halfSpreadCents: 1, toleranceCents: 0 });

const buyOnce = (market: number, view: StrategyView): Intents => {
  const book = view.book(market as never);
  if (view.orders(market as never).length > 0 || book.bestBid === null) return;
  return [
    { type: 'place', market: market as never, side: 'buy', price: book.bestBid, qty: 100 as never, postOnly: true },
  ];
};

describe('a strategy', () => {
  it('finds no outcome in a market before the venue has told it', async () => {
    const seen = new Set<string>();
    const onBook: Handlers['onBook'] = (event, view) => {
      const { result, settlementValue } = view.market(event.market);
      if (event.at < at(30)) seen.add(`${result} ${settlementValue}`);
    };
    await runOver(livelyTape({ settles: { at: 30, result: 'yes' } }), [strategyOf({ onBook })]);
    expect([...seen]).toEqual(['null null']);
  });

  it('has no view of prints, of what comes, of rows, or of a clock, by its types', () => {
    const look = (view: StrategyView): unknown[] => [
      // @ts-expect-error What others will trade is not in the view.
      view.prints,
      // @ts-expect-error Nor is what comes.
      view.future,
      // @ts-expect-error Nor the tape.
      view.rows,
      // @ts-expect-error Nor a clock that goes on by itself.
      view.clock,
      // @ts-expect-error An outcome is the venue's to tell; nobody sets it.
      () => (view.market(0 as never).result = 'yes'),
      // @ts-expect-error Time is read, not set.
      () => (view.now = 0 as never),
    ];
    expect(look).toBeTypeOf('function');
  });

  it('decides nothing by what comes later: another end of the tape changes nothing before it', async () => {
    const lines: string[][] = [[], []];
    for (const [index, turnsAt] of [undefined, 40].entries()) {
      const tape = livelyTape(turnsAt === undefined ? {} : { turnsAt });
      await runOver(tape, [aQuoter()], {
        onDecision: (text, _command, when) => void (when < at(39.9) && lines[index]!.push(text)),
      });
    }
    expect(lines[0]!.length).toBeGreaterThan(50);
    expect(lines[0]).toEqual(lines[1]);
  });
});

describe('a strategy that asks for the time of day', () => {
  beforeAll(() => guardWallClock());

  it.each([
    ['Date.now', () => Date.now()],
    ['new Date()', () => new Date()],
    ['performance.now', () => performance.now()],
    ['process.hrtime', () => process.hrtime()],
    ['Math.random', () => Math.random()],
    ['setTimeout', () => setTimeout(() => undefined, 0)],
    ['queueMicrotask', () => queueMicrotask(() => undefined)],
    ['fetch', () => fetch('http://127.0.0.1:9')],
    ['getRandomValues', () => crypto.getRandomValues(new Uint8Array(1))],
    ['randomUUID', () => crypto.randomUUID()],
  ])('ends the run by name when it reads %s', async (what, read) => {
    const onBook: Handlers['onBook'] = ({ market }, view) => {
      read();
      return buyOnce(market, view);
    };
    const run = runOver(livelyTape(), [aQuoter(), strategyOf({ onBook }, 'sly')]);
    await expect(run).rejects.toThrow(PeekError);
    await expect(runOver(livelyTape(), [strategyOf({ onBook }, 'sly')])).rejects.toThrow(/^strategy sly: .*view\.now/);
    await expect(runOver(livelyTape(), [strategyOf({ onBook }, 'sly')])).rejects.toThrow(what);
  });

  it('is caught although it catches the error itself', async () => {
    const onBook: Handlers['onBook'] = () => {
      try {
        Date.now();
      } catch {
        // As if nothing had been.
      }
    };
    await expect(runOver(livelyTape(), [strategyOf({ onBook }, 'sly')])).rejects.toThrow(/Date\.now was asked for/);
  });

  it('may make a date of a time that it was given, and everybody else has the clock as ever', () => {
    expect(withoutWallClock(() => new Date(0).toISOString())).toBe('1970-01-01T00:00:00.000Z');
    expect(new Date(0)).toBeInstanceOf(Date);
    expect(Date.now()).toBeGreaterThan(1_700_000_000_000);
    expect(Date.UTC(2026, 0, 1)).toBe(1_767_225_600_000);
    expect(() => withoutWallClock(() => Date.now())).toThrow(/while a tape is replayed/);
  });
});

describe('the outcome-flip check', () => {
  const tape = livelyTape({ settles: { at: 30, result: 'yes' } });

  it('finds nothing against a strategy that quotes what it sees', async () => {
    const found = await checkOutcomeFlip(tape, (source, options) => runOver(source, [aQuoter()], options));
    expect(found).toMatchObject({ difference: null, determinations: 1, checked: 1 });
    expect(found.compared).toBeGreaterThan(50);
  });

  it('shows the first decision of a strategy that knows the outcome before its time', async () => {
    const found = await checkOutcomeFlip(tape, async (source, options) => {
      // It has read the end of the tape behind everybody's back.
      let outcome = '';
      for (const block of source.blocks())
        for (let row = 0; row < block.count; row++)
          outcome = /"result":"(yes|no)"/.exec(block.text(row))?.[1] ?? outcome;
      const onBook: Handlers['onBook'] = ({ market }, view) =>
        view.now > at(10) && (market !== 0 || outcome === 'yes') ? buyOnce(market, view) : undefined;
      return runOver(source, [strategyOf({ onBook })], options);
    });
    expect(found.difference).not.toBeNull();
    expect(found.difference?.expected).toContain('"market":0');
    expect(found.difference?.found ?? '').not.toContain('"market":0');
  });

  it('says that there was nothing to turn over where no outcome becomes known', async () => {
    const found = await checkOutcomeFlip(livelyTape(), (source, options) => runOver(source, [aQuoter()], options));
    expect(found).toMatchObject({ determinations: 0, checked: 0, difference: null });
  });
});
