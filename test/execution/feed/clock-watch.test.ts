// Our clock against the venue's, and the lateness of the feed: measured, reported once, and a reason to block orders.
import { describe, expect, it } from 'vitest';
import { ClockWatch } from '../../../src/execution/feed/clock-watch.ts';
import type { ClockLeapt } from '../../../src/domain/event.ts';
import type { Notice } from '../../../src/execution/engine-notice.ts';
import { type Micros, cents, micros, qty } from '../../../src/domain/units.ts';
import { State } from '../../../src/state/state.ts';
import { M0, aMarket, after, tickerTable } from '../../support/engine/builders.ts';

function watching() {
  const state = new State(tickerTable(1));
  state.applyEvent({ kind: 'market', at: after(0), market: aMarket(0) }, []);
  const notices: Notice[] = [];
  const watch = new ClockWatch(state, { offsetWarnMs: 2000, offsetMsMax: 10_000 }, (notice) => notices.push(notice));
  /** An answer that took 20 ms, from a venue whose clock is behind ours by this much. */
  const answered = (ms: number, offsetMs: number): void => {
    const second = Math.floor((after(ms) - 10_000 - offsetMs * 1000) / 1_000_000) * 1_000_000;
    const clockOffset = after(ms) - second;
    state.applyEvent(
      { kind: 'answered', at: after(ms), commandId: 1, ok: true, clockOffset, askedAt: after(ms - 20) },
      [],
    );
  };
  const texts = (): string[] => notices.map((notice) => (notice.type === 'alarm' ? notice.text : ''));
  const codes = (): string[] => notices.map((notice) => (notice.type === 'alarm' ? notice.code : ''));
  return { state, watch, answered, texts, codes };
}

describe('our clock', () => {
  it('a clock that agrees with the venue’s raises no alarm', () => {
    const { watch, answered, codes } = watching();
    expect(watch.blockingFault()).toBeNull();
    for (let ms = 1000; ms < 20_000; ms += 330) answered(ms, 0);
    watch.checkClocks(after(20_000), 0);
    expect(watch.blockingFault()).toBeNull();
    expect(codes()).toEqual([]);
  });
  it('a clock that is ahead raises an alarm with both times and the difference, again every ten minutes', () => {
    const { watch, answered, texts, codes } = watching();
    for (let ms = 1000; ms < 20_000; ms += 330) answered(ms, 3000);
    watch.checkClocks(after(20_000), 0);
    watch.checkClocks(after(20_500), 0);
    expect(codes()).toEqual(['clock-offset']);
    watch.checkClocks(after(619_000), 0);
    expect(codes()).toHaveLength(1);
    watch.checkClocks(after(620_000), 0);
    expect(codes()).toEqual(['clock-offset', 'clock-offset']);
    expect(texts()[0]).toMatch(
      /^our clock is 30\d\d ms ahead of the venue’s: ours shows 00:17:00\.000Z, the venue’s 00:16:5[67]\.\d{3}Z; offsetWarn is 2000 ms$/,
    );
    expect(watch.blockingFault()).toBeNull();
  });
  it.each([
    [12_000, 'ahead of'],
    [-12_000, 'behind'],
  ])('a clock that is %i ms ahead blocks orders', (offsetMs, words) => {
    const { watch, answered } = watching();
    for (let ms = 1000; ms < 20_000; ms += 330) answered(ms, offsetMs);
    expect(watch.blockingFault()).toMatch(
      new RegExp(`^our clock is 1[12]\\d{3} ms ${words} the venue’s: .*; offsetMax is 10000 ms$`),
    );
  });
  it('a clock is blamed for no more than the venue’s whole seconds prove', () => {
    const { watch, answered } = watching();
    answered(1000, 10_400);
    expect(watch.blockingFault()).toBeNull();
  });
  it('a clock that was set raises an alarm, and its offset is measured again', () => {
    const { state, watch, answered, codes } = watching();
    for (let ms = 1000; ms < 20_000; ms += 330) answered(ms, 0);
    answered(21_000, 60_000);
    watch.checkClocks(after(21_000), 0);
    expect(codes()).toEqual(['clock-step', 'clock-offset']);
    state.applyEvent({ kind: 'clock-stepped', at: after(22_000), by: 5_000_000 }, []);
    watch.onClockStepped(after(22_000), 5_000_000);
    expect(state.clock.estimate(after(22_000))).toBeNull();
    expect(watch.blockingFault()).toBeNull();
  });
});

