// Puts many rows of a tape into the floor's books at once: the hottest loop of the venue's side. Must leave alone what may
// concern orders of ours, or cannot be right: the floor looks at such a row by itself.
import type { MarketIndex } from '../../domain/ids.ts';
import { PAYOUT } from '../../domain/units.ts';
import { RowKind } from '../../tape/baked/rows.ts';
import * as depth from './depth.ts';
import type { Floor } from './ports.ts';

// Of this file: what is imported is looked up at every use, which a loop as hot as this feels.
const BID: number = RowKind.bid;
const PRICE_MAX: number = PAYOUT;
const { lent: LENT, quiet: QUIET, apart: APART, busy: BUSY } = depth.BookState;
const { SIDES, STRIDE, START, MAP, LAST, OWN_BID, OWN_ASK } = depth;

/** `Floor.quietDeltas` over the levels themselves. These are captured, which compiled code can rely on. */
export const quietPasser =
  (levels: depth.Depth): Floor['quietDeltas'] =>
  (rows, from, to) => {
    const { states, last } = levels;
    const { kind, market: markets, price, qty } = rows;
    for (let row = from; row < to; row++) {
      // Which side it is cannot be foreseen: it is reckoned, for a branch would be guessed wrong half of the time.
      const side = (kind[row] ?? 0) - BID;
      if (side < 0 || side >= SIDES) return row;
      const market = markets[row] ?? 0;
      const at = price[row] ?? 0;
      const told = qty[row] ?? 0;
      // In whole numbers of 32 bits, which wrap below nothing where they are too large.
      const change = told | 0;
      if (states[market] !== LENT && !adds(levels, market, { side, at, change, told })) return row;
      last[market * LAST] = at * SIDES + side;
      last[market * LAST + 1] = change;
    }
    return to;
  };

/** A change as a row tells it: a bid or an ask, its price, and by how much, in 32 bits and as told. */
interface Told {
  readonly side: number;
  readonly at: number;
  readonly change: number;
  readonly told: number;
}

/** Adds a change to what is kept of a book here; `false` where it must be looked at. */
function adds(levels: depth.Depth, market: number, { side, at, change, told }: Told): boolean {
  const { states, meta, cells, watchers, slotByPrice } = levels;
  const state = states[market];
  const base = market * STRIDE;
  // Beyond all prices another grid's map begins.
  const first = at >>> 0 > PRICE_MAX ? -1 : (slotByPrice[(meta[base + MAP] ?? 0) + at] ?? -1);
  if (first < 0) return false;
  const cell = first >> 1;
  if (state === APART) {
    // Nobody watches a level between the best own bid and the best own ask, and none there crosses either.
    if (cell > (meta[base + OWN_BID] ?? 0) && cell < (meta[base + OWN_ASK] ?? 0)) return true;
  } else if (state !== QUIET && state !== BUSY) return false;
  const slot = (meta[base + START] ?? 0) + first + side;
  if (state !== QUIET) {
    const isWatched = watchers[slot] !== 0;
    // What may matter to orders of ours: a cut where somebody watches, or a crossing.
    if (change < 0 ? isWatched : levels.meetsOwn(market as MarketIndex, side === 0, cell)) return false;
    // Of a book that is lent only what is watched is kept here.
    if (state === APART && !isWatched) return true;
  }
  const level = ((cells[slot] ?? 0) + change) | 0;
  if (level < 0 || change !== told) return false;
  cells[slot] = level;
  return true;
}
