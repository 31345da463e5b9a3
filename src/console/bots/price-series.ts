// Best prices of a market and of our orders over time, for charts. Pure. Must never draw a line over a time without
// data.
import type { Chart } from '../api/api-schemas.ts';
import type { MarketCells } from '../../runtime/follow/follow-messages.ts';

/** Most points of one market. When there are more, the oldest tenth is dropped. */
export const POINTS_MAX = 20_000;
const FILLS_MAX = 2000;
const GAPS_MAX = 200;

/** A fill of ours. */
export type ChartFill = Chart['fills'][number];

/** Bid, ask, our bid and our ask at one time. -1 means no price. */
export type Prices = readonly [number, number, number, number];

interface Point {
  readonly atUs: number;
  readonly prices: Prices;
}

/** Prices and fills of one market over time. */
export class PriceSeries {
  readonly #points: Point[] = [];
  readonly #fills: ChartFill[] = [];
  readonly #gaps: { fromUs: number; toUs: number }[] = [];
  /** Time of the latest figures. The prices of the last point hold until this time. */
  #seenUs = 0;
  /** Time at which the data stopped; `null` while data arrive. */
  #lostUs: number | null = null;

  /** Adds the figures of a market at a time. Equal prices add no point. */
  addCells(atUs: number, cells: MarketCells): void {
    if (this.#lostUs !== null) this.#endGap(atUs);
    this.#seenUs = Math.max(this.#seenUs, atUs);
    const prices: Prices = [cells[3], cells[5], cells[7], cells[9]];
    const last = this.#points.at(-1);
    if (last !== undefined && last.prices.every((price, i) => price === prices[i])) return;
    this.#points.push({ atUs, prices });
    if (this.#points.length > POINTS_MAX) this.#points.splice(0, POINTS_MAX / 10);
  }

  addFill(fill: ChartFill): void {
    this.#fills.push(fill);
    if (this.#fills.length > FILLS_MAX) this.#fills.splice(0, FILLS_MAX / 10);
  }

  /** Begins a gap, which ends when figures arrive again. */
  startGap(): void {
    if (this.#points.length > 0) this.#lostUs ??= this.#seenUs;
  }

  /** Extends the last prices to a time at which the bot was still connected. */
  extendTo(atUs: number): void {
    if (this.#lostUs === null) this.#seenUs = Math.max(this.#seenUs, atUs);
  }

  #endGap(toUs: number): void {
    if (this.#lostUs !== null) this.#gaps.push({ fromUs: this.#lostUs, toUs });
    if (this.#gaps.length > GAPS_MAX) this.#gaps.shift();
    this.#lostUs = null;
  }

  /** Returns the chart of a time span. Times are in microseconds, and both ends are included. */
  chartOf(span: { readonly fromUs: number; readonly toUs: number; readonly points: number }): Chart {
    const { fromUs, toUs, points } = span;
    const shown = decimate(this.#pointsWithin(fromUs, toUs), points);
    const within = (atUs: number): boolean => atUs >= fromUs && atUs <= toUs;
    const column = (index: 0 | 1 | 2 | 3): (number | null)[] =>
      shown.map(({ prices }) => (prices[index] < 0 ? null : prices[index]));
    return {
      atUs: shown.map(({ atUs }) => atUs),
      bid: column(0),
      ask: column(1),
      ownBid: column(2),
      ownAsk: column(3),
      fills: this.#fills.filter((fill) => within(fill.atUs)),
      gaps: this.#openGaps().filter((gap) => gap.toUs >= fromUs && gap.fromUs <= toUs),
    };
  }

  #openGaps(): readonly { fromUs: number; toUs: number }[] {
    const lostUs = this.#lostUs;
    return lostUs === null ? this.#gaps : [...this.#gaps, { fromUs: lostUs, toUs: Number.MAX_SAFE_INTEGER }];
  }

  #pointsWithin(fromUs: number, toUs: number): Point[] {
    const before = this.#points.findLast(({ atUs }) => atUs < fromUs);
    const inside = this.#points.filter(({ atUs }) => atUs >= fromUs && atUs <= toUs);
    const endUs = Math.min(toUs, this.#seenUs);
    const last = inside.at(-1) ?? before;
    return [
      ...(before !== undefined && fromUs <= endUs ? [{ atUs: fromUs, prices: before.prices }] : []),
      ...inside,
      ...(last !== undefined && last.atUs < endUs && endUs > fromUs ? [{ atUs: endUs, prices: last.prices }] : []),
    ];
  }
}

/**
 * Returns at most `max` points: the first, the last, and the lowest and highest of each stretch between. No jump is
 * lost.
 */
export function decimate<Each extends Point>(points: readonly Each[], max: number): Each[] {
  if (points.length <= Math.max(2, max)) return [...points];
  const inner = points.slice(1, -1);
  const stretches = Math.max(1, Math.floor((max - 2) / 2));
  const chosen: Each[] = [];
  for (let i = 0; i < stretches; i++) {
    const start = Math.floor((i * inner.length) / stretches);
    const stretch = inner.slice(start, Math.floor(((i + 1) * inner.length) / stretches));
    chosen.push(...extremesOf(stretch));
  }
  const [first] = points;
  const last = points.at(-1);
  return first === undefined || last === undefined ? [] : [first, ...chosen, last];
}

function extremesOf<Each extends Point>(stretch: readonly Each[]): Each[] {
  const [first] = stretch;
  if (first === undefined) return [];
  let [low, high] = [first, first];
  for (const point of stretch) {
    if (heightOf(point) < heightOf(low)) low = point;
    if (heightOf(point) > heightOf(high)) high = point;
  }
  if (low === high) return [low];
  return low.atUs <= high.atUs ? [low, high] : [high, low];
}

/** The sum of bid and ask measures how high a point is drawn. */
const heightOf = ({ prices }: Point): number => prices[0] + prices[1];
