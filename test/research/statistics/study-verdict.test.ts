// The verdict on a study: the paragraph for given figures, and the figures for given evidence.
import { describe, expect, it } from 'vitest';
import type { Micros } from '../../../src/domain/units.ts';
import { ResampleDraws } from '../../../src/research/statistics/resample-draws.ts';
import { type StudyVerdict, judgeStudy } from '../../../src/research/statistics/study-verdict.ts';
import { tableOf, matrixOf } from '../../../src/research/statistics/trial-matrix.ts';
import { verdictParagraph, verdictSentences } from '../../../src/research/statistics/verdict-text.ts';
import type { GroupResult } from '../../../src/research/trial/study-trial.ts';

const LUCKY: StudyVerdict = {
  verdict: 'luck',
  trials: 400,
  trialsEver: 412,
  effectiveTrials: 22.7,
  groups: 34,
  tradedGroups: 34,
  lostGroups: 9,
  best: { groups: 34, mean: 0.71, sd: 1, sharpe: 0.71, skewness: 0, kurtosis: 3 },
  luckSharpe: { mean: 0.521, sd: 0.064 },
  deflated: 0.834,
  overfitting: {
    probability: 0.41,
    blocks: 10,
    halves: 252,
    luck: { low: 0.31, high: 0.69, flips: 100 },
    left: 0,
  },
  superiorP: null,
  kept: 0.352,
  sealed: null,
  settledBy: 48,
  recognizable: 1.03,
};

describe('the paragraph', () => {
  it('says where the best came from, and that luck explains it', () => {
    expect(verdictParagraph(LUCKY)).toBe(
      'Chosen among 400 trials (412 with earlier studies on these event groups); they differ as much as 23 independent ones. ' +
        'Its Sharpe ratio over all 34 groups is 0.71; the best of 412 useless ones would be expected at 0.52 ± 0.06. ' +
        'Deflated probability that it is better than luck: 0.83. ' +
        'Overfitting probability 0.41 (pure luck: 0.31 to 0.69). ' +
        'Out of sample it kept 35% of its profit per group. ' +
        'Therefore: not shown to be better than luck; 14 more groups at the same Sharpe ratio would settle it. ' +
        'With 34 groups and 412 trials only an edge above a Sharpe ratio of 1.03 per group would be seen in 80 of 100 cases: smaller ones could not have been seen.',
    );
  });

  it('says that an edge is better than luck, and gives every other figure', () => {
    const sentences = verdictSentences({
      ...LUCKY,
      verdict: 'better',
      trialsEver: 400,
      deflated: 0.9991,
      superiorP: 0.0007,
      overfitting: LUCKY.overfitting && { ...LUCKY.overfitting, left: 12 },
      kept: -0.2,
      sealed: { looks: 3, p: 0.06 },
    });
    expect(sentences[0]).toBe('Chosen among 400 trials; they differ as much as 23 independent ones.');
    expect(sentences).toContain('Deflated probability that it is better than luck: above 0.99.');
    expect(sentences).toContain('12 pruned or failed trials are counted but not in it.');
    expect(sentences).toContain('SPA test against not trading: p = below 0.01; it rejects too often with few groups.');
    expect(sentences).toContain('Out of sample it lost.');
    expect(sentences).toContain('The sealed test was looked at 3 times; adjusted p = 0.06.');
    expect(sentences).toContain('Therefore: better than luck, with an error in at most 5 of 100 such verdicts.');
  });

  it('shows no probability as certain, where none of the resamples was as good', () => {
    const sentences = verdictSentences({ ...LUCKY, verdict: 'better', deflated: 1, superiorP: 0 });
    expect(sentences).toContain('Deflated probability that it is better than luck: above 0.99.');
    expect(sentences).toContain('SPA test against not trading: p = below 0.01; it rejects too often with few groups.');
  });

  it('says that few groups are few, and that no number of groups helps a loss', () => {
    const sentences = verdictSentences({ ...LUCKY, groups: 12, settledBy: Number.POSITIVE_INFINITY });
    expect(sentences).toContain('12 groups are few: below 30 every probability here is rough.');
    expect(sentences).toContain(
      'Therefore: not shown to be better than luck; no number of groups at this Sharpe ratio would change that.',
    );
  });

  it('says that losses were too few to know their size', () => {
    const unseen: StudyVerdict = { ...LUCKY, verdict: 'losses-unseen', deflated: 0.99, lostGroups: 1 };
    expect(verdictSentences(unseen)).toContain(
      'Therefore: not shown to be better than luck: only 1 of 34 traded groups lost. Rare large losses may not have happened yet: 3 are needed to know their size.',
    );
  });

  it.each([
    [{ groups: 1, tradedGroups: 1 }, 'two groups with a result are needed, found 1.'],
    [{ groups: 34, tradedGroups: 0 }, 'it made and lost nothing in all 34 groups.'],
    [{ groups: 34, tradedGroups: 34 }, 'its profit was the same in all 34 groups.'],
  ])('says why there is too little to judge: %j', (counts, why) => {
    const empty = { ...LUCKY, ...counts, verdict: 'unknown', best: null, deflated: null, settledBy: null } as const;
    expect(verdictSentences(empty)).toContain(`Therefore: too little to judge: ${why}`);
  });
});

