// Whether a strategy looks ahead: the tape is replayed again with its outcomes turned over, and until an outcome is known
// every decision must be the very same. Must never take a difference for one that comes after an outcome was known.
import { createHash } from 'node:crypto';
import type { Micros } from '../src/domain/units.ts';
import { flipOutcomes } from '../src/tape/baked/outcome.ts';
import type { RowSource } from '../src/tape/baked/rows.ts';
import type { BacktestOptions, BacktestRun } from './run.ts';

/** Runs the same backtest over some source, with some of its options. */
export type RunOver = (
  source: RowSource,
  options: Pick<BacktestOptions, 'onDecision' | 'onlooker' | 'signal'>,
) => Promise<BacktestRun>;

/** Where a run over turned outcomes first decided otherwise. */
export interface FlipDifference {
  /** The decision's number, from 0. */
  readonly index: number;
  /** What was decided, and what was with the outcomes turned over: a time and a command; `null` for nothing. */
  readonly expected: string | null;
  readonly found: string | null;
}

/** What the check found. */
export interface FlipCheck {
  readonly run: BacktestRun;
  /** At how many times an outcome became known, and how many of them were turned over apart. */
  readonly determinations: number;
  readonly checked: number;
  /** Decisions that were compared. */
  readonly compared: number;
  readonly difference: FlipDifference | null;
}

/** Outcomes are turned over from so many times on, each in a run of its own, unless told otherwise. */
const RUNS_MAX = 8;

interface Determination {
  /** When the recorder learned of it, and when it happened at the venue. */
  readonly learnedAt: Micros;
  readonly venueAt: Micros;
}

interface Decided {
  readonly at: Micros;
  readonly digest: string;
}

/** Runs a backtest, and again with outcomes turned over. */
export async function checkOutcomeFlip(source: RowSource, runOver: RunOver, runsMax = RUNS_MAX): Promise<FlipCheck> {
  const decided: Decided[] = [];
  const determined: Determination[] = [];
  const run = await runOver(source, {
    onDecision: (text, _command, at) => void decided.push({ at, digest: digestOf(text) }),
    onlooker: { determined: (_market, venueAt, learnedAt) => void determined.push({ learnedAt, venueAt }) },
  });
  const times = [...new Set(determined.map(({ learnedAt }) => learnedAt))].sort((a, b) => a - b);
  const since = spread(times, runsMax);
  let compared = 0;
  for (const from of since) {
    // Nobody may know of any of those outcomes before the first of them happened.
    const later = determined.filter(({ learnedAt }) => learnedAt >= from).map(({ venueAt }) => venueAt);
    const comparison = new Comparison(decided, Math.min(...later));
    await runOver(flipOutcomes(source, from), comparison.options);
    compared += comparison.compared;
    const found = comparison.end();
    if (found !== null)
      return {
        ...(await explained(source, runOver, found)),
        run,
        determinations: times.length,
        checked: since.length,
        compared,
      };
  }
  return { run, determinations: times.length, checked: since.length, compared, difference: null };
}

/** Some of the times, evenly chosen, the last of them always. */
function spread(times: readonly Micros[], count: number): Micros[] {
  if (times.length <= count) return [...times];
  const chosen = Array.from({ length: count }, (_, i) => times[Math.floor(((i + 1) * times.length) / count) - 1]);
  return chosen.filter((time) => time !== undefined);
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64').slice(0, 20);

interface Found {
  readonly index: number;
  readonly text: string | null;
}

/** Compares a run's decisions with those of the run before it, up to a time. */
class Comparison {
  compared = 0;
  readonly #decided: readonly Decided[];
  readonly #until: number;
  readonly #abort = new AbortController();
  #found: Found | null = null;
  #isOver = false;
  readonly options: Pick<BacktestOptions, 'onDecision' | 'signal'>;

  constructor(decided: readonly Decided[], until: number) {
    this.#decided = decided;
    this.#until = until;
    this.options = { signal: this.#abort.signal, onDecision: (text, _command, at) => this.#take(text, at) };
  }

  #take(text: string, at: Micros): void {
    if (this.#isOver) return;
    const expected = this.#decided[this.compared];
    const isWanted = expected !== undefined && expected.at < this.#until;
    if (at >= this.#until && !isWanted) return this.#stop();
    if (isWanted && expected.digest === digestOf(text)) {
      this.compared += 1;
      return;
    }
    this.#found = { index: this.compared, text };
    this.#stop();
  }

  #stop(): void {
    this.#isOver = true;
    this.#abort.abort();
  }

  /** The first difference; `null` when there is none. */
  end(): Found | null {
    if (this.#isOver) return this.#found;
    const expected = this.#decided[this.compared];
    return expected !== undefined && expected.at < this.#until ? { index: this.compared, text: null } : null;
  }
}

/** What was decided in that place: only its digest was kept. */
async function explained(
  source: RowSource,
  runOver: RunOver,
  { index, text: found }: Found,
): Promise<{ readonly difference: FlipDifference }> {
  let expected: string | null = null;
  let count = 0;
  const abort = new AbortController();
  await runOver(source, {
    signal: abort.signal,
    onDecision: (text) => {
      if (count === index) expected = text;
      if (count === index) abort.abort();
      count += 1;
    },
  });
  return { difference: { index, expected, found } };
}
