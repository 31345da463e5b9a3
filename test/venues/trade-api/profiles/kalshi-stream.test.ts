// Frames of the kalshi dialect, whole and damaged: each gives an event, none throws, scanner and codec always agree,
// and no private data is published.
import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { EngineEvent } from '../../../../src/domain/event.ts';
import { ticker } from '../../../../src/domain/ids.ts';
import { feedMessagesOf, privateTypesOf } from '../../../../src/venues/trade-api/profiles/wire-profile.ts';
import { kalshiProfile } from '../../../../src/venues/trade-api/profiles/kalshi-profile.ts';
import { publicPartFilter } from '../../../../src/venues/trade-api/feed/public-frame.ts';
import { MessageScanner } from '../../../../src/venues/trade-api/scan/message-scanner.ts';
import { codecOf } from '../../../../src/venues/trade-api/wire/codec.ts';
import type { RecordSpec } from '../../../../src/venues/trade-api/wire/record-spec.ts';
import { AT, normalizing } from '../normalize/raw-input.ts';
import { arbitraryOf } from '../wire/arbitrary-records.ts';
import { runCount } from '../../../support/runner/property-runs.ts';

const { feed } = kalshiProfile;
const NAMES = ['KX-A', 'KX-B'];

function eventsOf(frames: readonly (string | Uint8Array)[], scans: boolean): readonly EngineEvent[] {
  const { tickers, normalize } = normalizing(kalshiProfile, scans);
  for (const name of NAMES) tickers.internTicker(ticker(name));
  normalize({ type: 'feed-up', at: AT, connection: 1 });
  return frames.flatMap((frame) => normalize({ type: 'frame', at: AT, bytes: Buffer.from(frame) }));
}

const stamp = { ts: '2026-06-11T06:29:47.354803Z', ts_ms: 1_781_159_387_354 };
const deltaOf = (seq: number, msg: object): string =>
  JSON.stringify({ type: 'orderbook_delta', sid: 1, seq, msg: { market_ticker: 'KX-A', market_id: 'f5ed', ...msg } });

const aDelta = fc.record(
  {
    market_ticker: fc.constantFrom(...NAMES, 'KX-NEVER'),
    price_dollars: fc.constantFrom('0.5200', '0.0001', '1.0000', '1.0001', '0.52', '.5', '0.52000', '-0.1000', '', 'x'),
    delta_fp: fc.constantFrom('1.00', '-1.00', '0.01', '1', '-0.5', '1.000', '99999999999.99', '', '1e3'),
    side: fc.constantFrom('yes', 'no', 'maybe'),
    client_order_id: fc.constantFrom('mine', ''),
    subaccount: fc.constantFrom(0, 3),
    ts_ms: fc.constantFrom(1_781_159_387_354, -1, '5'),
    ts: fc.constantFrom(stamp.ts, 5),
  },
  { requiredKeys: ['market_ticker', 'price_dollars', 'delta_fp', 'side'] },
);
const frames = fc
  .array(fc.tuple(aDelta, fc.constantFrom(1, 1, 1, 1, 2, 0), fc.option(fc.tuple(fc.nat(), fc.string()))), {
    maxLength: 20,
  })
  .map((steps) => {
    let seq = 0;
    return steps.map(([msg, jump, wound]) => {
      const text = deltaOf((seq += jump), msg);
      if (wound === null) return text;
      const at = wound[0] % text.length;
      return text.slice(0, at) + wound[1] + text.slice(at + wound[1].length);
    });
  });

describe('book deltas', () => {
  it('reads deltas alike with and without the scanner, whole and damaged', () => {
    fc.assert(
      fc.property(frames, (some) => {
        expect(eventsOf(some, true)).toStrictEqual(eventsOf(some, false));
      }),
      { numRuns: runCount(400) },
    );
  });

  it('scans deltas as the venue normally sends them, our own too', () => {
    const scan = vi.spyOn(MessageScanner.prototype, 'scan');
    const usual = { price_dollars: '0.5200', delta_fp: '-1.50', side: 'no', ...stamp };
    const events = eventsOf(
      [deltaOf(1, usual), deltaOf(2, { ...usual, client_order_id: 'mine', subaccount: 0 })],
      true,
    );
    expect(scan.mock.results.map(({ value }) => value)).toEqual([true, true]);
    expect(events.at(-1)).toMatchObject({ kind: 'book-delta', side: 'ask', price: 5200, change: -150 });
    scan.mockRestore();
  });
});

/** Any message of the feed, as the local exchange writes it. */
const anyMessage = fc.constantFrom(...Object.values(feed.messages)).chain((message) => {
  if (message === null) return fc.constant(null);
  // tidy: as (each record is encoded by its own codec)
  const record = message.record as unknown as RecordSpec<object>;
  return arbitraryOf(record).map((value) => ({ type: message.type, msg: codecOf(record).encode(value) }));
});

describe('any message', () => {
  it('reads every message that can be written; only an unknown market is reported', () => {
    fc.assert(
      fc.property(anyMessage, (message) => {
        const [event, ...rest] = eventsOf([JSON.stringify({ ...message, sid: 1, seq: 1 })], true);
        expect(rest).toEqual([]);
        if (event?.kind === 'unrecognized') expect(event.what).toBe(`market of ${message?.type}`);
        else expect(event).toBeDefined();
      }),
      { numRuns: runCount(200) },
    );
  });

  it('emits an event for a message of any shape, and never throws', () => {
    const types = [...feedMessagesOf(feed), ...Object.values(feed.replies)].map(({ type }) => type);
    const small = fc.oneof(fc.constant(undefined), fc.integer({ min: -1, max: 3 }), fc.constant('1'));
    const misshapen = fc.record({
      type: fc.constantFrom(...types),
      id: small,
      sid: small,
      seq: small,
      msg: fc.jsonValue(),
    });
    fc.assert(
      fc.property(misshapen, (message) => {
        expect(eventsOf([JSON.stringify(message)], true).length).toBeGreaterThan(0);
      }),
      { numRuns: runCount(200) },
    );
  });

  it.each(privateTypesOf(feed))('publishes no message of type %s', (type) => {
    expect(publicPartFilter(feed)(Buffer.from(JSON.stringify({ type, sid: 1, msg: {} })))).toBeNull();
  });

  it('publishes book messages without the id of an order of ours', () => {
    const own = deltaOf(1, { price_dollars: '0.5200', delta_fp: '1.00', side: 'no', client_order_id: 'mine' });
    const shown = Buffer.from(publicPartFilter(feed)(Buffer.from(own))!).toString();
    expect(shown).toBe(own.replace('mine', ''));
  });
});
