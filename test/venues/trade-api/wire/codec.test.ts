// The codec over every record of the profiles: encoded values decode to the same values, and faults name the field.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { serviceProfile } from '../../../../src/venues/trade-api/profiles/service-profile.ts';
import { type Codec, codecOf } from '../../../../src/venues/trade-api/wire/codec.ts';
import { jsonText } from '../../../../src/venues/trade-api/wire/json-record.ts';
import { WireFault } from '../../../../src/venues/trade-api/wire/wire-fault.ts';
import { scalarOf } from '../../../../src/venues/trade-api/wire/scalars.ts';
import type { RecordSpec } from '../../../../src/venues/trade-api/wire/record-spec.ts';
import type { WireProfile } from '../../../../src/venues/trade-api/profiles/wire-profile.ts';
import { dollarsFeed } from '../../../../src/venues/trade-api/profiles/dollars-feed.ts';
import { profileByName, profileNames } from '../../../../src/venues/trade-api/profiles/profile-registry.ts';
import { arbitraryOf } from './arbitrary-records.ts';
import { runCount } from '../../../support/runner/property-runs.ts';

const { records, feed } = serviceProfile;

const profiles = profileNames().flatMap((name) => profileByName(name) ?? []);

const recordsOf = ({ name, records: { extensions, ...core }, feed }: WireProfile): [string, RecordSpec<object>][] =>
  [
    ...Object.entries(core),
    ...Object.entries({ ...extensions }),
    ...Object.values(feed.messages).flatMap((message) => (message === null ? [] : [[message.type, message.record]])),
    ['subscribe', feed.commands.subscribe.params],
    ['unsubscribe', feed.commands.unsubscribe.params],
    ['update', feed.commands.update.params],
    ['subscribed', feed.replies.subscribed.record],
    ['updated', feed.replies.updated.record],
    ['error', feed.replies.error.record],
  ].map(([record, spec]) => [`${name} ${String(record)}`, spec] as never);

const all = profiles.flatMap(recordsOf);

/** The JSON that the other end parses. */
const overTheWire = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** A record whose figures no wire form can hold: the fault must be the same. */
const withOddFigures = (value: object): object =>
  Object.fromEntries(
    Object.entries(value).map(([member, held]) => [member, typeof held === 'number' ? held + 0.5 : held]),
  );

function resultOf(encode: () => string): unknown {
  try {
    return encode();
  } catch (fault) {
    return fault;
  }
}

describe('every record of every profile', () => {
  it.each(all)('%s: encoded values decode to the same values', (_name, spec) => {
    const codec: Codec<object> = codecOf(spec);
    fc.assert(
      fc.property(arbitraryOf(spec), (value) => {
        const notes: string[] = [];
        expect(codec.decode(overTheWire(codec.encode(value)), (kind) => notes.push(kind))).toEqual(value);
        expect(notes).toEqual([]);
      }),
      { numRuns: runCount(40) },
    );
  });

  it.each(all)('%s: is encoded as the text of its encoded values', (_name, spec) => {
    const codec: Codec<object> = codecOf(spec);
    const encodable = fc.oneof(arbitraryOf(spec), arbitraryOf(spec).map(withOddFigures));
    fc.assert(
      fc.property(encodable, (value) => {
        expect(resultOf(() => codec.encodeText(value))).toEqual(resultOf(() => JSON.stringify(codec.encode(value))));
      }),
      { numRuns: runCount(60) },
    );
  });

  it.each(all)('%s: any JSON is decoded or refused with a named field', (_name, spec) => {
    const codec: Codec<object> = codecOf(spec);
    fc.assert(
      fc.property(fc.jsonValue(), (json) => {
        try {
          codec.decode(json);
        } catch (fault) {
          expect(fault).toBeInstanceOf(WireFault);
        }
      }),
      { numRuns: runCount(50) },
    );
  });

  it('query strings decode to the same values', () => {
    const endpoints = profiles.flatMap((profile) => Object.values(profile.endpoints));
    const queries = new Set(endpoints.flatMap(({ query }) => query ?? []));
    expect(queries.size).toBeGreaterThan(20);
    for (const spec of queries) {
      const codec = codecOf(spec);
      fc.assert(
        fc.property(arbitraryOf(spec), (value) => {
          const text = codec.encodeQuery(value);
          const parameters = new URLSearchParams(text);
          const query = Object.fromEntries([...parameters.keys()].map((key) => [key, parameters.getAll(key)]));
          expect(codec.decodeQuery(query)).toEqual(value);
        }),
        { numRuns: runCount(50) },
      );
    }
  });
});

