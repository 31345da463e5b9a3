// The only clock of a live session: wall time that never goes back while the process lives. The wall clock may leap
// ahead, because the machine slept or the clock was set. This clock follows a leap only when the venue's time agrees
// with the wall clock.
import { type Micros, micros } from '../../domain/units.ts';
import { type ClockSample, offsetRange } from '../../state/feed/clock-offset.ts';

/**
 * A leap: the machine's wall clock is ahead of this clock by `by` microseconds.
 * - `noticed`: it is not known yet which of the two is right.
 * - `followed`: the venue agrees with the wall clock, and this clock now shows its time.
 * - `refused`: the venue agrees with this clock, which continues as before.
 * - `over`: the wall clock is back at this clock's time.
 */
export interface ClockLeap {
  readonly type: 'noticed' | 'followed' | 'refused' | 'over';
  readonly by: number;
}

/** A source of the current time. */
export interface Clock {
  /** Now, in microseconds since the Unix epoch. Never less than the previous result. */
  now(): Micros;
  /** Learns the venue's time from an answer. It decides whether a leap of the wall clock is followed. */
  observeAnswer?(sample: ClockSample): void;
  /** Calls the listener at every leap of the wall clock and at every decision about a leap. */
  onLeap?(listener: (leap: ClockLeap) => void): void;
}

/** The clocks of the machine, in milliseconds: wall time since the Unix epoch, and a monotonic time. */
export interface TimeSources {
  readonly wallMs: () => number;
  readonly monotonicMs: () => number;
}

const MACHINE: TimeSources = { wallMs: () => Date.now(), monotonicMs: () => performance.now() };

/** `now` reads the wall clock again after this time. */
const WALL_READ_EVERY_MS = 100;
/** A wall clock this far ahead was set, or the machine slept while the monotonic clock stopped. */
const STEP_MS_MIN = 1000;

/**
 * The machine's wall clock as read at the start, advanced by the monotonic clock. It follows a leap of the wall clock
 * that the venue confirms.
 */
export class SystemClock implements Clock {
  readonly #sources: TimeSources;
  #origin: number;
  #wallReadAt: number;
  /** The current leap, or `null`. `isRefused`: the venue contradicted it. */
  #leap: { readonly byMs: number; readonly noticedAt: Micros; isRefused: boolean } | null = null;
  #listener: ((leap: ClockLeap) => void) | null = null;

  constructor(sources: TimeSources = MACHINE) {
    this.#sources = sources;
    this.#wallReadAt = sources.monotonicMs();
    this.#origin = sources.wallMs() - this.#wallReadAt;
  }

  onLeap(listener: (leap: ClockLeap) => void): void {
    this.#listener = listener;
  }

  now(): Micros {
    const monotonic = this.#sources.monotonicMs();
    if (monotonic - this.#wallReadAt >= WALL_READ_EVERY_MS) this.#readWall(monotonic);
    return this.#at(monotonic);
  }

  #at(monotonic: number): Micros {
    return micros(Math.round((this.#origin + monotonic) * 1000));
  }

  #readWall(monotonic: number): void {
    this.#wallReadAt = monotonic;
    const byMs = this.#sources.wallMs() - (this.#origin + monotonic);
    if (Math.abs(Math.max(0, byMs) - (this.#leap?.byMs ?? 0)) < STEP_MS_MIN) return;
    this.#leap = byMs < STEP_MS_MIN ? null : { byMs, noticedAt: this.#at(monotonic), isRefused: false };
    this.#notify(this.#leap === null ? 'over' : 'noticed', Math.max(0, byMs));
  }

  /**
   * Learns the venue's time. Only requests sent after the leap was noticed are used: earlier times cannot be compared
   * with later times.
   */
  observeAnswer(sample: ClockSample): void {
    const monotonic = this.#sources.monotonicMs();
    this.#readWall(monotonic);
    const leap = this.#leap;
    if (leap === null || sample.sentAt < leap.noticedAt) return;
    const [least, most] = offsetRange(sample);
    const { byMs } = leap;
    if (distance(least + byMs * 1000, most + byMs * 1000) > distance(least, most)) {
      if (!leap.isRefused) this.#notify('refused', byMs);
      leap.isRefused = true;
      return;
    }
    this.#origin += byMs;
    this.#leap = null;
    this.#notify('followed', byMs);
  }

  /** Calls back in a microtask, because the caller has not finished yet. */
  #notify(type: ClockLeap['type'], byMs: number): void {
    const leap = { type, by: Math.round(byMs * 1000) };
    queueMicrotask(() => this.#listener?.(leap));
  }
}

/** Returns the least distance of an offset range from zero. */
const distance = (least: number, most: number): number => Math.max(0, least, -most);

/** The longest timer, in milliseconds. Node counts them in 31 bits, and fires longer timers at once. */
export const TIMER_MS_MAX = 2_147_483_647;
