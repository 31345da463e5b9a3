// Risk in the whole engine: losses and too many trades halt and cancel, overrides arrive as events, and a strategy has
// no access to anything that sends.
import { describe, expect, it } from 'vitest';
import { NOTHING_RESTORED, type LimitOverride } from '../../../src/domain/operator-order.ts';
import { cents, contracts, dollars } from '../../../src/domain/units.ts';
import type { RiskLimits } from '../../../src/risk/risk-limits.ts';
import { BookView } from '../../../src/state/books/book-view.ts';
import { StrategyView } from '../../../src/state/strategy-view.ts';
import { M0, wideLimits } from '../../support/engine/builders.ts';
import {
  EngineHarness,
  type EngineHarnessOptions,
  aQuote,
  aStrategy,
  quoter,
} from '../../support/engine/engine-harness.ts';

/** A quoter of ten contracts at 44 and 56 cents, with account limits. */
function quoting(limits: Partial<RiskLimits>, options: Partial<EngineHarnessOptions> = {}): EngineHarness {
  const quote = { bid: { price: cents(44), qty: contracts(10) }, ask: { price: cents(56), qty: contracts(10) } };
  const harness = new EngineHarness({
    strategies: [aStrategy(quoter(quote))],
    ...options,
    engine: { limits: wideLimits(limits) },
  });
  harness.startTrading();
  touch(harness, 44);
  return harness;
}

function touch(harness: EngineHarness, cent: number): void {
  harness.venue.changeLevel(M0, 'bid', { price: cents(cent), change: 100 });
  harness.run(50);
}

/** The venue fills our bid, and then the market falls. */
function lose(harness: EngineHarness): void {
  const [bid] = harness.venue.resting().filter(({ report }) => report.side === 'buy');
  harness.venue.tradeOrder(bid!, contracts(10));
  harness.run(50);
  harness.venue.changeLevel(M0, 'bid', { price: cents(45), change: -1000 });
  harness.venue.changeLevel(M0, 'bid', { price: cents(44), change: -200 });
  harness.venue.changeLevel(M0, 'bid', { price: cents(20), change: 1000 });
  harness.run(600);
}

describe('a loss above the limit', () => {
  it('a loss above the limit halts the account, cancels everything, and denies every later order', () => {
    const harness = quoting({ dailyLossMax: dollars(1) });
    expect(harness.venue.resting().length).toBeGreaterThan(0);
    lose(harness);
    expect(harness.noticesOf('halt').map(({ halt }) => [halt.scope, halt.by])).toEqual([[{ type: 'account' }, 'risk']]);
    expect(harness.noticesOf('halt')[0]?.halt.reason).toContain('dailyLossMax $1.00');
    expect(harness.venue.resting()).toEqual([]);
    touch(harness, 21);
    expect(harness.noticesOf('denied').at(-1)?.denial).toMatchObject({ code: 'halted', by: 'risk' });
  });

  it('losses are reported with the figures that a restart takes over', () => {
    const harness = quoting({ dailyLossMax: dollars(1000) });
    lose(harness);
    const { standing } = harness.noticesOf('losses').at(-1)!;
    expect(standing).toMatchObject({ day: '1970-01-01', dayEquity: dollars(1000) });
    const after = new EngineHarness({ strategies: [], engine: { limits: wideLimits({ dailyLossMax: dollars(1) }) } });
    after.step({
      kind: 'start',
      at: after.now,
      session: 's2',
      carried: { ...NOTHING_RESTORED, losses: { ...standing, dayEquity: dollars(1002) } },
    });
    after.venue.feedUp();
    after.run(500);
    expect(after.noticesOf('halt')[0]?.halt.reason).toContain("the day's loss $2.00");
  });
});

describe('too many fills', () => {
  it('too many fills halt their market, and cancel what rests there', () => {
    const harness = quoting({ fillsPerMinuteMax: 2 });
    for (let i = 0; i < 3; i++) {
      const [first] = harness.venue.resting();
      harness.venue.tradeOrder(first!, contracts(1));
      harness.run(50);
    }
    expect(harness.noticesOf('halt').map(({ halt }) => halt.scope)).toEqual([{ type: 'market', ticker: 'M-0' }]);
    expect(harness.noticesOf('alarm').map(({ code }) => code)).toContain('repeated-execution');
    expect(harness.venue.resting()).toEqual([]);
  });
});

