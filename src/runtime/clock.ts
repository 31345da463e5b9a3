// The only clock of a live session: wall time that never goes back while the process lives.
// Must never stay behind either: it follows a wall clock that leaps ahead, because the machine slept or its clock was
// set, once the venue agrees with the wall. A wall that is wrong for a while leaves it alone.
import { type Micros, micros } from '../domain/units.ts';
import { type ClockSample, offsetRange } from '../state/clock-offset.ts';

/**
 * The machine's wall clock leapt ahead of this clock, by `by` microseconds. `noticed`: it is not known yet which of
 * both is right. `followed`: the venue agrees with the wall, and this clock shows its time now. `refused`: the venue
 * agrees with this clock, which goes on as before. `over`: the wall is back.
 */
export interface Leap {
  readonly type: 'noticed' | 'followed' | 'refused' | 'over';
  readonly by: number;
}

/** Tells the time. */
export interface Clock {
  /** Now, in microseconds since the Unix epoch. Never less than it said before. */
  now(): Micros;
  /** Learns the venue's time from an answer: it decides whether a leap of the wall is followed. */
  observe?(sample: ClockSample): void;
  /** Calls a listener with every leap of the wall clock, and with what becomes of it. */
  onLeap?(listener: (leap: Leap) => void): void;
}

/** What the clock reads, in milliseconds: the wall's time since the epoch, and a monotonic one. */
export interface TimeSources {
  readonly wall: () => number;
  readonly monotonic: () => number;
}

const MACHINE: TimeSources = { wall: () => Date.now(), monotonic: () => performance.now() };

/** The wall is looked at no more often than this. */
const LOOK_EVERY_MS = 100;
/** A wall this far ahead was set, or the machine slept while the monotonic clock stood still. */
const STEP_MS_MIN = 1000;

/** The machine's wall clock, read once, and its monotonic clock since; the wall again when it leaps ahead with reason. */
export class SystemClock implements Clock {
  readonly #sources: TimeSources;
  #origin: number;
  #lookedAt: number;
  /** How far the wall is ahead, when that was noticed, and whether the venue denied it; `null` while the wall is right. */
  #leap: { readonly byMs: number; readonly noticedAt: Micros; isRefused: boolean } | null = null;
  #listener: ((leap: Leap) => void) | null = null;

  constructor(sources: TimeSources = MACHINE) {
    this.#sources = sources;
    this.#lookedAt = sources.monotonic();
    this.#origin = sources.wall() - this.#lookedAt;
  }

  onLeap(listener: (leap: Leap) => void): void {
    this.#listener = listener;
  }

  now(): Micros {
    const monotonic = this.#sources.monotonic();
    if (monotonic - this.#lookedAt >= LOOK_EVERY_MS) this.#look(monotonic);
    return this.#at(monotonic);
  }

  #at(monotonic: number): Micros {
    return micros(Math.round((this.#origin + monotonic) * 1000));
  }

  #look(monotonic: number): void {
    this.#lookedAt = monotonic;
    const byMs = this.#sources.wall() - (this.#origin + monotonic);
    if (Math.abs(Math.max(0, byMs) - (this.#leap?.byMs ?? 0)) < STEP_MS_MIN) return;
    this.#leap = byMs < STEP_MS_MIN ? null : { byMs, noticedAt: this.#at(monotonic), isRefused: false };
    this.#tell(this.#leap === null ? 'over' : 'noticed', Math.max(0, byMs));
  }

  /** Times of before a leap was noticed and after it do not compare: only what was asked for since then counts. */
  observe(sample: ClockSample): void {
    const monotonic = this.#sources.monotonic();
    this.#look(monotonic);
    const leap = this.#leap;
    if (leap === null || sample.sentAt < leap.noticedAt) return;
    const [least, most] = offsetRange(sample);
    const { byMs } = leap;
    if (distance(least + byMs * 1000, most + byMs * 1000) > distance(least, most)) {
      if (!leap.isRefused) this.#tell('refused', byMs);
      leap.isRefused = true;
      return;
    }
    this.#origin += byMs;
    this.#leap = null;
    this.#tell('followed', byMs);
  }

  /** Calls back in a later turn of the loop: the caller that asked for the time is not done yet. */
  #tell(type: Leap['type'], byMs: number): void {
    const leap = { type, by: Math.round(byMs * 1000) };
    queueMicrotask(() => this.#listener?.(leap));
  }
}

/** How far an offset of a range is from none, at least. */
const distance = (least: number, most: number): number => Math.max(0, least, -most);

/** Timers longer than this fire at once: Node counts their milliseconds in 31 bits. */
export const TIMER_MS_MAX = 2_147_483_647;
