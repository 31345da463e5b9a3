// Order in which test files run. The slowest files start first, so that none of them is left alone at the end. Then run
// the tests that mostly wait for other processes, so that others run beside them. The simulation runs last, because it uses
// every processor itself.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take longest, slowest first. A clean checkout knows no durations, and would start larger files first. */
const SLOWEST = [
  'e2e/halt.test',
  'e2e/main-job.test',
  'simulation/planted-bugs.test',
  'e2e/why-index.long.test',
  'crash/queue-storm.long.test',
  'history/fifty-sessions.long.test',
  'research/search/search-budgets.long.test',
  'research/statistics/planted-luck.long.test',
];
/** Tests of whole processes. */
const WAITING = /^(?:e2e\/|docs\/(?:tutorial|operating)|console\/page\/.*long)/;

function rank({ moduleId }: TestSpecification): number {
  const path = moduleId.split('/test/').at(-1) ?? '';
  const place = SLOWEST.findIndex((name) => path.startsWith(name));
  if (place >= 0) return place - SLOWEST.length;
  if (WAITING.test(path)) return 0;
  return path.startsWith('simulation/') ? 2 : 1;
}

/** Sorts files by the time that they take, as far as it is known, and by what they wait for. */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}
