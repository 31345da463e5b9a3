// Locked capital by market, against brute force over the whole account at every sample.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { clientOrderId, ticker, tradeId } from '../../../src/domain/ids.ts';
import { cents, contracts, dollars } from '../../../src/domain/units.ts';
import { DOLLAR_DAY, LockedTime } from '../../../src/report/record/locked-time.ts';
import { costIn } from '../../../src/state/account/equity.ts';
import { State } from '../../../src/state/state.ts';
import { aFill, aPlace, index, tickerTable } from '../../support/engine/builders.ts';
import { runCount } from '../../support/runner/property-runs.ts';

const MARKETS = 4;
const steps = fc.array(
  fc.record({
    market: fc.nat(MARKETS - 1),
    side: fc.constantFrom('buy', 'sell'),
    size: fc.integer({ min: 1, max: 9 }),
    price: fc.integer({ min: 1, max: 99 }),
    act: fc.constantFrom('fill', 'order', 'sample', 'sample'),
  }),
  { maxLength: 60 },
);

test('locked capital by market is the sum of its samples, and the total is that of the account', () => {
  fc.assert(
    fc.property(steps, (some) => {
      const state = new State(tickerTable(MARKETS));
      state.portfolio.setOpeningCash(dollars(10_000));
      state.portfolio.openAccount();
      const locked = new LockedTime(state);
      const expected = new Float64Array(MARKETS);
      const last = new Float64Array(MARKETS);
      some.forEach(({ market, side, size, price, act }, step) => {
        const terms = { market: index(market), side, price: cents(price), qty: contracts(size) } as const;
        if (act === 'fill')
          state.portfolio.applyFill(aFill({ ...terms, fee: dollars(0), tradeId: tradeId(`${step}`) }));
        if (act === 'order') state.orders.addOrder(aPlace({ ...terms, clientOrderId: clientOrderId(`${step}`) }), '');
        for (let each = 0; each < MARKETS; each++) expected[each]! += last[each]!;
        if (act !== 'sample') return;
        locked.addSample((step + 1) * DOLLAR_DAY);
        for (let each = 0; each < MARKETS; each++) last[each] = costIn(state, index(each));
        expect(locked.total).toBe(last.reduce((sum, each) => sum + each, 0));
      });
      const samples = some.findLastIndex(({ act }) => act === 'sample');
      // After the last sample, nothing more is counted.
      const after = some.length - 1 - samples;
      for (let each = 0; each < MARKETS; each++) {
        const name = state.tickers.tickerOf(index(each));
        expect(locked.dollarDaysOf(name)).toBeCloseTo(expected[each]! - after * last[each]!, 6);
        expect(locked.isFree(name)).toBe(last[each] === 0);
      }
    }),
    { numRuns: runCount(200) },
  );
});

test('a number that a later market takes over counts for that market', () => {
  const state = new State(tickerTable(1));
  state.portfolio.setOpeningCash(dollars(100));
  state.portfolio.openAccount();
  const locked = new LockedTime(state);
  const old = state.tickers.tickerOf(index(0));
  const fill = { market: index(0), side: 'buy', price: cents(40), qty: contracts(1), fee: dollars(0) } as const;
  state.portfolio.applyFill(aFill({ ...fill, tradeId: tradeId('a') }));
  locked.addSample(0);
  state.portfolio.applyFill(aFill({ ...fill, side: 'sell', tradeId: tradeId('b') }));
  state.tickers.releaseIndex(index(0));
  // A released number is reused after further releases.
  for (let n = 0; state.tickers.indexOf('LATER') !== index(0); n++) {
    if (n > 0) state.tickers.releaseIndex(state.tickers.internTicker(ticker('LATER')));
    state.tickers.internTicker(ticker('LATER'));
  }
  state.portfolio.applyFill(aFill({ ...fill, tradeId: tradeId('c') }));
  locked.addSample(DOLLAR_DAY);
  locked.addSample(2 * DOLLAR_DAY);
  expect(locked.dollarDaysOf(old)).toBe(400_000);
  expect(locked.dollarDaysOf('LATER')).toBe(400_000);
  expect(locked.isFree(old)).toBe(true);
});