const MARKET = {
  ticker: 'M-1',
  event_ticker: 'M',
  status: 'active',
  open_time: '2026-01-01T00:00:00Z',
  close_time: '2026-02-01T00:00:00Z',
};

describe('decoding', () => {
  const createOrder = codecOf(records.createOrder);
  const order = { ticker: 'M-1', side: 'yes', action: 'buy', count: 5, yes_price: 42 };

  it('reads the price of either leg and converts it to the YES scale', () => {
    expect(createOrder.decode(order)).toMatchObject({ side: 'buy', price: 4200, qty: 500 });
    const buysNo = { ...order, side: 'no', yes_price: undefined, no_price: 58 };
    expect(createOrder.decode(buysNo)).toMatchObject({ side: 'sell', price: 4200 });
    expect(createOrder.decode({ ...order, side: 'no', action: 'sell' })).toMatchObject({ side: 'buy', price: 4200 });
  });

  it('reports unknown members and decodes the rest', () => {
    const notes: string[] = [];
    createOrder.decode({ ...order, surprise: 1 }, (kind) => notes.push(kind));
    expect(notes).toEqual(['field create_order.surprise']);
  });

  it('reports an unknown word of an optional member, and refuses it in a required one', () => {
    const notes: string[] = [];
    const read = codecOf(records.market).decode({ market: { ...MARKET, result: 'maybe' } }, (kind) => notes.push(kind));
    expect(read.market.result).toBeNull();
    expect(notes).toEqual(['value market.result']);
    expect(() => codecOf(records.market).decode({ market: { ...MARKET, status: 'paused-ish' } })).toThrow(
      'market.status: expected one of initialized, active',
    );
  });

  it('skips an unreadable market of a list, and keeps the others', () => {
    const notes: string[] = [];
    const page = codecOf(records.markets).decode({ markets: [MARKET, { ...MARKET, ticker: 7 }], cursor: '' }, (kind) =>
      notes.push(kind),
    );
    expect(page.rows.map((row) => row.ticker)).toEqual(['M-1']);
    expect(page.cursor).toBeNull();
    expect(notes).toEqual(['record market.ticker']);
  });

  it('refuses a whole page of orders for one unreadable order', () => {
    expect(() => codecOf(records.orders).decode({ orders: [{ order_id: 'x' }] })).toThrow(WireFault);
  });

  it('prefers the exact balance, and takes the cents when it is missing', () => {
    const balance = codecOf(records.balance);
    expect(balance.decode({ balance: 123, balance_dollars: '1.239999' }).available).toBe(1_239_999);
    expect(balance.decode({ balance: 123 }).available).toBe(1_230_000);
    expect(balance.encode({ available: 1_239_999, positionsValue: null, updatedAt: null } as never)).toEqual({
      balance: 123,
      balance_dollars: '1.239999',
    });
  });

  it('converts the price of a NO level to the YES scale, in books and in their deltas', () => {
    const book = codecOf(records.book).decode({ orderbook: { yes: [[42, 13]], no: [[55, 7]] } });
    expect(book.book).toEqual({ bids: [[4200, 1300]], asks: [[4500, 700]] });
    const delta = codecOf(feed.messages.delta.record);
    expect(delta.decode({ market_ticker: 'M-1', side: 'no', price: 55, delta: -7 })).toMatchObject({
      side: 'ask',
      price: 4500,
      change: -700,
    });
  });
});

describe('encoding', () => {
  it('sorts the levels of each leg in ascending order', () => {
    const best = {
      bids: [
        [4200, 100],
        [4100, 200],
      ],
      asks: [
        [4500, 300],
        [4600, 400],
      ],
    } as never;
    expect(codecOf(records.book).encode({ book: best })).toEqual({
      orderbook: {
        yes: [
          [41, 2],
          [42, 1],
        ],
        no: [
          [54, 4],
          [55, 3],
        ],
      },
    });
  });

  it('floors money only when the form says so', () => {
    const place = { record: 'r', field: 'f' };
    const floored = scalarOf({ kind: 'money', form: 'cents', rounding: 'floor' });
    expect([floored.encode(19_999, place), floored.encode(-1, place)]).toEqual([1, -1]);
    const exact = scalarOf({ kind: 'money', form: 'cents' });
    expect(exact.encode(20_000, place)).toBe(2);
    expect(() => exact.encode(19_999, place)).toThrow('r.f: expected a whole number of cents, found "0.019999"');
  });

  it('floors times only when the form says so', () => {
    const place = { record: 'r', field: 'f' };
    expect(scalarOf({ kind: 'time', form: 'seconds', rounding: 'floor' }).encode(1_999_999, place)).toBe(1);
    expect(() => scalarOf({ kind: 'time', form: 'seconds' }).encode(1_999_999, place)).toThrow(
      'r.f: expected a time in whole seconds, found "1999999 µs"',
    );
  });
});

