// The byte scanner against the codec: what it reads, the codec reads the same; everything else is left to the codec.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { TickerTable, ticker } from '../../../../src/domain/ids.ts';
import type { FeedMessage } from '../../../../src/venues/trade-api/profiles/wire-profile.ts';
import { serviceProfile } from '../../../../src/venues/trade-api/profiles/service-profile.ts';
import { kalshiProfile } from '../../../../src/venues/trade-api/profiles/kalshi-profile.ts';
import { dollarsFeed } from '../../../../src/venues/trade-api/profiles/dollars-feed.ts';
import { planDelta, planTicker } from '../../../../src/venues/trade-api/scan/scan-plan.ts';
import { createDeltaScanner } from '../../../../src/venues/trade-api/scan/message-scanner.ts';
import { TickerBytes } from '../../../../src/venues/trade-api/scan/ticker-bytes.ts';
import { codecOf, tryDecode } from '../../../../src/venues/trade-api/wire/codec.ts';
import { WireFault } from '../../../../src/venues/trade-api/wire/wire-fault.ts';
import type { DeltaRecord, TickerRecord } from '../../../../src/venues/trade-api/wire/wire-records.ts';
import type { RecordSpec } from '../../../../src/venues/trade-api/wire/record-spec.ts';
import { runCount } from '../../../support/runner/property-runs.ts';

const cents = serviceProfile.feed.messages.delta;
const dollarsRecord: RecordSpec<DeltaRecord> = {
  name: 'orderbook_delta',
  fields: {
    ticker: { kind: 'name', wire: 'market_ticker' },
    side: { kind: 'enum', values: { yes: 'bid', no: 'ask' }, wire: 'side' },
    price: { kind: 'price', form: 'dollars', wire: 'price_dollars', noLegWhen: { field: 'side', is: 'ask' } },
    change: { kind: 'qty', form: 'decimal', signed: true, wire: 'delta_fp' },
    clientOrderId: { kind: 'text', wire: 'client_order_id', optional: true },
    at: { kind: 'time', form: 'millis', wire: 'ts_ms', optional: true },
  },
  ignored: ['market_id', 'ts', 'subaccount'],
};
const dollars: FeedMessage<DeltaRecord> = { ...cents, record: dollarsRecord };
const TICKERS = ['KXDEMO-A', 'KXDEMO-B', 'KXDEMO', 'X', 'KX"Q', 'KXÜ-A', 'KX\\S'];

function scannerOf(message: FeedMessage<DeltaRecord>, names = TICKERS) {
  const tickers = new TickerTable();
  for (const name of names) tickers.internTicker(ticker(name));
  const scanner = createDeltaScanner(message, new TickerBytes(tickers));
  if (scanner === null) throw new Error('no scanner');
  return { scanner, tickers };
}

/** The codec's reading of a frame: a delta, or `null`. */
function slowly(message: FeedMessage<DeltaRecord>, tickers: TickerTable, bytes: Uint8Array) {
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    return null;
  }
  if (typeof json !== 'object' || json === null) return null;
  const { type, sid, seq, msg } = json as Record<string, unknown>;
  if (type !== message.type || !Number.isSafeInteger(sid) || !Number.isSafeInteger(seq)) return null;
  const notes: string[] = [];
  const record = tryDecode(codecOf(message.record), msg, (kind) => notes.push(kind));
  if (record instanceof WireFault || notes.length > 0) return null;
  const { side, price, change, at } = record;
  return { sid, seq, market: tickers.indexOf(record.ticker), side, price, change, exchangeAt: at };
}

function quickly(scanner: ReturnType<typeof scannerOf>['scanner'], bytes: Uint8Array) {
  if (!scanner.scan(bytes)) return null;
  const { sid, seq, market, side, price, change, exchangeAt } = scanner;
  return { sid, seq, market, side, price, change, exchangeAt };
}

const bytesOf = (text: string): Buffer => Buffer.from(text, 'utf8');
const frame = (msg: string, head = '"type":"orderbook_delta","sid":1,"seq":2'): Buffer =>
  bytesOf(`{${head},"msg":{${msg}}}`);
