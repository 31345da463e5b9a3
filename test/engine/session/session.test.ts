// A whole session against the scripted venue: its phases, its cancels, its recovery, and its final figures.
import { describe, expect, it } from 'vitest';
import { eventTicker } from '../../../src/domain/ids.ts';
import { FLAT } from '../../../src/domain/position.ts';
import { cents, contracts, dollars, micros, money } from '../../../src/domain/units.ts';
import { M0, aFill, after } from '../../support/engine/builders.ts';
import {
  type SentCommand,
  EngineHarness,
  aStrategy,
  quoter,
  depthQuoter,
} from '../../support/engine/engine-harness.ts';

const quoting = (): EngineHarness => new EngineHarness({ strategies: [aStrategy(quoter())] });

describe('a session', () => {
  it('discovers, clears, loads and trades before its first order', () => {
    const harness = quoting().startTrading();
    expect(harness.phases()).toEqual(['discovering', 'clearing', 'loading', 'trading']);
    // The book was shown when no order could leave yet, and has not moved since.
    expect(harness.venue.resting().map(({ report }) => [report.side, report.price])).toEqual([
      ['buy', cents(40)],
      ['sell', cents(60)],
    ]);
  });

  it('reads a list again that is dated before it was needed, and does not wait for it without end', () => {
    const harness = quoting();
    let stale = 1;
    harness.venue.script.answers = (_, truth) =>
      truth.kind === 'orders' && stale-- > 0 ? { ...truth, askedAt: micros(truth.askedAt - 60_000_000) } : truth;
    harness.startTrading();
    expect(harness.engine.session.phase).toBe('trading');
    expect(harness.commands('read').filter(({ target }) => target.what === 'orders')).toHaveLength(2);
  });

  it('does not count a fill from before its opening figures that a late list of fills shows', () => {
    const harness = quoting();
    harness.venue.tradeOrder(harness.venue.foreignOrder(M0, 'buy', cents(40)), 500);
    harness.run(60_000);
    harness.startTrading().run(5000);
    const { portfolio } = harness.engine.state;
    const opened = { position: portfolio.position(M0), cash: portfolio.cash };
    expect(opened.position.qty).toBe(contracts(5));
    // A read that failed for long before the account opened is answered at last.
    const old = aFill({ qty: contracts(5), fee: dollars(0), exchangeAt: after(0), clientOrderId: null });
    const read = { commandId: 9999, askedAt: harness.now, cursor: null } as const;
    harness.step({ kind: 'fills', at: harness.now, ...read, rows: [old] });
    expect({ position: portfolio.position(M0), cash: portfolio.cash }).toEqual(opened);
  });

  it('reads again when the first list of positions is empty, and opens with what the second shows', () => {
    const harness = quoting();
    harness.venue.tradeOrder(harness.venue.foreignOrder(M0, 'buy', cents(40)), 500);
    // Long before the session: nothing else makes it read its positions again.
    harness.run(60_000);
    let empty = 1;
    harness.venue.script.answers = (_, truth) =>
      truth.kind === 'positions' && empty-- > 0 ? { ...truth, rows: [] } : truth;
    harness.startTrading().run(5000);
    expect(harness.engine.session.phase).toBe('trading');
    expect(harness.venue.position(M0).qty).toBe(contracts(5));
    expect(harness.engine.state.portfolio.position(M0)).toEqual(harness.venue.position(M0));
  });

  it('cancels orders of earlier sessions, and counts none of their fills twice', () => {
    const harness = new EngineHarness({ strategies: [aStrategy(depthQuoter())] });
    harness.venue.foreignOrder(M0, 'buy', cents(30));
    const traded = harness.venue.foreignOrder(M0, 'sell', cents(70));
    harness.venue.tradeOrder(traded, 200);
    // The figures are read once more when the venue's lists have had time to include what ended.
    harness.startTrading().run(5000);
    expect(harness.venue.resting()).toEqual([]);
    expect(harness.commands('cancel')).toHaveLength(2);
    expect(harness.engine.state.portfolio.position(M0)).toEqual(harness.venue.position(M0));
    expect(harness.engine.state.portfolio.cash).toBe(harness.venue.cash);
    harness.run(10_000).stop();
    expect(harness.engine.session.drift).toEqual({ positions: 0, isCashEqual: true });
  });

  it('clears an order that fills while it is being canceled', () => {
    const harness = quoting();
    const order = harness.venue.foreignOrder(M0, 'buy', cents(30));
    harness.start();
    while (harness.commands('cancel').length === 0) {
      // The order trades just before the cancel arrives.
      harness.venue.script.cancel = () => (harness.venue.tradeOrder(order, 500), 'do');
      harness.run(1);
    }
    harness.run(3000);
    expect(harness.engine.session.phase).toBe('trading');
    expect(harness.engine.state.portfolio.position(M0)).toEqual(harness.venue.position(M0));
    expect(harness.commands('cancel').length).toBeLessThan(4);
  });

  it('cancels an order once although two pages list it', () => {
    const harness = quoting();
    const order = harness.venue.foreignOrder(M0, 'buy', cents(30));
    harness.start();
    harness.run(3);
    const report = order.report;
    const list = harness.commands('read').find(({ target }) => target.what === 'orders')!;
    harness.step({
      kind: 'orders',
      at: harness.now,
      askedAt: harness.now,
      commandId: list.id,
      rows: [report, report],
      cursor: null,
    });
    harness.run(5000);
    expect(harness.engine.session.phase).toBe('trading');
    expect(harness.commands('cancel')).toHaveLength(1);
  });

  it('stops with nothing resting and no drift, having canceled before it closed', () => {
    const harness = quoting().startTrading();
    harness.venue.changeLevel(M0, 'bid', { price: cents(44), change: 100 });
    harness.run(10);
    harness.venue.tradeOrder(harness.venue.resting()[0]!, 300);
    harness.run(10).stop();
    expect(harness.phases().slice(-3)).toEqual(['stopping', 'closing', 'stopped']);
    expect(harness.venue.resting()).toEqual([]);
    expect(harness.engine.session.drift).toEqual({ positions: 0, isCashEqual: true });
    expect(harness.noticesOf('reconciled')).toHaveLength(1);
    expect(harness.engine.state.portfolio.position(M0).qty).toBe(contracts(3));
  });

  it('compares at the end even when only the closing list shows the last fill', () => {
    const harness = quoting().startTrading();
    harness.venue.changeLevel(M0, 'bid', { price: cents(44), change: 100 });
    harness.run(10);
    harness.venue.feedDown();
    harness.venue.tradeOrder(harness.venue.resting()[0]!, 500);
    harness.venue.answerDelay = 0;
    harness.stop();
    expect(harness.engine.session.phase).toBe('stopped');
    expect(harness.engine.session.drift).toEqual({ positions: 0, isCashEqual: true });
    expect(harness.engine.state.portfolio.position(M0).qty).toBe(contracts(5));
  });

  it('sends nothing that a strategy wants while the session is stopping', () => {
    const place = { type: 'place', market: M0, side: 'buy', price: cents(41), qty: contracts(1) } as const;
    const harness = new EngineHarness({
      strategies: [aStrategy({ ...quoter(), onStop: () => [place], onOrder: () => [place] })],
    }).startTrading();
    harness.venue.changeLevel(M0, 'bid', { price: cents(44), change: 100 });
    harness.run(10);
    const before = harness.places().length;
    harness.stop();
    expect(harness.engine.session.phase).toBe('stopped');
    expect(harness.venue.resting()).toEqual([]);
    expect(harness.places().length).toBe(before);
  });

  it('stops at once when the account had not been opened', () => {
    const harness = quoting();
    harness.start();
    harness.step({ kind: 'stop', at: harness.now, reason: 'early' });
    expect(harness.engine.session.phase).toBe('stopped');
  });

  it('only watches without a key', () => {
    const harness = new EngineHarness({ strategies: [aStrategy(quoter())], engine: { hasKey: false } }).startTrading();
    harness.venue.changeLevel(M0, 'bid', { price: cents(44), change: 100 });
    harness.run(5000);
    expect(harness.phases()).toEqual(['discovering', 'trading']);
    expect(harness.places()).toEqual([]);
    expect(harness.noticesOf('denied').every(({ denial }) => denial.code === 'not-ready')).toBe(true);
    expect(harness.noticesOf('denied').length).toBeGreaterThan(0);
    const private_ = harness
      .commands('read')
      .filter(({ target }) => ['orders', 'fills', 'balance', 'positions'].includes(target.what));
    expect(private_).toEqual([]);
  });

  it('repeats the reads that failed at the start', () => {
    const harness = quoting();
    const failed = new Set<string>();
    harness.venue.script.read = ({ target }) => {
      if (failed.has(target.what)) return 'do';
      failed.add(target.what);
      return 'fail';
    };
    harness.start();
    harness.run(20_000);
    expect(harness.engine.session.phase).toBe('trading');
    expect([...failed]).toEqual(
      expect.arrayContaining(['event', 'markets', 'orders', 'fills', 'balance', 'positions']),
    );
  });

  it.each([
    ['trades without an event group that its venue does not know, where it may be missing', true, 'trading'],
    ['waits for an event group that its venue does not know, where it may not be missing', false, 'discovering'],
  ] as const)('%s', (_title, groupsMayBeMissing, phase) => {
    const universe = { tickers: [], events: [eventTicker('EVENT'), eventTicker('TYPO')], series: [] };
    const harness = new EngineHarness({ strategies: [aStrategy(quoter())], engine: { universe, groupsMayBeMissing } });
    harness.venue.script.read = ({ target }) =>
      target.what === 'event' && target.eventTicker === eventTicker('TYPO') ? 'refuse' : 'do';
    harness.startTrading().run(500);
    expect(harness.engine.session.phase).toBe(phase);
    expect(harness.venue.resting().length > 0).toBe(groupsMayBeMissing);
  });

  it('begins when an event group is the last thing to arrive', () => {
    const harness = quoting();
    let failures = 1;
    harness.venue.script.read = ({ target }) => (target.what === 'event' && failures-- > 0 ? 'fail' : 'do');
    harness.start();
    harness.run(1000);
    expect(harness.engine.session.phase).toBe('trading');
  });

  it('begins although an event group could be read only after its markets fell due again', () => {
    const harness = quoting();
    harness.venue.script.read = ({ target }) =>
      target.what === 'event' && harness.now < after(40_000) ? 'fail' : 'do';
    harness.start();
    harness.run(39_000);
    expect(harness.phases()).toEqual(['discovering']);
    harness.run(15_000);
    expect(harness.engine.session.phase).toBe('trading');
  });

  it('reads an event group again whose answer could not be read', () => {
    const harness = quoting();
    harness.start();
    const read = harness.commands('read').find(({ target }) => target.what === 'event')!;
    harness.venue.takeNext();
    harness.step({ kind: 'answered', at: harness.now, commandId: read.id, ok: true, clockOffset: null });
    harness.step({ kind: 'read-failed', at: harness.now, commandId: read.id, reason: 'unreadable', isRefused: false });
    harness.run(600);
    expect(harness.commands('read').filter(({ target }) => target.what === 'event')).toHaveLength(2);
  });

  it('reports what differs when the venue holds something unknown to the session', () => {
    const harness = quoting().startTrading();
    harness.run(10);
    harness.venue.cash = money(harness.venue.cash - 5);
    harness.stop();
    expect(harness.engine.session.drift).toEqual({ positions: 0, isCashEqual: false });
    expect(harness.noticesOf('cash-drift')).toEqual([
      { type: 'cash-drift', ours: dollars(1000), theirs: dollars(999.999995) },
    ]);
    expect(harness.noticesOf('reconciled')).toEqual([]);
  });

  it('names the position that differs', () => {
    const harness = new EngineHarness().startTrading();
    harness.venue.feedDown();
    const order = harness.venue.foreignOrder(M0, 'buy', cents(50));
    harness.venue.tradeOrder(order, 500);
    // No list ever shows the trade.
    harness.venue.script.answers = (_, truth) => (truth.kind === 'fills' ? { ...truth, rows: [] } : truth);
    harness.venue.feedUp();
    harness.run(10_000);
    expect(harness.noticesOf('position-drift')).toEqual([{ type: 'position-drift', market: M0, ours: 0, theirs: 500 }]);
    expect(harness.engine.state.portfolio.position(M0)).toEqual(FLAT);
  });
});

