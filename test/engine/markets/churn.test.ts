// Markets that come and go while the engine runs: found by their series, traded, paid out, forgotten. What the engine
// keeps is counted, and must not grow with the number of markets.
import { describe, expect, it } from 'vitest';
import { must } from '../../../src/base/assert.ts';
import { type EventTicker, type MarketIndex, eventTicker, ticker } from '../../../src/domain/ids.ts';
import type { Market } from '../../../src/domain/market.ts';
import { type Money, cents, contracts, dollars, micros, money } from '../../../src/domain/units.ts';
import type { Engine } from '../../../src/engine.ts';
import { accountSummary } from '../../../src/report/account/account-summary.ts';
import type { Handlers } from '../../../src/strategy/strategy-definition.ts';
import { after, aFill, aMarket } from '../../support/engine/builders.ts';
import { SERIES } from '../../support/engine/listing.ts';
import { World, aQuote, aStrategy, quoter } from '../../support/engine/world.ts';

const EVERY_MS = 400;
const LIFE_MS = 4000;
const GRACE_MS = 5000;
/** Markets per event group. */
const GROUP_SIZE = 3;

const BY_SERIES = { tickers: [], events: [], series: [SERIES] };
const STRATEGY = { ...aStrategy(quoter()), selector: { series: [SERIES] } };

/** A world without markets. */
const empty = (handlers: Handlers = quoter()): World =>
  new World({
    strategies: [{ ...STRATEGY, handlers }],
    markets: [],
    engine: { universe: BY_SERIES, settledGraceMs: GRACE_MS, lookbackMs: 2000 },
  }).startTrading();

/** Lists a market with a book of 45 bid, 55 offered. */
function list(world: World, name: string, over: Partial<Market> = {}): MarketIndex {
  const index = world.engine.state.tickers.internTicker(ticker(name));
  world.venue.listMarket(
    aMarket(index, { ticker: ticker(name), closeAt: micros(world.now + LIFE_MS * 1000), ...over }),
  );
  world.venue.changeLevelSilently(index, 'bid', { price: cents(45), change: 1000 });
  world.venue.changeLevelSilently(index, 'ask', { price: cents(55), change: 1000 });
  return index;
}

/** Removes from the venue the markets that the engine has removed, and no others: the indices are the engine's. */
function delistForgotten(world: World): void {
  for (const { market } of world.noticesOf('evicted')) world.venue.delistMarket(market.index);
  world.notices.length = 0;
  world.sent.length = 0;
}

/** Lists one market after the other; each is traded and paid out. */
class Churn {
  readonly #world: World;
  readonly #living: { readonly index: MarketIndex; readonly bornAt: number }[] = [];
  #count = 0;

  constructor(world: World) {
    this.#world = world;
  }

  pass(markets: number): void {
    for (let i = 0; i < markets; i++) {
      this.#turn();
      this.#world.run(EVERY_MS);
    }
  }

