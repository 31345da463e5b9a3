// Pruning in a study over the sample recording: the same trials end at the same event groups on any number of threads, and a
// pruned trial has the intermediate values that it has when it runs to its end.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TrialLedger } from '../../../src/research/ledger/trial-ledger.ts';
import { runStudy } from '../../../src/research/study/run-study.ts';
import { readStudyFile } from '../../../src/research/study/study-file.ts';
import { type StudyPlan, planStudy } from '../../../src/research/study/study-plan.ts';
import type { EndLine } from '../../../src/research/study/trial-lines.ts';
import { TrialPool } from '../../../src/research/workers/trial-pool.ts';
import { ROOT, builtModule } from '../../e2e/presage.ts';

const folder = mkdtempSync(join(tmpdir(), 'presage-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const STUDY = [
  'config: config.yaml',
  'strategy: quoter',
  'space: { qtyContracts: { int: [1, 9] }, halfSpreadCents: { int: [1, 3] } }',
  'objective: { maximize: profit }',
  'sampler: random',
  'seed: 3',
  'budget: { trials: 9 }',
];

async function planOf(name: string, pruner: string): Promise<StudyPlan> {
  const file = join(folder, `${name}.yaml`);
  writeFileSync(file, [`study: ${name}`, ...STUDY, pruner, ''].join('\n'));
  return planStudy({ ...readStudyFile(file), folder: join(folder, name) });
}

/** Ends of all trials, without times. */
async function endsOf(plan: StudyPlan, workers: number): Promise<EndLine[]> {
  const { setup } = plan;
  const workerFile = builtModule('research/workers/trial-worker');
  const place = new TrialPool({ setup, workers, trialMs: 120_000, workerFile });
  try {
    const ledger = new TrialLedger(join(plan.study.folder, 'ledger'));
    const state = await runStudy({ plan, place, ledger });
    return state.schedule.rows.flatMap((row) => {
      const line = state.endOf(row);
      return line === null ? [] : [{ ...line, spentMs: 0 }];
    });
  } finally {
    await place.close();
  }
}

beforeAll(() => {
  const config = readFileSync(join(ROOT, 'config/backtest.yaml'), 'utf8')
    .replaceAll('../', `${ROOT}/`)
    .replace('series: [WIND]', 'series: [WIND, HIGH]')
    .replace('series: [RAIN, WIND]', 'series: [RAIN, WIND, HIGH]');
  writeFileSync(join(folder, 'config.yaml'), config);
});

it('ends the same trials at the same event groups on one thread and on two', async () => {
  const pruner = 'pruner: { median: { startup: 2 } }';
  const one = await endsOf(await planOf('one', pruner), 1);
  const two = await endsOf(await planOf('two', pruner), 2);
  expect(two).toEqual(one);
  const kinds = one.map(({ kind }) => kind);
  expect(new Set(kinds)).toEqual(new Set(['finished', 'pruned']));
});

it('gives a pruned trial the intermediate values of a whole run', async () => {
  const pruned = await endsOf(await planOf('pruned', 'pruner: { asha: { min: 2, reduction: 2 } }'), 2);
  // The first rung is beyond the last event group, so that no trial is judged.
  const whole = await endsOf(await planOf('whole', 'pruner: { asha: { min: 99 } }'), 2);
  expect(whole.every(({ kind }) => kind === 'finished')).toBe(true);
  const early = pruned.filter((line) => line.kind === 'pruned');
  expect(early.length).toBeGreaterThan(0);
  for (const { n, at, intermediate } of early) {
    const same = whole.find((line) => line.n === n);
    expect(intermediate.at(-1)?.groups).toBe(at);
    expect(same?.kind === 'finished' && same.intermediate.slice(0, intermediate.length)).toEqual(intermediate);
  }
});
