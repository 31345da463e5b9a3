// Time as of which books are known to be right: by messages about them, and by unbroken streams.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MarketIndex } from '../../../src/domain/ids.ts';
import type { Micros } from '../../../src/domain/units.ts';
import { BookConfirmations } from '../../../src/state/books/book-confirmations.ts';

const MARKETS = 40;
const at = (micros: number): Micros => micros as Micros;
const index = fc.integer({ min: 0, max: MARKETS - 1 }).map((number) => number as MarketIndex);
/** One stream number too large to be tracked is included. */
const stream = fc.constantFrom(0, 1, 2, 30, 70_000);

interface Known {
  messageAt: number;
  stream: number;
  count: number;
  read: number;
}
const nothing = (): Known => ({ messageAt: 0, stream: 0, count: 0, read: 0 });

describe('confirmations', () => {
  it('confirmations equal a plain record of every market and every stream', () => {
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.record({ type: fc.constant('told' as const), market: index, stream }) },
      { weight: 8, arbitrary: fc.record({ type: fc.constant('changed' as const), market: index, stream }) },
      fc.record({ type: fc.constant('read' as const), market: index, stream }),
      fc.record({ type: fc.constant('forget' as const), market: index, stream }),
      fc.record({ type: fc.constant('restart' as const), market: index, stream }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const confirmations = new BookConfirmations();
        const markets = Array.from({ length: MARKETS }, nothing);
        const streamAt = new Map<number, number>();
        const recordMessage = (known: Known, followed: number, when: number): void => {
          Object.assign(known, { messageAt: when, stream: followed, count: known.count + 1 });
          streamAt.set(followed, when);
        };
        for (const [i, { type, market, stream: sequence }] of steps.entries()) {
          confirmations.openMarket(market);
          const known = markets[market]!;
          const message = { market, at: at(i + 1), ...(sequence !== 0 && { stream: sequence }) };
          const followed = sequence === 70_000 ? 0 : sequence;
          if (type === 'told') {
            confirmations.followStream(message);
            recordMessage(known, followed, i + 1);
          } else if (type === 'changed') {
            const isForeign = known.stream !== 0 && followed !== 0 && known.stream !== followed;
            expect(confirmations.recordChange(message)).toBe(!isForeign);
            if (!isForeign) recordMessage(known, followed, i + 1);
          } else if (type === 'read') {
            confirmations.recordEqualRead(market, at(i + 1));
            known.read = i + 1;
          } else if (type === 'forget') {
            confirmations.forgetMarket(market);
            markets[market] = nothing();
          } else {
            confirmations.forgetStreams();
            for (const one of markets) one.stream = 0;
            streamAt.clear();
          }
        }
        for (const [number, { messageAt, stream: own, count, read }] of markets.entries()) {
          const market = number as MarketIndex;
          expect(confirmations.messageAt(market)).toBe(messageAt);
          expect(confirmations.messageCount(market)).toBe(count);
          expect(confirmations.readAt(market)).toBe(read);
          const streamed = own === 0 ? messageAt : Math.max(messageAt, streamAt.get(own) ?? 0);
          expect(confirmations.streamedAt(market)).toBe(streamed);
        }
      }),
    );
  });
});
