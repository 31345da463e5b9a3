// Reads: assembled pages, no incomplete results, repeats after growing waits, no endless list.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ReadCommand, ReadTarget } from '../../../src/domain/venue-command.ts';
import type { EngineEvent, FillReport } from '../../../src/domain/event.ts';
import { eventTicker, tradeId, venueOrderId } from '../../../src/domain/ids.ts';
import { type Micros, dollars } from '../../../src/domain/units.ts';
import { VenueReader } from '../../../src/execution/session/venue-reader.ts';
import { aFill, aReport, after, tickerOf, M0 } from '../../support/engine/builders.ts';

function readerWith() {
  const sent: ReadCommand[] = [];
  const endless: string[] = [];
  let id = 0;
  const reader = new VenueReader({
    enqueue: (command) => sent.push(command) > 0,
    nextCommandId: () => (id += 1),
    onEndless: ({ what }, reason) => endless.push(`${what} ${reason}`),
  });
  return { reader, sent, endless };
}

const fillsTarget: ReadTarget = { what: 'fills', since: null };
const page = (commandId: number, rows: readonly FillReport[], cursor: string | null): EngineEvent => ({
  kind: 'fills',
  at: after(1),
  askedAt: after(0),
  commandId,
  rows,
  cursor,
});
const fails = (commandId: number, at: Micros): EngineEvent => ({
  kind: 'read-failed',
  at,
  commandId,
  reason: 'test',
  isRefused: false,
});

describe('lists', () => {
  it('delivers a list once, whole, after its last page, as of the request of its first', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(5), { minLength: 1, maxLength: 8 }), (sizes) => {
        const { reader, sent } = readerWith();
        reader.requestRead(fillsTarget, after(0));
        let count = 0;
        const all: FillReport[] = [];
        for (const [i, size] of sizes.entries()) {
          const rows = Array.from({ length: size }, () => aFill({ tradeId: tradeId(`t-${(count += 1)}`) }));
          all.push(...rows);
          const isLast = i === sizes.length - 1;
          const command = sent.at(-1)!;
          expect(command.cursor).toBe(i === 0 ? null : `after-${i - 1}`);
          const done = reader.acceptEvent({
            ...page(command.id, rows, isLast ? null : `after-${i}`),
            askedAt: after(i),
          } as EngineEvent);
          if (!isLast) expect(done).toBeNull();
          else expect(done).toEqual({ what: 'fills', since: null, rows: all, askedAt: after(0), at: after(1) });
        }
        expect(sent).toHaveLength(sizes.length);
        expect(reader.isPending('fills')).toBe(false);
      }),
    );
  });

  it('starts a list again when one of its pages fails, and delivers nothing of the first attempt', () => {
    const { reader, sent } = readerWith();
    reader.requestRead(fillsTarget, after(0));
    reader.acceptEvent(page(1, [aFill()], 'next'));
    reader.acceptEvent(fails(2, after(2)));
    expect(reader.isPending('fills')).toBe(true);
    reader.retryDue(after(502));
    expect(sent.at(-1)).toMatchObject({ id: 3, cursor: null, target: fillsTarget });
    const again = [aFill({ tradeId: tradeId('t-2') })];
    expect(reader.acceptEvent(page(3, again, null))).toMatchObject({ rows: again });
  });

  it('delivers a list once although its last page is answered twice', () => {
    const { reader } = readerWith();
    reader.requestRead(fillsTarget, after(0));
    expect(reader.acceptEvent(page(1, [], null))).not.toBeNull();
    expect(reader.acceptEvent(page(1, [], null))).toBeNull();
  });

  it('ignores a list that was not requested', () => {
    expect(readerWith().reader.acceptEvent(page(7, [aFill()], null))).toBeNull();
  });

  it('starts a list again whose page names the cursor of an earlier page, and says so', () => {
    const { reader, sent, endless } = readerWith();
    reader.requestRead(fillsTarget, after(0));
    for (const cursor of ['a', 'b', 'a']) reader.acceptEvent(page(sent.at(-1)!.id, [aFill()], cursor));
    expect(sent.map(({ cursor }) => cursor)).toEqual([null, 'a', 'b']);
    expect(endless).toEqual(['fills page 3: expected the end of the list, found the cursor of an earlier page']);
    expect(reader.retryAt()).toBe(after(501));
    reader.retryDue(after(501));
    reader.acceptEvent(page(sent.at(-1)!.id, [aFill()], 'a'));
    expect(sent.at(-1)).toMatchObject({ cursor: 'a' });
  });

  it('never delivers a list with endless cursors, and restarts it no more often than other failures', () => {
    const { reader, sent, endless } = readerWith();
    reader.requestRead(fillsTarget, after(0));
    for (let answered = 0; answered < 5000 && reader.retryAt() === null; answered++)
      expect(reader.acceptEvent(page(sent.at(-1)!.id, [aFill()], `after-${answered}`))).toBeNull();
    expect(endless).toEqual(['fills page 1000: expected the end of the list, found a further page']);
    expect(sent.length).toBeLessThanOrEqual(1000);
    expect(reader.retryAt()).toBe(after(501));
    expect(reader.isPending('fills')).toBe(true);
  });

  it('bounds a list of markets with endless cursors, too', () => {
    const { reader, sent } = readerWith();
    reader.requestRead({ what: 'markets', by: { eventTicker: eventTicker('E') } }, after(0));
    for (let answered = 0; answered < 5000 && reader.retryAt() === null; answered++)
      expect(
        reader.acceptEvent({
          kind: 'markets-listed',
          at: after(1),
          commandId: sent.at(-1)!.id,
          cursor: `after-${answered}`,
        }),
      ).toBeNull();
    expect(sent.length).toBeLessThanOrEqual(1000);
  });
});

