// The publisher: what a follower receives, and that a follower which does not read, sends garbage or floods costs the bot
// nothing.
import { describe, expect, it } from 'vitest';
import { must } from '../../../src/base/assert.ts';
import { strategyName } from '../../../src/domain/ids.ts';
import { cents, contracts, dollars, fromSeconds, micros } from '../../../src/domain/units.ts';
import { DAY } from '../../../src/risk/losses/utc-day.ts';
import { FOLLOWERS_MAX } from '../../../src/runtime/follow/live-publisher.ts';
import { M0, aMarket, index } from '../../support/engine/builders.ts';
import { aStrategy, quoter } from '../../support/engine/engine-harness.ts';
import { ScriptedVenue } from '../../support/engine/scripted-venue.ts';
import { FollowBench } from '../../support/sessions/follow-bench.ts';

const trading = (markets = 1): FollowBench => {
  const bench = new FollowBench({
    strategies: [aStrategy(quoter())],
    markets: Array.from({ length: markets }, (_, number) => aMarket(number)),
  });
  bench.harness.startTrading();
  return bench;
};

const watching = (markets: number): FollowBench => {
  const bench = new FollowBench({ markets: Array.from({ length: markets }, (_, number) => aMarket(number)) });
  bench.harness.startTrading();
  return bench;
};

const tick = (bench: FollowBench, change: number, market = M0): void =>
  bench.harness.venue.changeLevel(market, 'bid', { price: cents(46), change });

