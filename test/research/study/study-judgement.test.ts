// The verdict on a study from its files: by its own trials, by those of other studies on the same event groups, and without
// those on other groups.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { micros } from '../../../src/domain/units.ts';
import { writeParquet } from '../../../src/history/export/history-files.ts';
import { GROUP_COLUMNS } from '../../../src/research/export/run-tables.ts';
import { TrialLedger } from '../../../src/research/ledger/trial-ledger.ts';
import { groupsFile } from '../../../src/research/study/group-files.ts';
import { judgeBestTrial } from '../../../src/research/study/study-judgement.ts';
import { StudyState, endLine } from '../../../src/research/study/study-state.ts';
import type { TrialLine } from '../../../src/research/study/trial-lines.ts';
import type { GroupResult } from '../../../src/research/trial/study-trial.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'presage-'));
  mkdirSync(join(folder, 'trials'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const hashOf = (n: number): string => n.toString(16).padStart(64, '0');
const GROUPS = 40;
/** Profits of trial `n` by group, in millionths: trial 2 is the best. Every eighth group loses. */
const groupsOf = (n: number): GroupResult[] =>
  Array.from({ length: GROUPS }, (_, index) => ({
    group: `G${index}`,
    cluster: `C${index}`,
    from: micros(index * 1e6),
    known: index === GROUPS - 1 ? null : micros(index * 1e6 + 1),
    profit: (index % 8 === n % 8 ? -1 : 1) * (n === 2 ? 900_000 : 100_000) + ((index * 7919) % 11) * 1000,
    fees: 0,
    qty: 100,
    fills: 1,
    lockedDollarDays: 1,
  }));

function finishedStudy(trials: number): StudyState {
  const lines: TrialLine[] = [
    {
      kind: 'study',
      v: 1,
      name: 's',
      hash: hashOf(999),
      parts: {},
      objectives: [{ figure: 'profit', isMaximized: true }],
      lag: 4,
      node: 'v20',
      split: null,
    },
  ];
  for (let n = 0; n < trials; n += 1) {
    const groups = groupsOf(n);
    writeParquet(groupsFile(folder, hashOf(n)), GROUP_COLUMNS, groups);
    const profit = groups.reduce((sum, { profit: each }) => sum + each, 0);
    lines.push({ kind: 'proposed', n, hash: hashOf(n), params: { x: n } });
    const result = { end: 'finished' as const, values: [-profit], violations: [], intermediate: [] };
    const ended = { ...result, figures: { profit }, decisions: ['d'], groups };
    lines.push(endLine({ n, hash: hashOf(n), result: ended, spentMs: 0 }));
  }
  const state = StudyState.readFrom(lines);
  if (state === null) throw new Error('expected a study');
  return state;
}

describe('the judgement of a study', () => {
  it('is about the best trial, counts the trials of the ledger, and leaves out groups without a result', async () => {
    const state = finishedStudy(6);
    const ledger = new TrialLedger(join(folder, 'ledger'));
    const judge = () => judgeBestTrial({ state, folder, ledger, seed: 1 });
    const alone = await judge();
    expect(alone).toMatchObject({ n: 2, unsettled: 1 });
    expect(alone?.verdict).toMatchObject({ trials: 6, trialsEver: 6, groups: GROUPS - 1, verdict: 'better' });

    const other = (n: number, clusters: string[], sharpe: number) =>
      ledger.append([
        { kind: 'study', study: hashOf(n), name: 'other', clusters },
        ...Array.from({ length: 50 }, (_, index) => ({
          kind: 'trial' as const,
          study: hashOf(n),
          trial: hashOf(n * 1000 + index),
          end: 'finished' as const,
          returns: { groups: 39, sharpe: sharpe * (index - 25), skewness: 0, kurtosis: 3 },
        })),
      ]);
    await other(2000, ['elsewhere'], 1);
    expect(await judge()).toEqual(alone);
    await other(3000, ['C3', 'elsewhere'], 0.1);
    const beside = await judge();
    expect(beside?.verdict).toMatchObject({ trials: 6, trialsEver: 56 });
    expect(beside?.verdict.deflated).toBeLessThan(alone?.verdict.deflated ?? 0);
    expect(beside?.verdict.verdict).toBe('luck');
  });

  it('is missing when no trial has finished', async () => {
    const state = finishedStudy(0);
    const ledger = new TrialLedger(join(folder, 'ledger'));
    expect(await judgeBestTrial({ state, folder, ledger, seed: 1 })).toBeNull();
  });
});