describe('an override', () => {
  it('an override arrives as an event, and ends by itself even when nothing else happens', () => {
    const harness = quoting({ orderQtyMax: contracts(5) });
    expect(harness.noticesOf('denied').at(-1)?.denial.code).toBe('order-qty-above-limit');
    const override: LimitOverride = {
      limit: 'orderQtyMax',
      value: contracts(10),
      strategy: null,
      until: (harness.now + 700_000) as LimitOverride['until'],
      reason: 'the quoter is too large',
    };
    harness.step({ kind: 'operator', at: harness.now, order: { type: 'override', override } });
    touch(harness, 43);
    expect(harness.venue.resting().length).toBe(2);
    harness.run(2000);
    expect(harness.noticesOf('override').map(({ change, at }) => [change, change === 'ended' ? at : 0])).toEqual([
      ['begun', 0],
      ['ended', override.until],
    ]);
  });
});

describe('fees', () => {
  it('fees are requested once for each series, however often its groups are described', () => {
    const harness = quoting({});
    harness.run(70_000);
    const reads = harness.commands('read').filter(({ target }) => target.what === 'series');
    expect(reads.map(({ target }) => target)).toEqual([{ what: 'series', seriesTicker: 'SERIES' }]);
    expect(harness.commands('read').filter(({ target }) => target.what === 'fee-changes')).toEqual([]);
  });

  it('fees are requested together with planned changes, where the venue reports them', () => {
    const harness = new EngineHarness({ engine: { canReadFeeChanges: true } }).startTrading();
    harness.run(70_000);
    const reads = harness.commands('read').filter(({ target }) => target.what === 'fee-changes');
    expect(reads.map(({ target }) => target)).toEqual([{ what: 'fee-changes', seriesTicker: 'SERIES' }]);
  });
});

describe('a strategy', () => {
  it('a strategy gets values and views only: nothing that sends, nothing that changes the state', () => {
    const given: unknown[] = [];
    const spy = (...all: readonly unknown[]): undefined => void given.push(...all);
    const handlers = { onStart: spy, onBook: spy, onMarket: spy, onTrust: spy, onPrint: spy };
    const harness = new EngineHarness({ strategies: [aStrategy(handlers)] }).startTrading();
    touch(harness, 44);
    expect(given.length).toBeGreaterThan(3);
    for (const value of given) expect(callable(value)).toEqual([]);
    const reads = (view: object): string[] => Object.getOwnPropertyNames(Object.getPrototypeOf(view)).sort();
    const view = given.find((value) => value instanceof StrategyView)!;
    expect(reads(view)).toEqual(STRATEGY_VIEW);
    expect(reads(view.book(M0))).toEqual(BOOK_VIEW);
    expect(view.book(M0)).toBeInstanceOf(BookView);
    expect(Object.keys(view).sort()).toEqual(['markets', 'strategy']);
    expect(Object.keys(view.book(M0))).toEqual(['market']);
  });

  it('a strategy has a quote that is too large denied, whatever else it wants', () => {
    const harness = new EngineHarness({
      strategies: [aStrategy({ onBook: ({ market }) => [aQuote({ market, ask: null })] })],
      engine: { limits: wideLimits({ orderQtyMax: contracts(4) }) },
    }).startTrading();
    touch(harness, 44);
    expect(harness.places()).toEqual([]);
  });
});

/** Functions reachable from a value that is not one of our views. */
function callable(value: unknown, path = ''): string[] {
  if (typeof value === 'function') return [path];
  if (typeof value !== 'object' || value === null || value instanceof StrategyView || ArrayBuffer.isView(value))
    return [];
  return Object.entries(value).flatMap(([name, member]) => callable(member, `${path}.${name}`));
}

const STRATEGY_VIEW = [
  'available',
  'book',
  'budget',
  'capital',
  'constructor',
  'equity',
  'fees',
  'find',
  'group',
  'groupMarkets',
  'market',
  'now',
  'orders',
  'othersBest',
  'othersMid',
  'own',
  'position',
  'queueAhead',
  'ticker',
];
const BOOK_VIEW = [
  'behind',
  'best',
  'bestAsk',
  'bestAskQty',
  'bestBid',
  'bestBidQty',
  'bestNoAsk',
  'bestNoBid',
  'confirmedAt',
  'constructor',
  'depth',
  'epoch',
  'imbalance',
  'isLive',
  'levels',
  'microprice',
  'mid',
  'qtyAt',
  'spread',
  'trust',
];
