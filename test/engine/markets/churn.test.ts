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
import { EngineHarness, aQuote, aStrategy, quoter } from '../../support/engine/engine-harness.ts';

const EVERY_MS = 400;
const LIFE_MS = 4000;
const GRACE_MS = 5000;
/** Markets per event group. */
const GROUP_SIZE = 3;

const BY_SERIES = { tickers: [], events: [], series: [SERIES] };
const STRATEGY = { ...aStrategy(quoter()), selector: { series: [SERIES] } };

/** A harness without markets. */
const empty = (handlers: Handlers = quoter()): EngineHarness =>
  new EngineHarness({
    strategies: [{ ...STRATEGY, handlers }],
    markets: [],
    engine: { universe: BY_SERIES, settledGraceMs: GRACE_MS, lookbackMs: 2000 },
  }).startTrading();

/** Lists a market with a book of 45 bid, 55 offered. */
function list(harness: EngineHarness, name: string, over: Partial<Market> = {}): MarketIndex {
  const index = harness.engine.state.tickers.internTicker(ticker(name));
  harness.venue.listMarket(
    aMarket(index, { ticker: ticker(name), closeAt: micros(harness.now + LIFE_MS * 1000), ...over }),
  );
  harness.venue.changeLevelSilently(index, 'bid', { price: cents(45), change: 1000 });
  harness.venue.changeLevelSilently(index, 'ask', { price: cents(55), change: 1000 });
  return index;
}

/** Removes from the venue the markets that the engine has removed, and no others: the indices are the engine's. */
function delistForgotten(harness: EngineHarness): void {
  for (const { market } of harness.noticesOf('evicted')) harness.venue.delistMarket(market.index);
  harness.notices.length = 0;
  harness.sent.length = 0;
}

/** Lists one market after the other; each is traded and paid out. */
class Churn {
  readonly #harness: EngineHarness;
  readonly #living: { readonly index: MarketIndex; readonly bornAt: number }[] = [];
  #count = 0;

  constructor(harness: EngineHarness) {
    this.#harness = harness;
  }

  pass(markets: number): void {
    for (let i = 0; i < markets; i++) {
      this.#turn();
      this.#harness.run(EVERY_MS);
    }
  }