const CENTS_MSG =
  '"market_ticker":"KXDEMO-A","market_id":"0f-1","price":47,"delta":-3,"side":"no","ts_ms":1795000000957';
const DOLLARS_MSG =
  '"market_ticker":"KXDEMO-B","market_id":"0f","price_dollars":"0.4710","delta_fp":"-3.50","side":"yes","ts_ms":1795000000957';

test('reads a delta in cents, a NO price converted to the YES scale', () => {
  const { scanner } = scannerOf(cents);
  expect(quickly(scanner, frame(CENTS_MSG))).toEqual({
    sid: 1,
    seq: 2,
    market: 0,
    side: 'ask',
    price: 5300,
    change: -300,
    exchangeAt: 1_795_000_000_957_000,
  });
});

test('reads a delta in dollars, finer than cents and in fractions of a contract', () => {
  const { scanner } = scannerOf(dollars);
  expect(quickly(scanner, frame(DOLLARS_MSG))).toMatchObject({ market: 1, side: 'bid', price: 4710, change: -350 });
});

test.each([
  ['cents', cents, CENTS_MSG],
  ['dollars', dollars, DOLLARS_MSG],
])('reads the members of a delta in %s in any order, without the time, and with ignored ones', (_, message, msg) => {
  const { scanner, tickers } = scannerOf(message);
  const members = msg.split(',');
  const orders = [
    members,
    members.toReversed(),
    [...members.slice(2), ...members.slice(0, 2)],
    members.filter((member) => !member.includes('ts_ms')),
    [...members, '"client_order_id":"mine"'],
    members,
  ];
  // A scanner expects the order of the last frame, so each is read twice.
  for (const order of orders.flatMap((order) => [order, order])) {
    const bytes = frame(order.join(','));
    const isTimed = message === dollars || order.some((member) => member.includes('ts_ms'));
    const quick = quickly(scanner, bytes);
    if (isTimed) expect(quick).not.toBeNull();
    if (quick !== null) expect(quick).toEqual(slowly(message, tickers, bytes));
  }
});

test.each([
  ['a space', CENTS_MSG.replace(',', ', ')],
  ['an unknown market', CENTS_MSG.replace('KXDEMO-A', 'KXDEMO-Z')],
  ['a market that starts like a known one', CENTS_MSG.replace('KXDEMO-A', 'KXDEMO-AB')],
  ['an escape in the ticker', CENTS_MSG.replace('KXDEMO-A', 'KXDEMO\\u002dA')],
  ['a ticker with a quote in it', CENTS_MSG.replace('KXDEMO-A', 'KX\\"Q')],
  ['a ticker with characters outside ASCII', CENTS_MSG.replace('KXDEMO-A', 'KXÜ-A')],
  ['a NUL after the ticker', CENTS_MSG.replace('KXDEMO-A', 'KXDEMO-A\0')],
  ['a control character in an ignored member', CENTS_MSG.replace('0f-1', '0f-\n')],
  ['an escape in an ignored member', CENTS_MSG.replace('0f-1', '0f\\n')],
  ['an unknown member', `${CENTS_MSG},"more":1`],
  ['a member twice', `${CENTS_MSG},"price":48`],
  ['no price', CENTS_MSG.replace('"price":47,', '')],
  ['a price above a dollar', CENTS_MSG.replace('47', '101')],
  ['a negative price', CENTS_MSG.replace('47', '-1')],
  ['a price with a fraction', CENTS_MSG.replace('47', '47.0')],
  ['a price with an exponent', CENTS_MSG.replace('47', '47e0')],
  ['a price with a leading zero', CENTS_MSG.replace('47', '047')],
  ['a price as text', CENTS_MSG.replace('47', '"47"')],
  ['minus zero', CENTS_MSG.replace('-3', '-0')],
  ['a change too large to be exact', CENTS_MSG.replace('-3', '-99999999999999')],
  ['too many digits', CENTS_MSG.replace('-3', '9'.repeat(40))],
  ['a time too late to be exact', CENTS_MSG.replace('1795000000957', '999999999999999')],
  ['an unknown side', CENTS_MSG.replace('"no"', '"maybe"')],
  ['a null', CENTS_MSG.replace('1795000000957', 'null')],
])('leaves a frame with %s to the codec', (_what, msg) => {
  const { scanner } = scannerOf(cents);
  expect(scanner.scan(frame(CENTS_MSG))).toBe(true);
  expect(scanner.scan(frame(msg))).toBe(false);
  expect(scanner.scan(frame(CENTS_MSG))).toBe(true);
});