describe('failed reads', () => {
  it('repeats a failed read after half a second, then after growing waits of up to ten seconds', () => {
    const { reader, sent } = readerWith();
    reader.requestRead({ what: 'balance' }, after(0));
    const waits: number[] = [];
    let now: Micros = after(0);
    for (let i = 0; i < 8; i++) {
      reader.acceptEvent(fails(sent.at(-1)!.id, now));
      const at = reader.retryAt()!;
      waits.push((at - now) / 1000);
      reader.retryDue((at - 1) as Micros);
      expect(sent).toHaveLength(i + 1);
      reader.retryDue(at);
      expect(sent).toHaveLength(i + 2);
      expect(reader.retryAt()).toBeNull();
      now = at;
    }
    expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 10_000, 10_000, 10_000]);
  });

  it('repeats a read that fails after its answer arrived', () => {
    const { reader, sent } = readerWith();
    reader.requestRead({ what: 'status' }, after(0));
    reader.onAnswered(1);
    reader.acceptEvent(fails(1, after(1)));
    reader.retryDue(after(501));
    expect(sent.map(({ target }) => target.what)).toEqual(['status', 'status']);
  });

  it('does not repeat a refused read of one market or group, but repeats a refused list', () => {
    const { reader, sent } = readerWith();
    reader.requestRead({ what: 'event', eventTicker: eventTicker('E') }, after(0));
    reader.requestRead(fillsTarget, after(0));
    for (const { id } of sent.slice())
      reader.acceptEvent({ kind: 'read-failed', at: after(1), commandId: id, reason: 'test', isRefused: true });
    expect([reader.isPending('event'), reader.isPending('fills')]).toEqual([false, true]);
  });

  it('ignores the failure of a read that is not ours', () => {
    const { reader } = readerWith();
    reader.requestRead({ what: 'balance' }, after(0));
    reader.acceptEvent(fails(99, after(1)));
    expect(reader.retryAt()).toBeNull();
    expect(reader.isPending('balance')).toBe(true);
  });
});

describe('single requests', () => {
  it('does not request a read that is pending or will be repeated', () => {
    const { reader, sent } = readerWith();
    reader.requestOnce({ what: 'balance' }, after(0));
    reader.requestOnce({ what: 'balance' }, after(0));
    expect(sent).toHaveLength(1);
    reader.acceptEvent(fails(1, after(1)));
    reader.requestOnce({ what: 'balance' }, after(2));
    expect(sent).toHaveLength(1);
  });

  it('distinguishes a list of working orders from a list of all orders', () => {
    const { reader, sent } = readerWith();
    reader.requestOnce({ what: 'orders', status: 'working', since: null }, after(0));
    reader.requestOnce({ what: 'orders', status: 'any', since: after(0) }, after(0));
    reader.requestOnce({ what: 'orders', status: 'any', since: after(1) }, after(0));
    expect(sent).toHaveLength(2);
  });
});

