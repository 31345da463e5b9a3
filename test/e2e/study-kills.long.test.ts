// Studies in real processes: killed at random moments and resumed, the table equals that of an undisturbed run, row by row.
// A strategy that uses up all memory fails, and the study goes on.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { writeStudy } from '../research/workers/study-strategies.ts';
import { PATIENCE_MS } from '../support/runner/patience.ts';
import { MAIN, presageIn } from './presage.ts';

const root = mkdtempSync(join(tmpdir(), 'presage-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Kills in all, at moments drawn from a fixed seed. */
const KILLS = 6;
const QUOTING = [
  'strategy: quoter',
  'space: { qtyContracts: { int: [1, 8] }, halfSpreadCents: { int: [1, 3] } }',
  'objective: { maximize: profit }',
  'budget: { trials: 16 }',
  'seed: 5',
];

const start = (folder: string, file: string): ChildProcess =>
  spawn(process.execPath, [MAIN, 'study', 'run', file, '--workers', '2'], { cwd: folder, stdio: 'ignore' });

/** Ids of the processes that a process has started. */
const childrenOf = (pid: number): number[] => {
  try {
    return execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .map(Number);
  } catch {
    return [];
  }
};

interface TrialRecord {
  readonly type: string;
  readonly ended: object | null;
}

/** Every trial with its end, without times. */
async function tableOf(folder: string, file: string): Promise<readonly unknown[]> {
  const { stdout } = await presageIn(folder, ['study', 'report', file, '--json']);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as TrialRecord)
    .filter(({ type }) => type === 'trial')
    .map((row) => ({ ...row, ended: row.ended && { ...row.ended, spentMs: 0 } }));
}

const folderOf = (name: string): string => {
  mkdirSync(join(root, name));
  return join(root, name);
};

const exitOf = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve(child.exitCode);
    child.on('exit', resolve);
  });

describe('a study that is killed', () => {
  it('has the table of an undisturbed one, row by row', async () => {
    const file = writeStudy(root, QUOTING);
    const calm = folderOf('calm');
    expect((await presageIn(calm, ['study', 'run', file, '--workers', '1'])).code).toBe(0);
    const rough = folderOf('rough');
    const random = xoroshiro128plus(11);
    let code: number | null = null;
    const hasBegun = (): boolean => existsSync(join(rough, 'var/studies/tried/trials.jsonl'));
    for (let kills = 0; kills < KILLS && code !== 0; kills += 1) {
      const parent = start(rough, file);
      const ended = exitOf(parent);
      await vi.waitFor(() => expect(hasBegun()).toBe(true), { timeout: PATIENCE_MS });
      await Promise.race([ended, setTimeout(uniformInt(random, 300, 6000))]);
      const runners = childrenOf(parent.pid ?? -1);
      // A runner alone, its parent alone, or both.
      const victims = [runners, [parent.pid ?? -1], [parent.pid ?? -1, ...runners]][uniformInt(random, 0, 2)] ?? [];
      for (const pid of victims) {
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          // It has ended by itself.
        }
      }
      await setTimeout(500);
      parent.kill('SIGINT');
      code = await ended;
    }
    let said = '';
    for (let tries = 0; tries < 20 && code !== 0; tries += 1) {
      const resumed = await presageIn(rough, ['study', 'resume', file]);
      ({ code, stderr: said } = resumed);
      await setTimeout(500);
    }
    expect(code, said).toBe(0);
    expect(await tableOf(rough, file)).toEqual(await tableOf(calm, file));
    expect(await tableOf(calm, file)).toHaveLength(16);
  });
});

describe('a strategy that uses up all memory', () => {
  it('fails at the third time, and the other trials finish', async () => {
    const folder = folderOf('eating');
    const file = writeStudy(folder, [
      'strategy: { use: misbehaving.ts }',
      'space: { mode: { oneOf: [idle, eat] }, x: { float: [0, 1] } }',
      'objective: { maximize: profit }',
      'budget: { trials: 4 }',
    ]);
    const { code } = await presageIn(folder, ['study', 'run', file, '--workers', '2', '--heap', '128']);
    expect(code).toBe(0);
    const rows = (await tableOf(folder, file)) as readonly {
      readonly params: { readonly mode: string };
      readonly ended: { readonly kind: string; readonly reason?: string };
    }[];
    expect(new Set(rows.map(({ params }) => params.mode))).toEqual(new Set(['idle', 'eat']));
    for (const { params, ended } of rows)
      expect(ended).toMatchObject(params.mode === 'eat' ? { kind: 'failed', reason: 'memory' } : { kind: 'finished' });
  });
});
