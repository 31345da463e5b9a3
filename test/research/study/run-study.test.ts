// Studies in this process: the same file for any number of places, stopped or not; trials without memory fail at the third
// time; other studies are refused.
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/app/usage-error.ts';
import { fromMillis } from '../../../src/domain/units.ts';
import { TrialLedger } from '../../../src/research/ledger/trial-ledger.ts';
import { runStudy } from '../../../src/research/study/run-study.ts';
import { readStudyFile } from '../../../src/research/study/study-file.ts';
import { type StudyPlan, planStudy } from '../../../src/research/study/study-plan.ts';
import type { StudyState } from '../../../src/research/study/study-state.ts';
import { readTrialLines } from '../../../src/research/study/trial-log.ts';
import { REPEATS_MAX } from '../../../src/research/study/trial-schedule.ts';
import type { TrialOutcome, TrialPlace } from '../../../src/research/workers/trial-pool.ts';
import type { TrialTask } from '../../../src/research/workers/trial-run.ts';
import { writeStudy } from '../workers/study-strategies.ts';

const folder = mkdtempSync(join(tmpdir(), 'presage-'));
let plan: StudyPlan;
const ledger = new TrialLedger(join(folder, 'ledger'));
beforeAll(async () => {
  const lines = [
    'strategy: { use: misbehaving.ts }',
    'space: { x: { float: [0, 1], step: 0.05 } }',
    'objective: { minimize: profit }',
    'budget: { trials: 25 }',
  ];
  plan = await planStudy({ ...readStudyFile(writeStudy(folder, lines)), folder: join(folder, 'plan') });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const inFolder = (name: string): StudyPlan => ({
  ...plan,
  study: { ...plan.study, folder: join(folder, name) },
});

/** A place that computes at once what a strategy would, and ends in a sequence of its own. */
class QuickPlace implements TrialPlace {
  readonly size: number;
  readonly ran: number[] = [];
  readonly #outcomeOf: (task: TrialTask) => TrialOutcome | null;

  constructor(size: number, outcomeOf: (task: TrialTask) => TrialOutcome | null = () => null) {
    this.size = size;
    this.#outcomeOf = outcomeOf;
  }

  async runTrial(task: TrialTask, signal: AbortSignal): Promise<TrialOutcome> {
    this.ran.push(task.n);
    await setTimeout((task.n * 7) % 5);
    if (signal.aborted) return { type: 'aborted' };
    return this.#outcomeOf(task) ?? { type: 'result', result: resultOf(task) };
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

const resultOf = ({ params }: TrialTask) => ({
  end: 'finished' as const,
  values: [(Number(params['x']) - 0.3) ** 2],
  violations: [],
  intermediate: [],
  figures: { profit: Math.round(Number(params['x']) * 1e6) },
  decisions: ['d'],
  groups: [],
});

const tableOf = (state: StudyState): unknown =>
  state.schedule.rows.map((row) => {
    const line = state.endOf(row);
    return { ...row, line: line && { ...line, spentMs: 0 } };
  });

describe('a study', () => {
  it.each(['random', 'grid', 'sobol', 'tpe', 'cma'])(
    'has the same trials on one place and on four, stopped and resumed, and runs none twice: %s',
    async (name) => {
      const searched = (folderName: string): StudyPlan => {
        const { study, ...rest } = inFolder(folderName);
        return { ...rest, study: { ...study, sampler: { name, options: {} } } };
      };
      const one = await runStudy({ ledger, plan: searched(`one-${name}`), place: new QuickPlace(1) });
      expect(one.schedule.rows).toHaveLength(name === 'grid' ? 21 : 25);
      const four = new QuickPlace(4);
      let state: StudyState | null = null;
      for (let runs = 0; runs < 20 && state?.schedule.nextStep().type !== 'over'; runs += 1) {
        const abort = new AbortController();
        let ended = 0;
        state = await runStudy({
          ledger,
          plan: searched(`four-${name}`),
          place: four,
          signal: abort.signal,
          onNews: ({ type }) => void (type === 'ended' && ++ended === 3 && abort.abort()),
        });
      }
      expect(tableOf(state!)).toEqual(tableOf(one));
      const lines = readTrialLines(join(folder, `four-${name}`));
      const ends = lines.flatMap((line) => (line.kind === 'finished' ? [line.hash] : []));
      expect(new Set(ends).size).toBe(ends.length);
    },
  );

  it('runs nothing again once it is whole, and goes on with a larger budget', async () => {
    const again = new QuickPlace(2);
    const whole = inFolder('one-random');
    await runStudy({ ledger, plan: whole, place: again });
    expect(again.ran).toEqual([]);
    const larger = { ...whole, study: { ...whole.study, budget: { trials: 40 } } };
    const state = await runStudy({ ledger, plan: larger, place: again });
    expect(state.schedule.rows).toHaveLength(40);
    expect(again.ran.every((n) => n >= 25)).toBe(true);
  });

  it('can be stopped while its sampler proposes nothing but earlier trials, and then ends by itself', async () => {
    const few = (name: string): StudyPlan => {
      const { study, ...rest } = inFolder(name);
      const space = [{ name: 'x', domain: { kind: 'choice' as const, options: [0, 1] } }];
      return { ...rest, study: { ...study, space, budget: { trials: 5000 } } };
    };
    const abort = new AbortController();
    let ended = 0;
    const onNews = ({ type }: { readonly type: string }): void => {
      if (type === 'ended' && ++ended === 2) void setTimeout(0).then(() => abort.abort());
    };
    const place = new QuickPlace(1);
    const stopped = await runStudy({ ledger, plan: few('few'), place, signal: abort.signal, onNews });
    expect(stopped.schedule.rows.length).toBeLessThan(REPEATS_MAX);
    const state = await runStudy({ ledger, plan: few('few'), place: new QuickPlace(1) });
    const lastNew = state.schedule.rows.findLast(({ of }) => of === null)?.n ?? 0;
    expect(state.schedule.rows.filter(({ of }) => of === null)).toHaveLength(2);
    expect(state.schedule.rows).toHaveLength(lastNew + 1 + REPEATS_MAX);
    expect(state.schedule.isExhausted).toBe(true);
  });

  it('begins no trial after its time, and goes on with more time', async () => {
    const timed = (milliseconds: number): StudyPlan => {
      const { study, ...rest } = inFolder('timed');
      return { ...rest, study: { ...study, budget: { trials: 3, time: fromMillis(milliseconds) }, lag: 3 } };
    };
    const place = new QuickPlace(1);
    const slow: TrialPlace = {
      size: 1,
      close: () => place.close(),
      async runTrial(task, signal) {
        await setTimeout(150);
        return place.runTrial(task, signal);
      },
    };
    const state = await runStudy({ ledger, plan: timed(100), place: slow });
    expect(place.ran).toEqual([0]);
    expect(state.schedule.nextStep().type).toBe('over');
    await runStudy({ ledger, plan: timed(60_000), place: slow });
    expect(place.ran).toEqual([0, 1, 2]);
  });

  it('fails a trial that uses up all memory three times, and runs it alone', async () => {
    let most = 0;
    let busy = 0;
    let victim = -1;
    const place = new QuickPlace(3, ({ n }) => {
      if (victim < 0 && n >= 4) victim = n;
      return n === victim ? { type: 'memory', error: 'heap' } : null;
    });
    const counted: TrialPlace = {
      size: 3,
      close: () => place.close(),
      runTrial: async (task, signal) => {
        busy += 1;
        if (task.n === victim) most = Math.max(most, busy);
        return place.runTrial(task, signal).finally(() => void (busy -= 1));
      },
    };
    const state = await runStudy({ ledger, plan: inFolder('memory'), place: counted });
    expect(state.endOf(state.schedule.rows[victim]!)).toMatchObject({ kind: 'failed', reason: 'memory' });
    expect({ runs: place.ran.filter((n) => n === victim).length, most }).toEqual({ runs: 3, most: 1 });
    expect(state.schedule.rows.every((row) => row.state === 'ended')).toBe(true);
  });

  it('fails a trial during which three processes died, without running it', async () => {
    const place = new QuickPlace(2);
    const state = await runStudy({ ledger, plan: inFolder('lost'), place, lost: new Map([[2, 3]]) });
    expect(state.endOf(state.schedule.rows[2]!)).toMatchObject({ kind: 'failed', reason: 'memory' });
    expect(place.ran).not.toContain(2);
  });

  it('is not continued by another one, whose difference is named', async () => {
    const other: StudyPlan = {
      ...inFolder('one-random'),
      hash: 'ff'.repeat(32),
      parts: { ...plan.parts, space: 'other' },
    };
    await expect(runStudy({ ledger, plan: other, place: new QuickPlace(1) })).rejects.toThrow(
      /found another space; name a new study, or remove the folder$/,
    );
  });

  it('is not continued with a strategy whose file has changed, of which a comment counts', async () => {
    const other: StudyPlan = {
      ...inFolder('one-random'),
      hash: 'fe'.repeat(32),
      parts: { ...plan.parts, strategy: 'other' },
    };
    await expect(runStudy({ ledger, plan: other, place: new QuickPlace(1) })).rejects.toThrow(
      /found another strategy; .*folder\. Every change of the strategy’s files counts, of a comment too$/,
    );
  });

  it('passes on a fault of the program, and can be resumed after it', async () => {
    let runs = 0;
    const broken = new QuickPlace(2, () => {
      runs += 1;
      if (runs === 4) throw new Error('a fault of the program');
      return null;
    });
    await expect(runStudy({ ledger, plan: inFolder('broken'), place: broken })).rejects.toThrow(
      'a fault of the program',
    );
    const state = await runStudy({ ledger, plan: inFolder('broken'), place: new QuickPlace(2) });
    expect(state.schedule.rows.every((row) => row.state === 'ended')).toBe(true);
  });
});

describe('the folder of a study', () => {
  const study = (at: string) => ({ ...readStudyFile(join(folder, 'study.yaml')), folder: at });

  it('is refused by its name where it cannot be made or written', async () => {
    const below = join(folder, 'study.yaml', 'results');
    await expect(planStudy(study(below))).rejects.toThrow(`${below}: cannot be made: ENOTDIR`);
    const { study: planned, ...rest } = plan;
    const moved: StudyPlan = { ...rest, study: { ...planned, folder: below } };
    await expect(runStudy({ ledger, plan: moved, place: new QuickPlace(1) })).rejects.toThrow(UsageError);
    const taken = join(folder, 'taken');
    mkdirSync(join(taken, basename(plan.setup.code)), { recursive: true });
    await expect(planStudy(study(taken))).rejects.toThrow(
      `${join(taken, basename(plan.setup.code))}: cannot be written:`,
    );
    expect(readdirSync(taken)).toEqual([basename(plan.setup.code)]);
  });

  it('is not written to by a command that only reads the study', async () => {
    const { code } = plan.setup;
    utimesSync(code, 1, 1);
    await planStudy(study(dirname(code)));
    expect(statSync(code).mtimeMs).toBe(1000);
    writeFileSync(code, 'damage');
    await planStudy(study(dirname(code)));
    expect(readFileSync(code, 'utf8')).toBe(plan.setup.bundle.code);
  });
});

describe('the ledger of a study', () => {
  const trialsIn = (own: TrialLedger): string[] =>
    own.lines.flatMap((line) => (line.kind === 'trial' ? [line.trial] : [])).sort();
  const endedIn = (state: StudyState): string[] =>
    state.schedule.rows.flatMap((row) => (row.of === null ? [row.hash] : [])).sort();

  it('has every trial once, also after the study was run again under another name', async () => {
    const own = new TrialLedger(join(folder, 'once'));
    const state = await runStudy({ ledger: own, plan: inFolder('counted'), place: new QuickPlace(3) });
    expect(trialsIn(own)).toEqual(endedIn(state));
    await runStudy({ ledger: own, plan: inFolder('counted-again'), place: new QuickPlace(3) });
    expect(trialsIn(own)).toEqual(endedIn(state));
  });

  it('gets the trials that it lost when the process died before it was written', async () => {
    const at = inFolder('unbooked');
    const state = await runStudy({ ledger, plan: at, place: new QuickPlace(2) });
    const late = new TrialLedger(join(folder, 'late'));
    const place = new QuickPlace(2);
    await runStudy({ ledger: late, plan: at, place });
    expect(place.ran).toEqual([]);
    expect(trialsIn(late)).toEqual(endedIn(state));
  });

  it('ends the study when it cannot be written', async () => {
    const broken = new TrialLedger(join(folder, 'broken-ledger'));
    const fault = new Error('no space');
    let appends = 0;
    broken.append = () => (++appends === 1 ? Promise.resolve() : Promise.reject(fault));
    await expect(runStudy({ ledger: broken, plan: inFolder('unwritten'), place: new QuickPlace(1) })).rejects.toBe(
      fault,
    );
  });
});