describe('figures in flight', () => {
  it('figures requested while an order was being canceled are not compared: its collateral was still reserved', () => {
    const harness = quoting().startTrading();
    harness.venue.changeLevel(M0, 'bid', { price: cents(44), change: 100 });
    harness.run(10);
    harness.venue.answerDelay = 500_000;
    harness.run(2800);
    const readsOf = harness.commands('read').filter(({ target }) => target.what === 'balance').length;
    while (harness.commands('read').filter(({ target }) => target.what === 'balance').length === readsOf)
      harness.run(10);
    harness.venue.answerDelay = 1000;
    harness.step({ kind: 'stop', at: harness.now, reason: 'test' });
    harness.run(2000);
    expect(harness.engine.session.phase).toBe('stopped');
    expect(harness.noticesOf('cash-drift')).toEqual([]);
  });

  it('no fill is skipped, because each list of fills begins before the last complete one', () => {
    const harness = quoting().startTrading();
    harness.venue.changeLevel(M0, 'bid', { price: cents(44), change: 100 });
    harness.run(10);
    const order = harness.venue.resting()[0]!;
    // The fill goes unreported: the feed is cut for a moment, and no list of fills can be read for a long time.
    harness.venue.script.read = ({ target }) => (target.what === 'fills' ? 'fail' : 'do');
    harness.venue.script.cancel = () => 'vanish';
    harness.venue.feedDown();
    harness.venue.tradeOrder(order, 100);
    harness.venue.feedUp();
    for (let second = 0; second < 40; second++) {
      harness.run(1000);
      harness.venue.tradeOrder(order, 10);
    }
    harness.venue.script = {};
    harness.run(12_000);
    expect(harness.engine.state.portfolio.position(M0)).toEqual(harness.venue.position(M0));
  });
});

