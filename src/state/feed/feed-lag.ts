// Lateness of the feed, from the times on the venue's messages. Must never claim more lag than the messages prove, so
// the least lag of a span counts.
import { assert } from '../../base/assert.ts';
import type { OffsetEstimate } from './clock-offset.ts';
import type { Micros } from '../../domain/units.ts';

/** Length of a span; the least lag of each span is recorded. Microseconds. */
const SPAN = 1_000_000;
const SECOND = 1_000_000;
const MILLISECOND = 1000;
/** Drift between two ordinary clocks, in millionths. */
const DRIFT_PPM = 100;

/** The lag of one connection's messages. Differences are our time less the venue's, in microseconds. */
export class FeedLag {
  #spanEnd = 0;
  /** The least difference of the present span, and of the span right before it. */
  #least = Number.POSITIVE_INFINITY;
  #leastBefore = Number.POSITIVE_INFINITY;
  /** The least difference of all spans, as of a time. */
  #base = Number.POSITIVE_INFINITY;
  #baseAt = 0;
  /** Granularity of the venue's times: whole seconds, until a finer time arrives. */
  #grain = SECOND;

  observeMessage(at: Micros, exchangeAt: Micros): void {
    if (at >= this.#spanEnd) this.#startSpan(at);
    const difference = at - exchangeAt;
    if (difference < this.#least) this.#least = difference;
    if (this.#grain === SECOND && exchangeAt % SECOND !== 0) this.#grain = MILLISECOND;
  }

  #startSpan(at: Micros): void {
    const isAdjacent = at < this.#spanEnd + SPAN;
    this.#base = Math.min(this.#baseAsOf(at), this.#least);
    this.#baseAt = at;
    this.#leastBefore = isAdjacent ? this.#least : Number.POSITIVE_INFINITY;
    this.#least = Number.POSITIVE_INFINITY;
    this.#spanEnd = at + SPAN;
    assert(this.#spanEnd > at, 'a span must end after it begins');
  }

  #baseAsOf(at: number): number {
    return this.#base + Math.ceil((Math.max(0, at - this.#baseAt) * DRIFT_PPM) / 1_000_000);
  }

  /**
   * The proven lag of the latest messages, in microseconds: their delay beyond the fastest messages, less the possible
   * error of the clocks. 0 before any message.
   */
  provenLag(at: Micros, clock: OffsetEstimate | null): number {
    const latest = Math.min(this.#leastBefore, this.#least);
    if (latest === Number.POSITIVE_INFINITY) return 0;
    const quickest = Math.min(this.#baseAsOf(at), latest);
    const allowed = clock === null ? quickest : Math.min(quickest, clock.offset + clock.bound);
    assert(allowed <= latest, 'messages must not be faster than the fastest ones');
    return Math.max(0, latest - allowed - this.#grain);
  }

  /** Discards what was measured, because the connection or the clock has changed. */
  discardSpans(): void {
    this.#spanEnd = 0;
    this.#least = Number.POSITIVE_INFINITY;
    this.#leastBefore = Number.POSITIVE_INFINITY;
    this.#base = Number.POSITIVE_INFINITY;
  }
}
