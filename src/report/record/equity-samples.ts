// Samples the account at regular times. However long the run is, at most `POINTS_MAX` points are held: each group of
// samples is reduced to its lowest and highest. Figures that need every sample (drawdown, time under water, locked
// capital) are calculated as samples arrive. Must never sum money over time in anything but dollar-days: that is a
// measure, not an amount.
import { DOLLAR_DAY } from './locked-time.ts';
import type { EquityFigures, EquityNote } from './run-record.ts';

/** Shortest time between samples. Microseconds. */
const FINEST = 1_000_000;
const POINTS_MAX = 4000;
/** Target number of samples for a run of known length. */
const SAMPLES_WANTED = 2000;
/** Each group of this many samples is reduced to its lowest and highest. */
const GROUP = 4;

type Drawdown = NonNullable<EquityFigures['drawdown']>;

/** Samples of the account. */
export class EquitySamples {
  #points: EquityNote[] = [];
  #interval: number;
  #dueAt = Number.POSITIVE_INFINITY;
  #last: EquityNote | null = null;
  #sampleCount = 0;
  #peak = { equity: Number.NEGATIVE_INFINITY, at: 0 };
  #trough = { equity: Number.POSITIVE_INFINITY, at: 0 };
  #deepest: Drawdown | null = null;
  #underwaterMax = 0;
  #locked = { max: 0, at: 0 };
  #lockedTime = 0;

  /** `span`: expected length of the run in microseconds, or `null`. */
  constructor(span: number | null) {
    this.#interval = span === null ? FINEST : Math.max(FINEST, Math.ceil(span / SAMPLES_WANTED));
  }

  /** Infinite before the first sample. */
  get dueAt(): number {
    return this.#dueAt;
  }

  /**
   * Adds a sample of the account. The account did not change between `note.at` and `now`.
   * @param now time at which the sample was taken.
   */
  addSample(note: EquityNote, now: number): void {
    this.#record(note);
    // Without a second point, a plot would show a slope in place of a step.
    if (now - note.at > this.#interval) this.#record({ ...note, at: now });
    this.#dueAt = (Math.floor(now / this.#interval) + 1) * this.#interval;
  }

  /** Adds an amount to the equity of every sample so far: a position from before the run has its first price. */
  addToAll(amount: number): void {
    if (amount === 0) return;
    this.#points = this.#points.map((note) => ({ ...note, equity: note.equity + amount }));
    if (this.#last !== null) this.#last = { ...this.#last, equity: this.#last.equity + amount };
    if (this.#deepest !== null) this.#deepest = { ...this.#deepest, peak: this.#deepest.peak + amount };
    this.#peak.equity += amount;
    this.#trough.equity += amount;
  }

  #record(sample: EquityNote): void {
    const before = this.#last;
    if (before !== null && isSame(before, sample)) return;
    // In a live session, an event may be older than the last reading of the clock.
    const note = before !== null && sample.at < before.at ? { ...sample, at: before.at } : sample;
    if (before !== null) this.#lockedTime += before.locked * (note.at - before.at);
    this.#sampleCount += 1;
    this.#last = note;
    if (note.locked > this.#locked.max || before === null) this.#locked = { max: note.locked, at: note.at };
    this.#updateDrawdown(note);
    this.#addPoint(note);
  }

  #updateDrawdown({ at, equity }: EquityNote): void {
    if (equity >= this.#peak.equity) return this.#reachPeak(at, equity);
    this.#underwaterMax = Math.max(this.#underwaterMax, at - this.#peak.at);
    if (equity >= this.#trough.equity) return;
    this.#trough = { equity, at };
    const depth = this.#peak.equity - equity;
    if (this.#deepest !== null && depth <= this.#deepest.depth) return;
    const { equity: peak, at: peakAt } = this.#peak;
    this.#deepest = { depth, peak, peakAt, troughAt: at, recoveredAt: null };
  }

  #reachPeak(at: number, equity: number): void {
    const wasUnder = this.#trough.equity < this.#peak.equity;
    if (wasUnder) this.#underwaterMax = Math.max(this.#underwaterMax, at - this.#peak.at);
    const deepest = this.#deepest;
    if (deepest !== null && deepest.recoveredAt === null && equity >= deepest.peak)
      this.#deepest = { ...deepest, recoveredAt: at };
    this.#peak = { equity, at };
    this.#trough = { equity, at };
  }

  #addPoint(note: EquityNote): void {
    const newest = this.#points.at(-1);
    if (newest?.at === note.at) this.#points.pop();
    this.#points.push(note);
    if (this.#points.length > POINTS_MAX) this.#compress();
  }

  #compress(): void {
    const [first, ...rest] = this.#points;
    const reduced: EquityNote[] = first === undefined ? [] : [first];
    for (let at = 0; at < rest.length; at += GROUP) reduced.push(...extremes(rest.slice(at, at + GROUP)));
    this.#points = reduced;
    this.#interval *= 2;
  }

  get lastSample(): EquityNote | null {
    return this.#last;
  }

  points(): readonly EquityNote[] {
    const newest = this.#points.at(-1);
    return this.#last === null || newest?.at === this.#last.at ? [...this.#points] : [...this.#points, this.#last];
  }

  figures(): EquityFigures {
    return {
      looks: this.#sampleCount,
      drawdown: this.#deepest,
      underwaterMax: this.#underwaterMax,
      lockedMax: this.#locked.max,
      lockedMaxAt: this.#locked.at,
      lockedDollarDays: this.#lockedTime / DOLLAR_DAY,
    };
  }
}

const isSame = (a: EquityNote, b: EquityNote): boolean =>
  a.at === b.at && a.cash === b.cash && a.equity === b.equity && a.locked === b.locked;

/** The earlier of the two comes first. */
function extremes(group: readonly EquityNote[]): EquityNote[] {
  const [first] = group;
  if (first === undefined) return [];
  let low = first;
  let high = first;
  for (const note of group) {
    if (note.equity < low.equity) low = note;
    if (note.equity > high.equity) high = note;
  }
  if (low === high) return [low];
  return low.at < high.at ? [low, high] : [high, low];
}