describe('a feed that was lost', () => {
  it('a recovery follows before anything else is sent', () => {
    const harness = quoting().startTrading();
    harness.venue.changeLevel(M0, 'bid', { price: cents(44), change: 100 });
    harness.run(10);
    harness.venue.feedDown();
    harness.run(10);
    expect(harness.venue.resting()).toEqual([]);
    harness.venue.feedUp();
    harness.run(5000);
    expect(harness.phases().slice(-2)).toEqual(['recovering', 'trading']);
    const down = harness.notices.findIndex((notice) => notice.type === 'trust' && notice.trust === 'suspect');
    const traded = harness.notices.findIndex(
      (notice, i) => i > down && notice.type === 'phase' && notice.phase === 'trading',
    );
    const between = harness.notices.slice(down, traded).filter(({ type }) => type === 'approved');
    expect(between).toEqual([]);
    harness.venue.changeLevel(M0, 'bid', { price: cents(44), change: 100 });
    harness.run(10);
    expect(harness.venue.resting()).toHaveLength(2);
  });

  it('no fill is lost: what traded meanwhile is read', () => {
    const harness = quoting().startTrading();
    harness.venue.changeLevel(M0, 'bid', { price: cents(44), change: 100 });
    harness.run(10);
    harness.venue.script.cancel = () => 'vanish';
    harness.venue.feedDown();
    harness.venue.tradeOrder(harness.venue.resting()[0]!, 300);
    harness.run(5);
    harness.venue.script = {};
    harness.venue.feedUp();
    harness.run(100);
    expect(harness.engine.session.phase).toBe('trading');
    expect(harness.engine.state.portfolio.position(M0).qty).toBe(300);
    harness.stop();
    expect(harness.engine.session.drift).toEqual({ positions: 0, isCashEqual: true });
  });

  it('an answer requested before a second loss does not end the recovery', () => {
    const harness = quoting().startTrading();
    harness.venue.feedDown();
    harness.run(5);
    harness.venue.answerDelay = 500_000;
    harness.venue.feedUp();
    harness.run(5);
    harness.venue.feedDown();
    harness.run(5);
    harness.venue.feedUp();
    harness.run(5);
    const readsOf = (what: string): SentCommand[] =>
      harness.sent.filter(({ command }) => command.type === 'read' && command.target.what === what);
    const again = readsOf('orders').at(-1)!.at;
    harness.run(3000);
    expect(harness.engine.session.phase).toBe('trading');
    // Balances are the second step: requested when the lists have arrived that were requested after the second loss.
    const balance = readsOf('balance').find(({ at }) => at >= again)!;
    expect(balance.at - again).toBeGreaterThanOrEqual(500_000);
  });
});