test.each([
  ['"0.47101"', 'more decimals than a price has'],
  ['"1.0001"', 'more than a dollar'],
  ['"-0.0001"', 'less than zero'],
  ['".47"', 'no whole part'],
  ['"0."', 'no digits after the point'],
  ['"0.4 "', 'a space'],
  ['"0,47"', 'a comma'],
  ['0.47', 'no quotes'],
  ['""', 'nothing'],
])('leaves a price of %s to the codec: %s', (text) => {
  const { scanner } = scannerOf(dollars);
  expect(scanner.scan(frame(DOLLARS_MSG.replace('"0.4710"', text)))).toBe(false);
});

test('leaves every truncated frame, and every frame with further bytes, to the codec', () => {
  const { scanner } = scannerOf(cents);
  const whole = frame(CENTS_MSG);
  for (let length = 0; length < whole.length; length++) expect(scanner.scan(whole.subarray(0, length))).toBe(false);
  expect(scanner.scan(Buffer.concat([whole, bytesOf(' ')]))).toBe(false);
  expect(scanner.scan(Buffer.concat([whole, whole]))).toBe(false);
  // Cut from a larger buffer: the bytes after it must not count.
  const room = Buffer.concat([whole, bytesOf('}}}}')]);
  expect(scanner.scan(room.subarray(0, whole.length - 1))).toBe(false);
  expect(scanner.scan(room.subarray(0, whole.length))).toBe(true);
});

test('never reads past the end of a buffer that the frame fills', () => {
  for (const [message, msg] of [
    [cents, `"side":"yes","price":40,"delta":3,"market_id":"0f-1","market_ticker":"KXDEMO-A"`],
    [dollars, DOLLARS_MSG],
  ] as const) {
    const { scanner } = scannerOf(message);
    const whole = frame(msg);
    for (let length = 0; length <= whole.length; length++) {
      // A buffer of its own, of exactly this length.
      const alone = new Uint8Array(length);
      alone.set(whole.subarray(0, length));
      expect(scanner.scan(alone)).toBe(message === dollars && length === whole.length);
    }
  }
});

test.each(['[]', '7', '{', '{"weather":1}'])(
  'leaves an empty frame to the codec after one whose record is %s',
  (record) => {
    const { scanner } = scannerOf(cents);
    // A buffer of its own: the spare buffer still holds the frame before.
    const before = bytesOf(`{"type":"orderbook_delta","sid":1,"seq":2,"msg":${record}}`);
    expect(scanner.scan(Uint8Array.from(before))).toBe(false);
    expect(scanner.scan(new Uint8Array(0))).toBe(false);
    expect(scanner.scanSpan({ view: new DataView(new ArrayBuffer(0)), start: 0, end: 0 })).toBe(false);
  },
);

test('reads nothing of an empty frame, whatever the length of its buffer', () => {
  for (let length = 0; length < 700; length++)
    for (const at of [0, length])
      expect(scannerOf(cents).scanner.scan(new Uint8Array(new ArrayBuffer(length), at, 0)), `${length}`).toBe(false);
});

test('finds markets that are added later, and thousands of them', () => {
  const { scanner, tickers } = scannerOf(cents, []);
  for (let i = 0; i < 5000; i++) {
    const name = `KXMANY-${i}`;
    const bytes = frame(CENTS_MSG.replace('KXDEMO-A', name));
    expect(scanner.scan(bytes)).toBe(false);
    tickers.internTicker(ticker(name));
    expect(scanner.scan(bytes)).toBe(true);
    expect(scanner.market).toBe(i);
  }
  for (let i = 0; i < 5000; i++) {
    expect(scanner.scan(frame(CENTS_MSG.replace('KXDEMO-A', `KXMANY-${i}`)))).toBe(true);
    expect(scanner.market).toBe(i);
  }
});

