// A normalizer that scans deltas, tickers and prints against one that does not: the same events for the same input, whatever it is.
import * as fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import type { EngineEvent } from '../../../../src/domain/event.ts';
import { TickerTable, ticker } from '../../../../src/domain/ids.ts';
import { micros } from '../../../../src/domain/units.ts';
import type { RawInput } from '../../../../src/venue.ts';
import { TradeApiNormalizer } from '../../../../src/venues/trade-api/normalize/trade-api-normalizer.ts';
import { serviceProfile } from '../../../../src/venues/trade-api/profiles/service-profile.ts';
import { MessageScanner } from '../../../../src/venues/trade-api/scan/message-scanner.ts';
import { runCount } from '../../../support/runner/property-runs.ts';

const NAMES = ['KX-A', 'KX-B', 'KX-C'];
const LATE = 'KX-LATE';

const json = (value: unknown): string => JSON.stringify(value);
const deltaOf = (name: string, [sid, seq]: readonly [number, number], msg: object): string =>
  json({ type: 'orderbook_delta', sid, seq, msg: { market_ticker: name, market_id: 'id', ...msg } });

const tradeOf = (name: string, { side, price, delta, ...at }: { side: string; price: number; delta: number }) => {
  return { trade_id: `t${delta}`, market_ticker: name, yes_price: price, count: delta, taker_side: side, ...at };
};

/** Members of a ticker that may be missing, may be `null`, or may have a value that the codec refuses. */
const tickerMembers = fc.record(
  {
    price: fc.constantFrom<unknown>(0, 47, 100, 101, -1, null, '47'),
    yes_bid: fc.constantFrom<unknown>(46, 0, 100, null),
    yes_bid_size: fc.constantFrom<unknown>(5, -5, 1.5, null),
    yes_ask: fc.constantFrom<unknown>(48, 0, 100, 400),
    volume: fc.constantFrom<unknown>(1000, 0, -1, null),
    open_interest: fc.constantFrom<unknown>(7, 7, 7, '7'),
    dollar_volume: fc.constantFrom<unknown>(12, '12', 1.5),
    ts_ms: fc.constantFrom<unknown>(1_795_000_000_957, -1, null),
    ts: fc.constantFrom<unknown>(1_795_000_000, 'late'),
    more: fc.constant(1),
  },
  { requiredKeys: [] },
);
const USUAL_TICKER = { price: 47, yes_bid: 46, yes_ask: 48, volume: 1000, open_interest: 7, ts_ms: 1_795_000_000_957 };

/** Frames as a venue sends them: numbers mostly in order; sometimes one is lost, repeated, or of an unknown market. */
const stream: fc.Arbitrary<string[]> = fc
  .array(
    fc.record({
      name: fc.constantFrom(...NAMES, ...NAMES, 'KX-NEVER', LATE),
      kind: fc.constantFrom(
        'delta',
        'delta',
        'delta',
        'delta',
        'ticker',
        'ticker',
        'snapshot',
        'trade',
        'error',
        'subscribed',
      ),
      sid: fc.constantFrom(1, 1, 1, 2),
      jump: fc.constantFrom(1, 1, 1, 1, 1, 1, 2, 0),
      price: fc.integer({ min: -1, max: 101 }),
      delta: fc.integer({ min: -500, max: 500 }),
      side: fc.constantFrom('yes', 'no', 'no', 'both'),
      ticker: fc.oneof(
        fc.constant(USUAL_TICKER),
        tickerMembers.map((some) => ({ ...USUAL_TICKER, ...some })),
        tickerMembers,
      ),
      isNumbered: fc.boolean(),
      at: fc.constantFrom({}, { ts_ms: 1_795_000_000_957 }, { ts_ms: 1_795_000_000_957, ts: 1_795_000_000 }, { ts: 5 }),
    }),
    { maxLength: 50 },
  )
  .map((steps) => {
    const seqs = [0, 0, 0];
    return steps.map(({ name, kind, sid, jump, price, delta, side, at, ticker, isNumbered }) => {
      if (kind === 'error') return json({ type: 'error', sid, msg: { code: 10, msg: 'Channel error' } });
      if (kind === 'subscribed') return json({ id: 1, type: 'subscribed', msg: { channel: 'orderbook_delta', sid } });
      if (kind === 'ticker' && !isNumbered)
        return json({ type: 'ticker', sid, msg: { market_ticker: name, ...ticker } });
      const seq = (seqs[sid] = seqs[sid]! + jump);
      if (kind === 'trade') return json({ type: 'trade', sid, seq, msg: tradeOf(name, { side, price, delta, ...at }) });
      if (kind === 'delta') return deltaOf(name, [sid, seq], { side, price, delta, ...at });
      if (kind === 'ticker') return json({ type: 'ticker', sid, seq, msg: { ...ticker, market_ticker: name } });
      return json({ type: 'orderbook_snapshot', sid, seq, msg: { market_ticker: name, yes: [[40, 3]], no: [] } });
    });
  });

