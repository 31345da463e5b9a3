// The normalizer emits an event for any input and never throws; it understands everything that the wire can express.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RequestCommand } from '../../../../src/domain/venue-command.ts';
import type { EngineEvent } from '../../../../src/domain/event.ts';
import { eventTicker, seriesTicker, ticker, venueOrderId } from '../../../../src/domain/ids.ts';
import { feedMessagesOf } from '../../../../src/venues/trade-api/profiles/wire-profile.ts';
import { serviceProfile } from '../../../../src/venues/trade-api/profiles/service-profile.ts';
import { codecOf } from '../../../../src/venues/trade-api/wire/codec.ts';
import type { RecordSpec } from '../../../../src/venues/trade-api/wire/record-spec.ts';
import { AT, answered, cancel, place, read, subscribed } from './raw-input.ts';
import { arbitraryOf } from '../wire/arbitrary-records.ts';
import { runCount } from '../../../support/runner/property-runs.ts';

const { messages, replies } = serviceProfile.feed;
const types = [
  ...feedMessagesOf(serviceProfile.feed).map(({ type }) => type),
  ...Object.values(replies).map(({ type }) => type),
  'weather',
];
const small = fc.oneof(fc.constant(undefined), fc.constant(null), fc.integer({ min: -1, max: 3 }), fc.constant('1'));

/** Any message of the feed, encoded for the wire. */
function anyMessageOf<T>({ type, record }: { readonly type: string; readonly record: RecordSpec<T> }) {
  const codec = codecOf(record);
  return arbitraryOf(record).map((value) => ({ type, msg: codec.encode(value) }));
}
const wellFormed = fc.oneof(
  anyMessageOf(messages.delta),
  anyMessageOf(messages.fill),
  anyMessageOf(messages.order),
  anyMessageOf(messages.position),
  anyMessageOf(messages.print),
  anyMessageOf(messages.snapshot),
  anyMessageOf(messages.ticker),
);
const misshapen = fc.record({
  type: fc.constantFrom(...types),
  id: small,
  sid: small,
  seq: small,
  msg: fc.jsonValue(),
});

describe('any frame', () => {
  it('emits an event for a frame of any shape, and never throws', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(misshapen, fc.jsonValue(), fc.string()), { maxLength: 5 }), (frames) => {
        for (const scans of [true, false]) {
          const { receive } = subscribed(['M-1'], scans);
          for (const frame of frames) expect(receive(frame).length).toBeGreaterThan(0);
        }
      }),
      { numRuns: runCount(300) },
    );
  });

  it('reads every frame that the wire can express; only an unknown market is reported', () => {
    fc.assert(
      fc.property(wellFormed, (message) => {
        const { receive } = subscribed();
        const events = receive({ ...message, sid: 1, seq: 1 });
        expect(events).toHaveLength(1);
        const [event] = events;
        if (event?.kind === 'unrecognized') expect(event.what).toBe(`market of ${message.type}`);
      }),
      { numRuns: runCount(300) },
    );
  });
});

const commands: readonly RequestCommand[] = [
  place,
  cancel,
  read({ what: 'status' }),
  read({ what: 'limits' }),
  read({ what: 'balance' }),
  read({ what: 'positions' }),
  read({ what: 'orders', status: 'any', since: null }),
  read({ what: 'order', venueOrderId: venueOrderId('o') }),
  read({ what: 'fills', since: null }),
  read({ what: 'settlements', since: null }),
  read({ what: 'market', ticker: ticker('M') }),
  read({ what: 'markets', by: { tickers: [ticker('M')] } }),
  read({ what: 'event', eventTicker: eventTicker('E') }),
  read({ what: 'series', seriesTicker: seriesTicker('S') }),
  read({ what: 'book', market: place.market, ticker: ticker('M') }),
];
const OUTCOMES = new Set<EngineEvent['kind']>(['order-accepted', 'order-rejected', 'order-unknown', 'rate-limited']);
const status = fc.oneof(
  fc.constantFrom(200, 201, 204, 400, 401, 404, 409, 429, 500, 503),
  fc.integer({ min: 100, max: 599 }),
);
const body = fc.oneof(fc.jsonValue(), fc.string(), fc.constant('{"error":{"code":"order_already_exists"}}'));

describe('any answer', () => {
  it('starts each answer with `answered`, and gives an order exactly one outcome', () => {
    fc.assert(
      fc.property(fc.constantFrom(...commands), status, body, (command, code, content) => {
        const [first, ...rest] = subscribed().normalize(answered(command, code, { body: content }));
        expect(first).toMatchObject({ kind: 'answered', at: AT, ok: code >= 200 && code < 300 });
        if (command.type === 'place') expect(rest.filter(({ kind }) => OUTCOMES.has(kind))).toHaveLength(1);
        if (command.type === 'place' && code >= 500) expect(rest).toMatchObject([{ kind: 'order-unknown' }]);
      }),
      { numRuns: runCount(500) },
    );
  });
});
