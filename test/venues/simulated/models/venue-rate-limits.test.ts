// The simulated venue's own rate limits: a bot that ignores its budgets is refused as it would be live.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clientOrderId } from '../../../../src/domain/ids.ts';
import { dollars } from '../../../../src/domain/units.ts';
import { aPlace } from '../../../support/engine/builders.ts';
import { VenueBench, only, answerVerdict } from '../../../support/simulated/venue-bench.ts';
import { CAPABILITIES } from '../../../support/simulated/simulator-harness.ts';

const WINDOW = { model: 'rolling-window', count: 3, windowMs: 1000 } as const;
const BUCKET = { model: 'token-bucket', refillPerSecond: 2, capacity: 3 } as const;
const benchWith = (limit: typeof WINDOW | typeof BUCKET, overrides: object = {}): VenueBench =>
  new VenueBench({ capabilities: { ...CAPABILITIES, limits: { read: limit, trade: limit }, ...overrides } });

describe('a rolling window', () => {
  it('a rolling window accepts its count, and refuses the rest without any effect', () => {
    const bench = benchWith(WINDOW);
    for (let i = 0; i < 3; i++) expect(answerVerdict(bench.place())).toBe('granted');
    const { available } = bench;
    bench.feed.length = 0;
    const refused = bench.place();
    expect(only(refused, 'answered').ok).toBe(false);
    expect(only(refused, 'rate-limited')).toMatchObject({ budget: 'trade', retryAfter: null, commandId: 4 });
    expect(bench.feed).toEqual([]);
    expect(bench.available).toBe(available);
    bench.advanceTo(1001);
    expect(answerVerdict(bench.place())).toBe('granted');
    expect(bench.venue.refusedForRate).toEqual({ read: 0, trade: 1 });
  });

  it('reads and trades have separate limits, and the feed has none', () => {
    const bench = benchWith(WINDOW);
    for (let i = 0; i < 3; i++) bench.place();
    expect(answerVerdict(bench.place())).toBe('rate-limited');
    expect(answerVerdict(bench.read({ what: 'balance' }))).toBe('granted');
    for (let i = 0; i < 10; i++) bench.sendFeedCommand('resync');
    expect(bench.takeEvents('book-snapshot')).toHaveLength(10);
  });

  it('a rolling window never accepts more than its count, and as many as it can', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 700 }), { maxLength: 40 }), (gaps) => {
        const bench = benchWith(WINDOW);
        const passed: number[] = [];
        let at = 0;
        for (const gap of gaps) {
          at += gap;
          bench.advanceTo(at);
          const counted = passed.filter((time) => time >= at - WINDOW.windowMs).length;
          const isGranted = answerVerdict(bench.read({ what: 'balance' })) === 'granted';
          expect(isGranted).toBe(counted < WINDOW.count);
          if (isGranted) passed.push(at);
        }
      }),
    );
  });
});

describe('a batch', () => {
  it('passes as a whole or not at all, and costs what its orders cost', () => {
    const bench = benchWith(WINDOW);
    const batchOf = (count: number) => {
      const first = bench.answers.length;
      const commands = Array.from({ length: count }, () => {
        const id = bench.nextCommandId();
        return aPlace({ id, clientOrderId: clientOrderId(`batch-${id}`) });
      });
      bench.venue.handleBatch({ type: 'batch', commands });
      return bench.answers.slice(first).map(answerVerdict);
    };
    expect(batchOf(2)).toEqual(['granted', 'granted']);
    expect(batchOf(2)).toEqual(['rate-limited', 'rate-limited']);
    expect(answerVerdict(bench.place())).toBe('granted');
    expect(bench.venue.refusedForRate).toEqual({ read: 0, trade: 1 });
    bench.advanceTo(1001);
    expect(batchOf(3)).toEqual(['granted', 'granted', 'granted']);
  });
});

describe('a token bucket', () => {
  it('a token bucket refills with time, up to its capacity, and takes the cost of each command', () => {
    const bench = benchWith(BUCKET, { cost: (command: { type: string }) => (command.type === 'cancel' ? 1 : 2) });
    expect(answerVerdict(bench.place())).toBe('granted');
    expect(answerVerdict(bench.place())).toBe('rate-limited');
    expect(answerVerdict(bench.cancel('nobody'))).toBe('not_found');
    expect(answerVerdict(bench.cancel('nobody'))).toBe('rate-limited');
    bench.advanceTo(500);
    expect(answerVerdict(bench.cancel('nobody'))).toBe('not_found');
    bench.advanceTo(60_000);
    expect([answerVerdict(bench.place()), answerVerdict(bench.place())]).toEqual(['granted', 'rate-limited']);
  });

  it('a refusal says in whole seconds how long to wait, where the venue does', () => {
    const bench = new VenueBench({
      retryAfter: 'seconds',
      openingCash: dollars(1000),
      capabilities: { ...CAPABILITIES, limits: { read: BUCKET, trade: { ...BUCKET, refillPerSecond: 1 } } },
    });
    for (let i = 0; i < 3; i++) bench.place();
    bench.advanceTo(1);
    expect(only(bench.place(), 'rate-limited').retryAfter).toBe(1_000_000);
  });
});