/** Cuts, doubles and overwrites bytes of some frames. */
const inputs = fc
  .tuple(
    stream,
    fc.array(fc.record({ frame: fc.nat(), at: fc.nat(), bytes: fc.uint8Array({ maxLength: 4 }), cut: fc.nat(4) }), {
      maxLength: 6,
    }),
  )
  .map(([texts, wounds]) => {
    const frames = texts.map((text) => Buffer.from(text));
    for (const { frame, at, bytes, cut } of wounds) {
      const index = frame % Math.max(1, frames.length);
      const whole = frames[index];
      if (whole === undefined) continue;
      const from = at % (whole.length + 1);
      frames[index] = Buffer.concat([whole.subarray(0, from), bytes, whole.subarray(from + cut)]);
    }
    return frames;
  });

function eventsOf(frames: readonly Uint8Array[], scans: boolean): EngineEvent[] {
  const tickers = new TickerTable();
  for (const name of NAMES) tickers.internTicker(ticker(name));
  const normalizer = new TradeApiNormalizer({ profile: serviceProfile, tickers, scans });
  const events: EngineEvent[] = [];
  // Market data events are reused, so they are copied.
  const emit = (event: EngineEvent): void => void events.push(structuredClone(event));
  const params = { channels: ['orderbook_delta'], market_tickers: NAMES };
  const before: RawInput[] = [
    { type: 'feed-up', at: micros(1), connection: 1 },
    { type: 'feed-sent', at: micros(2), text: json({ id: 1, cmd: 'subscribe', params }) },
  ];
  for (const input of before) normalizer.normalize(input, emit);
  frames.forEach((bytes, i) => {
    if (i === 10) tickers.internTicker(ticker(LATE));
    normalizer.normalize({ type: 'frame', at: micros(10 + i), bytes }, emit);
  });
  return events;
}

test('gives the same events with and without the scanner, for frames whole and damaged', () => {
  fc.assert(
    fc.property(inputs, (frames) => {
      expect(eventsOf(frames, true)).toStrictEqual(eventsOf(frames, false));
    }),
    { numRuns: runCount(600) },
  );
});

test('scans what a venue normally sends', () => {
  const scan = vi.spyOn(MessageScanner.prototype, 'scan');
  const usual = { side: 'no', price: 40, delta: -3, ts_ms: 1_795_000_000_957, ts: 1_795_000_000 };
  const events = eventsOf(
    [1, 2, 3].map((seq) => Buffer.from(deltaOf('KX-B', [1, seq], usual))),
    true,
  );
  expect(scan.mock.results.map(({ value }) => value)).toEqual([true, true, true]);
  expect(events.at(-1)).toMatchObject({ kind: 'book-delta', market: 1, side: 'ask', price: 6000, change: -300 });
  scan.mockRestore();
});

test('scans tickers as a venue normally sends them, numbered or not', () => {
  const scan = vi.spyOn(MessageScanner.prototype, 'scan');
  const msg = {
    market_ticker: 'KX-B',
    price: 0,
    yes_bid: 46,
    yes_ask: 100,
    volume: 1000,
    open_interest: 7,
    ts_ms: 5,
    ts: 0,
  };
  const events = eventsOf(
    [{ sid: 4 }, { sid: 4, seq: 1 }].map((head) => Buffer.from(json({ type: 'ticker', ...head, msg }))),
    true,
  );
  // Each frame is refused by the scanner of deltas, and read by that of tickers.
  expect(scan.mock.results.map(({ value }) => value)).toEqual([false, true, false, true]);
  const figures = { lastPrice: null, bestBid: 4600, bestAsk: null, volume: 100_000, openInterest: 700 };
  expect(events.at(-1)).toMatchObject({ kind: 'ticker', market: 1, exchangeAt: 5000, ...figures });
  expect(events.filter(({ kind }) => kind === 'ticker')).toHaveLength(2);
  scan.mockRestore();
});
