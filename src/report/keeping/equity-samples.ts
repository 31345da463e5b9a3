// How the account stood over time, on a grid: at most so many points however long the run, each group of looks by its
// lowest and highest. What needs every look (drawdown, time under water, capital tied up) is reckoned as they come.
// Must never sum money over time in anything but dollar-days: that is a measure, not an amount.
import type { EquityFigures, EquityNote } from '../run-record.ts';

/** A second, in microseconds: the grid is never finer. */
const FINEST = 1_000_000;
const POINTS_MAX = 4000;
/** Looks over a range that is known. */
const LOOKS_WANTED = 2000;
/** Looks that become two points when there are too many. */
const GROUP = 4;
/** Millionths of a dollar times microseconds in a dollar times a day. */
const DOLLAR_DAY = 1e6 * 86_400e6;

type Drawdown = NonNullable<EquityFigures['drawdown']>;

/** The account over time. */
export class EquitySamples {
  #points: EquityNote[] = [];
  #interval: number;
  #dueAt = Number.POSITIVE_INFINITY;
  #last: EquityNote | null = null;
  #looks = 0;
  #peak = { equity: Number.NEGATIVE_INFINITY, at: 0 };
  #trough = { equity: Number.POSITIVE_INFINITY, at: 0 };
  #deepest: Drawdown | null = null;
  #underwaterMax = 0;
  #locked = { max: 0, at: 0 };
  #lockedTime = 0;

  /** `span`: how long the run will be, in microseconds, where that is known; `null` where it is not. */
  constructor(span: number | null) {
    this.#interval = span === null ? FINEST : Math.max(FINEST, Math.ceil(span / LOOKS_WANTED));
  }

  /** When the account should be looked at next. Infinite before the first look. */
  get dueAt(): number {
    return this.#dueAt;
  }

  /**
   * Takes a look at the account, which has been so from `note.at` until `now`.
   * @param now when it was looked at; that may be long after, because nothing happened between.
   */
  take(note: EquityNote, now: number): void {
    this.#add(note);
    // Nothing happened since: without a second point a plot would show a slope where there was a step.
    if (now - note.at > this.#interval) this.#add({ ...note, at: now });
    this.#dueAt = (Math.floor(now / this.#interval) + 1) * this.#interval;
  }

  #add(look: EquityNote): void {
    const before = this.#last;
    // Live, what is handled now may have come before the clock was last looked at.
    const note = before !== null && look.at < before.at ? { ...look, at: before.at } : look;
    if (before !== null) this.#lockedTime += before.locked * (note.at - before.at);
    this.#looks += 1;
    this.#last = note;
    if (note.locked > this.#locked.max || before === null) this.#locked = { max: note.locked, at: note.at };
    this.#follow(note);
    this.#keep(note);
  }

  #follow({ at, equity }: EquityNote): void {
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

  #keep(note: EquityNote): void {
    const newest = this.#points.at(-1);
    if (newest?.at === note.at) this.#points.pop();
    this.#points.push(note);
    if (this.#points.length > POINTS_MAX) this.#compress();
  }

  #compress(): void {
    const [first, ...rest] = this.#points;
    const kept: EquityNote[] = first === undefined ? [] : [first];
    for (let at = 0; at < rest.length; at += GROUP) kept.push(...extremes(rest.slice(at, at + GROUP)));
    this.#points = kept;
    this.#interval *= 2;
  }

  /** The latest look; `null` before the first. */
  get last(): EquityNote | null {
    return this.#last;
  }

  points(): readonly EquityNote[] {
    const newest = this.#points.at(-1);
    return this.#last === null || newest === this.#last ? [...this.#points] : [...this.#points, this.#last];
  }

  figures(): EquityFigures {
    return {
      looks: this.#looks,
      drawdown: this.#deepest,
      underwaterMax: this.#underwaterMax,
      lockedMax: this.#locked.max,
      lockedMaxAt: this.#locked.at,
      lockedDollarDays: this.#lockedTime / DOLLAR_DAY,
    };
  }
}

/** The lowest and the highest of a group, in the order of time; one where they are the same. */
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
