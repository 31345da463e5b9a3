// A whole session against the scripted venue: its phases, its cancels, its recovery, and its final figures.
import { describe, expect, it } from 'vitest';
import { eventTicker } from '../../../src/domain/ids.ts';
import { FLAT } from '../../../src/domain/position.ts';
import { cents, contracts, dollars, micros, money } from '../../../src/domain/units.ts';
import { M0, aFill, after } from '../../support/engine/builders.ts';
import { type Sent, World, aStrategy, quoter, depthQuoter } from '../../support/engine/world.ts';

const quoting = (): World => new World({ strategies: [aStrategy(quoter())] });

describe('a session', () => {
  it('discovers, clears, loads and trades before its first order', () => {
    const world = quoting().startTrading();
    expect(world.phases()).toEqual(['discovering', 'clearing', 'loading', 'trading']);
    // The book was shown when no order could leave yet, and has not moved since.
    expect(world.venue.resting().map(({ report }) => [report.side, report.price])).toEqual([
      ['buy', cents(40)],
      ['sell', cents(60)],
    ]);
  });

  it('reads a list again that is dated before it was needed, and does not wait for it without end', () => {
    const world = quoting();
    let stale = 1;
    world.venue.script.answers = (_, truth) =>
      truth.kind === 'orders' && stale-- > 0 ? { ...truth, askedAt: micros(truth.askedAt - 60_000_000) } : truth;
    world.startTrading();
    expect(world.engine.session.phase).toBe('trading');
    expect(world.commands('read').filter(({ target }) => target.what === 'orders')).toHaveLength(2);
  });

  it('does not count a fill from before its opening figures that a late list of fills shows', () => {
    const world = quoting();
    world.venue.tradeOrder(world.venue.foreignOrder(M0, 'buy', cents(40)), 500);
    world.run(60_000);
    world.startTrading().run(5000);
    const { portfolio } = world.engine.state;
    const opened = { position: portfolio.position(M0), cash: portfolio.cash };
    expect(opened.position.qty).toBe(contracts(5));
    // A read that failed for long before the account opened is answered at last.
    const old = aFill({ qty: contracts(5), fee: dollars(0), exchangeAt: after(0), clientOrderId: null });
    const read = { commandId: 9999, askedAt: world.now, cursor: null } as const;
    world.step({ kind: 'fills', at: world.now, ...read, rows: [old] });
    expect({ position: portfolio.position(M0), cash: portfolio.cash }).toEqual(opened);
  });

  it('reads again when the first list of positions is empty, and opens with what the second shows', () => {
    const world = quoting();
    world.venue.tradeOrder(world.venue.foreignOrder(M0, 'buy', cents(40)), 500);
    // Long before the session: nothing else makes it read its positions again.
    world.run(60_000);
    let empty = 1;
    world.venue.script.answers = (_, truth) =>
      truth.kind === 'positions' && empty-- > 0 ? { ...truth, rows: [] } : truth;
    world.startTrading().run(5000);
    expect(world.engine.session.phase).toBe('trading');
    expect(world.venue.position(M0).qty).toBe(contracts(5));
    expect(world.engine.state.portfolio.position(M0)).toEqual(world.venue.position(M0));
  });

  it('cancels orders of earlier sessions, and counts none of their fills twice', () => {
    const world = new World({ strategies: [aStrategy(depthQuoter())] });
    world.venue.foreignOrder(M0, 'buy', cents(30));
    const traded = world.venue.foreignOrder(M0, 'sell', cents(70));
    world.venue.tradeOrder(traded, 200);
    // The figures are read once more when the venue's lists have had time to include what ended.
    world.startTrading().run(5000);
    expect(world.venue.resting()).toEqual([]);
    expect(world.commands('cancel')).toHaveLength(2);
    expect(world.engine.state.portfolio.position(M0)).toEqual(world.venue.position(M0));
    expect(world.engine.state.portfolio.cash).toBe(world.venue.cash);
    world.run(10_000).stop();
    expect(world.engine.session.drift).toEqual({ positions: 0, isCashEqual: true });
  });

  it('clears an order that fills while it is being canceled', () => {
    const world = quoting();
    const order = world.venue.foreignOrder(M0, 'buy', cents(30));
    world.start();
    while (world.commands('cancel').length === 0) {
      // The order trades just before the cancel arrives.
      world.venue.script.cancel = () => (world.venue.tradeOrder(order, 500), 'do');
      world.run(1);
    }
    world.run(3000);
    expect(world.engine.session.phase).toBe('trading');
    expect(world.engine.state.portfolio.position(M0)).toEqual(world.venue.position(M0));
    expect(world.commands('cancel').length).toBeLessThan(4);
  });

  it('cancels an order once although two pages list it', () => {
    const world = quoting();
    const order = world.venue.foreignOrder(M0, 'buy', cents(30));
    world.start();
    world.run(3);
    const report = order.report;
    const list = world.commands('read').find(({ target }) => target.what === 'orders')!;
    world.step({
      kind: 'orders',
      at: world.now,
      askedAt: world.now,
      commandId: list.id,
      rows: [report, report],
      cursor: null,
    });
    world.run(5000);
    expect(world.engine.session.phase).toBe('trading');
    expect(world.commands('cancel')).toHaveLength(1);
  });

  it('stops with nothing resting and no drift, having canceled before it closed', () => {
    const world = quoting().startTrading();
    world.venue.changeLevel(M0, 'bid', { price: cents(44), change: 100 });
    world.run(10);
    world.venue.tradeOrder(world.venue.resting()[0]!, 300);
    world.run(10).stop();
    expect(world.phases().slice(-3)).toEqual(['stopping', 'closing', 'stopped']);
    expect(world.venue.resting()).toEqual([]);
    expect(world.engine.session.drift).toEqual({ positions: 0, isCashEqual: true });
    expect(world.noticesOf('reconciled')).toHaveLength(1);
    expect(world.engine.state.portfolio.position(M0).qty).toBe(contracts(3));
  });

  it('compares at the end even when only the closing list shows the last fill', () => {
    const world = quoting().startTrading();
    world.venue.changeLevel(M0, 'bid', { price: cents(44), change: 100 });
    world.run(10);
    world.venue.feedDown();
    world.venue.tradeOrder(world.venue.resting()[0]!, 500);
    world.venue.answerDelay = 0;
    world.stop();
    expect(world.engine.session.phase).toBe('stopped');
    expect(world.engine.session.drift).toEqual({ positions: 0, isCashEqual: true });
    expect(world.engine.state.portfolio.position(M0).qty).toBe(contracts(5));
  });

  it('sends nothing that a strategy wants while the session is stopping', () => {
    const place = { type: 'place', market: M0, side: 'buy', price: cents(41), qty: contracts(1) } as const;
    const world = new World({
      strategies: [aStrategy({ ...quoter(), onStop: () => [place], onOrder: () => [place] })],
    }).startTrading();
    world.venue.changeLevel(M0, 'bid', { price: cents(44), change: 100 });
    world.run(10);
    const before = world.places().length;
    world.stop();
    expect(world.engine.session.phase).toBe('stopped');
    expect(world.venue.resting()).toEqual([]);
    expect(world.places().length).toBe(before);
  });

  it('stops at once when the account had not been opened', () => {
    const world = quoting();
    world.start();
    world.step({ kind: 'stop', at: world.now, reason: 'early' });
    expect(world.engine.session.phase).toBe('stopped');
  });

  it('only watches without a key', () => {
    const world = new World({ strategies: [aStrategy(quoter())], engine: { hasKey: false } }).startTrading();
    world.venue.changeLevel(M0, 'bid', { price: cents(44), change: 100 });
    world.run(5000);
    expect(world.phases()).toEqual(['discovering', 'trading']);
    expect(world.places()).toEqual([]);
    expect(world.noticesOf('denied').every(({ denial }) => denial.code === 'not-ready')).toBe(true);
    expect(world.noticesOf('denied').length).toBeGreaterThan(0);
    const private_ = world
      .commands('read')
      .filter(({ target }) => ['orders', 'fills', 'balance', 'positions'].includes(target.what));
    expect(private_).toEqual([]);
  });

  it('repeats the reads that failed at the start', () => {
    const world = quoting();
    const failed = new Set<string>();
    world.venue.script.read = ({ target }) => {
      if (failed.has(target.what)) return 'do';
      failed.add(target.what);
      return 'fail';
    };
    world.start();
    world.run(20_000);
    expect(world.engine.session.phase).toBe('trading');
    expect([...failed]).toEqual(
      expect.arrayContaining(['event', 'markets', 'orders', 'fills', 'balance', 'positions']),
    );
  });

  it.each([
    ['trades without an event group that its venue does not know, where it may be missing', true, 'trading'],
    ['waits for an event group that its venue does not know, where it may not be missing', false, 'discovering'],
  ] as const)('%s', (_title, groupsMayBeMissing, phase) => {
    const universe = { tickers: [], events: [eventTicker('EVENT'), eventTicker('TYPO')], series: [] };
    const world = new World({ strategies: [aStrategy(quoter())], engine: { universe, groupsMayBeMissing } });
    world.venue.script.read = ({ target }) =>
      target.what === 'event' && target.eventTicker === eventTicker('TYPO') ? 'refuse' : 'do';
    world.startTrading().run(500);
    expect(world.engine.session.phase).toBe(phase);
    expect(world.venue.resting().length > 0).toBe(groupsMayBeMissing);
  });

  it('begins when an event group is the last thing to arrive', () => {
    const world = quoting();
    let failures = 1;
    world.venue.script.read = ({ target }) => (target.what === 'event' && failures-- > 0 ? 'fail' : 'do');
    world.start();
    world.run(1000);
    expect(world.engine.session.phase).toBe('trading');
  });

  it('begins although an event group could be read only after its markets fell due again', () => {
    const world = quoting();
    world.venue.script.read = ({ target }) => (target.what === 'event' && world.now < after(40_000) ? 'fail' : 'do');
    world.start();
    world.run(39_000);
    expect(world.phases()).toEqual(['discovering']);
    world.run(15_000);
    expect(world.engine.session.phase).toBe('trading');
  });

  it('reads an event group again whose answer could not be read', () => {
    const world = quoting();
    world.start();
    const read = world.commands('read').find(({ target }) => target.what === 'event')!;
    world.venue.takeNext();
    world.step({ kind: 'answered', at: world.now, commandId: read.id, ok: true, clockOffset: null });
    world.step({ kind: 'read-failed', at: world.now, commandId: read.id, reason: 'unreadable', isRefused: false });
    world.run(600);
    expect(world.commands('read').filter(({ target }) => target.what === 'event')).toHaveLength(2);
  });

  it('reports what differs when the venue holds something unknown to the session', () => {
    const world = quoting().startTrading();
    world.run(10);
    world.venue.cash = money(world.venue.cash - 5);
    world.stop();
    expect(world.engine.session.drift).toEqual({ positions: 0, isCashEqual: false });
    expect(world.noticesOf('cash-drift')).toEqual([
      { type: 'cash-drift', ours: dollars(1000), theirs: dollars(999.999995) },
    ]);
    expect(world.noticesOf('reconciled')).toEqual([]);
  });

  it('names the position that differs', () => {
    const world = new World().startTrading();
    world.venue.feedDown();
    const order = world.venue.foreignOrder(M0, 'buy', cents(50));
    world.venue.tradeOrder(order, 500);
    // No list ever shows the trade.
    world.venue.script.answers = (_, truth) => (truth.kind === 'fills' ? { ...truth, rows: [] } : truth);
    world.venue.feedUp();
    world.run(10_000);
    expect(world.noticesOf('position-drift')).toEqual([{ type: 'position-drift', market: M0, ours: 0, theirs: 500 }]);
    expect(world.engine.state.portfolio.position(M0)).toEqual(FLAT);
  });
});

