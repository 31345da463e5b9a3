// Estimates the lead of our clock over the venue's, from the `Date` header of its answers, which has whole seconds.
// Pure: every time is passed in. Must never claim more than the samples prove.
//
// The venue stamped second d at a moment its clock showed [d, d + 1 s), between our sending and our receiving. So our
// time less the venue's lies in (sent - d - 1 s, received - d]; samples are intersected, and widened for drift.
import { assert } from '../../base/assert.ts';
import { micros, type Micros } from '../../domain/units.ts';

const SECOND = 1_000_000;
/** Drift between two ordinary clocks, in millionths. */
const DRIFT_PPM = 100;

/** One answer: our times around it, and the whole second that the venue stamped. */
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

/** The possible range of the offset, as of one of our times. Microseconds. */
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

  /** Number of samples that contradicted all before them: each time one of the clocks was set. */
  get stepCount(): number {
    return this.#steps;
  }

  /** Discards the estimate, because our clock was set. */
  discardEstimate(): void {
    this.#known = null;
  }

  /** The offset as of one of our times; `null` before the first answer. */
  estimate(at: Micros): OffsetEstimate | null {
    if (this.#known === null) return null;
    const { least, most } = widened(this.#known, at);
    assert(least <= most, 'the range of the clock offset must not be empty');
    const offset = Math.floor((least + most) / 2);
    const bound = Math.max(most - offset, offset - least);
    assert(bound >= 0 && Number.isFinite(bound), 'the error of the clock offset must be finite and not negative');
    return { offset, bound };
  }

  /**
   * The earliest time that the venue's clock can have shown at one of our times, and never later than our time. A list
   * requested from that time on contains everything since.
   */
  venueTimeBefore(at: Micros, now: Micros): Micros {
    const known = this.estimate(now);
    const aheadMost = known === null ? 0 : Math.max(0, known.offset + known.bound);
    return micros(Math.max(0, at - aheadMost));
  }

  /** The venue's clock at one of our times; our own time before the first answer. */
  venueTime(at: Micros): Micros {
    return micros(at - (this.estimate(at)?.offset ?? 0));
  }
}

/** The range in which our clock less the venue's lies, as one answer proves it, in microseconds. */
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
