// Planted luck: 400 random strategies without edge over 100 seeds must be called luck, and a planted edge of a Sharpe
// ratio of 0.8 over 60 groups must be picked and recognized. The seeds are fixed, so the counts never change.
import { beforeAll, describe, expect, it } from 'vitest';
import { blockCount } from '../../../src/research/statistics/overfitting/overfitting-probability.ts';
import { overfittingByLuck } from '../../../src/research/statistics/overfitting/overfitting-luck.ts';
import { ResampleDraws } from '../../../src/research/statistics/resample-draws.ts';
import { stationaryPlan } from '../../../src/research/statistics/resampling.ts';
import { returnFigures } from '../../../src/research/statistics/sharpe-ratio.ts';
import { type StudyVerdict, judgeStudy } from '../../../src/research/statistics/study-verdict.ts';
import { testSuperiority } from '../../../src/research/statistics/superior-ability.ts';
import { type TrialMatrix, columnOf } from '../../../src/research/statistics/trial-matrix.ts';
import { verdictParagraph } from '../../../src/research/statistics/verdict-text.ts';

const STRATEGIES = 400;
const SEEDS = 100;
const MARKETS = 6;
const DOLLAR = 1_000_000;

/** A market of a group: its price, and 1 when it resolved YES. The price is fair: no bet has an edge. */
interface FairMarket {
  readonly price: number;
  readonly outcome: number;
}

/**
 * Profits in millionths of a dollar. Each strategy takes YES or NO of each market at random, up to 3 contracts. The
 * planted one is the last; its profit by group has the given Sharpe ratio: it buys the side that wins more often.
 */
function studyOf(seed: number, groups: number, edge: number): TrialMatrix {
  const draws = new ResampleDraws(seed, groups);
  const over = new Float64Array(groups * STRATEGIES);
  for (let group = 0; group < groups; group++) {
    const markets = Array.from({ length: MARKETS }, (): FairMarket => {
      const price = 0.2 + 0.6 * draws.drawUniform();
      return { price, outcome: draws.drawUniform() < price ? 1 : 0 };
    });
    for (let k = 0; k < STRATEGIES; k++)
      over[group * STRATEGIES + k] = Math.round(
        DOLLAR * markets.reduce((sum, { price, outcome }) => sum + (draws.drawIndex(7) - 3) * (outcome - price), 0),
      );
    if (edge > 0) over[group * STRATEGIES + STRATEGIES - 1] = plantedProfit(draws, edge);
  }
  return { groups, trials: STRATEGIES, over, under: null };
}

/** One contract of each of the group's markets at 50 ¢, each of which wins with the probability that gives the edge. */
function plantedProfit(draws: ResampleDraws, edge: number): number {
  // (2w − 1)·√m / √(1 − (2w − 1)²) is the ratio of m bets that win with probability w.
  const gain = edge / Math.sqrt(MARKETS + edge * edge);
  let profit = 0;
  for (let i = 0; i < MARKETS; i++) profit += draws.drawUniform() < (1 + gain) / 2 ? DOLLAR / 2 : -DOLLAR / 2;
  return profit;
}

const seeds = Array.from({ length: SEEDS }, (_, seed) => seed);
const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Picks the highest Sharpe ratio of a study, and judges it. All trials are in the ledger. */
function judgePick(
  matrix: TrialMatrix,
  seed: number,
  counts: { flips: number; draws: number },
): [number, StudyVerdict] {
  const sharpes = Array.from({ length: STRATEGIES }, (_, k) => returnFigures(columnOf(matrix, k))?.sharpe ?? 0);
  const chosen = sharpes.indexOf(Math.max(...sharpes));
  const tried = { trials: STRATEGIES, trialsEver: STRATEGIES, sharpes };
  return [chosen, judgeStudy({ matrix, chosen, ...tried, split: null, sealed: null, seed, ...counts })];
}

/** The least of luck and SPA, for tests that look at neither. */
const BRIEF = { flips: 1, draws: 9 };

const shareOf = (values: readonly boolean[]): number => values.filter(Boolean).length / values.length;