test('no longer finds a market whose index was released, but the next one with that index', () => {
  const { scanner, tickers } = scannerOf(cents, []);
  const nameOf = (i: number): string => `KXLIFE-${'X'.repeat(i % 7)}${i}`;
  const isFound = (i: number): boolean => scanner.scan(frame(CENTS_MSG.replace('KXDEMO-A', nameOf(i))));
  for (let i = 0; i < 2000; i++) {
    tickers.internTicker(ticker(nameOf(i)));
    expect(isFound(i)).toBe(true);
    expect(scanner.market).toBe(tickers.indexOf(nameOf(i)));
    if (i < 20) continue;
    tickers.releaseIndex(tickers.internTicker(ticker(nameOf(i - 20))));
    expect(isFound(i - 20)).toBe(false);
    expect(isFound(i - 10)).toBe(true);
    expect(scanner.market).toBe(tickers.indexOf(nameOf(i - 10)));
  }
  expect(tickers.size).toBeLessThan(120);
});

test('is not created for a spec that it would read differently from the codec', () => {
  const { fields } = dollarsRecord;
  const spelled = (change: object): RecordSpec<DeltaRecord> => ({ ...dollarsRecord, fields: { ...fields, ...change } });
  const refused: RecordSpec<DeltaRecord>[] = [
    spelled({ at: { kind: 'time', form: 'rfc3339', wire: 'ts', optional: true } }),
    spelled({ change: { kind: 'qty', form: 'decimal', wire: 'delta_fp' } }),
    spelled({ side: { kind: 'enum', values: { yes: 'bid', no: 'ask', b: 'bid' }, wire: 'side' } }),
    spelled({ price: { kind: 'price', form: 'dollars', wire: 'p', noLegWhen: { field: 'ticker', is: 'ask' } } }),
    spelled({ more: { kind: 'text', wire: 'more' } }),
    { ...dollarsRecord, constants: { version: 1 } },
    { ...dollarsRecord, ignored: Array.from({ length: 40 }, (_, i) => `m${i}`) },
  ];
  for (const spec of refused) expect(planDelta(spec)).toBeNull();
  expect(planDelta(dollarsRecord)).not.toBeNull();
  expect(createDeltaScanner({ ...cents, hasSeq: false }, new TickerBytes(new TickerTable()))).toBeNull();
});

test('of tickers is created for each profile, and not for a spec that it would read differently from the codec', () => {
  for (const feed of [serviceProfile.feed, kalshiProfile.feed, dollarsFeed])
    expect(planTicker(feed.messages.ticker.record)).not.toBeNull();
  const { record } = serviceProfile.feed.messages.ticker;
  const spelled = (change: object): RecordSpec<TickerRecord> => ({
    ...record,
    fields: { ...record.fields, ...change },
  });
  const refused: RecordSpec<TickerRecord>[] = [
    spelled({ bestBid: { kind: 'price', form: 'cents', wire: 'no_ask', leg: 'no' } }),
    spelled({ lastPrice: { kind: 'price', form: 'dollars', wire: 'price', optional: true, blank: '0.5000' } }),
    spelled({ volume: { kind: 'qty', form: 'contracts', wire: 'volume', signed: true } }),
    spelled({ more: { kind: 'text', wire: 'more' } }),
  ];
  for (const spec of refused) expect(planTicker(spec)).toBeNull();
});

// Frames close to real ones: built of plausible and less plausible members, and then damaged.
const word = fc.oneof(
  fc.constantFrom(...TICKERS, 'yes', 'no', 'KX\\u0041', '', '0.4200', '-3.00', '13', '0.42000', '-0.00', '1.0000'),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
);
const number = fc.oneof(
  fc.integer({ min: -5, max: 105 }).map(String),
  fc.constantFrom(
    '0',
    '-0',
    '00',
    '1.5',
    '1e3',
    '9'.repeat(30),
    '9007199254740993',
    '1795000000957',
    '17950000009570000',
  ),
  fc.bigInt().map(String),
);
const value = fc.oneof(
  word.map((text) => JSON.stringify(text)),
  word.map((text) => `"${text}"`),
  number,
  fc.constantFrom('null', 'true', '{}', '[]', '[1,{"price":3}]'),
);
const CENTS_NAMES = ['market_ticker', 'market_id', 'price', 'delta', 'side', 'ts_ms', 'ts', 'client_order_id'];
const DOLLARS_NAMES = ['market_ticker', 'price_dollars', 'delta_fp', 'side', 'ts_ms', 'ts', 'subaccount'];

