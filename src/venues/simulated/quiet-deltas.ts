// Puts many rows of a tape into the floor's books at once: the hottest loop of the venue's side. Must leave alone what may
// concern orders of ours, or cannot be right: the floor looks at such a row by itself.
import { PAYOUT } from '../../domain/units.ts';
import { RowKind } from '../../tape/baked/rows.ts';
import * as depth from './depth.ts';
import type { LevelRows } from './ports.ts';

// Of this file: what is imported is looked up at every use, which a loop as hot as this feels.
const BID: number = RowKind.bid;
const PRICE_MAX: number = PAYOUT;
const { lent: LENT, quiet: QUIET, apart: APART, busy: BUSY } = depth.BookState;
const { SIDES, STRIDE, START, MAP, LAST, OWN_BID, OWN_ASK } = depth;

/** As `Floor.quietDeltas`, over the levels themselves. */
export function quietDeltas(levels: depth.Depth, rows: LevelRows, { from, to }: { from: number; to: number }): number {
  const { states, last, meta, cells, slotByPrice } = levels;
  const { kind, market: markets, price, qty } = rows;
  for (let row = from; row < to; row++) {
    // Which side it is cannot be foreseen: it is reckoned, for a branch would be guessed wrong half of the time.
    const side = (kind[row] ?? 0) - BID;
    if (side < 0 || side >= SIDES) return row;
    const market = markets[row] ?? 0;
    const state = states[market];
    const at = price[row] ?? 0;
    const told = qty[row] ?? 0;
    // In whole numbers of 32 bits, which wrap below nothing where they are too large.
    const change = told | 0;
    if (state !== LENT) {
      if (state !== QUIET && state !== BUSY && state !== APART) return row;
      const start = meta[market * STRIDE + START] ?? 0;
      // Beyond all prices another grid's map begins.
      const first = at >>> 0 > PRICE_MAX ? -1 : (slotByPrice[(meta[market * STRIDE + MAP] ?? 0) + at] ?? -1);
      const slot = start + first + side;
      const isApart = state === APART;
      const level = isApart ? 0 : ((cells[slot] ?? 0) + change) | 0;
      if (first < 0 || level < 0 || (change !== told && !isApart)) return row;
      if (state === BUSY && concerns(levels, slot - start, { at: market * STRIDE, change })) return row;
      if (isApart && concernsApart(levels, slot - start, { at: market * STRIDE, change })) return row;
      if (!isApart) cells[slot] = level;
    }
    last[market * LAST] = at * SIDES + side;
    last[market * LAST + 1] = change;
  }
  return to;
}

/** Whether a change of a level may matter to orders of ours in its market: a cut where somebody watches, or a crossing. */
function concerns(
  { meta, watchers }: depth.Depth,
  place: number,
  { at, change }: { at: number; change: number },
): boolean {
  if (change < 0) return watchers[(meta[at + START] ?? 0) + place] !== 0;
  const cell = Math.floor(place / SIDES);
  return place % SIDES === 0 ? cell >= (meta[at + OWN_ASK] ?? 0) : cell <= (meta[at + OWN_BID] ?? -1);
}

/** The same where nobody watches a level between the best own bid and the best own ask, which is seen without a look at it. */
function concernsApart(levels: depth.Depth, place: number, what: { at: number; change: number }): boolean {
  const cell = Math.floor(place / SIDES);
  const { meta } = levels;
  const isBetween = cell > (meta[what.at + OWN_BID] ?? 0) && cell < (meta[what.at + OWN_ASK] ?? 0);
  return !isBetween && concerns(levels, place, what);
}
