// The page of a study: what it shows, and that text from outside is no markup.
import { describe, expect, it } from 'vitest';
import { pageAssets } from '../../../src/app/report-page.ts';
import { figureValueText } from '../../../src/research/page/plot-scale.ts';
import { renderStudy } from '../../../src/research/page/study-page.ts';
import { verdictParagraph } from '../../../src/research/statistics/verdict-text.ts';
import type { StudyReport } from '../../../src/research/page/study-report.ts';
import { sampleReport } from './sample-study.ts';

const TRIALS = 60;
const report = sampleReport(TRIALS, new Map([[1, 'study-trials/trial-1.html']]));
const text = renderStudy(report, pageAssets());
const count = (part: string): number => text.split(part).length - 1;

describe('the page of a study', () => {
  it('leads with the verdict, word for word', () => {
    const judgement = report.judgement ?? null;
    const paragraph = judgement === null ? '' : verdictParagraph(judgement.verdict);
    expect(paragraph).toContain('Out of sample it lost.');
    expect(text.replaceAll('&#39;', '’')).toContain(paragraph);
    expect(text.indexOf(paragraph)).toBeLessThan(text.indexOf('Parameters and value'));
  });

  it('draws every finished trial in each drawing, and marks the best and the broken constraint', () => {
    const finished = TRIALS - 2;
    expect(count('<path class=')).toBe(finished);
    expect(text).toContain(`<path class="best" data-n="${report.best}"`);
    expect(text).toContain('<path class="out" data-n="4"');
    expect(text).not.toContain('data-n="4" class="q');
    for (const id of ['slices', 'maps', 'front', 'importance', 'outside', 'overfitting', 'split', 'trial-card'])
      expect(text).toContain(`id="${id}"`);
  });

  it('has a row for each trial, with its end, its error and its report', () => {
    expect(count('<tr data-n=')).toBe(TRIALS);
    expect(text).toContain('<a href="study-trials/trial-1.html">');
    expect(text).toContain('breaks a constraint');
    expect(text).toContain('pruned');
  });

  it('shows parameters with digits enough to distinguish trials', () => {
    const halfLife = 600 ** (1 / 12); // 1.70418…, of trial 1
    expect(text).toContain(`>${halfLife.toPrecision(6)}</td>`);
  });

  it('counts the halves of the histogram of overfitting in whole numbers', () => {
    const { overfitting } = report;
    if (overfitting === null) throw new Error('expected a study with enough event groups');
    const few = renderStudy(
      { ...report, overfitting: { ...overfitting, logits: Float64Array.of(1, 1, -1) } },
      pageAssets(),
    );
    const card = few.slice(few.indexOf('id="overfitting"'));
    const ticks = [...card.slice(0, card.indexOf('</svg>')).matchAll(/<text[^>]*>([^<]*)</g)].map(([, tick]) => tick);
    expect(ticks).toContain('2');
    expect(ticks).not.toContain('0.5');
  });

  it('has one column for a figure that is an objective', () => {
    const titlesOf = (page: string): string[] =>
      [...page.matchAll(/<th scope="col"[^>]*><button type="button">([^<]*)/g)].map(([, title = '']) => title);
    expect(titlesOf(text)).toEqual(
      expect.arrayContaining(['profit', 'maxDrawdown', 'Sharpe over traded groups', 'trades']),
    );
    expect(titlesOf(text)).not.toContain('drawdown');
    const one = renderStudy({ ...report, objectives: report.objectives.slice(0, 1) }, pageAssets());
    expect(titlesOf(one)).toContain('drawdown');
  });

  it('names the best trial of each cell of a map, also beside others of its shade', () => {
    const [, first, second] = report.trials.filter(({ place, n }) => place !== null && n !== report.best);
    if (first === undefined || second === undefined) throw new Error('expected two more trials');
    const beside = { params: first.params, shade: 3, isFeasible: true };
    const trials = [
      { ...first, ...beside, n: 901, place: 7 },
      { ...second, ...beside, n: 902, place: 8 },
    ];
    const map = renderStudy({ ...report, trials, best: 900 }, pageAssets());
    expect(map).toContain('best here: #901,');
    expect(map).not.toContain('best here: #902,');
  });

  it('leaves the importance of parameters open with few trials, and says how many it needs', () => {
    const few = renderStudy(sampleReport(7), pageAssets());
    const card = few.slice(few.indexOf('id="importance"'), few.indexOf('id="slices"'));
    expect(card).toContain('fewer than 10 trials');
    expect(card).not.toMatch(/\d%/);
    expect(text.slice(text.indexOf('id="importance"'))).not.toContain('fewer than 10 trials');
  });

  it('never shows a probability of luck as certain', () => {
    const { judgement } = report;
    if (judgement === null) throw new Error('expected a verdict');
    const verdict = { ...judgement.verdict, deflated: 0.998 };
    expect(renderStudy({ ...report, judgement: { ...judgement, verdict } }, pageAssets())).toContain(
      '<dd>above 0.99<small>',
    );
  });

  it('shows money of the report in dollars', () => {
    const objectives = [{ figure: 'report.account.profit', isMaximized: true }];
    expect(figureValueText('report.account.profit', 12_340_000)).toBe('$12.34');
    expect(renderStudy({ ...report, objectives }, pageAssets())).toContain('Best report.account.profit');
  });

  it('never turns text from outside into markup', () => {
    expect(text).toContain('width &amp; life');
    expect(text).toContain('&lt;b&gt;inventory&lt;/b&gt;');
    expect(text).not.toContain('<b>inventory');
    expect(text).not.toContain('<i>no');
  });

  it('says which command writes the reports of trials, and leaves out what a study does not have', () => {
    const plain = sampleReport(12);
    const page = renderStudy(
      { ...plain, judgement: plain.judgement && { ...plain.judgement, split: null } },
      pageAssets(),
    );
    expect(page).toContain('presage study report my-study.yaml --html study.html --trials-html 10');
    expect(page).not.toContain('id="split"');
  });

  it('says so when no trial has finished', () => {
    const empty = { ...report, trials: [], best: null, judgement: null, overfitting: null };
    expect(renderStudy(empty, pageAssets())).toContain('No trial has finished within the constraints.');
  });

  it('says why it shows no overfitting', () => {
    const pageOf = (over: Partial<StudyReport>): string =>
      renderStudy({ ...report, overfitting: null, judgement: null, ...over }, pageAssets());
    const page = pageOf({ overfittingGap: 'spread' });
    expect(page).toMatch(/Overfitting<\/dt>\s*<dd>–<small>needs results with spread</);
    expect(page).toContain('<p class="empty">This needs results with spread.</p>');
    expect(pageOf({ overfittingGap: null })).toMatch(/Overfitting<\/dt>\s*<dd>–<small>no trial keeps the constraints/);
  });

  it('takes less than 2 MB for 400 trials', () => {
    expect(Buffer.byteLength(renderStudy(sampleReport(400), pageAssets()))).toBeLessThan(2_000_000);
  });
});
