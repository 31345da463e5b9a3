// Backtests with orders that leave together: the same decisions under constant delays, one delay for each batch under
// drawn ones, and the same books of account.
import { describe, expect, it } from 'vitest';
import { strategyName } from '../../src/domain/ids.ts';
import { type Micros, cents, contracts } from '../../src/domain/units.ts';
import type { BoundStrategy } from '../../src/strategy/strategy-definition.ts';
import quoter from '../../strategies/two-sided-quoter.ts';
import { aBacktestConfig, activeTape, backtestOver } from '../support/tapes/active-tape.ts';

const aQuoter = () => quoter.bind(strategyName('quoter'), { qtyContracts: 5, halfSpreadCents: 1, toleranceCents: 0 });
const CONSTANT = { order: { model: 'constant', delay: '40ms' }, answer: { model: 'constant', delay: '25ms' } };
const DRAWN = {
  order: { model: 'log-normal', median: '40ms', p99: '200ms' },
  answer: { model: 'constant', delay: '9ms' },
};

/** The arrivals of new orders by their departure, for one run. */
async function run(batchMax: number, latency: object) {
  const arrivals = new Map<Micros, Micros[]>();
  const done = await backtestOver(activeTape({ settlement: { at: 30, result: 'yes' } }), [aQuoter()], {
    config: aBacktestConfig({ simulation: { latency } }),
    batchMax,
    observer: {
      onArrival: ({ type }, at, sentAt) => {
        if (type === 'place') arrivals.set(sentAt, [...(arrivals.get(sentAt) ?? []), at]);
      },
    },
  });
  return { done, together: [...arrivals.values()].filter(({ length }) => length > 1) };
}

/** Moves both sides of its quote once a second. */
const mover = (): BoundStrategy => {
  let at = 0;
  return {
    name: strategyName('mover'),
    selector: {},
    handlers: {
      onBook({ market }, view) {
        if (view.now < at + 1_000_000) return [];
        at = view.now;
        const shift = Math.floor(view.now / 1_000_000) % 2;
        const side = (price: number) => ({ price: cents(price), qty: contracts(1) });
        return [{ type: 'quote', market, bid: side(30 - shift), ask: side(70 + shift) }];
      },
    },
  };
};

describe('a backtest with batches', () => {
  it('sends the new orders of a quote that moved on both sides in one batch, as live', async () => {
    const sent: number[][] = [];
    let last: Micros | null = null;
    const done = await backtestOver(activeTape(), [mover()], {
      config: aBacktestConfig({ simulation: { latency: DRAWN } }),
      batchMax: 20,
      observer: {
        onArrival: ({ type, id }, at) => {
          if (type !== 'place') return;
          if (at === last) sent.at(-1)?.push(id);
          else sent.push([id]);
          last = at;
        },
      },
    });
    expect(done.imbalances).toEqual([]);
    expect(sent.length).toBeGreaterThan(5);
    expect(sent.every(({ length }) => length === 2)).toBe(true);
  });

  it('decides as without them when every delay is the same', async () => {
    const [alone, batched] = [await run(1, CONSTANT), await run(20, CONSTANT)];
    expect(batched.together.length).toBeGreaterThan(5);
    expect(batched.done.decisionHash).toBe(alone.done.decisionHash);
    expect(batched.done.driver.venue.account.cash).toBe(alone.done.driver.venue.account.cash);
  });

  it('draws one delay for a batch, and keeps the books of account', async () => {
    const [alone, batched] = [await run(1, DRAWN), await run(20, DRAWN)];
    const areTogether = (times: readonly Micros[]): boolean => new Set(times).size === 1;
    expect(alone.together.every(areTogether)).toBe(false);
    expect(batched.together.length).toBeGreaterThan(5);
    expect(batched.together.every(areTogether)).toBe(true);
    expect(batched.done.imbalances).toEqual([]);
    const { driver } = batched.done;
    expect(driver.venue.account.fills.length).toBeGreaterThan(5);
    expect(driver.engine.state.portfolio.cash).toBe(driver.venue.account.cash);
    expect((await run(20, DRAWN)).done.decisionHash).toBe(batched.done.decisionHash);
  });
});