describe('faults', () => {
  const order = { ticker: 'M-1', side: 'yes', action: 'buy', count: 5, yes_price: 42 };
  it.each([
    [null, 'create_order.(the whole): expected a record, found null'],
    [[], 'create_order.(the whole): expected a record, found a list of 0'],
    [{ ...order, ticker: '' }, 'create_order.ticker: expected a text that is not empty, found ""'],
    [{ ...order, ticker: 5 }, 'create_order.ticker: expected a text, found 5'],
    [{ ...order, count: '5' }, 'create_order.count: expected a number, found "5"'],
    [{ ...order, count: 5.5 }, 'create_order.count: expected a whole number, found 5.5'],
    [{ ...order, count: -1 }, 'create_order.count: expected a count that is not negative, found -1'],
    [{ ...order, yes_price: 101 }, 'create_order.yes_price: expected whole cents, 0 to 100, found 101'],
    [{ ...order, yes_price: undefined }, 'create_order.yes_price: expected yes_price or no_price, found nothing'],
    [{ ...order, side: 'both' }, 'create_order.side: expected "yes" or "no", found "both"'],
    [{ ...order, type: 'market' }, 'create_order.type: expected "limit", found "market"'],
    [{ ...order, post_only: 1 }, 'create_order.post_only: expected true or false, found 1'],
  ])('%j is refused with the field’s name', (json, message) => {
    expect(() => codecOf(records.createOrder).decode(json)).toThrow(message);
  });

  it('reports a value that the wire cannot hold exactly', () => {
    const codec = codecOf(records.createOrder);
    const value = codec.decode(order);
    expect(() => codec.encode({ ...value, price: 4210 as never })).toThrow(
      'create_order.yes_price: expected a whole number of cents, found "0.4210"',
    );
    expect(() => codec.encode({ ...value, qty: 150 as never })).toThrow(
      'create_order.count: expected a whole number of contracts, found "1.50"',
    );
  });

  it('quotes only a short piece of the data', () => {
    const long = { ...order, side: 'x'.repeat(5000) };
    try {
      codecOf(records.createOrder).decode(long);
      expect.unreachable();
    } catch (fault) {
      expect(String(fault).length).toBeLessThan(200);
    }
  });
});

describe('an absent side of a book', () => {
  const codec = codecOf(dollarsFeed.messages.snapshot.record);
  const LEVELS = [['0.4700', '3.00']];
  const OLD = { yes: [[47, 3]], yes_dollars: LEVELS };

  it('reads an absent side as empty, even when an older spelling of the other side is present', () => {
    expect(codec.decode({ market_ticker: 'M-1' })).toMatchObject({ bids: [], asks: [] });
    const decoded = codec.decode({ market_ticker: 'M-1', yes_dollars_fp: LEVELS, ...OLD });
    expect(decoded).toEqual({ ticker: 'M-1', bids: [[4700, 300]], asks: [] });
  });

  it('refuses a book that is present only in an ignored spelling', () => {
    expect(() => codec.decode({ market_ticker: 'M-1', ...OLD })).toThrow(
      'orderbook_snapshot.yes_dollars_fp: expected the levels that may be in "yes", found nothing',
    );
  });
});

describe('JSON text of a value', () => {
  it('is that of the platform, whatever characters it has', () => {
    const values = fc.oneof(fc.string({ unit: 'binary' }), fc.string(), fc.double(), fc.integer(), fc.boolean());
    fc.assert(
      fc.property(values, (value) => {
        expect(jsonText(value)).toBe(JSON.stringify(value));
      }),
    );
    for (let code = 0; code < 0x180; code++) {
      const text = `a${String.fromCharCode(code)}`;
      expect(jsonText(text)).toBe(JSON.stringify(text));
    }
    expect([jsonText(null), jsonText(-0), jsonText(NaN)]).toEqual(['null', '0', 'null']);
  });

  it('of a record that would write a member twice is refused when its codec is made', () => {
    const text = { kind: 'text', wire: 'a' } as const;
    const twice: RecordSpec<{ readonly a: string; readonly b: string }> = { name: 'r', fields: { a: text, b: text } };
    expect(() => codecOf(twice)).toThrow('record r writes a member twice');
  });
});
