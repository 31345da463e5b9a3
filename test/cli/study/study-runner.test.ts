// The process of a study: the number of trials that its progress counts to.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { trialsMaxOf } from '../../../src/cli/study/study-runner.ts';
import { readStudyFile } from '../../../src/research/study/study-file.ts';
import { writeStudy } from '../../research/workers/study-strategies.ts';

const folder = mkdtempSync(join(tmpdir(), 'presage-'));
afterAll(() => rmSync(folder, { recursive: true }));

it.each([
  ['grid', 'trials: 20', 5],
  ['grid', 'trials: 3', 3],
  ['grid', 'time: 1h', 5],
  ['random', 'trials: 20', 20],
  ['random', 'time: 1h', null],
])('with the sampler %s and a budget of %s, the most trials are %s', (name, budget, most) => {
  const lines = ['strategy: quoter', 'space: { qtyContracts: { int: [1, 5] } }', 'objective: { maximize: profit }'];
  const study = readStudyFile(writeStudy(folder, [...lines, `budget: { ${budget} }`]));
  expect(trialsMaxOf({ ...study, sampler: { name, options: {} } })).toBe(most);
});
