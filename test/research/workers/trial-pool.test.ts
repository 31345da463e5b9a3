// Threads that run trials: results as in this process, and ends of strategies that hang, throw or use up all memory.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readStudyFile } from '../../../src/research/study/study-file.ts';
import { type StudyPlan, planStudy } from '../../../src/research/study/study-plan.ts';
import { TrialPool } from '../../../src/research/workers/trial-pool.ts';
import { TrialRunner } from '../../../src/research/workers/trial-run.ts';
import { builtModule } from '../../e2e/presage.ts';
import { writeStudy } from './study-strategies.ts';

const folder = mkdtempSync(join(tmpdir(), 'presage-'));
let misbehaving: StudyPlan;
let quoting: StudyPlan;
const planOf = async (name: string, lines: readonly string[]): Promise<StudyPlan> => {
  const study = readStudyFile(writeStudy(join(folder, name), lines));
  return planStudy({ ...study, folder: join(folder, name, 'results') });
};
beforeAll(async () => {
  misbehaving = await planOf('misbehaving', [
    'strategy: { use: misbehaving.ts }',
    'space: { mode: { oneOf: [idle, hang, doze, eat, throw, leak] }, x: { float: [0, 1] } }',
    'objective: { maximize: profit }',
    'budget: { trials: 4 }',
  ]);
  quoting = await planOf('quoting', [
    'strategy: quoter',
    'space: { qtyContracts: { int: [1, 5] } }',
    'objective: { maximize: profitPerContract }',
    'constraints: [{ figure: groupsTraded, atLeast: 3 }, { figure: maxDrawdown, atMost: 10usd }]',
    'budget: { trials: 2 }',
  ]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const never = new AbortController().signal;
const taskOf = (plan: StudyPlan, params: Readonly<Record<string, string | number>>) => ({
  n: 0,
  hash: plan.hashOf(params),
  params,
});
function poolOf(plan: StudyPlan, over: { readonly trialMs?: number; readonly heapMb?: number } = {}): TrialPool {
  const workerFile = builtModule('research/workers/trial-worker');
  return new TrialPool({ setup: plan.setup, workers: 1, trialMs: 60_000, workerFile, ...over });
}

describe('a thread of a study', () => {
  it('gives the results of this process, warm or not, whatever ran before', async () => {
    const pool = poolOf(quoting);
    const runner = new TrialRunner(quoting.setup);
    try {
      const [one, two] = [taskOf(quoting, { qtyContracts: 2 }), taskOf(quoting, { qtyContracts: 5 })];
      const expected = await runner.runTrial(one);
      expect(expected).toMatchObject({ end: 'finished', violations: [expect.any(Number), expect.any(Number)] });
      for (const task of [one, two, one]) {
        const outcome = await pool.runTrial(task, never);
        expect(outcome).toEqual({ type: 'result', result: task === one ? expected : await runner.runTrial(task) });
      }
    } finally {
      runner.close();
      await pool.close();
    }
  });

  it('ends a strategy that hangs, and goes on with the next trial', async () => {
    const pool = poolOf(misbehaving, { trialMs: 15_000 });
    try {
      // Its loop sleeps in each round, and so leaves the processor to other tests.
      expect(await pool.runTrial(taskOf(misbehaving, { mode: 'doze' }), never)).toEqual({ type: 'time' });
      expect(await pool.runTrial(taskOf(misbehaving, { mode: 'throw' }), never)).toMatchObject({
        type: 'result',
        result: { end: 'failed', reason: 'strategy', error: expect.stringContaining('as asked') as string },
      });
    } finally {
      await pool.close();
    }
  });

  it('replaces a thread whose heap has grown, and loses no trial', async () => {
    const pool = poolOf(misbehaving);
    try {
      const modes = ['idle', 'leak', 'idle', 'idle', 'leak', 'idle'];
      // Handed over at once, as a study does it: the next trial waits when the thread is found to be worn out.
      const outcomes = await Promise.all(modes.map((mode) => pool.runTrial(taskOf(misbehaving, { mode }), never)));
      expect(outcomes.map(({ type }) => type)).toEqual(modes.map(() => 'result'));
    } finally {
      await pool.close();
    }
  });

  it('ends a strategy that hangs when the study is stopped', async () => {
    const pool = poolOf(misbehaving);
    const abort = new AbortController();
    try {
      const running = pool.runTrial(taskOf(misbehaving, { mode: 'hang' }), abort.signal);
      setTimeout(() => abort.abort(), 2000);
      expect(await running).toEqual({ type: 'aborted' });
    } finally {
      await pool.close();
    }
  });

  it('has no value to give for a trial that did not trade', async () => {
    const runner = new TrialRunner({
      ...misbehaving.setup,
      study: { ...misbehaving.setup.study, objectives: [{ figure: 'profitPerContract', isMaximized: true }] },
    });
    expect(await runner.runTrial(taskOf(misbehaving, { mode: 'idle' }))).toMatchObject({
      end: 'failed',
      reason: 'no-value',
    });
    runner.close();
  });
});