describe('a follower', () => {
  it('receives hello first, then the session, its orders, its events and every market', () => {
    const bench = trading(3);
    tick(bench, 100);
    bench.pass(100);
    const follower = bench.follow();
    expect(follower.frames[0]).toMatchObject({ type: 'hello', seq: 1, version: 1, bot: 'bench', session: 's' });
    expect(follower.faults).toEqual([]);
    const { bot } = follower;
    expect(bot.isComplete).toBe(true);
    expect([...bot.facts.values()].map(({ ticker }) => ticker)).toEqual(['M-0', 'M-1', 'M-2']);
    expect(bot.rows.get(0)?.slice(0, 11)).toEqual([0, 'active', 'live', 4600, 100, 5500, 1000, 4000, 500, 6000, 500]);
    expect(bot.session).toMatchObject({ phase: 'trading', marketCount: 3, account: { equityMicros: 1_000_000_000 } });
    expect([...bot.orders.values()].filter(({ isOpen }) => isOpen).length).toBeGreaterThanOrEqual(2);
    expect(bot.events.some(({ kind, text }) => kind === 'phase' && text.startsWith('session trading'))).toBe(true);
  });

  it('receives a value that changed a thousand times once', () => {
    const bench = trading(2);
    const follower = bench.follow(4);
    bench.pass(1000);
    const before = follower.framesOf('markets').length;
    for (let change = 0; change < 1000; change++) tick(bench, 1);
    bench.pass(250);
    const frames = follower.framesOf('markets').slice(before);
    expect(frames.flatMap(({ rows }) => rows.map(([market]) => market))).toEqual([0]);
    expect(follower.bot.rows.get(0)?.[4]).toBe(1000);
  });

  it('receives no row for a change behind the touch', () => {
    const bench = trading(2);
    const follower = bench.follow(4);
    bench.pass(1000);
    const before = follower.framesOf('markets').length;
    bench.harness.venue.changeLevel(index(1), 'bid', { price: cents(30), change: 100 });
    bench.pass(500);
    expect(follower.framesOf('markets').length).toBe(before);
  });

  it('receives the worst case and the drawdown of the moment at which their limits were measured', () => {
    const bench = trading(2);
    const follower = bench.follow(10);
    tick(bench, 100);
    bench.pass(1000);
    const order = bench.harness.venue.resting(M0).find(({ report }) => report.side === 'buy');
    if (order) bench.harness.venue.tradeOrder(order, 200);
    // The bid falls while the limits wait for their next second.
    bench.pass(200);
    tick(bench, -100);
    for (let tenth = 0; tenth < 20; tenth++) bench.pass(100);
    const frames = follower.framesOf('session');
    const usedOf = ({ session }: (typeof frames)[number], name: string): number | undefined =>
      session.limits.find(({ limit }) => limit === name)?.used;
    for (const frame of frames) {
      expect(frame.session.account.exposureMicros).toBe(usedOf(frame, 'accountCostMax') ?? 0);
      expect(0 - (frame.session.account.drawdownMicros ?? 0)).toBe(usedOf(frame, 'drawdownMax') ?? 0);
    }
    expect(new Set(frames.map(({ session }) => session.account.drawdownMicros)).size).toBeGreaterThan(1);
    expect(new Set(frames.map(({ session }) => session.account.exposureMicros)).size).toBeGreaterThan(1);
  });

  it('receives the fees of a strategy over all sessions, as its profits, and its counts of this session', () => {
    const bench = trading();
    const { strategyLedgers } = bench.harness.engine.state;
    const strategy = strategyName('maker');
    const saved = { strategy, realized: dollars(5), fees: dollars(1), losses: null, positions: [] };
    strategyLedgers.ledgerOf(strategy).restoreLedger(saved, () => M0);
    const follower = bench.follow();
    bench.pass(1000);
    const [shown] = must(follower.bot.session, 'the session').strategies;
    expect(shown).toMatchObject({ realizedMicros: 5_000_000, feesMicros: 1_000_000, fills: 0, filledQty: 0 });
  });

  it('receives a heartbeat each second though nothing changes', () => {
    const bench = trading();
    const follower = bench.follow(10);
    for (let second = 0; second < 10; second++) bench.pass(1000);
    expect(follower.framesOf('beat').length).toBeGreaterThanOrEqual(10);
    expect(follower.framesOf('beat').length).toBeLessThanOrEqual(12);
  });

  it('sees a market go when the bot drops it, and its fill, its position and its profit of the day before', () => {
    const bench = trading(2);
    const follower = bench.follow();
    const order = bench.harness.venue.resting(M0).find(({ report }) => report.side === 'buy');
    if (order) bench.harness.venue.tradeOrder(order, 200);
    bench.pass(1000);
    expect(follower.bot.rows.get(0)?.[11]).toBe(200);
    // Two contracts bought at 40 cents are worth 50, less the fee.
    expect(follower.bot.rows.get(0)?.[12]).toBe(200_000 - (bench.tally.strategies()[0]?.fees ?? 0));
    const filled = follower.bot.events.find(({ kind }) => kind === 'fill');
    expect(filled).toMatchObject({ severity: 'info', ticker: 'M-0', strategy: 'maker' });
    bench.harness.venue.settleMarket(M0, cents(100));
    bench.pass(1000);
    expect(follower.bot.rows.get(0)?.[1]).toBe('finalized');
    for (let second = 0; second < 200; second++) bench.pass(1000);
    expect([...follower.bot.rows.keys()]).toEqual([1]);
    expect([...follower.bot.facts.keys()]).toEqual([1]);
  });

  it('sees the details of a watched market: depth, our orders with their place in the queue, prints', () => {
    const bench = trading(2);
    const follower = bench.follow();
    follower.send('{"type":"watch","markets":["M-1","NONE"]}\n');
    bench.harness.venue.emitEvent({
      kind: 'print',
      exchangeAt: bench.harness.now,
      market: index(1),
      tradeId: 't-9' as never,
      side: 'buy',
      price: cents(55),
      qty: contracts(3),
    });
    bench.pass(500);
    const detail = follower.bot.details.get('M-1')?.market;
    expect(detail).toMatchObject({
      ticker: 'M-1',
      trust: 'live',
      bids: [[4500, 1000]],
      asks: [[5500, 1000]],
      prints: [{ side: 'buy', price: 5500, qty: 300 }],
      strategies: [{ name: 'maker', isSelected: true, why: null }],
    });
    expect(detail?.orders.map(({ side, queueAhead }) => [side, queueAhead])).toEqual([
      ['buy', 0],
      ['sell', 0],
    ]);
    expect([...follower.bot.details.keys()]).toEqual(['M-1']);
  });
});