const usual = new Map<string, fc.Arbitrary<string>>(
  Object.entries({
    market_ticker: fc.constantFrom('KXDEMO-A', 'KXDEMO-B', 'X', ...TICKERS).map((text) => JSON.stringify(text)),
    market_id: fc.constantFrom('"0f-aa"', '7'),
    subaccount: fc.constantFrom('1', '"one"'),
    client_order_id: fc.uuid().map((id) => `"${id}"`),
    side: fc.constantFrom('"yes"', '"no"'),
    price: fc.integer({ min: 0, max: 100 }).map(String),
    delta: fc.integer({ min: -1000, max: 1000 }).map(String),
    price_dollars: fc.integer({ min: 0, max: 10_000 }).map((n) => `"${(n / 10_000).toFixed(4)}"`),
    delta_fp: fc.integer({ min: -99_999, max: 99_999 }).map((n) => `"${(n / 100).toFixed(2)}"`),
    ts_ms: fc.integer({ min: 0, max: 2 ** 41 }).map(String),
    ts: fc.integer({ min: 0, max: 2 ** 31 }).map(String),
  }),
);
const memberOf = (name: string): fc.Arbitrary<string> =>
  fc
    .oneof({ weight: 40, arbitrary: usual.get(name) ?? value }, { weight: 1, arbitrary: value })
    .map((v) => `"${name}":${v}`);

const rarely = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
  fc.oneof({ weight: 20, arbitrary: fc.constant(null) }, { weight: 1, arbitrary });

const frameOf = (names: readonly string[]): fc.Arbitrary<string> =>
  fc
    .record({
      members: fc.tuple(...names.map(memberOf)),
      order: fc.shuffledSubarray([...names.keys()], { minLength: names.length - 3 }),
      again: rarely(fc.nat(names.length - 1)),
      extra: rarely(fc.constantFrom('"__proto__":{}', '"__proto__":1', '"constructor":2', '"":3')),
      sid: fc.oneof({ weight: 25, arbitrary: fc.nat().map(String) }, { weight: 1, arbitrary: value }),
      seq: fc.oneof({ weight: 25, arbitrary: fc.nat().map(String) }, { weight: 1, arbitrary: value }),
      comma: fc.oneof(
        { weight: 20, arbitrary: fc.constant(',') },
        { weight: 1, arbitrary: fc.constantFrom(', ', ',,') },
      ),
    })
    .map(({ members, order, again, extra, sid, seq, comma }) => {
      const chosen = [...order, ...(again === null ? [] : [again])].map((i) => members[i]!);
      if (extra !== null) chosen.push(extra);
      return `{"type":"orderbook_delta","sid":${sid},"seq":${seq},"msg":{${chosen.join(comma)}}}`;
    });

const damaged = (frames: fc.Arbitrary<string>): fc.Arbitrary<Buffer> =>
  fc.oneof(
    { weight: 3, arbitrary: frames.map(bytesOf) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(frames.map(bytesOf), fc.nat(), fc.uint8Array({ maxLength: 3 }), fc.nat(3))
        .map(([bytes, where, inserted, removed]) => {
          const at = where % (bytes.length + 1);
          return Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at + removed)]);
        }),
    },
  );

test.each([
  ['cents', cents, CENTS_NAMES],
  ['dollars', dollars, DOLLARS_NAMES],
])('never reads a frame in %s differently from the codec', (_what, message, names) => {
  const { scanner, tickers } = scannerOf(message);
  let readCount = 0;
  fc.assert(
    fc.property(damaged(frameOf(names)), (bytes) => {
      const quick = quickly(scanner, bytes);
      if (quick === null) return;
      readCount += 1;
      expect(quick).toStrictEqual(slowly(message, tickers, bytes));
    }),
    { numRuns: runCount(6000) },
  );
  // A scanner that reads nothing would pass, too.
  expect(readCount).toBeGreaterThan(400);
});
