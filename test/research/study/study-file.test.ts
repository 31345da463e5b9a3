// The file of a study: every fault is named with its line, and the strategy's own schema decides about the space.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readStudyFile } from '../../../src/research/study/study-file.ts';
import { planStudy } from '../../../src/research/study/study-plan.ts';
import { prunerOf, samplerOf } from '../../../src/research/study/study-samplers.ts';
import { ROOT } from '../../e2e/presage.ts';
import { writeStudy } from '../workers/study-strategies.ts';

const folder = mkdtempSync(join(tmpdir(), 'presage-'));
afterAll(() => rmSync(folder, { recursive: true }));

const SAMPLE = join(ROOT, 'backtest/data/sample');
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
  prunerOf(study);
  return planStudy({ ...study, folder: join(folder, 'results') });
};

describe('the file of a study', () => {
  it.each([
    [{ space: 'space: {}' }, /5:1: space: expected at least one parameter/],
    [{ space: 'space: { qtyContracts: { int: [5, 1] } }' }, /expected a range \[low, high\], low not above high/],
    [{ space: 'space: { qtyContracts: { float: [0, 1], log: true } }' }, /a lowest value above 0/],
    [{ space: 'space: { a: { int: [1, 2], when: { b: 1 } } }' }, /expected a parameter of the space above a/],
    [{ objective: 'objective: { maximize: luck }' }, /expected one of profit, fees/],
    [
      { objective: 'objective: { maximize: report.capital.returnPerYaer }' },
      /6:14: objective\.maximize: expected a figure of the report, such as report\.capital\.returnPerYear, [^\n]*, found "report\.capital\.returnPerYaer"$/,
    ],
    [
      { budget: 'budget: { trials: 3 }\nconstraints: [{ figure: report.trading.fillratio, atLeast: 0.1 }]' },
      /8:17: constraints\[0\]\.figure: expected a figure of the report, such as report\.trading\.fillRatio, [^\n]*, found "report\.trading\.fillratio"$/,
    ],
    [{ budget: 'budget: {}' }, /expected trials, or time, or both/],
    [{ budget: 'budget: { time: 0s }' }, /7:11: budget\.time: expected a time above 0, such as 10m, found "0s"$/],
    [
      { budget: 'budget: { trials: 3 }\ntrialTime: 0s' },
      /trialTime: expected a time above 0, such as 10m, found "0s"$/,
    ],
    [{ space: 'space: { qtyContract: { int: [1, 5] } }' }, /expected a parameter of the strategy: qtyContracts/],
    [{ space: 'space: { qtyContracts: { int: [-3, 5] } }' }, /it refuses qtyContracts = -3/],
    [
      { space: 'space: { qtyContracts: { float: [1, 5] } }' },
      /space\.qtyContracts: expected values that the strategy accepts; it refuses qtyContracts = 2\.528/,
    ],
    [
      { space: 'space: { qtyContracts: { float: [1, 4], step: 0.5 } }' },
      /space\.qtyContracts: expected values that the strategy accepts; it refuses qtyContracts = 1\.5,/,
    ],
    [
      { space: 'space: { qtyContracts: [1, 5] }' },
      /space\.qtyContracts: expected one of int, float and oneOf, such as \{ int: \[1, 5\] \}, found a list of 2$/,
    ],
    [{ space: 'space: { qtyContracts: { int: 5 } }' }, /space\.qtyContracts\.int: expected a list, found 5$/],
    [
      { budget: 'budget: { trials: 3 }\nconstraints: [{ figure: fills, atLeast: 5usd }]' },
      /constraints\[0\]\.atLeast: expected a number, because fills is not an amount of money, found "5usd"$/,
    ],
    [{ strategy: 'strategy: quoters' }, /expected the name of one strategy of the config: quoter, arbitrage/],
    [
      { strategy: 'strategy: quoter\nfixed: { toleranceCents: 1 }\ntapes: [none]' },
      /study\.yaml:6:9: tapes\[0\]: expected a tape .*none: expected the folder of a/,
    ],
    [
      { strategy: `strategy: quoter\ntapes: [${SAMPLE}, ${SAMPLE}]` },
      /study\.yaml:5:.* tapes\[1\]: expected each event group on one tape \(RAIN-/,
    ],
    [
      { strategy: 'strategy: { use: study.yaml }' },
      /study\.yaml:4:13: strategy\.use: expected a file with a strategy \(.*a \.yaml file is no TypeScript/,
    ],
    [
      { strategy: 'strategy: quoter\nfixed: { qtyContracts: 3 }' },
      /study\.yaml:5:10: fixed\.qtyContracts: expected each parameter in fixed or in space, not in both \(space\.qtyContracts\), found 3$/,
    ],
    [
      { strategy: 'strategy: quoter\nfixed: { tolerance: 1 }' },
      /study\.yaml:5:10: fixed\.tolerance: expected one of the parameters events, .*, not tolerance, found 1/,
    ],
    [
      { strategy: 'strategy: quoter\nfixed: { toleranceCents: -1 }' },
      /study\.yaml:5:10: fixed\.toleranceCents: expected at least 0, found -1/,
    ],
    [
      { space: 'space: { halfSpreadCents: { float: [1, 2], step: 0.3 } }' },
      /study\.yaml:5:10: space\.halfSpreadCents: expected whole steps of 0\.3 from 1 to 2, found 3\.33 steps$/,
    ],
    [
      { budget: 'budget: { trials: 3 }\npruner: { asha: { min: 0 } }' },
      /study\.yaml:8:19: pruner\.asha\.min: expected 1 or more, found 0/,
    ],
    [
      { space: 'space: { skewCentsPerContract: { oneOf: [1, 1, 2] } }' },
      /space\.skewCentsPerContract: expected each option once, found 1 twice$/,
    ],
    [
      { space: 'space: { qtyContract: { int: [1, 5] } }' },
      /space\.qtyContract: expected a parameter of the strategy: qtyContracts, found qtyContract$/,
    ],
    [
      { budget: 'budget: { trials: 3 }\nsplit: { time: { cut: 0.5 } }' },
      /split\.time\.cut: expected a share such as 20%, from 1% to 99%, or a moment such as .*, found 0\.5$/,
    ],
    [
      { budget: 'budget: { trials: 3 }\nsplit: { walkforward: { train: 14d, test: 3d } }' },
      /^\S+study\.yaml:8:1: split: expected one of time, walkForward, folds, combinatorial and groups, such as [^\n]*, found a mapping of walkforward \(did you mean walkForward\?\)$/,
    ],
    [
      { budget: 'budget: { trials: 3 }\nsplit: { time: { cut: 70% }, folds: { blocks: 5 } }' },
      /^\S+study\.yaml:8:1: split: expected one of time, walkForward, [^\n]*, found a mapping of time, folds$/,
    ],
    [
      { budget: 'budget: { trials: 3 }\nsplit: {}' },
      /^\S+study\.yaml:8:1: split: expected one of time, walkForward, [^\n]*, found an empty mapping$/,
    ],
    [
      { budget: 'budget: { trials: 3 }\nsplit: { walkForward: { train: 14d, test: 3d, step: 1d } }' },
      /split\.walkForward\.step: expected a step at least as long as test, so that no event group is tested twice, found "1d"$/,
    ],
    [
      { budget: 'budget: { trials: 3 }\nsplit: { walkForward: { train: 14d, test: 0s } }' },
      /split\.walkForward\.test: expected a time above 0, such as 3d, found "0s"$/,
    ],
    [
      { budget: 'budget: { trials: 3 }\nsplit: { walkForward: { train: 900d, test: 3d } }' },
      /split\.walkForward: expected a window with an event group whose result is known within train, and one that begins within test; the tapes cover [^\n]* to search in, found train 900 d, test 3 d$/,
    ],
    [
      { budget: 'budget: { trials: 3 }\nsplit: { walkForward: { train: 1h, test: 1ms } }' },
      /split\.walkForward: expected a step with at most 10000 windows over [^\n]*, the period of the tapes, found a step of 1 ms$/,
    ],
    [
      { budget: 'budget: { trials: 3 }\nsplit: { folds: 5 }' },
      /^\S+study\.yaml:8:10: split\.folds: expected a mapping of fields \(blocks, embargo\), found 5$/,
    ],
    [
      { budget: 'budget: { trials: 3 }\nsplit: { folds: { blocks: 5, embarg: 1h } }' },
      /^\S+study\.yaml:8:30: split\.folds: expected only known fields, found "embarg" \(did you mean embargo\?\)$/,
    ],
    [
      { objective: 'objective: { maximise: profit }' },
      /^\S+study\.yaml:6:1: objective: expected one of maximize and minimize, [^\n]*, found a mapping of maximise \(did you mean maximize\?\)$/,
    ],
    [
      { objective: 'objective: profit' },
      /^\S+study\.yaml:6:1: objective: expected one of maximize and minimize, [^\n]*, or a list of such objectives, found "profit"$/,
    ],
    [
      { budget: 'budget: { trials: 3 }\nsealed: { last: 0.2 }' },
      /sealed\.last: expected a share such as 20%, from 1% to 99%, found 0\.2$/,
    ],
    [
      { budget: 'budget: { trials: 3 }\nsplit: { groups: { train: [RAIN-LIMA], validation: [RAIN-LIMA] } }' },
      /split: expected each event group on one side, found RAIN-LIMA on both$/,
    ],
    [
      {
        objective: 'objective: { minimize: maxDrawdown }',
        budget: 'budget: { trials: 3 }\nsplit: { folds: { blocks: 2 } }',
      },
      /:6:1: objective: expected the first objective to be one of profit, fees, [^\n]*, because the split chooses winners by the results of event groups, found maxDrawdown$/,
    ],
    [
      { objective: 'objective: { minimize: maxDrawdown }', budget: 'budget: { trials: 3 }\npruner: median' },
      /:6:1: objective: expected the first objective to be one of [^\n]*, because the pruner compares trials by [^\n]*, found maxDrawdown$/,
    ],
    [
      { budget: 'budget: { trials: 3 }\nsealed: { from: 2030-01-01T00:00:00Z }' },
      /sealed: expected an event group in the sealed part, found none$/,
    ],
  ])('is refused with %j', async (over, message) => {
    await expect(open(over)).rejects.toThrow(message);
  });

  it.each([
    [
      { name: 'grid', options: {} },
      /space\.skewCentsPerContract: expected a step for a grid, found a continuous range$/,
    ],
    [{ name: 'tpe', options: { startup: -1 } }, /sampler\.tpe\.startup: expected a whole number from 1, found -1$/],
    [
      { name: 'tpe', options: { candidates: 1.5 } },
      /sampler\.tpe\.candidates: expected a whole number from 1, found 1\.5$/,
    ],
  ])('is refused with the sampler %j', (sampler, message) => {
    const folderOf = join(folder, 'sampler');
    const options = Object.entries(sampler.options).map(([name, value]) => `${name}: ${value}`);
    const lines = Object.values({ ...GOOD, space: 'space: { skewCentsPerContract: { float: [1, 3] } }' });
    const file = writeStudy(folderOf, lines);
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace('sampler: random', `sampler: { ${sampler.name}: { ${options.join(', ')} } }`));
    expect(() => samplerOf(readStudyFile(file))).toThrow(message);
  });

  it('is refused when no run of its config can begin', async () => {
    const file = fileOf({});
    const config = join(folder, 'backtest.yaml');
    writeFileSync(
      config,
      readFileSync(join(ROOT, 'config/backtest.yaml'), 'utf8').replace('cash:', 'profile: other\ncash:'),
    );
    const study = { ...readStudyFile(file), config, folder: join(folder, 'results') };
    await expect(planStudy(study)).rejects.toThrow(/backtest\.yaml:\d+:1: profile: expected one of service, kalshi/);
  });

  it('has bounds of contracts that a trial can meet exactly', () => {
    const lines = '{ figure: contracts, atLeast: 1.1 }, { figure: contracts, atMost: 0.29 }';
    const { constraints } = readStudyFile(fileOf({ budget: `budget: { trials: 3 }\nconstraints: [${lines}]` }));
    expect(constraints.map(({ atLeast, atMost }) => atLeast ?? atMost)).toEqual([110, 29]);
  });

  it('bounds money in dollars, of trials and of the report', () => {
    const bounds = [
      'figure: profit, atLeast: 5',
      'figure: profit, atLeast: 5usd',
      'figure: report.trading.fees, atLeast: 5usd',
    ];
    const lines = bounds.map((bound) => `{ ${bound} }`).join(', ');
    const { constraints } = readStudyFile(fileOf({ budget: `budget: { trials: 3 }\nconstraints: [${lines}]` }));
    expect(constraints.map(({ atLeast }) => atLeast)).toEqual([5_000_000, 5_000_000, 5_000_000]);
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