describe('pending lists', () => {
  it('a list is pending until its last page, across failures, and only lists of our own figures count', () => {
    const { reader, sent } = readerWith();
    reader.requestRead({ what: 'markets', by: { tickers: [] } }, after(0));
    reader.requestRead({ what: 'balance' }, after(0));
    expect(reader.isListing).toBe(false);
    reader.requestRead(fillsTarget, after(0));
    expect(reader.isListing).toBe(true);
    reader.acceptEvent(page(sent.at(-1)!.id, [], 'more'));
    expect(reader.isListing).toBe(true);
    reader.acceptEvent(fails(sent.at(-1)!.id, after(2)));
    expect(reader.isListing).toBe(true);
    reader.retryDue(after(60_000));
    reader.acceptEvent(page(sent.at(-1)!.id, [], null));
    expect(reader.isListing).toBe(false);
  });
});

describe('reads for which the queue has no room', () => {
  it('are all requested again, each once and in order, at the earliest time of any', () => {
    const sent: ReadCommand[] = [];
    let [id, room] = [0, 0];
    const enqueue = (command: ReadCommand): boolean => {
      if (room === 0) return false;
      room -= 1;
      return sent.push(command) > 0;
    };
    const reader = new VenueReader({ enqueue, nextCommandId: () => (id += 1), onEndless: () => {} });
    const orders = Array.from({ length: 2000 }, (_, n) => `order-${n}`);
    for (const [n, order] of orders.entries())
      reader.requestRead({ what: 'order', venueOrderId: venueOrderId(order) }, after(n));
    expect(reader.retryAt()).toBe(after(500));
    reader.retryDue(after(499));
    expect(id).toBe(2000);
    room = 1200;
    reader.retryDue(after(500 + 999));
    // The first thousand were due; the others wait for their own time.
    expect(sent).toHaveLength(1000);
    expect(reader.retryAt()).toBe(after(500 + 1000));
    reader.retryDue(after(500 + 1999));
    room = 2000;
    // A read that found no room a second time waits twice as long.
    expect(reader.retryAt()).toBe(after(500 + 1999 + 1000));
    reader.retryDue(after(500 + 1999 + 1000));
    expect(sent.map(({ target }) => (target.what === 'order' ? target.venueOrderId : null))).toEqual(orders);
    expect(reader.retryAt()).toBeNull();
  });
});

describe('single answers', () => {
  it('delivers a balance, a found order, and an order unknown to the venue', () => {
    const { reader } = readerWith();
    const venueId = venueOrderId('v-1');
    reader.requestRead({ what: 'balance' }, after(0));
    const common = { at: after(2), askedAt: after(1) };
    expect(reader.acceptEvent({ kind: 'balance', ...common, commandId: 1, available: dollars(3) })).toEqual({
      what: 'balance',
      available: dollars(3),
      ...common,
    });
    for (const [id, order] of [
      [2, aReport()],
      [3, null],
    ] as const) {
      reader.requestRead({ what: 'order', venueOrderId: venueId }, after(0));
      expect(reader.isLookingUp(venueId)).toBe(true);
      expect(reader.acceptEvent({ kind: 'order-found', ...common, commandId: id, order })).toMatchObject({
        what: 'order',
        order,
      });
      expect(reader.isLookingUp(venueId)).toBe(false);
    }
  });

  it('ends a read of plain events with its answer, but not a list', () => {
    const { reader } = readerWith();
    reader.requestRead({ what: 'book', market: M0, ticker: tickerOf(0) }, after(0));
    reader.requestRead(fillsTarget, after(0));
    reader.onAnswered(1);
    reader.onAnswered(2);
    expect(reader.isPending('book')).toBe(false);
    expect(reader.isPending('fills')).toBe(true);
  });
});