describe('the day of a market', () => {
  it('begins with the last check before midnight, as the profit of the account does, though the prices move at midnight', () => {
    const markets = [aMarket(0, { closeAt: micros(2 * DAY) })];
    const venue = new ScriptedVenue(markets, dollars(1000), micros(DAY - fromSeconds(10)));
    venue.changeLevel(M0, 'bid', { price: cents(45), change: 1000 });
    venue.changeLevel(M0, 'ask', { price: cents(55), change: 1000 });
    const bench = new FollowBench({ strategies: [aStrategy(quoter())], markets, venue });
    bench.harness.startTrading();
    const follower = bench.follow();
    const order = venue.resting(M0).find(({ report }) => report.side === 'buy');
    if (order) venue.tradeOrder(order, 200);
    bench.pass(Math.floor((DAY - bench.harness.now) / 1000) - 1);
    expect(follower.bot.rows.get(0)?.[11]).toBe(200);
    bench.harness.run(10);
    tick(bench, 1000);
    bench.pass(3000);
    // The mid of 45 and 55 has become that of 46 and 55: half a cent for each of two contracts.
    expect(follower.bot.session?.account.dayMicros).toBe(10_000);
    expect(follower.bot.rows.get(0)?.[12]).toBe(10_000);
    venue.settleMarket(M0, cents(100));
    bench.pass(1000);
    expect(follower.bot.session?.account.dayMicros).toBe(1_000_000);
    expect(follower.bot.rows.get(0)?.[12]).toBe(1_000_000);
  });
});

describe('the place of an order in the queue', () => {
  it('is read without a change: a level that shrinks and grows again leaves the engine’s estimate as it was', () => {
    const bench = new FollowBench({ strategies: [aStrategy(quoter())] });
    const { venue, engine } = bench.harness;
    venue.changeLevel(M0, 'bid', { price: cents(40), change: 1000 });
    bench.harness.startTrading();
    const follower = bench.follow();
    follower.send('{"type":"watch","markets":["M-0"]}\n');
    const [order] = engine.state.orders.openIn(M0).filter(({ side }) => side === 'buy');
    const aheadShown = (): unknown =>
      follower.bot.details.get('M-0')?.market.orders.find(({ side }) => side === 'buy')?.queueAhead;
    bench.pass(500);
    expect(aheadShown()).toBe(1000);
    venue.changeLevel(M0, 'bid', { price: cents(40), change: -400 });
    bench.pass(500);
    expect(aheadShown()).toBe(600);
    venue.changeLevel(M0, 'bid', { price: cents(40), change: 400 });
    bench.pass(500);
    expect([aheadShown(), order && engine.state.queueEstimates.estimateFor(order)?.aheadQty]).toEqual([1000, 1000]);
  });
});

describe('the snapshot of 3 000 markets', () => {
  it('is sent in blocks of 1 000 rows, one in a turn of the event loop', () => {
    const bench = watching(3000);
    const follower = bench.follow();
    expect(
      follower.framesOf('markets').map(({ rows, isSnapshot, hasMore }) => [rows.length, isSnapshot, hasMore]),
    ).toEqual([[1000, true, true]]);
    bench.scheduler.advance(0);
    const blocks = follower.framesOf('markets');
    expect(blocks.map(({ rows }) => rows.length)).toEqual([1000, 1000, 1000]);
    expect(blocks.map(({ isSnapshot }) => isSnapshot)).toEqual([true, false, false]);
    expect(blocks.map(({ hasMore }) => hasMore)).toEqual([true, true, false]);
    expect(follower.bot.rows.size).toBe(3000);
  });
});

