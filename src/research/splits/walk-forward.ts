// Walk-forward windows: each trains on the past and tests on what follows. Must never test a unit twice.
import { assert } from '../../base/assert.ts';
import type { SplitUnit } from './split-unit.ts';

/** How to walk. Times and durations are in microseconds. */
export interface WalkForwardShape {
  readonly start: number;
  readonly end: number;
  /** Duration of the first training part; of every training part, unless anchored. */
  readonly train: number;
  /** Duration of a test part. */
  readonly test: number;
  /** Time from one window to the next, at least `test`. */
  readonly step: number;
  /** True when every training part begins at `start`. */
  readonly isAnchored: boolean;
  /** Time after a cut in which no unit of the test part may begin. */
  readonly embargo: number;
}

/** One window. */
export interface WalkForwardWindow {
  /** End of the training part. Microseconds. */
  readonly cut: number;
  readonly train: readonly SplitUnit[];
  readonly test: readonly SplitUnit[];
}

/** The windows of a period. */
export interface WalkForwardWindows {
  readonly windows: readonly WalkForwardWindow[];
  /** Settled units that no window tests, the first training part excluded. */
  readonly untested: readonly SplitUnit[];
}

/**
 * Returns the windows of a period. A unit that begins in a test part belongs to it, also when its result comes later: the
 * earlier training part learns nothing from it. Windows without training or test units are left out.
 * @throws {AssertionFault} when `step` is shorter than `test`: a unit could be tested twice.
 */
export function walkForwardWindows(units: readonly SplitUnit[], shape: WalkForwardShape): WalkForwardWindows {
  const { start, end, train, test, step, isAnchored, embargo } = shape;
  assert(step >= test && test > 0, `step: expected at least test, ${test}, found ${step}`);
  const settled = units.filter(({ known }) => known !== null);
  const windows: WalkForwardWindow[] = [];
  for (let cut = start + train; cut + embargo < end; cut += step) {
    const trainFrom = isAnchored ? start : cut - train;
    const window = {
      cut,
      train: settled.filter(({ from, known }) => from >= trainFrom && (known ?? end) < cut),
      test: settled.filter(({ from }) => from >= cut + embargo && from < cut + embargo + test),
    };
    if (window.train.length > 0 && window.test.length > 0) windows.push(window);
  }
  const used = new Set([...(windows[0]?.train ?? []), ...windows.flatMap((window) => window.test)]);
  return { windows, untested: settled.filter((unit) => !used.has(unit)) };
}
