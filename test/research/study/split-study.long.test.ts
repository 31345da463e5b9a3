// Studies with a split or a sealed test, by the command over the sample recording: what trials see, what the report says, and how
// looks are counted.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readStudyFile } from '../../../src/research/study/study-file.ts';
import { planStudy } from '../../../src/research/study/study-plan.ts';
import { ROOT, presageIn } from '../../e2e/presage.ts';

const folder = mkdtempSync(join(tmpdir(), 'presage-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Writes a config of the quoter over these event groups, and a study of it. Returns the study's file. */
function writeQuoterStudy(name: string, groups: readonly string[], lines: readonly string[]): string {
  const config = readFileSync(join(ROOT, 'config/backtest.yaml'), 'utf8')
    .replaceAll('../', `${ROOT}/`)
    .replace(/ {2}events: .*\n {2}series: .*\n/, `  events: [${groups.join(', ')}]\n`)
    .replace('series: [RAIN, WIND]', 'series: [RAIN, WIND, HIGH]');
  writeFileSync(join(folder, `${name}-config.yaml`), config);
  const sampler = lines.some((line) => line.startsWith('sampler:')) ? [] : ['sampler: random'];
  const study = [
    `study: ${name}`,
    `config: ${name}-config.yaml`,
    'strategy: quoter',
    'space: { qtyContracts: { int: [1, 6] } }',
    'budget: { trials: 3 }',
    'objective: { maximize: profit }',
  ];
  writeFileSync(join(folder, `${name}.yaml`), [...study, ...sampler, ...lines, ''].join('\n'));
  return `${name}.yaml`;
}

const linesOf = (text: string): Record<string, unknown>[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

/** The message by which a study is refused before its first trial. */
async function refusalOf(name: string, groups: readonly string[], lines: readonly string[]) {
  const file = join(folder, writeQuoterStudy(name, groups, lines));
  const study = { ...readStudyFile(file), folder: join(folder, 'plans', name) };
  const refusal = await planStudy(study).catch((fault: unknown) => fault);
  return refusal instanceof Error ? refusal.message : 'none';
}

const TRAIN = ['RAIN-LIMA', 'WIND-P29921327'];
const VALIDATION = ['RAIN-OSLO', 'WIND-P29921328'];

describe('a study with a split by names', () => {
  it('lets objectives see the training part alone, and reports the winner on the other part', async () => {
    const all = writeQuoterStudy('all', TRAIN, []);
    const split = writeQuoterStudy(
      'split',
      [...TRAIN, ...VALIDATION],
      [`split: { groups: { train: [${TRAIN.join(', ')}], validation: [${VALIDATION.join(', ')}] } }`],
    );
    for (const file of [all, split]) expect((await presageIn(folder, ['study', 'run', file])).code).toBe(0);
    const valuesOf = async (file: string): Promise<unknown[]> =>
      linesOf((await presageIn(folder, ['study', 'report', file, '--json'])).stdout).flatMap(({ type, n, ended }) =>
        type === 'trial' ? [[n, (ended as { readonly values: unknown }).values]] : [],
      );
    expect(await valuesOf(split)).toEqual(await valuesOf(all));

    const records = linesOf((await presageIn(folder, ['study', 'report', split, '--json'])).stdout);
    const verdict = records.find(({ type }) => type === 'study-verdict');
    expect(verdict).toMatchObject({
      split: { kind: 'groups', windows: [{ trainGroups: 2, testGroups: 2, winner: expect.any(Number) as number }] },
      parts: { search: expect.arrayContaining(TRAIN), held: expect.arrayContaining(VALIDATION), left: [] },
    });
    const { stdout } = await presageIn(folder, ['study', 'report', split]);
    expect(stdout).toMatch(/validation +2 +2 +#\d/);
    expect(stdout).toMatch(/Out of sample, winners made/);
  });

  it('is refused when a cluster or an event group is on both sides, by its name', async () => {
    const split = `split: { groups: { train: [${TRAIN.join(', ')}], validation: [${VALIDATION.join(', ')}] } }`;
    const planted = [split, 'clusters: [[WIND-P29921327, WIND-P29921328]]'];
    await expect(refusalOf('planted', [...TRAIN, ...VALIDATION], planted)).resolves.toContain(
      'expected event groups that settle together on one side, found cluster WIND-P29921327 + WIND-P29921328 on both, of which WIND-P29921328 to test',
    );
    const twice = [`split: { groups: { train: [${TRAIN.join(', ')}], validation: [RAIN-LIMA] } }`];
    await expect(refusalOf('twice', TRAIN, twice)).resolves.toMatch(
      /twice\.yaml:\d+:1: split: expected each event group on one side, found RAIN-LIMA on both$/m,
    );
    const run = await presageIn(folder, ['study', 'run', 'twice.yaml']);
    expect(run.code).toBe(2);
    expect(run.stderr).toMatch(
      /twice\.yaml:\d+:1: split: expected each event group on one side, found RAIN-LIMA on both$/m,
    );
  });

  it('is refused when it names an event group that is not on the tapes', async () => {
    const unknown = ['split: { groups: { train: [RAIN-LIMA], validation: [RAIN-NOWHERE] } }'];
    await expect(refusalOf('unknown', TRAIN, unknown)).resolves.toMatch(
      /unknown\.yaml:8:.*split\.groups\.validation.*expected an event group of the tapes, found "?RAIN-NOWHERE/,
    );
  });
});

describe('a split', () => {
  it('is refused when a side has no event group', async () => {
    const empty = ['split: { time: { cut: 2026-11-21T16:47:30Z } }'];
    await expect(refusalOf('empty', TRAIN, empty)).resolves.toContain(
      'split: expected an event group to train on, found none',
    );
  });

  it('is refused when the sampler or the pruner would learn from every test part, or the objective has no value on a part', async () => {
    const learning = ['split: { folds: { blocks: 2 } }', 'sampler: tpe'];
    await expect(refusalOf('learning', TRAIN, learning)).resolves.toContain('grid, random or sobol with folds');
    const pruned = ['split: { folds: { blocks: 2 } }', 'pruner: median'];
    await expect(refusalOf('pruned', TRAIN, pruned)).resolves.toContain('no pruner with folds');
    const drawdown = ['split: { folds: { blocks: 2 } }'];
    const file = writeQuoterStudy('drawdown', TRAIN, drawdown);
    const text = readFileSync(join(folder, file), 'utf8').replace('maximize: profit', 'minimize: maxDrawdown');
    writeFileSync(join(folder, file), text);
    await expect(planStudy(readStudyFile(join(folder, file)))).rejects.toThrow(
      /the first objective to be one of profit, .*, because the split chooses winners by the results of event groups, found maxDrawdown$/,
    );
  });
});

describe('a sealed test', () => {
  let file = '';
  beforeAll(async () => {
    // The first group is known at 16:48:39; the other one begins at 16:49:01.
    file = writeQuoterStudy('sealed', ['HIGH-OSLO', 'WIND-P29921329'], ['sealed: { from: 2026-11-21T16:48:50Z }']);
    expect((await presageIn(folder, ['study', 'run', file])).code).toBe(0);
  });

  it('is not in any trial, nor named in the study’s file', async () => {
    const { stdout } = await presageIn(folder, ['study', 'report', file]);
    expect(stdout).toContain('The sealed test has 1 event group.');
    expect(readFileSync(join(folder, 'var/studies/sealed/trials.jsonl'), 'utf8')).not.toContain('WIND');
  });

  it('counts every look, also after the study was deleted', async () => {
    const look = async (): Promise<unknown> =>
      linesOf((await presageIn(folder, ['study', 'unseal', file, '--json'])).stdout)[0]?.['looks'];
    expect(await look()).toBe(1);
    expect(await look()).toBe(2);
    expect((await presageIn(folder, ['study', 'report', file])).stdout).toMatch(
      /The sealed test was looked at 2 times; adjusted p = /,
    );
    rmSync(join(folder, 'var/studies/sealed'), { recursive: true });
    expect((await presageIn(folder, ['study', 'run', file])).code).toBe(0);
    expect(await look()).toBe(3);
  });
});