describe('figures in flight', () => {
  it('figures requested while an order was being canceled are not compared: its collateral was still reserved', () => {
    const world = quoting().startTrading();
    world.venue.changeLevel(M0, 'bid', { price: cents(44), change: 100 });
    world.run(10);
    world.venue.answerDelay = 500_000;
    world.run(2800);
    const readsOf = world.commands('read').filter(({ target }) => target.what === 'balance').length;
    while (world.commands('read').filter(({ target }) => target.what === 'balance').length === readsOf) world.run(10);
    world.venue.answerDelay = 1000;
    world.step({ kind: 'stop', at: world.now, reason: 'test' });
    world.run(2000);
    expect(world.engine.session.phase).toBe('stopped');
    expect(world.noticesOf('cash-drift')).toEqual([]);
  });

  it('no fill is skipped, because each list of fills begins before the last complete one', () => {
    const world = quoting().startTrading();
    world.venue.changeLevel(M0, 'bid', { price: cents(44), change: 100 });
    world.run(10);
    const order = world.venue.resting()[0]!;
    // The fill goes unreported: the feed is cut for a moment, and no list of fills can be read for a long time.
    world.venue.script.read = ({ target }) => (target.what === 'fills' ? 'fail' : 'do');
    world.venue.script.cancel = () => 'vanish';
    world.venue.feedDown();
    world.venue.tradeOrder(order, 100);
    world.venue.feedUp();
    for (let second = 0; second < 40; second++) {
      world.run(1000);
      world.venue.tradeOrder(order, 10);
    }
    world.venue.script = {};
    world.run(12_000);
    expect(world.engine.state.portfolio.position(M0)).toEqual(world.venue.position(M0));
  });
});

