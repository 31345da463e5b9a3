// A session and its latch stay in agreement: a halt of either halts the other, and no order is sent past a written
// halt.
import { describe, expect, it } from 'vitest';
import { venueOrderId } from '../../../src/domain/ids.ts';
import { type SavedLedgers, NOTHING_UNRESOLVED, type OperatorOrder } from '../../../src/domain/operator-order.ts';
import { contracts, dollars } from '../../../src/domain/units.ts';
import { Halts } from '../../../src/execution/operator/halts.ts';
import { OPERATOR } from '../../../src/state/account/orders.ts';
import { logTo } from '../../../src/log.ts';
import { HaltKeeper } from '../../../src/runtime/saved/halt-keeper.ts';
import { HALT_FILE, Latch } from '../../../src/runtime/saved/latch.ts';
import type { Storage } from '../../../src/tape/journal/storage.ts';
import { BEGIN, MAKER, aHalt, after, tickerOf } from '../../support/engine/builders.ts';
import { FakeScheduler } from '../../support/transport/fake-scheduler.ts';
import { MemoryDisk } from '../../support/tapes/memory-storage.ts';

class Bench {
  readonly storage: Storage = new MemoryDisk().open();
  readonly scheduler = new FakeScheduler();
  readonly halts = new Halts();
  readonly latch = new Latch(this.storage, () => BEGIN);
  readonly orders: OperatorOrder[] = [];
  readonly faults: unknown[] = [];
  readonly keeper = new HaltKeeper({
    latch: this.latch,
    halts: this.halts,
    scheduler: this.scheduler,
    log: logTo({ write: () => undefined }, 'silent'),
    submitOrder: (order) => {
      this.orders.push(order);
      if (order.type === 'halt') this.halts.addHalt({ ...order, since: BEGIN });
    },
    onFault: (fault) => this.faults.push(fault),
  });

  blockReason(strategy = MAKER): string | null {
    return this.keeper.blockReason(strategy, tickerOf(0));
  }

  /** Creates the plain halt file, as another program would. */
  worry(reason = 'odd'): void {
    this.storage.replaceFile(HALT_FILE, new TextEncoder().encode(reason));
  }
}

const ACCOUNT = { type: 'account' } as const;

describe('a written halt', () => {
  it('blocks the next order, even before the periodic check', () => {
    const bench = new Bench();
    expect(bench.blockReason()).toBeNull();
    bench.scheduler.advance(0);
    bench.worry();
    expect(bench.blockReason()).toBe('halted by operator: odd');
    bench.scheduler.advance(0);
    expect(bench.orders).toEqual([{ type: 'halt', scope: ACCOUNT, by: 'operator', reason: 'odd' }]);
  });

  it('halts the engine soon, and once, although no order is sent', () => {
    const bench = new Bench();
    bench.keeper.start();
    bench.worry();
    bench.scheduler.advance(1000);
    expect(bench.orders).toHaveLength(1);
    bench.keeper.stop();
    expect(bench.scheduler.pendingCount).toBe(0);
  });

  it('the latch is read once a turn of the event loop, however many orders are sent in it', () => {
    const bench = new Bench();
    let lists = 0;
    const list = bench.storage.listFiles.bind(bench.storage);
    bench.storage.listFiles = () => {
      lists += 1;
      return list();
    };
    for (let order = 0; order < 10; order++) bench.blockReason();
    expect(lists).toBe(1);
    bench.scheduler.advance(0);
    bench.blockReason();
    expect(lists).toBe(2);
  });

  it('does not block orders by which the operator closes positions', () => {
    const bench = new Bench();
    bench.worry();
    expect(bench.blockReason(OPERATOR)).toBeNull();
  });

  it('blocks nothing outside its scope', () => {
    const bench = new Bench();
    bench.latch.writeHalt(aHalt());
    expect(bench.blockReason()).toBe('halted by fault: Error: boom');
    expect(bench.blockReason(OPERATOR)).toBeNull();
  });
});

describe('a halt that was saved before the session learns of it', () => {
  const saved = aHalt({ scope: ACCOUNT, by: 'operator', reason: 'news', since: BEGIN });
  const order = { type: 'halt', scope: ACCOUNT, by: 'operator', reason: 'news' } as const;

  it('has the time at which it was saved', () => {
    const bench = new Bench();
    bench.latch.writeHalt(saved);
    expect(bench.keeper.dateHalt(order)).toEqual({ ...order, since: BEGIN });
    // Another author, another scope and another instruction have times of their own.
    expect(bench.keeper.dateHalt({ ...order, by: 'watchdog' })).toEqual({ ...order, by: 'watchdog' });
    const market = { type: 'market', ticker: tickerOf(0) } as const;
    expect(bench.keeper.dateHalt({ ...order, scope: market })).toEqual({ ...order, scope: market });
    const resume = { type: 'resume', scope: ACCOUNT, reason: 'fine' } as const;
    expect(bench.keeper.dateHalt(resume)).toEqual(resume);
  });

  it('halts the engine once, although the file HALT stands beside it', () => {
    const bench = new Bench();
    bench.latch.writeHalt(saved);
    bench.worry('news');
    bench.keeper.applyLatch();
    expect(bench.orders).toEqual([order]);
  });

  it('has no time while the latch cannot be read', () => {
    const bench = new Bench();
    bench.storage.listNames = () => {
      throw new Error('no disk');
    };
    expect(bench.keeper.dateHalt(order)).toEqual(order);
  });
});

