// The containers of the simulated venue: timers, the first-in first-out queue, pages, and orders, which are remembered
// for a while.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clientOrderId, venueOrderId } from '../../../src/domain/ids.ts';
import { micros } from '../../../src/domain/units.ts';
import { Fifo } from '../../../src/venues/simulated/fifo-queue.ts';
import { OrderStore } from '../../../src/venues/simulated/account/order-store.ts';
import { pageOf } from '../../../src/venues/simulated/feed/simulated-pages.ts';
import type { VenueOrder } from '../../../src/venues/simulated/account/venue-records.ts';
import { DueTimers } from '../../../src/venues/simulated/due-timers.ts';
import { runCount } from '../../support/runner/property-runs.ts';

describe('timers', () => {
  it('timers are due in the order of their times, and of one time in the order in which they were set', () => {
    const moves = fc.array(fc.record({ at: fc.nat({ max: 20 }), takes: fc.nat({ max: 2 }) }));
    fc.assert(
      fc.property(moves, (steps) => {
        const timers = new DueTimers<number>();
        const set: { at: number; subject: number }[] = [];
        let now = 0;
        for (const [subject, { at, takes }] of steps.entries()) {
          timers.set(micros(now + at), subject);
          set.push({ at: now + at, subject });
          now += takes;
          const due = set.filter((each) => each.at <= now).sort((a, b) => a.at - b.at || a.subject - b.subject);
          for (const { subject: expected } of due) expect(timers.takeDue(micros(now))).toBe(expected);
          expect(timers.takeDue(micros(now))).toBeUndefined();
          for (const each of due) set.splice(set.indexOf(each), 1);
          expect(timers.nextAt()).toBe(set.length === 0 ? null : Math.min(...set.map((each) => each.at)));
        }
      }),
    );
  });
});

describe('a first-in first-out queue', () => {
  it('a queue returns its items first in, first out, however long it grows', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 600 }), (moves) => {
        const [queue, plain] = [new Fifo<number>(), [] as number[]];
        for (const [i, isPush] of moves.entries()) {
          if (isPush) {
            queue.push(i);
            plain.push(i);
          } else expect(queue.shift()).toBe(plain.shift());
          expect([queue.length, queue.first]).toEqual([plain.length, plain[0]]);
        }
      }),
    );
    const queue = new Fifo<number>();
    for (let i = 0; i < 1000; i++) queue.push(i);
    expect(Array.from({ length: 1000 }, () => queue.shift())).toEqual(Array.from({ length: 1000 }, (_, i) => i));
  });
});

describe('pages', () => {
  it('pages hold every row once, whatever their size', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ minLength: 1 })), fc.integer({ min: 1, max: 5 }), (rows, size) => {
        const seen: string[] = [];
        let cursor: string | null = null;
        do {
          const page: { rows: readonly string[]; cursor: string | null } = pageOf(rows, {
            cursor,
            size,
            keyOf: (row) => row,
          });
          expect(page.rows.length).toBeLessThanOrEqual(size);
          seen.push(...page.rows);
          ({ cursor } = page);
        } while (cursor !== null);
        expect(seen).toEqual(rows);
      }),
    );
  });

  it('a row that is no longer listed still marks the place of the next page', () => {
    const isListed = (row: string): boolean => row !== 'b' && row !== 'c';
    const page = pageOf(['a', 'b', 'c', 'd', 'e'], { cursor: 'b', size: 1, keyOf: (row) => row, isListed });
    expect(page).toEqual({ rows: ['d'], cursor: 'd' });
  });

  it('the page after a row that is gone is empty', () => {
    expect(pageOf(['a', 'b'], { cursor: 'z', size: 1, keyOf: (row) => row })).toEqual({ rows: [], cursor: null });
  });
});

describe('the order store', () => {
  const anOrder = (sequence: number): VenueOrder => {
    const ids = { venueOrderId: venueOrderId(`v-${sequence}`), clientOrderId: clientOrderId(`c-${sequence}`) };
    return { ...ids, sequence, market: { resting: new Map() } } as unknown as VenueOrder;
  };

  it('keeps a limited number of finished orders, and all resting ones', () => {
    const store = new OrderStore();
    const resting = anOrder(store.nextSequence());
    store.addResting(resting);
    for (let i = 0; i < 20_010; i++) store.addFinished(anOrder(store.nextSequence()));
    expect([...store.latestFirst('any')]).toHaveLength(20_001);
    expect(store.findOrder(venueOrderId('v-2'))).toBeUndefined();
    expect(store.findOrder(venueOrderId('v-20011'))).toBeDefined();
    expect(store.workingOrder(resting.venueOrderId)).toBe(resting);
    expect([...store.latestFirst('any')].at(-1)).toBe(resting);
  });

  it('lists orders the latest first, from any of them on, resting or all', () => {
    const steps = fc.array(fc.record({ rests: fc.boolean(), ends: fc.nat(), after: fc.nat() }), { maxLength: 400 });
    fc.assert(
      fc.property(steps, (moves) => {
        const store = new OrderStore();
        const all: VenueOrder[] = [];
        const working: VenueOrder[] = [];
        for (const { rests, ends, after } of moves) {
          const order = anOrder(store.nextSequence());
          all.unshift(order);
          if (rests) working.unshift(order);
          if (rests) store.addResting(order);
          else store.addFinished(order);
          // An amended order rests again at its place in the list.
          if (rests && ends % 3 === 0) store.addResting(order);
          const [ended] = ends % 2 === 0 ? working.splice(ends % (working.length + 1), 1) : [];
          if (ended !== undefined) store.addFinished(ended);
          for (const [listed, expected] of [['working', working] as const, ['any', all] as const]) {
            expect([...store.latestFirst(listed)]).toEqual(expected);
            const from = after % all.length;
            // An order that has ended still marks its place.
            const sequence = all.length - from;
            const rest = [...store.latestFirst(listed, venueOrderId(`v-${sequence}`))];
            expect(rest).toEqual(expected.filter((order) => order.sequence < sequence));
          }
        }
      }),
      { numRuns: runCount(25) },
    );
  });

  it('remembers a limited number of used client order ids', () => {
    const store = new OrderStore();
    for (let i = 0; i < 400_000; i++) store.useClientId(clientOrderId(`c-${i}`));
    expect(store.isClientIdUsed(clientOrderId('c-0'))).toBe(false);
    for (const latest of [200_000, 399_999]) expect(store.isClientIdUsed(clientOrderId(`c-${latest}`))).toBe(true);
  });
});
