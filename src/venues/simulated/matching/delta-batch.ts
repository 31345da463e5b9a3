// Applies many rows of a tape to the venue's books at once: the hottest loop of the simulated venue. Must stop at a row
// that may concern orders of ours or, in a book that is not shared, cannot be right. The caller then applies this row
// alone.
import type { MarketIndex } from '../../../domain/ids.ts';
import { PAYOUT } from '../../../domain/units.ts';
import { RowKind } from '../../../tape/baked/tape-rows.ts';
import * as depth from './recorded-depth.ts';
import type { FillSimulator } from '../simulator-interfaces.ts';

// Local copies: V8 does not fold imported bindings into constants.
const BID: number = RowKind.bid;
const PRICE_MAX: number = PAYOUT;
const { shared: SHARED, idle: IDLE, sharedWatched: SHARED_WATCHED, watched: WATCHED } = depth.BookState;
const {
  SLOTS_PER_CELL: SIDES,
  META_STRIDE: STRIDE,
  CELLS_START: START,
  PRICE_MAP_START: MAP,
  LAST_CHANGE_STRIDE: LAST,
  OWN_BID_CELL: OWN_BID,
  OWN_ASK_CELL: OWN_ASK,
} = depth;

/**
 * Makes `FillSimulator.applyDeltaBatch`. The arrays that every row needs are read once per batch, so that compiled code
 * can rely on them.
 */
export function deltaBatchApplier(levels: depth.RecordedDepth): FillSimulator['applyDeltaBatch'] {
  // Filled again for each row: a new object for each took a seventh of all memory that a backtest allocates.
  const rowChange: RowChange = { market: 0, side: 0, priceOfRow: 0, change: 0, recorded: 0 };
  return (rows, from, to) => {
    const { states, lastChanges } = levels;
    const { kind, market: markets, price, qty } = rows;
    for (let row = from; row < to; row++) {
      // The side is computed: a branch would be mispredicted half of the time.
      const side = (kind[row] ?? 0) - BID;
      if (side < 0 || side >= SIDES) return row;
      const market = markets[row] ?? 0;
      const priceOfRow = price[row] ?? 0;
      const recorded = qty[row] ?? 0;
      // A quantity that does not fit into 32 bits changes here; `applyChange` rejects it before it changes a level.
      const change = recorded | 0;
      if (states[market] !== SHARED) {
        rowChange.market = market;
        rowChange.side = side;
        rowChange.priceOfRow = priceOfRow;
        rowChange.change = change;
        rowChange.recorded = recorded;
        if (!applyChange(levels, rowChange)) return row;
      }
      lastChanges[market * LAST] = priceOfRow * SIDES + side;
      lastChanges[market * LAST + 1] = change;
    }
    return to;
  };
}

/** A change from a row: side 0 is bid, 1 is ask. `change` is `recorded` as a 32-bit integer. */
interface RowChange {
  market: number;
  side: number;
  priceOfRow: number;
  change: number;
  recorded: number;
}

/** Applies a change to a level that is maintained here. Returns `false` when the row must be applied alone. */
function applyChange(levels: depth.RecordedDepth, rowChange: Readonly<RowChange>): boolean {
  const { market, side, priceOfRow, change, recorded } = rowChange;
  const { states, meta, cells, watchers, slotByPrice } = levels;
  const state = states[market];
  const base = market * STRIDE;
  // A price beyond `PRICE_MAX` would read the map of another grid.
  const first = priceOfRow >>> 0 > PRICE_MAX ? -1 : (slotByPrice[(meta[base + MAP] ?? 0) + priceOfRow] ?? -1);
  if (first < 0) return false;
  const cell = first >> 1;
  if (state === SHARED_WATCHED) {
    // Between our best bid and our best ask no level is watched, and no change crosses our orders.
    if (cell > (meta[base + OWN_BID] ?? 0) && cell < (meta[base + OWN_ASK] ?? 0)) return true;
  } else if (state !== IDLE && state !== WATCHED) return false;
  const slot = (meta[base + START] ?? 0) + first + side;
  if (state !== IDLE) {
    const isWatched = watchers[slot] !== 0;
    // A decrease of a watched level, or a crossing change, may move or fill our orders.
    if (change < 0 ? isWatched : levels.crossesOwn(market as MarketIndex, side === 0, cell)) return false;
    // Only the watched levels of a shared book are maintained here.
    if (state === SHARED_WATCHED && !isWatched) return true;
  }
  const level = ((cells[slot] ?? 0) + change) | 0;
  if (level < 0 || change !== recorded) return false;
  cells[slot] = level;
  return true;
}
