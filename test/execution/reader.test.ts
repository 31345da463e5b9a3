// Reads: pages put together, nothing told of what is incomplete, failures asked again later each time, no endless list.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ReadCommand, ReadTarget } from '../../src/domain/command.ts';
import type { EngineEvent, FillReport } from '../../src/domain/event.ts';
import { eventTicker, tradeId, venueOrderId } from '../../src/domain/ids.ts';
import { type Micros, dollars } from '../../src/domain/units.ts';
import { Reader } from '../../src/execution/reader.ts';
import { aFill, aReport, after, tickerOf, M0 } from '../support/engine/builders.ts';

function readerWith(): { readonly reader: Reader; readonly sent: ReadCommand[] } {
  const sent: ReadCommand[] = [];
  let id = 0;
  const reader = new Reader({ enqueue: (command) => sent.push(command) > 0, nextCommandId: () => (id += 1) });
  return { reader, sent };
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

describe('a list', () => {
  it('is told once, whole, when its last page has come, as of when its first was asked for', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(5), { minLength: 1, maxLength: 8 }), (sizes) => {
        const { reader, sent } = readerWith();
        reader.ask(fillsTarget, after(0));
        let count = 0;
        const all: FillReport[] = [];
        for (const [i, size] of sizes.entries()) {
          const rows = Array.from({ length: size }, () => aFill({ tradeId: tradeId(`t-${(count += 1)}`) }));
          all.push(...rows);
          const isLast = i === sizes.length - 1;
          const command = sent.at(-1)!;
          expect(command.cursor).toBe(i === 0 ? null : `after-${i - 1}`);
          const done = reader.take({
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

  it('that fails in the middle is begun again, and nothing of the first attempt is told', () => {
    const { reader, sent } = readerWith();
    reader.ask(fillsTarget, after(0));
    reader.take(page(1, [aFill()], 'next'));
    reader.take(fails(2, after(2)));
    expect(reader.isPending('fills')).toBe(true);
    reader.retry(after(502));
    expect(sent.at(-1)).toMatchObject({ id: 3, cursor: null, target: fillsTarget });
    const again = [aFill({ tradeId: tradeId('t-2') })];
    expect(reader.take(page(3, again, null))).toMatchObject({ rows: again });
  });

  it('is told once although its last page is answered twice', () => {
    const { reader } = readerWith();
    reader.ask(fillsTarget, after(0));
    expect(reader.take(page(1, [], null))).not.toBeNull();
    expect(reader.take(page(1, [], null))).toBeNull();
  });

  it('that nobody asked for is nothing', () => {
    expect(readerWith().reader.take(page(7, [aFill()], null))).toBeNull();
  });

  it('whose cursors never end is never told, and is begun again no more often than other failures', () => {
    const { reader, sent } = readerWith();
    reader.ask(fillsTarget, after(0));
    for (let told = 0; told < 5000 && reader.retryAt() === null; told++)
      expect(reader.take(page(sent.at(-1)!.id, [aFill()], 'round'))).toBeNull();
    expect(sent.length).toBeLessThanOrEqual(1000);
    expect(reader.retryAt()).toBe(after(501));
    expect(reader.isPending('fills')).toBe(true);
  });

  it('of markets whose cursors never end is bounded too', () => {
    const { reader, sent } = readerWith();
    reader.ask({ what: 'markets', by: { eventTicker: eventTicker('E') } }, after(0));
    for (let told = 0; told < 5000 && reader.retryAt() === null; told++)
      expect(
        reader.take({ kind: 'markets-listed', at: after(1), commandId: sent.at(-1)!.id, cursor: 'round' }),
      ).toBeNull();
    expect(sent.length).toBeLessThanOrEqual(1000);
  });
});

describe('a read that failed', () => {
  it('is asked again after half a second, and later each time, up to ten seconds', () => {
    const { reader, sent } = readerWith();
    reader.ask({ what: 'balance' }, after(0));
    const waits: number[] = [];
    let now: Micros = after(0);
    for (let i = 0; i < 8; i++) {
      reader.take(fails(sent.at(-1)!.id, now));
      const at = reader.retryAt()!;
      waits.push((at - now) / 1000);
      reader.retry((at - 1) as Micros);
      expect(sent).toHaveLength(i + 1);
      reader.retry(at);
      expect(sent).toHaveLength(i + 2);
      expect(reader.retryAt()).toBeNull();
      now = at;
    }
    expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 10_000, 10_000, 10_000]);
  });

  it('after its answer had come is asked again all the same', () => {
    const { reader, sent } = readerWith();
    reader.ask({ what: 'status' }, after(0));
    reader.takeAnswered(1);
    reader.take(fails(1, after(1)));
    reader.retry(after(501));
    expect(sent.map(({ target }) => target.what)).toEqual(['status', 'status']);
  });

  it('because the venue refuses to tell of one market or group is not asked again; a list is', () => {
    const { reader, sent } = readerWith();
    reader.ask({ what: 'event', eventTicker: eventTicker('E') }, after(0));
    reader.ask(fillsTarget, after(0));
    for (const { id } of sent.slice())
      reader.take({ kind: 'read-failed', at: after(1), commandId: id, reason: 'test', isRefused: true });
    expect([reader.isPending('event'), reader.isPending('fills')]).toEqual([false, true]);
  });

  it('that was not ours changes nothing', () => {
    const { reader } = readerWith();
    reader.ask({ what: 'balance' }, after(0));
    reader.take(fails(99, after(1)));
    expect(reader.retryAt()).toBeNull();
    expect(reader.isPending('balance')).toBe(true);
  });
});

describe('asking once', () => {
  it('does not ask for what is under way or will be asked again', () => {
    const { reader, sent } = readerWith();
    reader.askOnce({ what: 'balance' }, after(0));
    reader.askOnce({ what: 'balance' }, after(0));
    expect(sent).toHaveLength(1);
    reader.take(fails(1, after(1)));
    reader.askOnce({ what: 'balance' }, after(2));
    expect(sent).toHaveLength(1);
  });

  it('takes a list of working orders for another than a list of all', () => {
    const { reader, sent } = readerWith();
    reader.askOnce({ what: 'orders', status: 'working', since: null }, after(0));
    reader.askOnce({ what: 'orders', status: 'any', since: after(0) }, after(0));
    reader.askOnce({ what: 'orders', status: 'any', since: after(1) }, after(0));
    expect(sent).toHaveLength(2);
  });
});

describe('listing', () => {
  it('goes on until the last page has come, over failures too, and is of what is ours alone', () => {
    const { reader, sent } = readerWith();
    reader.ask({ what: 'markets', by: { tickers: [] } }, after(0));
    reader.ask({ what: 'balance' }, after(0));
    expect(reader.isListing).toBe(false);
    reader.ask(fillsTarget, after(0));
    expect(reader.isListing).toBe(true);
    reader.take(page(sent.at(-1)!.id, [], 'more'));
    expect(reader.isListing).toBe(true);
    reader.take(fails(sent.at(-1)!.id, after(2)));
    expect(reader.isListing).toBe(true);
    reader.retry(after(60_000));
    reader.take(page(sent.at(-1)!.id, [], null));
    expect(reader.isListing).toBe(false);
  });
});

describe('single answers', () => {
  it('tell a balance, an order found and an order unknown to the venue', () => {
    const { reader } = readerWith();
    const venueId = venueOrderId('v-1');
    reader.ask({ what: 'balance' }, after(0));
    const common = { at: after(2), askedAt: after(1) };
    expect(reader.take({ kind: 'balance', ...common, commandId: 1, available: dollars(3) })).toEqual({
      what: 'balance',
      available: dollars(3),
      ...common,
    });
    for (const [id, order] of [
      [2, aReport()],
      [3, null],
    ] as const) {
      reader.ask({ what: 'order', venueOrderId: venueId }, after(0));
      expect(reader.isLookingUp(venueId)).toBe(true);
      expect(reader.take({ kind: 'order-found', ...common, commandId: id, order })).toMatchObject({
        what: 'order',
        order,
      });
      expect(reader.isLookingUp(venueId)).toBe(false);
    }
  });

  it('of plain facts end with their answer, and lists do not', () => {
    const { reader } = readerWith();
    reader.ask({ what: 'book', market: M0, ticker: tickerOf(0) }, after(0));
    reader.ask(fillsTarget, after(0));
    reader.takeAnswered(1);
    reader.takeAnswered(2);
    expect(reader.isPending('book')).toBe(false);
    expect(reader.isPending('fills')).toBe(true);
  });
});
