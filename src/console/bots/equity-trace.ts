// The equity of a bot over time, as at most 120 points, with the gaps in which the bot did not answer. Pure. Must never
// invent a point.
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
    if (last !== undefined && last.micros !== null && atUs - last.atUs < this.#stepUs) return;
    this.#addPoint({ atUs, micros });
  }

  /** Marks the time from which the bot does not answer, until its next point. */
  startGap(atUs: number): void {
    const last = this.#points.at(-1);
    if (last !== undefined && last.micros !== null) this.#addPoint({ atUs, micros: null });
  }

  #addPoint(point: EquityPoint): void {
    this.#points.push(point);
    while (this.#points.length > EQUITY_POINTS_MAX) this.#thinOut();
  }

  /** Drops every second point. A gap that loses the points after it joins the next gap. */
  #thinOut(): void {
    let count = 0;
    const kept = this.#points.filter(({ micros }) => micros === null || count++ % 2 === 0);
    this.#points = kept.filter(({ micros }, at) => micros !== null || kept[at - 1]?.micros !== null);
    this.#stepUs *= 2;
  }

  points(): readonly EquityPoint[] {
    return this.#points;
  }
}
