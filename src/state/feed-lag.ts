// How late what the feed tells arrives, learned from the times that the venue puts on its messages.
// Must never claim more than the messages prove: the least of a span counts, less what clocks and coarse times leave open.
import type { OffsetEstimate } from './clock-offset.ts';
import type { Micros } from '../domain/units.ts';

/** The least lag of each span of so long is kept. Microseconds. */
const SPAN = 1_000_000;
const SECOND = 1_000_000;
const MILLISECOND = 1000;
/** How much two ordinary clocks may part, in millionths. */
const DRIFT_PPM = 100;

/** The lag of one connection's messages. All differences are our time less the venue's, in microseconds. */
export class FeedLag {
  #spanEnd = 0;
  /** The least difference of the present span, and of the one right before it. */
  #least = Number.POSITIVE_INFINITY;
  #before = Number.POSITIVE_INFINITY;
  /** The least of all spans, as of a time. */
  #base = Number.POSITIVE_INFINITY;
  #baseAt = 0;
  /** What the venue's times are multiples of: whole seconds, until one is not. */
  #grain = SECOND;

  /** A message came: its time of arrival, and the venue's time on it. */
  observe(at: Micros, exchangeAt: Micros): void {
    if (at >= this.#spanEnd) this.#turn(at);
    const difference = at - exchangeAt;
    if (difference < this.#least) this.#least = difference;
    if (this.#grain === SECOND && exchangeAt % SECOND !== 0) this.#grain = MILLISECOND;
  }

  #turn(at: Micros): void {
    const isAdjacent = at < this.#spanEnd + SPAN;
    this.#base = Math.min(this.#baseNow(at), this.#least);
    this.#baseAt = at;
    this.#before = isAdjacent ? this.#least : Number.POSITIVE_INFINITY;
    this.#least = Number.POSITIVE_INFINITY;
    this.#spanEnd = at + SPAN;
  }

  #baseNow(at: number): number {
    return this.#base + Math.ceil((Math.max(0, at - this.#baseAt) * DRIFT_PPM) / 1_000_000);
  }

  /**
   * How late the latest messages came, at least, in microseconds: later than the quickest ones, and later than the
   * clocks allow for. 0 before any has.
   */
  proven(at: Micros, clock: OffsetEstimate | null): number {
    const latest = Math.min(this.#before, this.#least);
    if (latest === Number.POSITIVE_INFINITY) return 0;
    const quickest = Math.min(this.#baseNow(at), latest);
    const allowed = clock === null ? quickest : Math.min(quickest, clock.offset + clock.bound);
    return Math.max(0, latest - allowed - this.#grain);
  }

  /** Another connection, or another clock: what was learned no longer compares. */
  restart(): void {
    this.#spanEnd = 0;
    this.#least = Number.POSITIVE_INFINITY;
    this.#before = Number.POSITIVE_INFINITY;
    this.#base = Number.POSITIVE_INFINITY;
  }
}
