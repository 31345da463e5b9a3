// The feed in the whole engine: books that freeze, snapshots that are missing, private channels that fall silent.
// Nothing is traded on data that is not confirmed, and trading resumes as soon as it is.
import { describe, expect, it } from 'vitest';
import { cents } from '../../../src/domain/units.ts';
import type { RiskLimits } from '../../../src/risk/risk-limits.ts';
import { M0, M1, aMarket, after, wideLimits } from '../../support/engine/builders.ts';
import type { Handlers } from '../../../src/strategy/strategy-definition.ts';
import { World, type WorldOptions, aQuote, aStrategy, quoter, depthQuoter } from '../../support/engine/world.ts';

const NO_AUDITS = { fills: 2000, compare: 3000, probe: 1000, audit: 3_600_000, markets: 30_000 };

const quoting = (limits: Partial<RiskLimits> = {}, over: WorldOptions = {}): World =>
  new World({
    strategies: [aStrategy(quoter())],
    engine: { limits: wideLimits(limits), timetable: NO_AUDITS },
    ...over,
  });
/** A change far from the touch. The quoter then quotes again without this change. */
const changeDepth = (world: World, market = M0): void =>
  world.venue.changeLevel(market, 'bid', { price: cents(30), change: 100 });
const deny = (world: World): string[] =>
  world.noticesOf('denied').map(({ denial }) => (denial.code === 'not-ready' ? denial.reason : denial.code));

describe('a silent book', () => {
  it('a silent book is trusted as long as it equals what is read of it, and quotes on it stay', () => {
    const world = quoting({ bookAgeMsMax: 10_000 }).startTrading();
    changeDepth(world);
    world.run(60_000);
    expect(world.venue.resting()).toHaveLength(2);
    expect(world.commands('read').filter(({ target }) => target.what === 'book').length).toBeGreaterThan(5);
    const denials = deny(world).length;
    changeDepth(world);
    world.run(10);
    expect(deny(world)).toHaveLength(denials);
    expect(world.engine.state.surprises.get('book-audit')).toBeUndefined();
  });
  it('a silent book whose venue moves is detected: its orders are canceled, and it is requested until it is right', () => {
    const world = quoting({ bookAgeMsMax: 10_000 }).startTrading();
    changeDepth(world);
    world.run(2000);
    expect(world.venue.resting()).toHaveLength(2);
    world.venue.changeLevelSilently(M0, 'bid', { price: cents(44), change: 300 });
    world.run(20_000);
    expect(world.engine.state.surprises.get('book-audit')).toBe(1);
    // No message arrived meanwhile: the feed is frozen and would not answer.
    expect(world.commands('reconnect')).toHaveLength(1);
    expect(world.engine.state.books.qtyAt(M0, 'bid', cents(44))).toBe(300);
    expect(world.engine.state.books.isLive(M0)).toBe(true);
  });
  it('a book takes no order when nothing confirmed it for too long, whatever else the feed reports', () => {
    // Quotes in the silent market whenever the other one moves.
    const handlers: Handlers = {
      onBook: ({ market, isTouch }) => (market === M1 && !isTouch ? [aQuote({ market: M0 })] : []),
    };
    const world = quoting(
      { bookAgeMsMax: 10_000 },
      { markets: [aMarket(0), aMarket(1)], strategies: [aStrategy(handlers)] },
    ).startTrading();
    world.venue.script.read = ({ target }) => (target.what === 'book' ? 'fail' : 'do');
    world.run(11_000);
    changeDepth(world, M1);
    world.run(1000);
    expect(world.noticesOf('denied').at(-1)?.denial).toMatchObject({ code: 'book-stale', bookAgeMsMax: 10_000 });
    const { state } = world.engine;
    expect(state.now - state.confirmedAt(M0)).toBeGreaterThan(10_000_000);
    expect(state.now - state.confirmedAt(M1)).toBeLessThan(2_000_000);
    expect(state.now - state.feed.lastMessageAt).toBeLessThan(2_000_000);
  });
});

describe('snapshots', () => {
  it('missing snapshots are requested until they arrive, and then quotes are placed', () => {
    const world = quoting();
    let refusals = 2;
    world.venue.script.snapshots = () => refusals-- <= 0;
    world.startTrading();
    expect(world.venue.resting()).toEqual([]);
    world.run(10_000);
    expect(world.engine.state.books.isLive(M0)).toBe(true);
    expect(world.venue.resting()).toHaveLength(2);
  });
  it('snapshots that no request brings arrive by a new connection', () => {
    const world = quoting().startTrading();
    world.venue.script.snapshots = () => false;
    world.venue.emitGap([M0]);
    for (let second = 0; second < 40; second++) {
      changeDepth(world);
      world.run(1000);
    }
    expect(world.commands('renew')).toHaveLength(1);
    expect(world.commands('reconnect')).toHaveLength(1);
    expect(world.noticesOf('alarm').map(({ code }) => code)).toContain('book-unanswered');
    world.run(5000);
    expect(world.engine.state.books.isLive(M0)).toBe(true);
    expect(world.engine.session.phase).toBe('trading');
  });
});

