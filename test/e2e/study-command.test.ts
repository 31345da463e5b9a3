// `presage study` in a process: its records show objectives as their figures, and its exit code says if it has a result.
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { writeStudy } from '../research/workers/study-strategies.ts';
import { type Line, presageIn } from './presage.ts';

const root = mkdtempSync(join(tmpdir(), 'presage-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Runs a command of a study, and returns its records. */
async function recordsOf(command: string, file: string): Promise<Line[]> {
  const { code, stdout, stderr } = await presageIn(root, ['study', command, file, '--json']);
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

describe('the exit code of a study', () => {
  it.each([
    [
      'every trial failed',
      ['fixed: { mode: throw }', 'space: { x: { int: [0, 1] } }'],
      1,
      'presage: all 2 trials failed: the study has no result',
    ],
    ['some trials failed', ['space: { mode: { oneOf: [throw, idle] } }'], 0, ''],
  ])('says whether it has a result when %s', async (_, choices, expected, message) => {
    const folder = join(root, String(expected));
    const file = writeStudy(folder, [
      'strategy: { use: misbehaving.ts }',
      ...choices,
      'objective: { maximize: profit }',
      'budget: { trials: 8 }',
    ]);
    for (const command of ['run', 'resume']) {
      const { code, stderr } = await presageIn(folder, ['study', command, file]);
      expect([code, stderr]).toEqual([expected, expect.stringContaining(message)]);
    }
  });

  it.runIf(existsSync('/dev/full'))('is that of a failure when the disk is full', async () => {
    const folder = join(root, 'full');
    const lines = ['strategy: quoter', 'space: { qtyContracts: { int: [1, 2] } }', 'objective: { maximize: profit }'];
    const file = writeStudy(folder, [...lines, 'budget: { trials: 1 }']);
    mkdirSync(join(folder, 'var/research'), { recursive: true });
    symlinkSync('/dev/full', join(folder, 'var/research/ledger.jsonl'));
    const { code, stderr } = await presageIn(folder, ['study', 'run', file]);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/presage: \S+ledger\.jsonl: cannot be written: ENOSPC\n$/),
    ]);
  });
});

describe('the records of a study', () => {
  it('show objectives with the sign of their figures, maximized and minimized', async () => {
    const file = writeStudy(root, [
      'strategy: quoter',
      'space: { qtyContracts: { int: [1, 8] } }',
      'objective: [{ maximize: profit }, { minimize: fees }]',
      'pruner: { median: { startup: 1 } }',
      'budget: { trials: 2 }',
    ]);
    const run = (await recordsOf('run', file)).filter(({ type }) => type === 'trial');
    const best = await recordsOf('best', file);
    const report = (await recordsOf('report', file)).flatMap(({ type, ended }) =>
      type === 'trial' ? [ended as Line] : [],
    );
    for (const each of [...run, ...best, ...report]) {
      const { values, figures, intermediate } = each as unknown as {
        values: number[];
        figures: { profit: number; fees: number };
        intermediate?: { value: number }[];
      };
      expect(values).toEqual([figures.profit, figures.fees]);
      if (intermediate) expect(Math.sign(intermediate.at(-1)?.value ?? 0)).toBe(Math.sign(figures.profit));
    }
    expect([run, best, report].map(({ length }) => length)).toEqual([2, 2, 2]);
  });
});
