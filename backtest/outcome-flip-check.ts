// A check for look-ahead in a strategy: the tape is replayed with its outcomes flipped. Until an outcome is known,
// every decision must be identical. Must never report a later difference.
import { createHash } from 'node:crypto';
import type { Micros } from '../src/domain/units.ts';
import { flipOutcomes } from '../src/tape/baked/market-results.ts';
import type { RowSource } from '../src/tape/baked/tape-rows.ts';
import type { BacktestOptions, BacktestRun } from './backtest-run.ts';

/** Runs the same backtest over a source, with some of its options. */
export type RunOverSource = (
  source: RowSource,
  options: Pick<BacktestOptions, 'onDecision' | 'observer' | 'signal'>,
) => Promise<BacktestRun>;

/** The first decision that differs in a run over flipped outcomes. */
export interface FlipDifference {
  /** The decision's number, from 0. */
  readonly index: number;
  /** The decision of the first run: a time and a command, or `null`. `found`: the decision with flipped outcomes. */
  readonly expected: string | null;
  readonly found: string | null;
}

/** The result of the check. */
export interface FlipCheck {
  readonly run: BacktestRun;
  /**
   * Number of times at which an outcome became known. `checked`: the number of runs, each with flipped outcomes from
   * one of these times on.
   */
  readonly determinations: number;
  readonly checked: number;
  readonly compared: number;
  readonly difference: FlipDifference | null;
}

/** Maximum number of runs with flipped outcomes. */
const RUNS_MAX = 8;

interface Determination {
  /** When the recorder learned of the outcome. `venueAt`: when it became known at the venue. */
  readonly learnedAt: Micros;
  readonly venueAt: Micros;
}

interface Decided {
  readonly at: Micros;
  readonly digest: string;
}

/** Runs a backtest, and then at most `runsMax` backtests with flipped outcomes. */
export async function checkOutcomeFlip(
  source: RowSource,
  runOver: RunOverSource,
  runsMax = RUNS_MAX,
): Promise<FlipCheck> {
  const decided: Decided[] = [];
  const determined: Determination[] = [];
  const run = await runOver(source, {
    onDecision: (text, _command, at) => void decided.push({ at, digest: digestOf(text) }),
    observer: { onOutcome: (_market, venueAt, learnedAt) => void determined.push({ learnedAt, venueAt }) },
  });
  const times = [...new Set(determined.map(({ learnedAt }) => learnedAt))].sort((a, b) => a - b);
  const flipTimes = spread(times, runsMax);
  let compared = 0;
  for (const from of flipTimes) {
    // Before the first flipped outcome happened at the venue, none is known.
    const venueTimes = determined.filter(({ learnedAt }) => learnedAt >= from).map(({ venueAt }) => venueAt);
    const comparison = new DecisionComparison(decided, Math.min(...venueTimes));
    await runOver(flipOutcomes(source, from), comparison.options);
    compared += comparison.compared;
    const found = comparison.end();
    if (found !== null)
      return {
        ...(await withExpectedText(source, runOver, found)),
        run,
        determinations: times.length,
        checked: flipTimes.length,
        compared,
      };
  }
  return { run, determinations: times.length, checked: flipTimes.length, compared, difference: null };
}

/** The times are chosen evenly. The last is always chosen. */
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

/** Compares a run's decisions with those of the first run, up to a time. */
class DecisionComparison {
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
    this.options = { signal: this.#abort.signal, onDecision: (text, _command, at) => this.#onDecision(text, at) };
  }

  #onDecision(text: string, at: Micros): void {
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

  end(): Found | null {
    if (this.#isOver) return this.#found;
    const expected = this.#decided[this.compared];
    return expected !== undefined && expected.at < this.#until ? { index: this.compared, text: null } : null;
  }
}

/** The first run stored only digests: another run finds the text. */
async function withExpectedText(
  source: RowSource,
  runOver: RunOverSource,
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