describe('the keeper of a session’s halts', () => {
  it('saves halts, their end, loss figures and overrides', () => {
    const bench = new Bench();
    bench.keeper.onNotice({ type: 'halt', halt: aHalt(), isCarried: false });
    expect(bench.latch.readHalts()).toEqual([aHalt()]);
    bench.keeper.onNotice({ type: 'resumed', scope: aHalt().scope, reason: 'fine', lifted: [aHalt()] });
    expect(bench.latch.readHalts()).toEqual([]);
    const standing = { day: '2026-11-21', dayEquity: dollars(1), peakEquity: dollars(2) };
    bench.keeper.onNotice({ type: 'losses', at: BEGIN, standing, equity: dollars(1) });
    const override = { limit: 'orderQtyMax', value: 5, strategy: null, until: BEGIN, reason: 'test' };
    bench.keeper.onNotice({ type: 'override', at: BEGIN, change: 'begun', override, why: '' });
    expect(bench.latch.readRestoredState(NOTHING_UNRESOLVED)).toMatchObject({
      losses: standing,
      overrides: [override],
    });
    bench.keeper.onNotice({
      type: 'override',
      at: BEGIN,
      change: 'refused',
      override: { ...override, limit: 'x' },
      why: '',
    });
    bench.keeper.onNotice({ type: 'override', at: BEGIN, change: 'ended', override, why: '' });
    expect(bench.latch.readRestoredState(NOTHING_UNRESOLVED).overrides).toEqual([]);
  });

  it('saves the first strategy ledgers at once, later ones within seconds, and the last at the end', () => {
    const bench = new Bench();
    const position = { ticker: tickerOf(0), qty: contracts(-5), cost: dollars(3) };
    const held = { strategy: MAKER, realized: dollars(-1), fees: dollars(2), losses: null, positions: [position] };
    const ledgersAt = (at: number): SavedLedgers => ({
      at: after(at),
      session: 's',
      strategies: [MAKER],
      books: [held],
      others: [{ ticker: tickerOf(1), qty: contracts(2) }],
      orders: [{ venueOrderId: venueOrderId('v-1'), strategy: MAKER }],
      fills: ['t-1 v-1'],
    });
    const report = (at: number): void => bench.keeper.onNotice({ type: 'books', at: after(at), books: ledgersAt(at) });
    const carried = (): unknown => bench.latch.readRestoredState(NOTHING_UNRESOLVED).books;
    expect(carried()).toBeUndefined();
    bench.keeper.start();
    report(1);
    expect(carried()).toEqual(ledgersAt(1));
    report(2);
    expect(carried()).toEqual(ledgersAt(1));
    bench.scheduler.advance(6000);
    expect(carried()).toEqual(ledgersAt(2));
    report(3);
    bench.keeper.stop();
    expect(carried()).toEqual(ledgersAt(3));
  });

  it('saves a new day at once, a new peak within seconds, and the last figures at the end', () => {
    const bench = new Bench();
    const standing = { day: '2026-11-21', dayEquity: dollars(1), peakEquity: dollars(2) };
    const report = (over: Partial<typeof standing>): void =>
      bench.keeper.onNotice({ type: 'losses', at: BEGIN, standing: { ...standing, ...over }, equity: dollars(1) });
    const peak = (): unknown => bench.latch.readRestoredState(NOTHING_UNRESOLVED).losses?.peakEquity;
    bench.keeper.start();
    report({});
    report({ peakEquity: dollars(3) });
    expect(peak()).toBe(dollars(2));
    bench.scheduler.advance(6000);
    expect(peak()).toBe(dollars(3));
    report({ peakEquity: dollars(4), day: '2026-11-22' });
    expect(peak()).toBe(dollars(4));
    report({ peakEquity: dollars(5), day: '2026-11-22' });
    bench.keeper.stop();
    expect(peak()).toBe(dollars(5));
  });

  it('reports a failed write as a fault, and keeps blocking orders for a halt that cannot be removed', () => {
    const bench = new Bench();
    const broken = (): never => {
      throw new Error('disk full');
    };
    bench.latch.writeHalt(aHalt());
    bench.storage.removeEntry = broken;
    bench.keeper.onNotice({ type: 'resumed', scope: aHalt().scope, reason: 'fine', lifted: [] });
    expect(bench.blockReason()).toBe('halted by fault: Error: boom');
    bench.storage.replaceFile = broken;
    const halt = aHalt({ scope: ACCOUNT });
    expect(() => bench.keeper.onNotice({ type: 'halt', halt, isCarried: false })).toThrow('disk full');
  });

  it('stops the session when the latch can no longer be read', () => {
    const bench = new Bench();
    bench.keeper.start();
    bench.storage.listFiles = () => {
      throw new Error('the disk is gone');
    };
    bench.scheduler.advance(300);
    expect(bench.faults).toMatchObject([{ message: 'the disk is gone' }]);
  });
});
