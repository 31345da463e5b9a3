// Estimates the lead of our clock over the venue's, from the `Date` header of its answers. Must never claim more than
// the samples prove.
//
// The header has whole seconds. The venue stamped second d when its clock showed a time in [d, d + 1 s), between our
// sending and our receiving. So our time less the venue's lies in (sent - d - 1 s, received - d]. Ranges of samples are
// intersected, and widened for drift.
import { assert } from '../../base/assert.ts';
import { micros, type Micros } from '../../domain/units.ts';

const SECOND = 1_000_000;
/** Drift between two ordinary clocks, in millionths. */
const DRIFT_PPM = 100;

/** One answer: our times of sending and receiving, and the whole second that the venue stamped. */
export interface ClockSample {
  readonly sentAt: Micros;
  readonly receivedAt: Micros;
  readonly venueAt: Micros;
}

/** Our clock less the venue's, in microseconds: the middle of the possible range, and half its width. */
export interface OffsetEstimate {
  readonly offset: number;
  readonly bound: number;
}

/** The possible range of the offset at some moment. Microseconds. */
interface Interval {
  readonly least: number;
  readonly most: number;
  readonly at: number;
}

/** Estimates the offset, answer by answer. */
export class ClockOffset {
  #known: Interval | null = null;
  #steps = 0;

  /** Applies one answer. A sample received before it was sent is ignored. */
  observeAnswer(sample: ClockSample): void {
    if (sample.receivedAt < sample.sentAt) return;
    const fresh = intervalOf(sample);
    assert(fresh.least <= fresh.most, 'one answer must leave a possible offset');
    const old = this.#known === null ? fresh : widened(this.#known, sample.receivedAt);
    const least = Math.max(old.least, fresh.least);
    const most = Math.min(old.most, fresh.most);
    if (least <= most) {
      this.#known = { least, most, at: fresh.at };
      return;
    }
    this.#steps += 1;
    this.#known = fresh;
  }

  /** Number of samples that contradicted the estimate: each time a clock was set. */
  get stepCount(): number {
    return this.#steps;
  }

  discardEstimate(): void {
    this.#known = null;
  }

  /** The offset at one of our times; `null` before the first answer. */
  estimate(at: Micros): OffsetEstimate | null {
    if (this.#known === null) return null;
    const { least, most } = widened(this.#known, at);
    assert(least <= most, 'the range of the clock offset must not be empty');
    const offset = Math.floor((least + most) / 2);
    const bound = Math.max(most - offset, offset - least);
    assert(bound >= 0 && Number.isFinite(bound), 'the error of the clock offset must be finite and not negative');
    return { offset, bound };
  }

  /** The earliest time that the venue's clock can have shown at one of our times. Never later than our time. */
  venueTimeBefore(at: Micros, now: Micros): Micros {
    const known = this.estimate(now);
    const aheadMost = known === null ? 0 : Math.max(0, known.offset + known.bound);
    return micros(Math.max(0, at - aheadMost));
  }

  /** The venue's time at one of our times. Our own time while no answer has arrived. */
  venueTime(at: Micros): Micros {
    return micros(at - (this.estimate(at)?.offset ?? 0));
  }
}

/** The range of our clock less the venue's that one answer proves, in microseconds. */
export function offsetRange({ sentAt, receivedAt, venueAt }: ClockSample): readonly [least: number, most: number] {
  const second = Math.floor(venueAt / SECOND) * SECOND;
  return [sentAt - second - SECOND, receivedAt - second];
}

function intervalOf(sample: ClockSample): Interval {
  const [least, most] = offsetRange(sample);
  return { least, most, at: sample.receivedAt };
}

function widened(known: Interval, at: number): Interval {
  const drift = Math.ceil((Math.max(0, at - known.at) * DRIFT_PPM) / 1_000_000);
  return { least: known.least - drift, most: known.most + drift, at: Math.max(at, known.at) };
}
