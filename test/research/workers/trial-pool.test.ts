// Threads that run trials: results as in this process, and ends of strategies that hang, throw or use up all memory.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/app/usage-error.ts';
import { readStudyFile } from '../../../src/research/study/study-file.ts';
import { type StudyPlan, planStudy } from '../../../src/research/study/study-plan.ts';
import { TrialPool } from '../../../src/research/workers/trial-pool.ts';
import { TrialRunner } from '../../../src/research/workers/trial-run.ts';
import { ROOT, builtModule } from '../../e2e/presage.ts';
import { writeStudy } from './study-strategies.ts';

const folder = mkdtempSync(join(tmpdir(), 'presage-'));
let misbehaving: StudyPlan;
let quoting: StudyPlan;
/** The shipped config, whose run ends after a minute of the sample. */
const SHORT = join(folder, 'backtest.yaml');
const planOf = async (name: string, lines: readonly string[]): Promise<StudyPlan> => {
  const file = writeStudy(join(folder, name), lines);
  const isShort = !lines.some((line) => line.startsWith('tapes:'));
  const config = join(ROOT, 'config/backtest.yaml');
  const other = isShort ? SHORT : join(ROOT, 'config/sample-30.yaml');
  writeFileSync(file, readFileSync(file, 'utf8').replace(config, other));
  const study = readStudyFile(file);
  return planStudy({ ...study, folder: join(folder, name, 'results') });
};
beforeAll(async () => {
  const text = readFileSync(join(ROOT, 'config/backtest.yaml'), 'utf8').replaceAll('../', `${ROOT}/`);
  writeFileSync(SHORT, text.replace('# to: 2026-11-21T16:50:00Z', 'to: 2026-11-21T16:49:00Z'));
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
    const pool = poolOf(misbehaving, { trialMs: 4000 });
    try {
      // Its loop sleeps in each round, and so leaves the processor to other tests.
      expect(await pool.runTrial(taskOf(misbehaving, { mode: 'doze' }), never)).toEqual({ type: 'time' });
      const runNext = () => pool.runTrial(taskOf(misbehaving, { mode: 'throw' }), never);
      let outcome = await runNext();
      // On a busy machine the start of a new thread may take all of a trial's time.
      for (let tries = 0; outcome.type === 'time' && tries < 20; tries += 1) outcome = await runNext();
      expect(outcome).toMatchObject({
        type: 'result',
        result: { end: 'failed', reason: 'strategy', error: expect.stringContaining('as asked') as string },
      });
    } finally {
      await pool.close();
    }
  });

  it('is refused when its memory is too little to start it', async () => {
    const pool = poolOf(quoting, { heapMb: 1 });
    try {
      const trial = async () => {
        for (;;) {
          const outcome = await pool.runTrial(taskOf(quoting, { qtyContracts: 2 }), never);
          expect(outcome.type).toBe('memory');
        }
      };
      await expect(trial()).rejects.toThrow(/^--heap: expected memory enough for a thread to start, found 1 MB/);
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

describe('a study that no trial can run', () => {
  const space = ['space: { qtyContracts: { int: [1, 5] } }', 'budget: { trials: 2 }'];

  it('is refused by the tape that is damaged within, and by one that is cut short', async () => {
    const bytes = readFileSync(join(ROOT, 'backtest/data/sample-30.arrow'));
    const cut = bytes.subarray(0, Math.floor(bytes.length / 2));
    writeFileSync(join(folder, 'cut.arrow'), cut);
    const damaged = join(folder, 'damaged.arrow');
    writeFileSync(damaged, bytes);
    const lines = ['strategy: quoter', ...space, 'objective: { maximize: profit }'];
    await expect(planOf('cut', [...lines, 'tapes: [../cut.arrow]'])).rejects.toThrow(
      /study\.yaml:\d+:9: tapes\[0\]: expected a tape that can be read \(.*cut\.arrow: is cut short/,
    );
    const plan = await planOf('damaged', [...lines, 'tapes: [../damaged.arrow]']);
    const from = Math.floor(bytes.length * 0.3);
    writeFileSync(damaged, bytes.fill(0xff, from, from + 64));
    await refusedAs(plan, `${damaged}: is damaged`);
    await expect(planOf('again', [...lines, 'tapes: [../damaged.arrow]'])).rejects.toThrow('damaged.arrow: is damaged');
  });

  async function refusedAs(plan: StudyPlan, message: string): Promise<void> {
    const pool = poolOf(plan);
    try {
      const ran = pool.runTrial(taskOf(plan, { qtyContracts: 2 }), never);
      await expect(ran).rejects.toThrow(UsageError);
      await expect(ran).rejects.toThrow(message);
    } finally {
      await pool.close();
    }
  }
});