  #turn(): void {
    const harness = this.#harness;
    const group: EventTicker = eventTicker(`GROUP-${Math.floor(this.#count / GROUP_SIZE)}`);
    const index = list(harness, `${group}-${this.#count % GROUP_SIZE}`, { eventTicker: group });
    this.#living.push({ index, bornAt: harness.now });
    this.#count += 1;
    for (const { index: each } of this.#living)
      harness.venue.changeLevel(each, 'bid', { price: cents(30), change: 100 });
    for (const order of harness.venue.resting()) if (order.leaves > 0) harness.venue.tradeOrder(order, 200);
    while (harness.now - must(this.#living[0], 'the oldest').bornAt >= LIFE_MS * 1000) {
      const { index: oldest } = must(this.#living.shift(), 'the oldest');
      harness.venue.settleMarket(oldest, this.#count % 2 === 0 ? cents(100) : cents(0));
    }
    delistForgotten(harness);
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
    const harness = empty();
    expect(harness.engine.session.phase).toBe('trading');
    const index = list(harness, 'NEW-1', { eventTicker: eventTicker('NEW') });
    harness.run(1500);
    expect(harness.commands('subscribe').map(({ tickers }) => tickers)).toEqual([[ticker('NEW-1')]]);
    expect(harness.engine.state.books.isLive(index)).toBe(true);
    expect(harness.places().map(({ market }) => market)).toEqual([index, index]);
  });

  it('a strategy that selects by series gets a market once its event group is known', () => {
    const joined: string[] = [];
    const harness = empty({ onMarket: ({ market, before }) => void joined.push(`${market.ticker} ${before}`) });
    harness.step({ kind: 'market', at: harness.now, market: aMarket(0, { eventTicker: eventTicker('LATE') }) });
    expect(joined).toEqual([]);
    harness.run(500);
    expect(joined).toEqual(['M-0 null']);
  });

  it('a market of another series is not streamed', () => {
    const harness = empty();
    const eventGroup = { eventTicker: eventTicker('OTHER'), title: '', isExclusive: false, tickers: [] };
    harness.step({ kind: 'event-group', at: harness.now, group: { ...eventGroup, seriesTicker: 'ELSE' as never } });
    harness.step({ kind: 'market', at: harness.now, market: aMarket(0, { eventTicker: eventTicker('OTHER') }) });
    harness.run(100);
    expect(harness.commands('subscribe')).toEqual([]);
    expect(harness.commands('read').some(({ target }) => target.what === 'event')).toBe(false);
  });
});

describe('a settled market', () => {
  it('a settled market is removed after the grace, and no longer streamed', () => {
    const harness = empty();
    const index = list(harness, 'GONE-1', { eventTicker: eventTicker('GONE') });
    harness.run(1500);
    harness.venue.settleMarket(index, cents(100));
    harness.run(GRACE_MS - 500);
    expect(harness.engine.state.markets.get(index)?.status).toBe('finalized');
    harness.run(15_000);
    expect(harness.noticesOf('evicted').map(({ market }) => market.ticker)).toEqual(['GONE-1']);
    expect(harness.commands('unsubscribe').map(({ tickers }) => tickers)).toEqual([['GONE-1']]);
    expect(harness.engine.state.tickers.indexOf('GONE-1')).toBeUndefined();
    expect(harness.engine.state.markets.group(eventTicker('GONE'))).toBeUndefined();
  });

  it('a settled market is removed although the feed determines it once more', () => {
    const harness = empty();
    const index = list(harness, 'GONE-1', { eventTicker: eventTicker('GONE') });
    harness.run(1500);
    harness.venue.settleMarket(index, cents(100));
    harness.run(100);
    const late = { status: 'determined', result: 'no', settlementValue: cents(0) } as const;
    harness.step({ kind: 'market-changed', at: harness.now, exchangeAt: null, market: index, ...late });
    harness.run(20_000);
    expect(harness.noticesOf('evicted').map(({ market }) => market.ticker)).toEqual(['GONE-1']);
  });

  it('a removed market is not added again, though lists go on to show it', () => {
    const harness = empty();
    const index = list(harness, 'GONE-1', { eventTicker: eventTicker('GONE') });
    harness.run(1500);
    harness.venue.settleMarket(index, cents(100));
    harness.run(60_000);
    expect(harness.noticesOf('evicted')).toHaveLength(1);
    expect(harness.noticesOf('market').map(({ market, before }) => `${before} ${market.status}`)).toEqual([
      'null active',
      'active finalized',
    ]);
  });

  it('a settled market stays while its fills could be reported once more, because none were read for long', () => {
    const harness = empty();
    const index = list(harness, 'SLOW-1', { eventTicker: eventTicker('SLOW') });
    harness.run(1500);
    harness.venue.tradeOrder(must(harness.venue.resting()[0], 'an order'), 300);
    harness.venue.settleMarket(index, cents(100));
    harness.venue.script.read = ({ target }) => (target.what === 'fills' ? 'fail' : 'do');
    harness.run(60_000);
    expect(harness.noticesOf('evicted')).toEqual([]);
    harness.venue.script = {};
    harness.run(40_000);
    expect(harness.noticesOf('evicted')).toHaveLength(1);
    expect(harness.noticesOf('fill')).toHaveLength(1);
    expect(harness.engine.state.portfolio.cash).toBe(harness.venue.cash);
  });

  it('a removed market leaves its result in the account, to the millionth', () => {
    const harness = empty();
    const index = list(harness, 'GONE-1', { eventTicker: eventTicker('GONE') });
    harness.run(1500);
    harness.venue.tradeOrder(must(harness.venue.resting()[0], 'an order'), 300);
    harness.run(100);
    harness.venue.settleMarket(index, cents(100));
    harness.run(100);
    const before = accountSummary(harness.engine.state);
    harness.run(20_000);
    const now = accountSummary(harness.engine.state);
    expect(before.positions).toHaveLength(1);
    expect(now).toEqual({
      ...before,
      positions: [],
      past: { markets: 1, realized: before.realized, fees: before.fees },
    });
  });

  it('a removed market takes its quotes with it: the next market under its index is not quoted by itself', () => {
    const harness = empty({
      onBook: ({ market }) => [aQuote({ market })],
      onMarket: ({ market }) => [aQuote({ market: market.index })],
    });
    const index = list(harness, 'GONE-1', { eventTicker: eventTicker('GONE') });
    harness.run(1500);
    harness.venue.settleMarket(index, cents(100));
    harness.run(20_000);
    expect(() => harness.step({ kind: 'timer', at: harness.now })).not.toThrow();
    expect(harness.engine.state.orders.openCount).toBe(0);
  });
});

describe('a position of another session in a market that is not followed', () => {
  it('an unfollowed market with a position is read, and the position is paid out with it', () => {
    const harness = new EngineHarness({ markets: [] }).startTrading();
    const index = harness.engine.state.tickers.internTicker(ticker('STRAY-1'));
    harness.venue.listMarket(
      aMarket(index, { ticker: ticker('STRAY-1'), eventTicker: eventTicker('STRAY'), closeAt: after(0) }),
    );
    const fill = aFill({ market: index, qty: contracts(3), price: cents(40), fee: 0 as Money });
    harness.step({ kind: 'fill', at: harness.now, fill });
    harness.run(31_000);
    expect(harness.commands('subscribe')).toEqual([]);
    expect(harness.engine.state.markets.get(index)?.ticker).toBe('STRAY-1');
    harness.step({
      kind: 'market-changed',
      at: harness.now,
      exchangeAt: null,
      market: index,
      status: 'finalized',
      result: 'yes',
      settlementValue: cents(100),
    });
    expect(harness.engine.state.portfolio.cash).toBe(money(dollars(1000) + dollars(1.8)));
  });
});

describe('the size of an engine', () => {
  it('the engine keeps as much after hundreds of markets as after dozens, and accounts for every cent of them', () => {
    const harness = empty();
    const churn = new Churn(harness);
    churn.pass(150);
    const early = retained(harness.engine);
    churn.pass(450);
    const late = retained(harness.engine);
    for (const [what, count] of Object.entries(early))
      expect(late[what], what).toBeLessThanOrEqual(Math.ceil(count * 1.3) + 5);
    expect(late['numbers']).toBeLessThan(200);
    harness.run(30_000).stop();
    const { past, positions, cash, fees } = accountSummary(harness.engine.state);
    expect(harness.engine.session.drift).toEqual({ positions: 0, isCashEqual: true });
    expect(past.markets + positions.length).toBeGreaterThan(590);
    expect(cash).toBe(harness.venue.cash);
    const realized = positions.reduce((sum, line) => sum + line.realized, Number(past.realized));
    const open = positions.reduce((sum, line) => sum + line.cost, 0);
    expect(cash).toBe(dollars(1000) + realized - open - fees);
  });
});