describe('private channels', () => {
  it('refused private channels block all orders until they are granted', () => {
    const world = quoting();
    let isGranted = false;
    world.venue.script.grants = () => isGranted;
    world.startTrading();
    world.run(1000);
    changeDepth(world);
    world.run(10);
    expect(world.places()).toEqual([]);
    expect(deny(world)).toContain('private feed down: positions: by script');
    isGranted = true;
    world.run(30_000);
    changeDepth(world);
    world.run(1000);
    expect(world.venue.resting()).toHaveLength(2);
  });
  it('when private channels end while the feed goes on, everything is canceled, and a recovery follows once they are back', () => {
    const world = quoting().startTrading();
    changeDepth(world);
    world.run(100);
    expect(world.venue.resting()).toHaveLength(2);
    world.venue.script.grants = () => false;
    world.venue.emitEvent({ kind: 'feed-channel', channel: 'fills', isUp: false, reason: 'feed error 25' });
    world.run(2000);
    expect(world.venue.resting()).toEqual([]);
    expect(world.engine.state.books.isLive(M0)).toBe(true);
    world.venue.script.grants = () => true;
    world.run(10_000);
    expect(world.phases().slice(-2)).toEqual(['recovering', 'trading']);
    // The book has not moved meanwhile: strategies were shown it again.
    expect(world.venue.resting()).toHaveLength(2);
  });
  it('private channels that do not report an accepted order are doubted and requested again', () => {
    const world = quoting();
    world.venue.script.reportsOrder = () => false;
    world.startTrading();
    world.run(4000);
    expect(world.venue.resting()).toHaveLength(2);
    world.run(3000);
    expect(world.commands('renew-private')).toHaveLength(1);
    expect(world.noticesOf('alarm').filter(({ code }) => code === 'private-feed')).toHaveLength(1);
    world.venue.script.reportsOrder = () => true;
    world.run(10_000);
    expect(world.engine.state.feed.isPrivateUp).toBe(true);
    expect(world.venue.resting()).toHaveLength(2);
  });
  it('a recovery after a reconnection waits until the private channels are granted', () => {
    const world = quoting().startTrading();
    world.venue.script.grants = () => false;
    world.venue.feedDown();
    world.run(100);
    world.venue.feedUp();
    const reads = world.commands('read').length;
    world.run(200);
    expect(world.phases()).not.toContain('recovering');
    expect(
      world
        .commands('read')
        .slice(reads)
        .map(({ target }) => target.what),
    ).not.toContain('positions');
    world.venue.script.grants = () => true;
    world.venue.grantPrivate();
    world.run(500);
    expect(world.phases().slice(-2)).toEqual(['recovering', 'trading']);
  });
});

describe('unreadable messages', () => {
  it('an unreadable message that may have been about our account causes reads at once', () => {
    const world = quoting().startTrading();
    world.run(100);
    const before = world.commands('read').length;
    world.venue.emitGap([]);
    world.run(20);
    const reads = world
      .commands('read')
      .slice(before)
      .map(({ target }) => target.what);
    expect(reads).toContain('fills');
  });
});

describe('a feed that stays down', () => {
  it('a feed that stays down raises an alarm, and nothing is ordered', () => {
    const world = quoting({}, { strategies: [aStrategy(depthQuoter())] }).startTrading();
    world.venue.feedDown();
    world.run(29_000);
    const codes = (): string[] => world.noticesOf('alarm').map(({ code }) => code);
    expect(codes()).not.toContain('feed-down');
    world.run(3000);
    expect(codes().filter((code) => code === 'feed-down')).toHaveLength(1);
    expect(world.noticesOf('feed').at(-1)).toEqual({ type: 'feed', isUp: false, reason: 'cut' });
  });
});

describe('clocks', () => {
  it('nothing is ordered while the clocks are too far apart', () => {
    const world = quoting({}, { strategies: [aStrategy(depthQuoter())] }).startTrading();
    for (let i = 1; i < 20; i++) {
      const at = after(1000 + i * 330);
      const second = Math.floor((at - 20_000_000) / 1_000_000) * 1_000_000;
      world.now = at;
      world.step({
        kind: 'answered',
        at,
        commandId: 10_000 + i,
        ok: true,
        clockOffset: at - second,
        askedAt: after(990 + i * 330),
      });
    }
    world.venue.now = world.now;
    changeDepth(world);
    world.run(600);
    expect(deny(world).at(-1)).toMatch(/^our clock is \d+ ms ahead of the venue’s: .*; offsetMax is 10000 ms$/);
    expect(world.noticesOf('alarm').map(({ code }) => code)).toContain('clock-offset');
  });
});
