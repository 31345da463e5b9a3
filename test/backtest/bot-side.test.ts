// Delivery of a tape's changes to the bot: those after its market was streamed, whichever others are.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BotSide } from '../../backtest/bot-side.ts';
import { MemoryRows } from '../../backtest/memory-rows.ts';
import { RowCursor } from '../../backtest/row-cursor.ts';
import { SharedBlocks } from '../../backtest/shared-blocks.ts';
import { IDLE_STEP } from '../../src/engine.ts';
import { type MarketIndex, TickerTable, ticker } from '../../src/domain/ids.ts';
import { type Micros, contracts, price } from '../../src/domain/units.ts';

const MARKETS = 3;
const NEVER = Number.POSITIVE_INFINITY;

/** One row each: its market, and the time since the row before it. */
const someRows = fc.array(fc.record({ market: fc.nat({ max: MARKETS - 1 }), after: fc.nat({ max: 2 }) }), {
  maxLength: 30,
});
const someTimes = fc.tuple(...Array.from({ length: MARKETS }, () => fc.oneof(fc.nat({ max: 20 }), fc.constant(NEVER))));

describe("the bot's side of a backtest", () => {
  it('delivers of each market only the changes after the time from which it is streamed', () => {
    fc.assert(
      fc.property(someRows, someTimes, fc.integer({ min: 1, max: 9 }), (rows, from, stretch) => {
        const tickers = new TickerTable();
        for (let number = 0; number < MARKETS; number++) tickers.internTicker(ticker(`M-${number}`));
        const tape = new MemoryRows(tickers);
        let at = 0;
        const allRows = rows.map(({ market, after }) => {
          at += after;
          const change = {
            market: market as MarketIndex,
            side: 'bid',
            price: price(5000),
            change: contracts(1),
          } as const;
          tape.addDelta({ at: at as Micros }, change);
          return { market, at };
        });
        const delivered: { readonly market: number; readonly at: number }[] = [];
        const venue = { streamedFrom: Float64Array.from(from), allStreamedFrom: Math.max(...from) };
        const cursor = new RowCursor(new SharedBlocks(tape, {}, 1));
        const bot = new BotSide(venue, cursor, {
          engine: {
            stepDelta: ({ market, at: deliveredAt }) => {
              delivered.push({ market, at: deliveredAt });
              return IDLE_STEP;
            },
          },
          onPrint: () => {},
          onEvent: () => {},
        });
        while (!cursor.isOver) bot.deliverDeltas(Math.min(cursor.count, cursor.row + stretch), 'at', 0);
        expect(delivered).toEqual(allRows.filter((row) => row.at > (from[row.market] ?? NEVER)));
        expect(bot.deliveredDeltas).toBe(delivered.length);
      }),
    );
  });
});
