// The sequence of a study's trials: the same for any number of workers, any sequence of ends, and any number of restarts.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type TrialRow, TrialSchedule } from '../../../src/research/study/trial-schedule.ts';
import { StudyState } from '../../../src/research/study/study-state.ts';
import type { TrialLine } from '../../../src/research/study/trial-lines.ts';
import type { ProposalInput } from '../../../src/research/search/sampler.ts';
import type { EndedTrial, TrialParams } from '../../../src/research/trial/study-trial.ts';

const TRIALS = 30;

/** A sampler that depends on all that it may see: a scheduler that shows too much, or too little, changes the table. */
function proposed({ n, ended, open }: ProposalInput): TrialParams {
  const seen = ended.reduce((sum, { n: each, values }) => sum + (each + 1) * (values[0] ?? 7), 0);
  return { x: (n * 13 + seen * 3 + open.length) % 11 };
}

const endOf = ({ n, params }: Pick<TrialRow, 'n' | 'params'>): EndedTrial => {
  const value = (Number(params['x']) * 5) % 7;
  const isFailed = value === 3;
  return {
    n,
    params,
    end: isFailed ? 'failed' : 'finished',
    values: isFailed ? [] : [value],
    violations: [],
    intermediate: [],
  };
};

interface Chances {
  readonly workers: number;
  /** Which running trial ends next, and whether it is lost instead, or the process dies. */
  readonly draws: readonly { readonly pick: number; readonly what: 'end' | 'lose' | 'die' }[];
}

/** A written line: all that a restart knows. */
type Line = { readonly type: 'proposed'; readonly row: TrialRow } | { readonly type: 'end'; readonly end: EndedTrial };

function restored(lag: number, lines: readonly Line[]): TrialSchedule {
  const schedule = new TrialSchedule({ lag, trialsMax: TRIALS });
  for (const line of lines)
    if (line.type === 'proposed') schedule.addProposal(line.row.params, line.row.hash);
    else schedule.endTrial(line.end);
  return schedule;
}

function tableOf(lag: number, { workers, draws }: Chances): unknown {
  const lines: Line[] = [];
  let schedule = restored(lag, lines);
  let drawn = 0;
  for (;;) {
    const step = schedule.nextStep();
    const running = schedule.rows.filter(({ state }) => state === 'running');
    if (step.type === 'over') return schedule.rows;
    if (step.type === 'propose') {
      const params = proposed(step.input);
      lines.push({ type: 'proposed', row: schedule.addProposal(params, JSON.stringify(params)) });
    } else if (step.type === 'run' && running.length < workers) schedule.startTrial(step.row.n);
    else {
      const { pick, what } = draws[drawn++] ?? { pick: 0, what: 'end' };
      const row = running[pick % running.length]!;
      if (what === 'lose') schedule.reopenTrial(row.n);
      else if (what === 'die') schedule = restored(lag, lines);
      else {
        const end = endOf(row);
        lines.push({ type: 'end', end });
        schedule.endTrial(end);
      }
    }
  }
}

const chances = fc.record({
  workers: fc.integer({ min: 1, max: 9 }),
  draws: fc.array(
    fc.record({
      pick: fc.nat(),
      what: fc.constantFrom('end' as const, 'end' as const, 'lose' as const, 'die' as const),
    }),
    { maxLength: 80 },
  ),
});

describe('the trials of a study', () => {
  it('are the same, row by row, whatever ends first, is lost, or dies', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), chances, (lag, chance) => {
        const undisturbed = tableOf(lag, { workers: 1, draws: [] });
        expect(tableOf(lag, chance)).toEqual(undisturbed);
        expect(undisturbed).toHaveLength(TRIALS);
      }),
    );
  });

  it('are proposed once those before the lag have ended, and see no others', () => {
    const schedule = new TrialSchedule({ lag: 3, trialsMax: 10 });
    const inputs: ProposalInput[] = [];
    const propose = (): void => {
      for (let step = schedule.nextStep(); step.type !== 'wait'; step = schedule.nextStep()) {
        if (step.type === 'run') schedule.startTrial(step.row.n);
        if (step.type !== 'propose') continue;
        inputs.push(step.input);
        schedule.addProposal({ x: step.input.n }, String(step.input.n));
      }
    };
    propose();
    expect(inputs.map(({ n, ended, open }) => [n, ended.length, open.length])).toEqual([
      [0, 0, 0],
      [1, 0, 1],
      [2, 0, 2],
    ]);
    schedule.endTrial(endOf(schedule.rows[1]!));
    propose();
    expect(inputs).toHaveLength(3);
    schedule.endTrial(endOf(schedule.rows[0]!));
    propose();
    expect(inputs.slice(3).map(({ n, ended }) => [n, ended.map((each) => each.n)])).toEqual([
      [3, [0]],
      [4, [0, 1]],
    ]);
  });

  it('are proposed by the generation, whatever the lag, where the sampler counts one', () => {
    const countSeen = (n: number): number => n - (n % 5);
    const schedule = new TrialSchedule({ lag: 2, trialsMax: 12, countSeen });
    const seen: number[][] = [];
    for (let step = schedule.nextStep(); step.type !== 'over'; step = schedule.nextStep())
      if (step.type === 'run') schedule.startTrial(step.row.n);
      else if (step.type === 'wait')
        schedule.endTrial(endOf(schedule.rows.findLast(({ state }) => state === 'running')!));
      else {
        const { n, ended, open } = step.input;
        seen.push([n, ended.length, open.length]);
        schedule.addProposal({ x: n }, String(n));
      }
    expect(seen).toEqual(Array.from({ length: 12 }, (_, n) => [n, n - (n % 5), n % 5]));
  });

  it('with known parameters are not run again, and end as the first did', () => {
    const schedule = new TrialSchedule({ lag: 4, trialsMax: 3 });
    const add = (hash: string): TrialRow => schedule.addProposal({ x: 1 }, hash);
    const [first, second] = [add('a'), add('a')];
    expect([first.of, second.of]).toEqual([null, 0]);
    schedule.startTrial(0);
    schedule.endTrial({ ...endOf(first), values: [4] });
    const third = add('a');
    expect([second.end, third.end].map((end) => [end?.n, end?.values])).toEqual([
      [1, [4]],
      [2, [4]],
    ]);
    expect(schedule.nextStep().type).toBe('over');
  });

  it('end once: a late second result is ignored', () => {
    const schedule = new TrialSchedule({ lag: 1, trialsMax: 1 });
    const row = schedule.addProposal({ x: 1 }, 'a');
    schedule.endTrial({ ...endOf(row), values: [1] });
    schedule.endTrial({ ...endOf(row), values: [2] });
    expect(schedule.rows[0]?.end?.values).toEqual([1]);
  });
});

describe('a study of very many trials', () => {
  it('is read, with the time that it ran', () => {
    const hash = 'ab'.repeat(32);
    const split = null;
    const head: TrialLine = {
      kind: 'study',
      v: 1,
      name: 's',
      hash,
      parts: {},
      objectives: [],
      lag: 4,
      node: '',
      split,
    };
    const lines = Array.from({ length: 150_000 }, (_, n): TrialLine[] => [
      { kind: 'proposed', n, hash: `${n}`, params: {} },
      { kind: 'failed', n, hash: `${n}`, reason: 'time', error: '', spentMs: n },
    ]);
    const state = StudyState.readFrom([head, ...lines.flat()]);
    expect(state?.spentMs).toBe(149_999);
    expect(state?.schedule.nextStep()).toMatchObject({ type: 'propose' });
  });
});
