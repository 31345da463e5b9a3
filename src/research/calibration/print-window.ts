// How far apart the feed reports a print and the decrease of its level. The feed reports one trade twice, in either order.
// Must never count a print or a decrease twice.
import type { RowSource } from '../../tape/baked/tape-rows.ts';
import { RowKind } from '../../tape/baked/tape-rows.ts';
import type { Micros } from '../../domain/units.ts';
import { RowCursor } from '../../../backtest/row-cursor.ts';
import { SharedBlocks } from '../../../backtest/shared-blocks.ts';
import { quantile, sorted } from './distribution.ts';

/** Fewest prints with their decrease, for a window of its own. */
export const PRINTS_MIN = 100;
/** Longest time between a print and its decrease, as the simulator takes it without a calibration. Microseconds. */
export const WINDOW_MAX = 1_000_000;
/** Shortest window: venues give times in milliseconds. */
const WINDOW_MIN = 10_000;

/** Times of rows that wait for their counterpart, by market, side, price and quantity. */
class Unmatched {
  readonly #times = new Map<string, number[]>();

  add(key: string, at: number): void {
    const times = this.#times.get(key) ?? [];
    times.push(at);
    this.#times.set(key, times);
  }

  /** Removes and returns the latest time that is not older than the window. */
  take(key: string, at: number): number | undefined {
    const found = this.#times.get(key)?.pop();
    if (found !== undefined && at - found <= WINDOW_MAX) return found;
    this.#times.delete(key);
    return undefined;
  }
}

/** Returns the times between prints and their decreases, in microseconds, in the sequence of the tape. */
export function printGaps(source: RowSource, range: { readonly from: number; readonly to: number }): number[] {
  const cursor = new RowCursor(new SharedBlocks(source, { from: range.from as Micros, to: range.to as Micros }, 1));
  const [prints, decreases] = [new Unmatched(), new Unmatched()];
  const gaps: number[] = [];
  for (; !cursor.isOver; cursor.nextRow()) {
    const { row, rowKind: kind, venueTime: at } = cursor;
    const isPrint = kind === RowKind.buy || kind === RowKind.sell;
    const qty = cursor.qty[row] ?? 0;
    if (!isPrint && (qty >= 0 || (kind !== RowKind.bid && kind !== RowKind.ask))) continue;
    const isBid = kind === RowKind.sell || kind === RowKind.bid;
    const key = `${cursor.market[row]} ${isBid ? 'b' : 'a'} ${cursor.price[row]} ${Math.abs(qty)}`;
    const other = (isPrint ? decreases : prints).take(key, at);
    if (other === undefined) (isPrint ? prints : decreases).add(key, at);
    else gaps.push(at - other);
  }
  return gaps;
}

/**
 * Returns the window that holds 99 of 100 gaps twice over, between 10 ms and a second.
 * @returns `null` for fewer than `PRINTS_MIN` gaps.
 */
export function printWindow(gaps: readonly number[]): number | null {
  if (gaps.length < PRINTS_MIN) return null;
  const usual = quantile(sorted(gaps), 0.99);
  return Math.min(WINDOW_MAX, Math.max(WINDOW_MIN, 1000 * Math.ceil((2 * usual) / 1000)));
}
