// The file of a study: every fault is named with its line, and the strategy's own schema decides about the space.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readStudyFile } from '../../../src/research/study/study-file.ts';
import { planStudy } from '../../../src/research/study/study-plan.ts';
import { samplerOf } from '../../../src/research/study/study-samplers.ts';
import { writeStudy } from '../workers/study-strategies.ts';

const folder = mkdtempSync(join(tmpdir(), 'presage-'));
afterAll(() => rmSync(folder, { recursive: true }));

const GOOD = {
  strategy: 'strategy: quoter',
  space: 'space: { qtyContracts: { int: [1, 5] } }',
  objective: 'objective: { maximize: profit }',
  budget: 'budget: { trials: 3 }',
};
const fileOf = (over: Partial<typeof GOOD>): string => writeStudy(folder, Object.values({ ...GOOD, ...over }));
const open = async (over: Partial<typeof GOOD>) => {
  const study = readStudyFile(fileOf(over));
  samplerOf(study);
  return planStudy({ ...study, folder: join(folder, 'results') });
};

describe('the file of a study', () => {
  it.each([
    [{ space: 'space: {}' }, /5:1: space: expected at least one parameter/],
    [{ space: 'space: { qtyContracts: { int: [5, 1] } }' }, /expected a range \[low, high\], low not above high/],
    [{ space: 'space: { qtyContracts: { float: [0, 1], log: true } }' }, /a lowest value above 0/],
    [{ space: 'space: { a: { int: [1, 2], when: { b: 1 } } }' }, /expected a parameter of the space above a/],
    [{ objective: 'objective: { maximize: luck }' }, /expected one of profit, fees/],
    [{ budget: 'budget: {}' }, /expected trials, or time, or both/],
    [{ space: 'space: { qtyContract: { int: [1, 5] } }' }, /expected a parameter of the strategy: qtyContracts/],
    [{ space: 'space: { qtyContracts: { int: [-3, 5] } }' }, /it refuses qtyContracts = -3/],
    [{ strategy: 'strategy: quoters' }, /expected the name of one strategy of the config: quoter, arbitrage/],
    [{ strategy: 'strategy: quoter\nfixed: { qtyContracts: 1 }\ntapes: [none]' }, /none: expected the folder of a/],
  ])('is refused with %j', async (over, message) => {
    await expect(open(over)).rejects.toThrow(message);
  });

  it('names trials by what decides them, and by nothing else', async () => {
    const one = await open({});
    const wider = await open({ space: 'space: { qtyContracts: { int: [1, 9] } }', budget: 'budget: { trials: 9 }' });
    expect(wider.hash).not.toBe(one.hash);
    expect(wider.hashOf({ qtyContracts: 2 })).toBe(one.hashOf({ qtyContracts: 2 }));
    expect((await open({ budget: 'budget: { trials: 9 }' })).hash).toBe(one.hash);
    const asDefault = await open({ strategy: 'strategy: quoter\nfixed: { skewCentsPerContract: 0.2 }' });
    expect(asDefault.hashOf({ qtyContracts: 2 })).not.toBe(one.hashOf({ qtyContracts: 2 }));
    expect(asDefault.hashOf({ qtyContracts: 2, skewCentsPerContract: 0.1 })).toBe(one.hashOf({ qtyContracts: 2 }));
  });
});
