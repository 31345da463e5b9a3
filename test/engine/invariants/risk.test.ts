// Risk in the whole engine: losses and too many trades halt and cancel, overrides arrive as events, and a strategy has
// no access to anything that sends.
import { describe, expect, it } from 'vitest';
import { NOTHING_RESTORED, type LimitOverride } from '../../../src/domain/operator-order.ts';
import { cents, contracts, dollars } from '../../../src/domain/units.ts';
import type { RiskLimits } from '../../../src/risk/risk-limits.ts';
import { BookView } from '../../../src/state/books/book-view.ts';
import { StrategyView } from '../../../src/state/strategy-view.ts';
import { M0, wideLimits } from '../../support/engine/builders.ts';
import { World, type WorldOptions, aQuote, aStrategy, quoter } from '../../support/engine/world.ts';

/** A quoter of ten contracts at 44 and 56 cents, with account limits. */
function quoting(limits: Partial<RiskLimits>, options: Partial<WorldOptions> = {}): World {
  const quote = { bid: { price: cents(44), qty: contracts(10) }, ask: { price: cents(56), qty: contracts(10) } };
  const world = new World({
    strategies: [aStrategy(quoter(quote))],
    ...options,
    engine: { limits: wideLimits(limits) },
  });
  world.startTrading();
  touch(world, 44);
  return world;
}

function touch(world: World, cent: number): void {
  world.venue.changeLevel(M0, 'bid', { price: cents(cent), change: 100 });
  world.run(50);
}

/** The venue fills our bid, and then the market falls. */
function lose(world: World): void {
  const [bid] = world.venue.resting().filter(({ report }) => report.side === 'buy');
  world.venue.tradeOrder(bid!, contracts(10));
  world.run(50);
  world.venue.changeLevel(M0, 'bid', { price: cents(45), change: -1000 });
  world.venue.changeLevel(M0, 'bid', { price: cents(44), change: -200 });
  world.venue.changeLevel(M0, 'bid', { price: cents(20), change: 1000 });
  world.run(600);
}

describe('a loss above the limit', () => {
  it('a loss above the limit halts the account, cancels everything, and denies every later order', () => {
    const world = quoting({ dailyLossMax: dollars(1) });
    expect(world.venue.resting().length).toBeGreaterThan(0);
    lose(world);
    expect(world.noticesOf('halt').map(({ halt }) => [halt.scope, halt.by])).toEqual([[{ type: 'account' }, 'risk']]);
    expect(world.noticesOf('halt')[0]?.halt.reason).toContain('dailyLossMax $1.00');
    expect(world.venue.resting()).toEqual([]);
    touch(world, 21);
    expect(world.noticesOf('denied').at(-1)?.denial).toMatchObject({ code: 'halted', by: 'risk' });
  });

  it('losses are reported with the figures that a restart takes over', () => {
    const world = quoting({ dailyLossMax: dollars(1000) });
    lose(world);
    const { standing } = world.noticesOf('losses').at(-1)!;
    expect(standing).toMatchObject({ day: '1970-01-01', dayEquity: dollars(1000) });
    const after = new World({ strategies: [], engine: { limits: wideLimits({ dailyLossMax: dollars(1) }) } });
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
    const world = quoting({ fillsPerMinuteMax: 2 });
    for (let i = 0; i < 3; i++) {
      const [first] = world.venue.resting();
      world.venue.tradeOrder(first!, contracts(1));
      world.run(50);
    }
    expect(world.noticesOf('halt').map(({ halt }) => halt.scope)).toEqual([{ type: 'market', ticker: 'M-0' }]);
    expect(world.noticesOf('alarm').map(({ code }) => code)).toContain('repeated-execution');
    expect(world.venue.resting()).toEqual([]);
  });
});

describe('an override', () => {
  it('an override arrives as an event, and ends by itself even when nothing else happens', () => {
    const world = quoting({ orderQtyMax: contracts(5) });
    expect(world.noticesOf('denied').at(-1)?.denial.code).toBe('order-qty-above-limit');
    const override: LimitOverride = {
      limit: 'orderQtyMax',
      value: contracts(10),
      strategy: null,
      until: (world.now + 700_000) as LimitOverride['until'],
      reason: 'the quoter is too large',
    };
    world.step({ kind: 'operator', at: world.now, order: { type: 'override', override } });
    touch(world, 43);
    expect(world.venue.resting().length).toBe(2);
    world.run(2000);
    expect(world.noticesOf('override').map(({ change, at }) => [change, change === 'ended' ? at : 0])).toEqual([
      ['begun', 0],
      ['ended', override.until],
    ]);
  });
});

describe('fees', () => {
  it('fees are requested once for each series, however often its groups are described', () => {
    const world = quoting({});
    world.run(70_000);
    const reads = world.commands('read').filter(({ target }) => target.what === 'series');
    expect(reads.map(({ target }) => target)).toEqual([{ what: 'series', seriesTicker: 'SERIES' }]);
    expect(world.commands('read').filter(({ target }) => target.what === 'fee-changes')).toEqual([]);
  });

  it('fees are requested together with planned changes, where the venue reports them', () => {
    const world = new World({ engine: { canReadFeeChanges: true } }).startTrading();
    world.run(70_000);
    const reads = world.commands('read').filter(({ target }) => target.what === 'fee-changes');
    expect(reads.map(({ target }) => target)).toEqual([{ what: 'fee-changes', seriesTicker: 'SERIES' }]);
  });
});

describe('a strategy', () => {
  it('a strategy gets values and views only: nothing that sends, nothing that changes the state', () => {
    const given: unknown[] = [];
    const spy = (...all: readonly unknown[]): undefined => void given.push(...all);
    const handlers = { onStart: spy, onBook: spy, onMarket: spy, onTrust: spy, onPrint: spy };
    const world = new World({ strategies: [aStrategy(handlers)] }).startTrading();
    touch(world, 44);
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
    const world = new World({
      strategies: [aStrategy({ onBook: ({ market }) => [aQuote({ market, ask: null })] })],
      engine: { limits: wideLimits({ orderQtyMax: contracts(4) }) },
    }).startTrading();
    touch(world, 44);
    expect(world.places()).toEqual([]);
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
