// Look-ahead and use of the wall clock are caught: by the types, by the run, or by the outcome-flip check.
import { beforeAll, describe, expect, it } from 'vitest';
import { checkOutcomeFlip } from '../../backtest/outcome-flip-check.ts';
import { PeekError } from '../../backtest/backtest-run.ts';
import { guardWallClock, withoutWallClock } from '../../backtest/wall-clock-guard.ts';
import { strategyName } from '../../src/domain/ids.ts';
import type { Intents } from '../../src/strategy/strategy-definition.ts';
import type { BoundStrategy, Handlers } from '../../src/strategy/strategy-definition.ts';
import type { StrategyView } from '../../src/state/strategy-view.ts';
import quoter from '../../strategies/two-sided-quoter.ts';
import { at, activeTape, backtestOver } from '../support/tapes/active-tape.ts';

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
  it('a strategy sees no outcome before the venue publishes it', async () => {
    const seen = new Set<string>();
    const onBook: Handlers['onBook'] = (event, view) => {
      const { result, settlementValue } = view.market(event.market);
      if (event.at < at(30)) seen.add(`${result} ${settlementValue}`);
    };
    await backtestOver(activeTape({ settlement: { at: 30, result: 'yes' } }), [strategyOf({ onBook })]);
    expect([...seen]).toEqual(['null null']);
  });

  it("the view's types contain no prints, no future, no rows and no clock", () => {
    const readView = (view: StrategyView): unknown[] => [
      // @ts-expect-error Others' future trades are not in the view.
      view.prints,
      // @ts-expect-error The future is not in the view.
      view.future,
      // @ts-expect-error The tape is not in the view.
      view.rows,
      // @ts-expect-error A running clock is not in the view.
      view.clock,
      // @ts-expect-error A strategy cannot set an outcome.
      () => (view.market(0 as never).result = 'yes'),
      // @ts-expect-error Time is read, not set.
      () => (view.now = 0 as never),
    ];
    expect(readView).toBeTypeOf('function');
  });

  it('another end of the tape changes no decision before it', async () => {
    const lines: string[][] = [[], []];
    for (const [index, divergesAt] of [undefined, 40].entries()) {
      const tape = activeTape(divergesAt === undefined ? {} : { divergesAt });
      await backtestOver(tape, [aQuoter()], {
        onDecision: (text, _command, when) => void (when < at(39.9) && lines[index]!.push(text)),
      });
    }
    expect(lines[0]!.length).toBeGreaterThan(50);
    expect(lines[0]).toEqual(lines[1]);
  });
});

describe('a strategy that reads the time of day', () => {
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
  ])('a strategy that reads %s ends the run by name', async (what, read) => {
    const onBook: Handlers['onBook'] = ({ market }, view) => {
      read();
      return buyOnce(market, view);
    };
    const run = backtestOver(activeTape(), [aQuoter(), strategyOf({ onBook }, 'sly')]);
    await expect(run).rejects.toThrow(PeekError);
    await expect(backtestOver(activeTape(), [strategyOf({ onBook }, 'sly')])).rejects.toThrow(
      /^strategy sly: .*view\.now/,
    );
    await expect(backtestOver(activeTape(), [strategyOf({ onBook }, 'sly')])).rejects.toThrow(what);
  });

  it('a strategy is caught although it catches the error itself', async () => {
    const onBook: Handlers['onBook'] = () => {
      try {
        Date.now();
      } catch {
        // Swallows the error.
      }
    };
    await expect(backtestOver(activeTape(), [strategyOf({ onBook }, 'sly')])).rejects.toThrow(/Date\.now was used/);
  });

  it('a date may be made from a given time, and code outside the replay has its clock', () => {
    expect(withoutWallClock(() => new Date(0).toISOString())).toBe('1970-01-01T00:00:00.000Z');
    expect(new Date(0)).toBeInstanceOf(Date);
    expect(Date.now()).toBeGreaterThan(1_700_000_000_000);
    expect(Date.UTC(2026, 0, 1)).toBe(1_767_225_600_000);
    expect(() => withoutWallClock(() => Date.now())).toThrow(/during a replay/);
  });
});

describe('the outcome-flip check', () => {
  const tape = activeTape({ settlement: { at: 30, result: 'yes' } });

  it('the check passes a strategy that quotes what it sees', async () => {
    const found = await checkOutcomeFlip(tape, (source, options) => backtestOver(source, [aQuoter()], options));
    expect(found).toMatchObject({ difference: null, determinations: 1, checked: 1 });
    expect(found.compared).toBeGreaterThan(50);
  });

  it('the check shows the first decision of a strategy that knows the outcome too early', async () => {
    const found = await checkOutcomeFlip(tape, async (source, options) => {
      // The strategy has read the end of the tape by itself.
      let outcome = '';
      for (const block of source.readBlocks())
        for (let row = 0; row < block.count; row++)
          outcome = /"result":"(yes|no)"/.exec(block.text(row))?.[1] ?? outcome;
      const onBook: Handlers['onBook'] = ({ market }, view) =>
        view.now > at(10) && (market !== 0 || outcome === 'yes') ? buyOnce(market, view) : undefined;
      return backtestOver(source, [strategyOf({ onBook })], options);
    });
    expect(found.difference).not.toBeNull();
    expect(found.difference?.expected).toContain('"market":0');
    expect(found.difference?.found ?? '').not.toContain('"market":0');
  });

  it('the check reports that no outcome becomes known', async () => {
    const found = await checkOutcomeFlip(activeTape(), (source, options) => backtestOver(source, [aQuoter()], options));
    expect(found).toMatchObject({ determinations: 0, checked: 0, difference: null });
  });
});
