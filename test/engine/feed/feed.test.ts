// The feed in the whole engine: books that freeze, snapshots that are missing, private channels that fall silent.
// Nothing is traded on data that is not confirmed, and trading resumes as soon as it is.
import { describe, expect, it } from 'vitest';
import { cents } from '../../../src/domain/units.ts';
import type { RiskLimits } from '../../../src/risk/risk-limits.ts';
import { M0, M1, aMarket, after, wideLimits } from '../../support/engine/builders.ts';
import type { Handlers } from '../../../src/strategy/strategy-definition.ts';
import {
  EngineHarness,
  type EngineHarnessOptions,
  aQuote,
  aStrategy,
  quoter,
  depthQuoter,
} from '../../support/engine/engine-harness.ts';

const NO_AUDITS = { fills: 2000, compare: 3000, probe: 1000, audit: 3_600_000, markets: 30_000 };

const quoting = (limits: Partial<RiskLimits> = {}, over: EngineHarnessOptions = {}): EngineHarness =>
  new EngineHarness({
    strategies: [aStrategy(quoter())],
    engine: { limits: wideLimits(limits), timetable: NO_AUDITS },
    ...over,
  });
/** A change far from the touch. The quoter then quotes again without this change. */
const changeDepth = (harness: EngineHarness, market = M0): void =>
  harness.venue.changeLevel(market, 'bid', { price: cents(30), change: 100 });
const deny = (harness: EngineHarness): string[] =>
  harness.noticesOf('denied').map(({ denial }) => (denial.code === 'not-ready' ? denial.reason : denial.code));

describe('a silent book', () => {
  it('a silent book is trusted as long as it equals what is read of it, and quotes on it stay', () => {
    const harness = quoting({ bookAgeMsMax: 10_000 }).startTrading();
    changeDepth(harness);
    harness.run(60_000);
    expect(harness.venue.resting()).toHaveLength(2);
    expect(harness.commands('read').filter(({ target }) => target.what === 'book').length).toBeGreaterThan(5);
    const denials = deny(harness).length;
    changeDepth(harness);
    harness.run(10);
    expect(deny(harness)).toHaveLength(denials);
    expect(harness.engine.state.surprises.get('book-audit')).toBeUndefined();
  });
  it('a silent book whose venue moves is detected: its orders are canceled, and it is requested until it is right', () => {
    const harness = quoting({ bookAgeMsMax: 10_000 }).startTrading();
    changeDepth(harness);
    harness.run(2000);
    expect(harness.venue.resting()).toHaveLength(2);
    harness.venue.changeLevelSilently(M0, 'bid', { price: cents(44), change: 300 });
    harness.run(20_000);
    expect(harness.engine.state.surprises.get('book-audit')).toBe(1);
    // No message arrived meanwhile: the feed is frozen and would not answer.
    expect(harness.commands('reconnect')).toHaveLength(1);
    expect(harness.engine.state.books.qtyAt(M0, 'bid', cents(44))).toBe(300);
    expect(harness.engine.state.books.isLive(M0)).toBe(true);
  });
  it('a book takes no order when nothing confirmed it for too long, whatever else the feed reports', () => {
    // Quotes in the silent market whenever the other one moves.
    const handlers: Handlers = {
      onBook: ({ market, isTouch }) => (market === M1 && !isTouch ? [aQuote({ market: M0 })] : []),
    };
    const harness = quoting(
      { bookAgeMsMax: 10_000 },
      { markets: [aMarket(0), aMarket(1)], strategies: [aStrategy(handlers)] },
    ).startTrading();
    harness.venue.script.read = ({ target }) => (target.what === 'book' ? 'fail' : 'do');
    harness.run(11_000);
    changeDepth(harness, M1);
    harness.run(1000);
    expect(harness.noticesOf('denied').at(-1)?.denial).toMatchObject({ code: 'book-stale', bookAgeMsMax: 10_000 });
    const { state } = harness.engine;
    expect(state.now - state.confirmedAt(M0)).toBeGreaterThan(10_000_000);
    expect(state.now - state.confirmedAt(M1)).toBeLessThan(2_000_000);
    expect(state.now - state.feed.lastMessageAt).toBeLessThan(2_000_000);
  });
});

describe('snapshots', () => {
  it('missing snapshots are requested until they arrive, and then quotes are placed', () => {
    const harness = quoting();
    let refusals = 2;
    harness.venue.script.snapshots = () => refusals-- <= 0;
    harness.startTrading();
    expect(harness.venue.resting()).toEqual([]);
    harness.run(10_000);
    expect(harness.engine.state.books.isLive(M0)).toBe(true);
    expect(harness.venue.resting()).toHaveLength(2);
  });
  it('snapshots that no request brings arrive by a new connection', () => {
    const harness = quoting().startTrading();
    harness.venue.script.snapshots = () => false;
    harness.venue.emitGap([M0]);
    for (let second = 0; second < 40; second++) {
      changeDepth(harness);
      harness.run(1000);
    }
    expect(harness.commands('renew')).toHaveLength(1);
    expect(harness.commands('reconnect')).toHaveLength(1);
    expect(harness.noticesOf('alarm').map(({ code }) => code)).toContain('book-unanswered');
    harness.run(5000);
    expect(harness.engine.state.books.isLive(M0)).toBe(true);
    expect(harness.engine.session.phase).toBe('trading');
  });
});