describe.each([30, 60, 120])('400 random strategies without edge over %i groups', (groups) => {
  const studies = seeds.map((seed) => studyOf(seed, groups, 0));
  const verdicts: StudyVerdict[] = [];
  beforeAll(() => void verdicts.push(...studies.map((study, seed) => judgePick(study, seed, BRIEF)[1])));

  it('are called luck in at least 95 of 100 studies', () => {
    expect(shareOf(verdicts.map(({ verdict }) => verdict === 'luck'))).toBeGreaterThanOrEqual(0.95);
  });

  it('have a mean probability of overfitting of 0.45 to 0.55, and one above 0.4 in at least 65 studies', () => {
    const found = verdicts.map(({ overfitting }) => overfitting?.probability ?? Number.NaN);
    expect(meanOf(found)).toBeGreaterThan(0.45);
    expect(meanOf(found)).toBeLessThan(0.55);
    expect(shareOf(found.map((probability) => probability > 0.4))).toBeGreaterThanOrEqual(0.65);
  });

  it('mostly have a probability of overfitting within the spread that pure luck has', () => {
    const blocks = blockCount(groups) ?? 0;
    const inside = verdicts.slice(0, 20).map(({ overfitting }, seed) => {
      const probability = overfitting?.probability ?? Number.NaN;
      const study = studies[seed] ?? studyOf(seed, groups, 0);
      const { low, high } = overfittingByLuck(study, { figure: 'sharpe', blocks, seed, flips: 40 });
      return probability >= low && probability <= high;
    });
    expect(shareOf(inside)).toBeGreaterThan(0.7);
  });

  it('are rejected by SPA more often than its level of 5 % says, but rarely', () => {
    const rejected = studies.slice(0, 50).map((study, seed) => {
      const plan = stationaryPlan(groups, { seed, restart: 1, draws: 399 });
      return testSuperiority(study, { plan, restart: 1 }).consistentP <= 0.05;
    });
    expect(shareOf(rejected)).toBeGreaterThan(0.05);
    expect(shareOf(rejected)).toBeLessThan(0.3);
  });
});

/** Profits of strategies that buy up to 3 contracts of a favorite at a fair price of 90 to 97 ¢ in each group. */
function favoritesOf(seed: number, groups: number): TrialMatrix {
  const draws = new ResampleDraws(seed, groups);
  const over = new Float64Array(groups * STRATEGIES);
  for (let group = 0; group < groups; group++) {
    const price = 0.9 + 0.07 * draws.drawUniform();
    const outcome = draws.drawUniform() < price ? 1 : 0;
    for (let k = 0; k < STRATEGIES; k++)
      over[group * STRATEGIES + k] = Math.round(DOLLAR * draws.drawIndex(4) * (outcome - price));
  }
  return { groups, trials: STRATEGIES, over, under: null };
}

describe.each([30, 60, 120])('400 strategies that buy favorites at fair prices over %i groups', (groups) => {
  it('are called better than luck in at most 5 of 100 studies, where the ratio alone does so more often', () => {
    const found = seeds.map((seed) => judgePick(favoritesOf(seed, groups), seed, BRIEF)[1]);
    expect(shareOf(found.map(({ verdict }) => verdict === 'better'))).toBeLessThanOrEqual(0.05);
    expect(shareOf(found.map(({ deflated }) => (deflated ?? 0) > 0.95))).toBeGreaterThan(0.1);
  });
});

describe('a planted edge of a Sharpe ratio of 0.8 by group', () => {
  const isPicked = ([chosen]: [number, StudyVerdict]): boolean => chosen === STRATEGIES - 1;

  it('over 60 groups is picked and recognized in at least 80 of 100 studies', () => {
    const found = seeds.map((seed) => judgePick(studyOf(seed, 60, 0.8), seed, BRIEF));
    const isRecognized = found.map((each) => isPicked(each) && each[1].verdict === 'better');
    expect(shareOf(isRecognized)).toBeGreaterThanOrEqual(0.8);
  });

  it('over 30 groups is recognized in less than half, and the text says what could not have been seen', () => {
    const found = seeds.map((seed) => judgePick(studyOf(seed, 30, 0.8), seed, BRIEF));
    expect(shareOf(found.map(([, { verdict }]) => verdict === 'better'))).toBeLessThan(0.5);
    for (const [, verdict] of found)
      expect(verdictParagraph(verdict)).toContain(
        'With 30 groups and 400 trials only an edge above a Sharpe ratio of 1.09 per group would be seen in 80 of 100 cases: smaller ones could not have been seen.',
      );
  });
});
