// Builds candles of any length from the exchange's one-minute bars. Must never invent a price: a side without a price
// in the bars has none in the candle.
import { type PriceGrid, floorToGrid } from '../../domain/price-grid.ts';
import { type Micros, type Price, type Qty, NO_QTY, addQty, mulDivFloor, price } from '../../domain/units.ts';
import type { CandleRecord, PriceSpanRecord } from '../../venues/trade-api/wire/wire-records.ts';
import type { Bar, PriceBar } from '../markets/market-history.ts';

/** A minute, in microseconds. */
export const MINUTE_US = 60_000_000;

/** Candle lengths allowed outside a batch, in minutes. */
export const CANDLE_MINUTES: readonly number[] = [1, 60, 1440];

/** A range of candles by their ends, both bounds inclusive. */
export interface CandleRange {
  readonly periodMinutes: number;
  readonly from: Micros;
  readonly to: Micros;
  readonly grid: PriceGrid;
}

/** End of the period that contains a time. A period includes its end. */
const periodEnd = (at: Micros, period: number): Micros => (Math.ceil(at / period) * period) as Micros;

/** Candles of a market, oldest first. A period without bars has no candle. */
export function candlesOf(bars: readonly Bar[], { periodMinutes, from, to, grid }: CandleRange): CandleRecord[] {
  const period = periodMinutes * MINUTE_US;
  const candles: CandleRecord[] = [];
  let previous: Price | null = null;
  let at = 0;
  for (let first = bars[at]; first !== undefined; first = bars[at]) {
    const endAt = periodEnd(first.endAt, period);
    const members: Bar[] = [];
    for (let bar = bars[at]; bar !== undefined && bar.endAt <= endAt; bar = bars[++at]) members.push(bar);
    if (endAt >= from && endAt <= to) candles.push(candleOf(members, { endAt, previous, grid }));
    for (const bar of members) previous = bar.price?.close ?? previous;
  }
  return candles;
}

/**
 * Moves the last candle before a range to the first period end within the range. The moved candle has no volume, and
 * only the previous price. Returns `null` when there is no earlier candle, or no period ends within the range.
 */
export function candleBefore(bars: readonly Bar[], range: CandleRange): CandleRecord | null {
  const period = range.periodMinutes * MINUTE_US;
  const endAt = periodEnd(range.from, period);
  const earlier = bars.filter((bar) => periodEnd(bar.endAt, period) < range.from);
  const last = earlier.at(-1);
  if (last === undefined || endAt > range.to) return null;
  const previous = earlier.findLast(({ price }) => price !== null)?.price?.close ?? null;
  return { ...candleOf([], { endAt, previous, grid: range.grid }), openInterest: last.openInterest };
}

function candleOf(
  bars: readonly Bar[],
  { endAt, previous, grid }: { endAt: Micros; previous: Price | null; grid: PriceGrid },
): CandleRecord {
  const volume = bars.reduce<Qty>((sum, bar) => addQty(sum, bar.volume), NO_QTY);
  const notional = bars.reduce((sum, bar) => sum + bar.notional, 0);
  const mean = volume > 0 ? floorToGrid(grid, price(mulDivFloor(notional, 1, volume))) : null;
  return {
    endAt,
    bid: spanOf(bars.map((bar) => bar.bid)),
    ask: spanOf(bars.map((bar) => bar.ask)),
    price: { ...spanOf(bars.map((bar) => bar.price)), mean, previous },
    volume,
    openInterest: bars.at(-1)?.openInterest ?? NO_QTY,
  };
}

function spanOf(spans: readonly (PriceBar | null)[]): PriceSpanRecord {
  const present = spans.filter((span) => span !== null);
  const highest = (best: Price | null, { high }: PriceBar): Price => (best === null || high > best ? high : best);
  const lowest = (best: Price | null, { low }: PriceBar): Price => (best === null || low < best ? low : best);
  return {
    open: present[0]?.open ?? null,
    low: present.reduce<Price | null>(lowest, null),
    high: present.reduce<Price | null>(highest, null),
    close: present.at(-1)?.close ?? null,
  };
}