  #turn(): void {
    const world = this.#world;
    const group: EventTicker = eventTicker(`GROUP-${Math.floor(this.#count / GROUP_SIZE)}`);
    const index = list(world, `${group}-${this.#count % GROUP_SIZE}`, { eventTicker: group });
    this.#living.push({ index, bornAt: world.now });
    this.#count += 1;
    for (const { index: each } of this.#living) world.venue.changeLevel(each, 'bid', { price: cents(30), change: 100 });
    for (const order of world.venue.resting()) if (order.leaves > 0) world.venue.tradeOrder(order, 200);
    while (world.now - must(this.#living[0], 'the oldest').bornAt >= LIFE_MS * 1000) {
      const { index: oldest } = must(this.#living.shift(), 'the oldest');
      world.venue.settleMarket(oldest, this.#count % 2 === 0 ? cents(100) : cents(0));
    }
    delistForgotten(world);
  }
}

/** Sizes of everything that an engine keeps. */
const retained = ({ state }: Engine): Readonly<Record<string, number>> => ({
  numbers: state.tickers.size,
  names: state.tickers.count,
  markets: state.markets.count,
  settled: state.markets.settledAt().size,
  groups: state.markets.groups().length,
  positions: state.portfolio.positions().size,
  ownPositions: [...state.strategyLedgers.all().values()].reduce((sum, book) => sum + book.positions().size, 0),
  fills: state.portfolio.fillsRemembered,
  openOrders: state.orders.openCount,
  finishedOrders: state.orders.finishedCount,
  orphans: state.orphanFills.size,
  surprises: state.surprises.size,
  queuePlaces: state.queueEstimates.size,
  bookBytes: state.books.byteLength,
});

describe('markets of a series', () => {
  it('a market of a series is streamed and traded when it appears while the session runs', () => {
    const world = empty();
    expect(world.engine.session.phase).toBe('trading');
    const index = list(world, 'NEW-1', { eventTicker: eventTicker('NEW') });
    world.run(1500);
    expect(world.commands('subscribe').map(({ tickers }) => tickers)).toEqual([[ticker('NEW-1')]]);
    expect(world.engine.state.books.isLive(index)).toBe(true);
    expect(world.places().map(({ market }) => market)).toEqual([index, index]);
  });

  it('a strategy that selects by series gets a market once its event group is known', () => {
    const joined: string[] = [];
    const world = empty({ onMarket: ({ market, before }) => void joined.push(`${market.ticker} ${before}`) });
    world.step({ kind: 'market', at: world.now, market: aMarket(0, { eventTicker: eventTicker('LATE') }) });
    expect(joined).toEqual([]);
    world.run(500);
    expect(joined).toEqual(['M-0 null']);
  });

  it('a market of another series is not streamed', () => {
    const world = empty();
    const eventGroup = { eventTicker: eventTicker('OTHER'), title: '', isExclusive: false, tickers: [] };
    world.step({ kind: 'event-group', at: world.now, group: { ...eventGroup, seriesTicker: 'ELSE' as never } });
    world.step({ kind: 'market', at: world.now, market: aMarket(0, { eventTicker: eventTicker('OTHER') }) });
    world.run(100);
    expect(world.commands('subscribe')).toEqual([]);
    expect(world.commands('read').some(({ target }) => target.what === 'event')).toBe(false);
  });
});

describe('a settled market', () => {
  it('a settled market is removed after the grace, and no longer streamed', () => {
    const world = empty();
    const index = list(world, 'GONE-1', { eventTicker: eventTicker('GONE') });
    world.run(1500);
    world.venue.settleMarket(index, cents(100));
    world.run(GRACE_MS - 500);
    expect(world.engine.state.markets.get(index)?.status).toBe('finalized');
    world.run(15_000);
    expect(world.noticesOf('evicted').map(({ market }) => market.ticker)).toEqual(['GONE-1']);
    expect(world.commands('unsubscribe').map(({ tickers }) => tickers)).toEqual([['GONE-1']]);
    expect(world.engine.state.tickers.indexOf('GONE-1')).toBeUndefined();
    expect(world.engine.state.markets.group(eventTicker('GONE'))).toBeUndefined();
  });

  it('a removed market is not added again, though lists go on to show it', () => {
    const world = empty();
    const index = list(world, 'GONE-1', { eventTicker: eventTicker('GONE') });
    world.run(1500);
    world.venue.settleMarket(index, cents(100));
    world.run(60_000);
    expect(world.noticesOf('evicted')).toHaveLength(1);
    expect(world.noticesOf('market').map(({ market, before }) => `${before} ${market.status}`)).toEqual([
      'null active',
      'active finalized',
    ]);
  });

  it('a settled market stays while its fills could be reported once more, because none were read for long', () => {
    const world = empty();
    const index = list(world, 'SLOW-1', { eventTicker: eventTicker('SLOW') });
    world.run(1500);
    world.venue.tradeOrder(must(world.venue.resting()[0], 'an order'), 300);
    world.venue.settleMarket(index, cents(100));
    world.venue.script.read = ({ target }) => (target.what === 'fills' ? 'fail' : 'do');
    world.run(60_000);
    expect(world.noticesOf('evicted')).toEqual([]);
    world.venue.script = {};
    world.run(40_000);
    expect(world.noticesOf('evicted')).toHaveLength(1);
    expect(world.noticesOf('fill')).toHaveLength(1);
    expect(world.engine.state.portfolio.cash).toBe(world.venue.cash);
  });

  it('a removed market leaves its result in the account, to the millionth', () => {
    const world = empty();
    const index = list(world, 'GONE-1', { eventTicker: eventTicker('GONE') });
    world.run(1500);
    world.venue.tradeOrder(must(world.venue.resting()[0], 'an order'), 300);
    world.run(100);
    world.venue.settleMarket(index, cents(100));
    world.run(100);
    const before = accountSummary(world.engine.state);
    world.run(20_000);
    const now = accountSummary(world.engine.state);
    expect(before.positions).toHaveLength(1);
    expect(now).toEqual({
      ...before,
      positions: [],
      past: { markets: 1, realized: before.realized, fees: before.fees },
    });
  });

  it('a removed market takes its quotes with it: the next market under its index is not quoted by itself', () => {
    const world = empty({
      onBook: ({ market }) => [aQuote({ market })],
      onMarket: ({ market }) => [aQuote({ market: market.index })],
    });
    const index = list(world, 'GONE-1', { eventTicker: eventTicker('GONE') });
    world.run(1500);
    world.venue.settleMarket(index, cents(100));
    world.run(20_000);
    expect(() => world.step({ kind: 'timer', at: world.now })).not.toThrow();
    expect(world.engine.state.orders.openCount).toBe(0);
  });
});

describe('a position of another session in a market that is not followed', () => {
  it('an unfollowed market with a position is read, and the position is paid out with it', () => {
    const world = new World({ markets: [] }).startTrading();
    const index = world.engine.state.tickers.internTicker(ticker('STRAY-1'));
    world.venue.listMarket(
      aMarket(index, { ticker: ticker('STRAY-1'), eventTicker: eventTicker('STRAY'), closeAt: after(0) }),
    );
    const fill = aFill({ market: index, qty: contracts(3), price: cents(40), fee: 0 as Money });
    world.step({ kind: 'fill', at: world.now, fill });
    world.run(31_000);
    expect(world.commands('subscribe')).toEqual([]);
    expect(world.engine.state.markets.get(index)?.ticker).toBe('STRAY-1');
    world.step({
      kind: 'market-changed',
      at: world.now,
      exchangeAt: null,
      market: index,
      status: 'finalized',
      result: 'yes',
      settlementValue: cents(100),
    });
    expect(world.engine.state.portfolio.cash).toBe(money(dollars(1000) + dollars(1.8)));
  });
});

describe('the size of an engine', () => {
  it('the engine keeps as much after hundreds of markets as after dozens, and accounts for every cent of them', () => {
    const world = empty();
    const churn = new Churn(world);
    churn.pass(150);
    const early = retained(world.engine);
    churn.pass(450);
    const late = retained(world.engine);
    for (const [what, count] of Object.entries(early))
      expect(late[what], what).toBeLessThanOrEqual(Math.ceil(count * 1.3) + 5);
    expect(late['numbers']).toBeLessThan(200);
    world.run(30_000).stop();
    const { past, positions, cash, fees } = accountSummary(world.engine.state);
    expect(world.engine.session.drift).toEqual({ positions: 0, isCashEqual: true });
    expect(past.markets + positions.length).toBeGreaterThan(590);
    expect(cash).toBe(world.venue.cash);
    const realized = positions.reduce((sum, line) => sum + line.realized, Number(past.realized));
    const open = positions.reduce((sum, line) => sum + line.cost, 0);
    expect(cash).toBe(dollars(1000) + realized - open - fees);
  });
});
