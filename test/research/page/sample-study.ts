// A study as data for tests of its page: two objectives, four kinds of parameters, failed and pruned trials, a broken constraint.
import { micros } from '../../../src/domain/units.ts';
import { type StudyReport, studyReport } from '../../../src/research/page/study-report.ts';
import type { SearchSpace } from '../../../src/research/search/search-space.ts';
import { StudyState, endLine } from '../../../src/research/study/study-state.ts';
import type { StudyJudgement } from '../../../src/research/study/study-judgement.ts';
import type { TrialLine } from '../../../src/research/study/trial-lines.ts';
import type { SplitResults } from '../../../src/research/splits/split-results.ts';
import { judgeStudy } from '../../../src/research/statistics/study-verdict.ts';
import { tableOf } from '../../../src/research/statistics/trial-matrix.ts';
import type { GroupResult } from '../../../src/research/trial/study-trial.ts';

export const hashOf = (n: number): string => n.toString(16).padStart(64, '0');

export const SPACE: SearchSpace = [
  { name: 'width', domain: { kind: 'int', low: 1, high: 6 } },
  { name: 'halfLife', domain: { kind: 'float', low: 1, high: 600, log: true } },
  { name: 'mode', domain: { kind: 'choice', options: ['plain', '<b>inventory</b>'] } },
  { name: 'target', domain: { kind: 'int', low: 10, high: 200 }, when: { mode: '<b>inventory</b>' } },
];

const GROUPS = 24;

const groupsOf = (n: number): GroupResult[] =>
  Array.from({ length: GROUPS }, (_, index) => ({
    group: `G${index}`,
    cluster: `C${index}`,
    from: micros(index * 1e6),
    known: micros(index * 1e6 + 1),
    profit: Math.round(1e6 * Math.sin(n * 12.9898 + index * 78.233) + 1e4 * (n % 7)),
    fees: 0,
    qty: 100,
    fills: 1,
    lockedDollarDays: 1,
  }));

function paramsOf(n: number) {
  const params = { width: 1 + (n % 6), halfLife: 600 ** ((n % 13) / 12) };
  return n % 2 === 0
    ? { ...params, mode: 'plain' }
    : { ...params, mode: '<b>inventory</b>', target: 10 + ((n * 7) % 190) };
}

/** Makes a study of `trials` trials. Trial 3 fails, trial 4 breaks a constraint, trial 5 is pruned. */
export function sampleState(trials: number): StudyState {
  const head: TrialLine = {
    kind: 'study',
    v: 1,
    name: 'width & life',
    hash: hashOf(999_999),
    parts: {},
    objectives: [
      { figure: 'profit', isMaximized: true },
      { figure: 'maxDrawdown', isMaximized: false },
    ],
    lag: 4,
    node: 'v20',
    split: null,
  };
  const lines = Array.from({ length: trials }, (_, n): TrialLine[] => [
    { kind: 'proposed', n, hash: hashOf(n), params: paramsOf(n) },
    endOf(n),
  ]).flat();
  const state = StudyState.readFrom([head, ...lines]);
  if (state === null) throw new Error('expected a study');
  return state;
}

function endOf(n: number): TrialLine {
  const hash = hashOf(n);
  if (n === 5) return { kind: 'pruned', n, hash, at: 3, intermediate: [], spentMs: 0 };
  if (n === 3)
    return endLine({ n, hash, result: { end: 'failed', reason: 'strategy', error: '<i>no</i>' }, spentMs: 0 });
  const groups = groupsOf(n);
  const profit = groups.reduce((sum, each) => sum + each.profit, 0);
  const maxDrawdown = 5e6 + 1e5 * ((n * 31) % 50);
  const figures = { profit, maxDrawdown, sharpePerGroup: 0.1, fills: 24 };
  const finished = { end: 'finished' as const, values: [-profit, maxDrawdown], violations: [n === 4 ? 1 : -1] };
  return endLine({
    n,
    hash,
    result: { ...finished, intermediate: [], figures, decisions: ['d'], groups },
    spentMs: 0,
  });
}

const SPLIT: SplitResults = {
  kind: 'walk-forward',
  windows: [8e6, 16e6].map((cut, at) => ({
    cut,
    testBlocks: [],
    trainGroups: 8,
    testGroups: 8,
    winner: at + 1,
    inside: 300_000,
    outside: -100_000,
    rank: 2,
  })),
  trials: 10,
  curve: Array.from({ length: 16 }, (_, at) => ({ at, group: `G${at + 8}`, winner: 1, profit: -50_000 * at })),
  paths: [],
  inside: 300_000,
  outside: -100_000,
  changes: 1,
  untested: [],
};

/** The report of a study. */
export function sampleReport(trials: number, hrefs: ReadonlyMap<number, string> = new Map()): StudyReport {
  const state = sampleState(trials);
  const finished = state.schedule.rows.filter((row) => state.endOf(row)?.kind === 'finished');
  const results = finished.map(({ n }) => groupsOf(n));
  const n = state.bestRows()[0]?.row.n ?? 0;
  const verdict = judgeStudy({
    matrix: tableOf(results),
    chosen: finished.findIndex((row) => row.n === n),
    trials,
    trialsEver: trials,
    sharpes: [0.1, 0.2],
    split: { inside: 300_000, outside: -100_000 },
    sealed: null,
    seed: 1,
  });
  const judgement: StudyJudgement = { n, verdict, unsettled: 0, split: SPLIT };
  return studyReport({ state, space: SPACE, file: 'my-study.yaml', judgement, results, hrefs });
}