describe('a feed that was lost', () => {
  it('a recovery follows before anything else is sent', () => {
    const world = quoting().startTrading();
    world.venue.changeLevel(M0, 'bid', { price: cents(44), change: 100 });
    world.run(10);
    world.venue.feedDown();
    world.run(10);
    expect(world.venue.resting()).toEqual([]);
    world.venue.feedUp();
    world.run(5000);
    expect(world.phases().slice(-2)).toEqual(['recovering', 'trading']);
    const down = world.notices.findIndex((notice) => notice.type === 'trust' && notice.trust === 'suspect');
    const traded = world.notices.findIndex(
      (notice, i) => i > down && notice.type === 'phase' && notice.phase === 'trading',
    );
    const between = world.notices.slice(down, traded).filter(({ type }) => type === 'approved');
    expect(between).toEqual([]);
    world.venue.changeLevel(M0, 'bid', { price: cents(44), change: 100 });
    world.run(10);
    expect(world.venue.resting()).toHaveLength(2);
  });

  it('no fill is lost: what traded meanwhile is read', () => {
    const world = quoting().startTrading();
    world.venue.changeLevel(M0, 'bid', { price: cents(44), change: 100 });
    world.run(10);
    world.venue.script.cancel = () => 'vanish';
    world.venue.feedDown();
    world.venue.tradeOrder(world.venue.resting()[0]!, 300);
    world.run(5);
    world.venue.script = {};
    world.venue.feedUp();
    world.run(100);
    expect(world.engine.session.phase).toBe('trading');
    expect(world.engine.state.portfolio.position(M0).qty).toBe(300);
    world.stop();
    expect(world.engine.session.drift).toEqual({ positions: 0, isCashEqual: true });
  });

  it('an answer requested before a second loss does not end the recovery', () => {
    const world = quoting().startTrading();
    world.venue.feedDown();
    world.run(5);
    world.venue.answerDelay = 500_000;
    world.venue.feedUp();
    world.run(5);
    world.venue.feedDown();
    world.run(5);
    world.venue.feedUp();
    world.run(5);
    const readsOf = (what: string): Sent[] =>
      world.sent.filter(({ command }) => command.type === 'read' && command.target.what === what);
    const again = readsOf('orders').at(-1)!.at;
    world.run(3000);
    expect(world.engine.session.phase).toBe('trading');
    // Balances are the second step: requested when the lists have arrived that were requested after the second loss.
    const balance = readsOf('balance').find(({ at }) => at >= again)!;
    expect(balance.at - again).toBeGreaterThanOrEqual(500_000);
  });
});