describe('a follower that does not read', () => {
  it('misses changes, is right by itself once it reads again, and ends after five seconds', () => {
    const bench = watching(2000);
    const follower = bench.follow();
    bench.pass(1000);
    follower.stall(true);
    for (let round = 0; round < 16; round++) {
      for (let market = 0; market < 2000; market += 1) tick(bench, 1, index(market));
      bench.pass(250);
    }
    expect(follower.isDestroyed).toBe(false);
    expect(follower.writableLength).toBeGreaterThan(1_000_000);
    expect(follower.writableLength).toBeLessThan(1_400_000);
    follower.stall(false);
    bench.pass(2000);
    const fresh = bench.follow();
    bench.pass(1000);
    expect(follower.bot.rows.get(42)?.[4]).toBe(16);
    expect([...follower.bot.rows].sort(([a], [b]) => a - b)).toEqual([...fresh.bot.rows]);
    follower.stall(true);
    for (let second = 0; second < 7; second++) {
      for (let market = 0; market < 2000; market++) tick(bench, 1, index(market));
      bench.pass(1000);
    }
    expect([follower.isDestroyed, fresh.isDestroyed]).toEqual([true, false]);
  });
});

describe('followers', () => {
  it('are at most four; a place is free again when one leaves', () => {
    const bench = trading();
    const followers = Array.from({ length: 20 }, () => bench.follow());
    expect(followers.filter(({ faults }) => faults.length === 0).length).toBe(FOLLOWERS_MAX);
    expect(followers[4]?.faults).toEqual(['4 consoles follow this bot already']);
    followers[0]?.destroy();
    expect(bench.follow().faults).toEqual([]);
  });

  it.each([
    ['text that is not JSON', 'quatsch\n'],
    ['an unknown request', '{"type":"sell-all"}\n'],
    [
      'too many markets',
      `${JSON.stringify({ type: 'watch', markets: Array.from({ length: 9 }, (_, at) => `M-${at}`) })}\n`,
    ],
    ['an endless line', 'x'.repeat(70_000)],
    ['a flood', '{"type":"watch","markets":[]}\n'.repeat(30)],
  ])('lose their connection for %s; the others keep theirs', (_, text) => {
    const bench = trading();
    const [one, other] = [bench.follow(), bench.follow()];
    one.send(text);
    bench.pass(1000);
    expect([one.isDestroyed, other.isDestroyed]).toEqual([true, false]);
    expect(bench.logged).toEqual([]);
  });

  it('are all disconnected by a fault of the publisher, which the engine does not notice', () => {
    const bench = trading();
    const follower = bench.follow();
    Object.defineProperty(bench.harness.engine.state.feed, 'connections', {
      get: () => {
        throw new Error('planted');
      },
    });
    bench.pass(1000);
    expect(follower.isDestroyed).toBe(true);
    expect(bench.logged.join('')).toContain('planted');
    // Followers that come back find the same fault, until none may come back.
    for (const attempt of [2, 3, 4, 5]) {
      expect(bench.logged.length).toBe(attempt - 1);
      expect(bench.follow()).toMatchObject({ faults: [], isDestroyed: true });
    }
    expect(bench.logged.join('')).toContain('it is off until the next start');
    expect(bench.follow().faults).toEqual(['the live connection is off: the log says why']);
    tick(bench, 100);
    bench.pass(1000);
    expect(bench.harness.engine.session.phase).toBe('trading');
    expect(bench.scheduler.pendingCount).toBe(0);
  });

  it('receive the last figures when the session ends', () => {
    const bench = trading();
    const follower = bench.follow();
    bench.harness.stop();
    bench.publisher.close();
    expect(follower.bot.session?.phase).toBe('stopped');
    expect([follower.isEnded, bench.scheduler.pendingCount]).toEqual([true, 0]);
  });
});