describe('private channels', () => {
  it('refused private channels block all orders until they are granted', () => {
    const harness = quoting();
    let isGranted = false;
    harness.venue.script.grants = () => isGranted;
    harness.startTrading();
    harness.run(1000);
    changeDepth(harness);
    harness.run(10);
    expect(harness.places()).toEqual([]);
    expect(deny(harness)).toContain('private feed down: positions: by script');
    isGranted = true;
    harness.run(30_000);
    changeDepth(harness);
    harness.run(1000);
    expect(harness.venue.resting()).toHaveLength(2);
  });
  it('when private channels end while the feed goes on, everything is canceled, and a recovery follows once they are back', () => {
    const harness = quoting().startTrading();
    changeDepth(harness);
    harness.run(100);
    expect(harness.venue.resting()).toHaveLength(2);
    harness.venue.script.grants = () => false;
    harness.venue.emitEvent({ kind: 'feed-channel', channel: 'fills', isUp: false, reason: 'feed error 25' });
    harness.run(2000);
    expect(harness.venue.resting()).toEqual([]);
    expect(harness.engine.state.books.isLive(M0)).toBe(true);
    harness.venue.script.grants = () => true;
    harness.run(10_000);
    expect(harness.phases().slice(-2)).toEqual(['recovering', 'trading']);
    // The book has not moved meanwhile: strategies were shown it again.
    expect(harness.venue.resting()).toHaveLength(2);
  });
  it('private channels that do not report an accepted order are doubted and requested again', () => {
    const harness = quoting();
    harness.venue.script.reportsOrder = () => false;
    harness.startTrading();
    harness.run(4000);
    expect(harness.venue.resting()).toHaveLength(2);
    harness.run(3000);
    expect(harness.commands('renew-private')).toHaveLength(1);
    expect(harness.noticesOf('alarm').filter(({ code }) => code === 'private-feed')).toHaveLength(1);
    harness.venue.script.reportsOrder = () => true;
    harness.run(10_000);
    expect(harness.engine.state.feed.isPrivateUp).toBe(true);
    expect(harness.venue.resting()).toHaveLength(2);
  });
  it('a recovery after a reconnection waits until the private channels are granted', () => {
    const harness = quoting().startTrading();
    harness.venue.script.grants = () => false;
    harness.venue.feedDown();
    harness.run(100);
    harness.venue.feedUp();
    const reads = harness.commands('read').length;
    harness.run(200);
    expect(harness.phases()).not.toContain('recovering');
    expect(
      harness
        .commands('read')
        .slice(reads)
        .map(({ target }) => target.what),
    ).not.toContain('positions');
    harness.venue.script.grants = () => true;
    harness.venue.grantPrivate();
    harness.run(500);
    expect(harness.phases().slice(-2)).toEqual(['recovering', 'trading']);
  });
});

describe('unreadable messages', () => {
  it('an unreadable message that may have been about our account causes reads at once', () => {
    const harness = quoting().startTrading();
    harness.run(100);
    const before = harness.commands('read').length;
    harness.venue.emitGap([]);
    harness.run(20);
    const reads = harness
      .commands('read')
      .slice(before)
      .map(({ target }) => target.what);
    expect(reads).toContain('fills');
  });
});

describe('a feed that stays down', () => {
  it('a feed that stays down raises an alarm, and nothing is ordered', () => {
    const harness = quoting({}, { strategies: [aStrategy(depthQuoter())] }).startTrading();
    harness.venue.feedDown();
    harness.run(29_000);
    const codes = (): string[] => harness.noticesOf('alarm').map(({ code }) => code);
    expect(codes()).not.toContain('feed-down');
    harness.run(3000);
    expect(codes().filter((code) => code === 'feed-down')).toHaveLength(1);
    expect(harness.noticesOf('feed').at(-1)).toEqual({ type: 'feed', isUp: false, reason: 'cut' });
  });
});

describe('clocks', () => {
  it('nothing is ordered while the clocks are too far apart', () => {
    const harness = quoting({}, { strategies: [aStrategy(depthQuoter())] }).startTrading();
    for (let i = 1; i < 20; i++) {
      const at = after(1000 + i * 330);
      const second = Math.floor((at - 20_000_000) / 1_000_000) * 1_000_000;
      harness.now = at;
      harness.step({
        kind: 'answered',
        at,
        commandId: 10_000 + i,
        ok: true,
        clockOffset: at - second,
        askedAt: after(990 + i * 330),
      });
    }
    harness.venue.now = harness.now;
    changeDepth(harness);
    harness.run(600);
    expect(deny(harness).at(-1)).toMatch(/^our clock is \d+ ms ahead of the venue’s: .*; offsetMax is 10000 ms$/);
    expect(harness.noticesOf('alarm').map(({ code }) => code)).toContain('clock-offset');
  });
});
