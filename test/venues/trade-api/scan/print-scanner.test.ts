// Prints read from their bytes against prints read by the codec: the same events in each dialect, whatever the message
// holds.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EngineEvent } from '../../../../src/domain/event.ts';
import { TickerTable, ticker } from '../../../../src/domain/ids.ts';
import { micros } from '../../../../src/domain/units.ts';
import { FrameNormalizer } from '../../../../src/venues/trade-api/normalize/frame-normalizer.ts';
import { dollarsFeed, withoutNumbers } from '../../../../src/venues/trade-api/profiles/dollars-feed.ts';
import { kalshiProfile } from '../../../../src/venues/trade-api/profiles/kalshi-profile.ts';
import { serviceProfile } from '../../../../src/venues/trade-api/profiles/service-profile.ts';
import type { FeedProfile } from '../../../../src/venues/trade-api/profiles/wire-profile.ts';
import { MarketScanners } from '../../../../src/venues/trade-api/scan/market-scanners.ts';
import { runCount } from '../../../support/runner/property-runs.ts';

const MARKET = 'KX-A';
const TRADE = { trade_id: '95e1f069-31a8-6c11-e9b1-ef44a9cea45d', market_ticker: MARKET };
const TIMES = { ts: 1_795_000_000, ts_ms: 1_795_000_000_957 };
const IN_DOLLARS = {
  ...TRADE,
  yes_price_dollars: '0.3510',
  no_price_dollars: '0.6490',
  count_fp: '23.26',
  taker_side: 'yes',
  taker_outcome_side: 'yes',
  taker_book_side: 'bid',
  ...TIMES,
};
const IN_CENTS = { ...TRADE, yes_price: 35, no_price: 65, count: 4, taker_side: 'no', ...TIMES };

const OPPOSITE = new Map<unknown, string>([
  ['yes', 'no'],
  ['no', 'yes'],
  ['bid', 'ask'],
]);

/** Each dialect with a trade as its venue sends it. */
const DIALECTS: readonly (readonly [string, FeedProfile, Readonly<Record<string, unknown>>])[] = [
  ['service', serviceProfile.feed, IN_CENTS],
  ['kalshi', kalshiProfile.feed, IN_DOLLARS],
  ['dollars', dollarsFeed, IN_DOLLARS],
  ['dollars without numbers', withoutNumbers(dollarsFeed), IN_DOLLARS],
];

const frameOf = (msg: object, seq: number | null = 1): Buffer =>
  Buffer.from(JSON.stringify({ type: 'trade', sid: 2, ...(seq !== null && { seq }), msg }));

const tickersWithMarket = (): TickerTable => {
  const tickers = new TickerTable();
  tickers.internTicker(ticker(MARKET));
  return tickers;
};

function eventsOf(feed: FeedProfile, frames: readonly Buffer[], scans: boolean): EngineEvent[] {
  const normalizer = new FrameNormalizer({ feed, tickers: tickersWithMarket(), scans });
  const events: EngineEvent[] = [];
  frames.forEach((bytes, i) =>
    normalizer.normalizeFrame({ type: 'frame', at: micros(i + 1), bytes }, (event) => void events.push(event)),
  );
  return events;
}

const scannersOf = (feed: FeedProfile): MarketScanners =>
  new MarketScanners(feed.messages, feed.numbers, tickersWithMarket());

/** Values that a member may have in a frame, wrong ones included. */
const oddTexts = [
  'yes',
  'no',
  'bid',
  'ask',
  'maybe',
  '',
  'é',
  'a"b',
  '0.0000',
  '1.0001',
  '0.35',
  '-0.35',
  '.5',
  '1.00',
];
const oddNumbers = [0, 35, 101, -1, 1.5, 1_795_000_000, 1e300];
const oddValues = fc.oneof(
  fc.constantFrom(...oddTexts),
  fc.constantFrom(...oddNumbers),
  fc.constantFrom<unknown>(true, false, null, [], {}),
);

const changedMembers = (usual: Readonly<Record<string, unknown>>) =>
  fc
    .tuple(
      fc.dictionary(fc.constantFrom(...Object.keys(usual), 'is_block_trade', 'market_id', 'more'), oddValues, {
        maxKeys: 3,
      }),
      fc.subarray(Object.keys(usual), { maxLength: 2 }),
      fc.boolean(),
    )
    .map(([changes, left, isReversed]) => {
      const members = Object.entries({ ...usual, ...changes }).filter(([name]) => !left.includes(name));
      return Object.fromEntries(isReversed ? members.toReversed() : members);
    });

describe.each(DIALECTS)('prints of the dialect %s', (_name, feed, usual) => {
  test('are scanned as the venue sends them, numbered or not, of a taker who buys or sells', () => {
    const scanners = scannersOf(feed);
    const isScanned = (bytes: Buffer): boolean =>
      scanners.scanFrame({ type: 'frame', at: micros(1), bytes }) === scanners.prints;
    const opposite = Object.fromEntries(
      Object.entries(usual).map(([name, value]) => [name, OPPOSITE.get(value) ?? value]),
    );
    expect([usual, opposite].map((msg) => isScanned(frameOf(msg)))).toEqual([true, true]);
    expect(isScanned(frameOf(usual, null))).toBe(!feed.messages.print.hasSeq);
  });

  test('give the same events with and without the scanner', () => {
    const message = fc.oneof(
      { weight: 1, arbitrary: fc.constant(usual) },
      { weight: 4, arbitrary: changedMembers(usual) },
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(message, fc.boolean()), { maxLength: 12 }), (messages) => {
        const frames = messages.map(([msg, isNumbered], i) => frameOf(msg, isNumbered ? i + 1 : null));
        expect(eventsOf(feed, frames, true)).toStrictEqual(eventsOf(feed, frames, false));
      }),
      { numRuns: runCount(300) },
    );
  });

  test('give the same events when a frame is cut off anywhere', () => {
    const whole = frameOf(usual);
    for (let length = 0; length <= whole.length; length++) {
      const frames = [whole.subarray(0, length)];
      expect(eventsOf(feed, frames, true)).toStrictEqual(eventsOf(feed, frames, false));
    }
  });
});

test('a print outside the book is only a sign of life', () => {
  const { feed } = kalshiProfile;
  const kinds = [true, false].map(
    (isBlock) => eventsOf(feed, [frameOf({ ...IN_DOLLARS, is_block_trade: isBlock })], true).at(-1)?.kind,
  );
  expect(kinds).toEqual(['feed-heard', 'print']);
});