describe('a leap of the machine’s clock ahead of ours', () => {
  const MINUTE = 60_000;
  const leapt = (verdict: ClockLeapt['verdict']): ClockLeapt => ({
    kind: 'clock-leapt',
    at: after(0),
    by: 7_200_000_000,
    verdict,
  });

  it('a leap blocks orders until an answer gives the venue’s time', () => {
    const { watch, codes } = watching();
    watch.onClockLeapt(leapt('unknown'));
    expect(watch.blockingFault()).toBe(
      'the machine’s clock leapt ahead by 7200000 ms, and no answer has given the venue’s time since',
    );
    watch.onClockStepped(after(100), 7_200_000_000);
    expect(watch.blockingFault()).toBeNull();
    expect(codes()).toEqual(['clock-step']);
  });

  it('a leap raises an alarm every ten minutes while the venue’s time is ours, and does not block orders', () => {
    const { watch, texts } = watching();
    watch.onClockLeapt(leapt('unknown'));
    watch.onClockLeapt(leapt('ours'));
    for (let ms = 0; ms <= 15 * MINUTE; ms += 500) watch.checkClocks(after(ms), 0);
    expect(watch.blockingFault()).toBeNull();
    const text = 'the machine’s clock is 7200000 ms ahead of the venue’s, and ours does not follow it: set it right';
    expect(texts()).toEqual([text, text]);
    watch.onClockLeapt(leapt('over'));
    for (let ms = 15 * MINUTE; ms <= 30 * MINUTE; ms += 500) watch.checkClocks(after(ms), 0);
    expect(texts()).toHaveLength(2);
  });
});

describe('lateness of the feed', () => {
  const applyDelta = (state: State, ms: number, exchangeAt: Micros): void => {
    const delta = { kind: 'book-delta', market: M0, side: 'bid', price: cents(40), change: qty(1) } as const;
    state.applyEvent({ ...delta, at: after(ms), exchangeAt }, []);
  };
  const runLate = (
    state: State,
    from: { readonly ms: number; readonly untilMs: number; readonly lateMs: number },
  ): void => {
    for (let { ms } = from; ms < from.untilMs; ms += 100)
      applyDelta(state, ms, micros(after(ms) - from.lateMs * 1000 + 1000));
  };
  it('a feed that grows late raises one alarm, which names the cause, until it is over', () => {
    const { state, watch, texts } = watching();
    runLate(state, { ms: 0, untilMs: 10_000, lateMs: 50 });
    watch.checkClocks(after(10_000), 3);
    expect(texts()).toEqual([]);
    runLate(state, { ms: 10_000, untilMs: 14_000, lateMs: 4000 });
    watch.checkClocks(after(14_000), 3);
    watch.checkClocks(after(14_500), 3);
    expect(texts()).toEqual(['the feed is 3949 ms late: it comes late from the venue (our own timers are 3 ms late)']);
    runLate(state, { ms: 14_500, untilMs: 18_000, lateMs: 50 });
    watch.checkClocks(after(18_000), 0);
    runLate(state, { ms: 18_000, untilMs: 22_000, lateMs: 4000 });
    watch.checkClocks(after(22_000), 3500);
    expect(texts()[1]).toContain('we are slow to read it (our own timers are 3500 ms late)');
  });
  it('a feed that is late from its first message is detected once the venue’s clock is known', () => {
    const { state, answered } = watching();
    runLate(state, { ms: 0, untilMs: 5000, lateMs: 6000 });
    expect(state.feedLag()).toBe(0);
    for (let ms = 5000; ms < 15_000; ms += 330) answered(ms, 0);
    runLate(state, { ms: 15_000, untilMs: 17_000, lateMs: 6000 });
    expect(state.feedLag()).toBeGreaterThan(5_500_000);
    expect(state.feedLag()).toBeLessThanOrEqual(6_000_000);
  });
  it('a late feed confirms its books as of the earlier time', () => {
    const { state } = watching();
    state.applyEvent({ kind: 'book-snapshot', at: after(0), exchangeAt: null, market: M0, bids: [], asks: [] }, []);
    runLate(state, { ms: 0, untilMs: 5000, lateMs: 20 });
    expect(state.confirmedAt(M0)).toBe(after(4900));
    runLate(state, { ms: 5000, untilMs: 9000, lateMs: 3020 });
    expect(state.confirmedAt(M0)).toBeLessThan(after(6000));
    expect(state.confirmedAt(M0)).toBeGreaterThanOrEqual(after(5900));
  });
  it('a feed with times in whole seconds is not called late for what the seconds hide', () => {
    const { state } = watching();
    for (let ms = 0; ms < 30_000; ms += 130)
      applyDelta(state, ms, micros(Math.floor(after(ms - 40) / 1_000_000) * 1_000_000));
    expect(state.feedLag()).toBe(0);
  });
});
