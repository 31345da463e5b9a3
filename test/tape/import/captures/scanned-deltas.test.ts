// The memory of delta messages that a thread has read: a reader gets what the writer put there.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ScannedPlace, ScannedDeltas } from '../../../../src/tape/import/captures/scanned-deltas.ts';
import type { ScannedDelta } from '../../../../src/venue.ts';
import type { MarketIndex } from '../../../../src/domain/ids.ts';
import type { Micros, Price, Qty } from '../../../../src/domain/units.ts';

type Scanned = ScannedDelta & ScannedPlace;

const offset = fc.nat(1 << 26);
const time = fc.option(fc.nat(2_000_000_000_000_000).map((at) => at as Micros));
const scanned: fc.Arbitrary<Scanned> = fc.record({
  lineStart: offset,
  lineEnd: offset,
  start: offset,
  end: offset,
  received: time,
  sid: fc.maxSafeInteger(),
  seq: fc.option(fc.maxSafeInteger()),
  market: fc.nat(500_000).map((index) => index as MarketIndex),
  exchangeAt: time,
  side: fc.constantFrom('bid', 'ask'),
  price: fc.nat(10_000).map((price) => price as Price),
  change: fc.maxSafeInteger().map((change) => change as Qty),
});

function messagesIn(deltas: ScannedDeltas): readonly Scanned[] {
  const messages: Scanned[] = [];
  while (deltas.moveNext()) {
    const { lineStart, lineEnd, start, end, received, sid, seq, market, exchangeAt, side, price, change } = deltas;
    messages.push({ lineStart, lineEnd, start, end, received, sid, seq, market, exchangeAt, side, price, change });
  }
  return messages;
}

describe('scanned deltas', () => {
  it('hold the messages that were added, in their sequence, for a reader of the same memory', () => {
    fc.assert(
      fc.property(fc.array(scanned, { maxLength: 30 }), (messages) => {
        const deltas = ScannedDeltas.forChunk(1 << 14);
        for (const message of messages) expect(deltas.addDelta(message, message)).toBe(true);
        const reader = new ScannedDeltas(deltas.memory);
        expect(messagesIn(reader)).toEqual(messages);
        reader.rewind();
        expect(messagesIn(reader)).toHaveLength(messages.length);
        deltas.clear();
        expect(messagesIn(new ScannedDeltas(deltas.memory))).toEqual([]);
      }),
    );
  });

  it('refuse a message for which there is no room, and keep the others', () => {
    const [message] = fc.sample(scanned, 1);
    if (message === undefined) throw new Error('no message was drawn');
    const deltas = ScannedDeltas.forChunk(96 * 3);
    const added = [1, 2, 3, 4].map(() => deltas.addDelta(message, message));
    expect(added).toEqual([true, true, true, false]);
    expect(messagesIn(new ScannedDeltas(deltas.memory))).toEqual([message, message, message]);
  });
});