describe('the judgement', () => {
  it('has no overfitting probability when no trial has spread: there was nothing to choose', () => {
    const matrix = matrixOf(Array.from({ length: 30 }, () => [0, 0, 0]));
    const evidence = { chosen: 0, trials: 3, trialsEver: 3, sharpes: [], split: null, sealed: null, seed: 1 };
    expect(judgeStudy({ matrix, ...evidence })).toMatchObject({ verdict: 'unknown', overfitting: null });
  });

  const rows = (groups: number, edge: number): number[][] => {
    const draws = new ResampleDraws(11);
    return Array.from({ length: groups }, () =>
      Array.from({ length: 40 }, (_, k) => Math.round(1e6 * (draws.drawUniform() - 0.5 + (k === 3 ? edge : 0)))),
    );
  };
  const judge = (groups: number, edge: number, more = {}): StudyVerdict =>
    judgeStudy({
      matrix: matrixOf(rows(groups, edge)),
      chosen: 3,
      trials: 45,
      trialsEver: 50,
      sharpes: [],
      split: { inside: 4, outside: 1 },
      sealed: null,
      seed: 2,
      draws: 499,
      flips: 10,
      ...more,
    });

  it('of a large edge is better than luck, of none is luck', () => {
    const found = judge(60, 0.35);
    expect(found.verdict).toBe('better');
    expect(found.overfitting?.probability).toBeLessThan(0.05);
    expect(found.overfitting?.left).toBe(5);
    expect(found.superiorP).toBeLessThan(0.02);
    expect(found.kept).toBe(0.25);
    expect(judge(60, 0).verdict).toBe('luck');
    expect(judge(60, 0.35)).toEqual(found);
  });

  it('counts trials of earlier studies', () => {
    const few = judge(60, 0.15, { trialsEver: 45 });
    const many = judge(60, 0.15, { trialsEver: 100_000 });
    expect(many.deflated).toBeLessThan(few.deflated ?? 0);
    expect(many.recognizable).toBeGreaterThan(few.recognizable ?? 0);
  });

  it('shows no SPA below 60 groups, and no overfitting below 12', () => {
    expect(judge(59, 0).superiorP).toBeNull();
    expect(judge(59, 0).overfitting).not.toBeNull();
    expect(judge(11, 0).overfitting).toBeNull();
  });

  it('of trials that never trade is unknown', () => {
    const found = judgeStudy({
      matrix: matrixOf(rows(20, 0).map((row) => row.map(() => 0))),
      chosen: 0,
      trials: 40,
      trialsEver: 40,
      sharpes: [],
      split: null,
      sealed: null,
      seed: 1,
      flips: 5,
    });
    expect([found.verdict, found.best, found.deflated, found.effectiveTrials]).toEqual(['unknown', null, null, null]);
    expect(verdictParagraph(found)).toContain('too little to judge');
  });

  it.each([
    [2, 'losses-unseen'],
    [3, 'better'],
  ])('of wins with %i losses is %s', (losses, verdict) => {
    const profits = Array.from({ length: 60 }, (_, i) => [i < losses ? -1 : 3 + (i % 5)]);
    const counts = { trials: 1, trialsEver: 1 };
    const matrix = matrixOf(profits);
    const found = judgeStudy({
      matrix,
      chosen: 0,
      ...counts,
      sharpes: [],
      split: null,
      sealed: null,
      seed: 1,
      draws: 9,
    });
    expect(found.deflated).toBeGreaterThan(0.99);
    expect([found.verdict, found.lostGroups]).toEqual([verdict, losses]);
  });

  it('refuses fewer trials than there are columns', () => {
    expect(() => judge(20, 0, { trials: 39 })).toThrow('40 finished of 39 of 50 trials');
    expect(() => judge(20, 0, { chosen: 40 })).toThrow('chosen: expected 0 to 39, found 40');
  });
});

describe('the table of a study', () => {
  const result = (group: string, known: number | null, profit: number): GroupResult => ({
    group,
    cluster: group === 'C' ? 'B' : group,
    from: 0 as Micros,
    known: known as Micros | null,
    profit,
    fees: 0,
    qty: 100,
    fills: 1,
    lockedDollarDays: 2,
  });
  const trials = [[result('B', 5, 10), result('A', 9, 20), result('open', null, 999)], [result('C', 5, -3)]];

  it('has groups in the sequence of settlement, 0 where a trial did not trade, and no unsettled group', () => {
    const table = tableOf(trials);
    expect(table.names).toEqual(['B', 'C', 'A']);
    expect([...table.over]).toEqual([10, 0, 0, -3, 20, 0]);
    expect(table.unsettled).toEqual(['open']);
    expect(table.under).toBeNull();
  });

  it('has one row for a cluster where asked, and the part to divide by', () => {
    const table = tableOf(trials, { rows: 'cluster', underOf: ({ lockedDollarDays }) => lockedDollarDays });
    expect(table.names).toEqual(['B', 'A']);
    expect([...table.over]).toEqual([10, -3, 20, 0]);
    expect([...(table.under ?? [])]).toEqual([2, 2, 2, 0]);
  });
});
