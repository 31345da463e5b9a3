// The equity of a bot over time, as at most 120 points. Pure. Must never invent a point.
import type { BotRow } from '../api/api-schemas.ts';

type EquityPoint = BotRow['equity'][number];

export const EQUITY_POINTS_MAX = 120;
const FIRST_STEP_US = 1_000_000;

/**
 * The equity of one bot. When the trace is full, every second point is dropped, and the time between points doubles.
 */
export class EquityTrace {
  #points: EquityPoint[] = [];
  #stepUs = FIRST_STEP_US;

  /** Adds a point, unless the last point is too recent. */
  addEquity(atUs: number, micros: number): void {
    const last = this.#points.at(-1);
    if (last !== undefined && atUs - last.atUs < this.#stepUs) return;
    this.#points.push({ atUs, micros });
    if (this.#points.length <= EQUITY_POINTS_MAX) return;
    this.#points = this.#points.filter((_, i) => i % 2 === 0);
    this.#stepUs *= 2;
  }

  points(): readonly EquityPoint[] {
    return this.#points;
  }
}
