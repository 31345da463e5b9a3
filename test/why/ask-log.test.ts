// Packed calls come back as they were.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AskMinute, minuteOf, unpackAsks } from '../../src/why/ask-log.ts';

const START = 1_763_700_000_000_000;
const side = fc.option(fc.integer({ min: 1, max: 9999 }), { nil: null });
const call = fc.record({ later: fc.nat(59_000), seq: fc.nat(2 ** 40), bid: side, ask: side });

describe('packed calls', () => {
  it('come back in order, each with its time, number and touch', () => {
    fc.assert(
      fc.property(fc.array(call, { maxLength: 50 }), (calls) => {
        const minute = minuteOf(START);
        const packed = new AskMinute(minute);
        const asked = calls.map(({ later, seq, bid, ask }) => ({
          atUs: minute * 60_000_000 + later * 1000,
          seq,
          bid,
          ask,
        }));
        for (const each of asked) packed.addCall(each);
        expect(unpackAsks(minute, packed.toBytes())).toEqual(asked);
      }),
    );
  });
});
