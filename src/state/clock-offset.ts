// How far our clock is ahead of the venue's, learnt from the `Date` of its answers, which tells whole seconds.
// Pure: every time is handed in. Must never claim to know more than the samples prove.
//
// The venue stamped second d at a moment its clock showed [d, d + 1 s), between our sending and our receiving.
// So ours less the venue's lies in (sent - d - 1 s, received - d]; samples are intersected, and widened for drift.
import { micros, type Micros } from '../domain/units.ts';

const SECOND = 1_000_000;
/** How much two ordinary clocks may part, in millionths. */
const DRIFT_PPM = 100;

/** One answer: our clock around it, and the whole second that the venue stamped. */
export interface ClockSample {
  readonly sentAt: Micros;
  readonly receivedAt: Micros;
  readonly venueAt: Micros;
}

/** Our clock less the venue's, in microseconds: the middle of what is possible, and how far off it can be. */
export interface OffsetEstimate {
  readonly offset: number;
  readonly bound: number;
}

/** What is still possible, as of a time of ours. Microseconds. */
interface Interval {
  readonly least: number;
  readonly most: number;
  readonly at: number;
}

/** Learns the offset, answer by answer. */
export class ClockOffset {
  #known: Interval | null = null;
  #steps = 0;

  /** Takes in one answer. A sample whose answer came before its question is ignored. */
  observe(sample: ClockSample): void {
    if (sample.receivedAt < sample.sentAt) return;
    const fresh = intervalOf(sample);
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

  /** How often a sample contradicted all before it: one of the clocks was set. */
  get steps(): number {
    return this.#steps;
  }

  /** Our clock was set: what was learned of it no longer holds. */
  restart(): void {
    this.#known = null;
  }

  /** The offset as of a time of ours; `null` before the first answer. */
  estimate(at: Micros): OffsetEstimate | null {
    if (this.#known === null) return null;
    const { least, most } = widened(this.#known, at);
    const offset = Math.floor((least + most) / 2);
    return { offset, bound: Math.max(most - offset, offset - least) };
  }

  /**
   * What the venue's clock cannot have been past at a time of ours, as far as is known now: where a list must begin that
   * is to lack nothing since then. Never later than that time.
   */
  venueTimeBefore(at: Micros, now: Micros): Micros {
    const known = this.estimate(now);
    const aheadMost = known === null ? 0 : Math.max(0, known.offset + known.bound);
    return micros(Math.max(0, at - aheadMost));
  }

  /** What the venue's clock shows at a time of ours; our own time before the first answer. */
  venueTime(at: Micros): Micros {
    return micros(at - (this.estimate(at)?.offset ?? 0));
  }
}

/** What our clock less the venue's can be by one answer: the least and the most, in microseconds. */
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
