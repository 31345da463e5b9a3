// The page as text: its policy, that no text from outside becomes markup, and that it stays small and complete.
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { pageAssets } from '../../../src/app/report-page.ts';
import { evenChoice, plotDataOf } from '../../../src/report/page/plot-data.ts';
import { renderHtml } from '../../../src/report/page/html-page.ts';
import { reportOfRun } from '../../../src/report/statement/statement.ts';
import { renderText } from '../../../src/report/text/text-report.ts';
import { sampleRun } from '../../support/reports/sample-run.ts';
import { ManualRun, seconds } from '../../support/reports/manual-run.ts';

const HOSTILE = `</script><script>alert(1)</script><img src=x onerror=alert(2)>"'&\u2028<!--\u001B[31m`;

const pageOf = (record: Parameters<typeof reportOfRun>[0]): string => renderHtml(reportOfRun(record), pageAssets());

/** The page without its scripts and styles. */
const shownOf = (page: string): string => page.replaceAll(/<(script|style)>[\s\S]*?<\/\1>/g, '');

describe('the HTML page', () => {
  const record = sampleRun();
  const page = pageOf(record);

  it('allows nothing but its own scripts and styles, by the hashes of their content', () => {
    const policy =
      /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(page)?.[1]?.replaceAll('&#39;', "'") ?? '';
    expect(policy).toMatch(/^default-src 'none'; script-src 'sha256-/);
    expect(policy).not.toContain('unsafe');
    const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64');
    const parts = [...page.matchAll(/<(script|style)>([\s\S]*?)<\/\1>/g)];
    expect(parts).toHaveLength(4);
    for (const [, , text = ''] of parts) expect(policy).toContain(`'sha256-${hashOf(text)}'`);
  });

  it('has no style or handler in an attribute, and loads nothing from anywhere', () => {
    const outside = page.replaceAll(/<(script|style)\b[^>]*>[\s\S]*?<\/\1>/g, '');
    expect(outside).not.toMatch(/\sstyle=|\son[a-z]+=|<link|<iframe|<img|(src|href)="(?!#)/);
    expect(outside).not.toMatch(/https?:/);
  });

  it('shows hostile names as text, in markup and in data alike', () => {
    const hostile = sampleRun({ title: HOSTILE, groups: 2, trades: 40 });
    const text = pageOf({
      ...hostile,
      name: HOSTILE,
      markets: hostile.markets.map((each) => ({ ...each, title: HOSTILE })),
    });
    expect(text).not.toContain('<script>alert');
    expect(text).not.toContain('<img');
    expect(text.match(/<\/script>/g)).toHaveLength(3);
    expect(text).toContain('&lt;/script&gt;&lt;script&gt;alert(1)');
    const data = /id="report-data">([\s\S]*?)<\/script>/.exec(text)?.[1] ?? '';
    expect(data).not.toMatch(/[<>&\u2028]/);
    expect(JSON.parse(data)).toHaveProperty('fills');
  });

  it('the page is complete without a trade, and without a sample of the account', () => {
    const empty = pageOf(new ManualRun().finishRecord(1));
    expect(empty).toContain('The session never became ready to trade: it was still idle when the tape ended.');
    expect(empty).not.toContain('Nothing was traded.');
    expect(empty).toContain('There were no trades.');
    expect(shownOf(empty)).not.toMatch(/NaN|Infinity|undefined|\[object/);
  });

  it('shows no NaN, infinity or undefined', () => {
    expect(shownOf(page)).not.toMatch(/NaN|Infinity|undefined|\[object/);
  });

  it('shows the assumptions, the models, the parameters, and the caveats', () => {
    for (const text of ['What this does not show', 'Assumptions', 'pessimistic', 'constant, delay 150 ms', 'edgeMin'])
      expect(page).toContain(text);
    expect(page).toContain('strategies/two-sided-quoter.ts');
    expect(page).not.toContain('somebody');
    for (const caveat of reportOfRun(record).caveats) expect(page).toContain(caveat.replaceAll("'", '&#39;'));
  });

  it('stays small however many trades and samples there were', () => {
    const report = reportOfRun(record);
    const fill = report.fills[0];
    if (!fill) throw new Error('no fill');
    const many = { ...report, fills: Array.from({ length: 200_000 }, (_, at) => ({ ...fill, at: fill.at + at })) };
    expect(plotDataOf({ ...many, fillCount: 200_000 }).fills).toHaveLength(5000);
    expect(renderHtml({ ...many, fillCount: 200_000 }, pageAssets()).length).toBeLessThan(1_500_000);
    expect(page.length).toBeLessThan(400_000);
  });

  it('shows very large amounts', () => {
    const run = new ManualRun({ cash: 4e15 });
    run.recorder.beginRecord();
    run.setBook(1, 0, [4000, 4200]);
    run.tradeOrder(2, { market: 0, side: 'buy', price: 4000, qty: 1e11 });
    run.settleMarket(3, 0, 10_000);
    const report = reportOfRun(run.finishRecord(4));
    expect(report.account.profit).toBe(6e14);
    expect(renderHtml(report, pageAssets())).toContain('+$600,000,000.00');
    expect(renderText(report)).toContain('+$600,000,000.00');
  });

  it('shows the largest losses of a table that is too long, not only the profits', () => {
    const report = reportOfRun(record);
    const [line] = report.byMarket;
    const lineAt = (place: number): typeof line => line && { ...line, name: `M-${place}.`, title: '' };
    const byMarket = Array.from({ length: 1500 }, (_, place) => lineAt(place)).filter((each) => each !== undefined);
    const long = renderHtml({ ...report, byMarket }, pageAssets());
    const shown = [0, 499, 500, 999, 1000, 1499].filter((place) => long.includes(`title="M-${place}."`));
    expect(shown).toEqual([0, 499, 1000, 1499]);
    expect(long).toContain('500 between them are in the JSON');
  });

  it('lists the longest gaps of many, and says so', () => {
    const gaps = Array.from({ length: 150 }, (_, place) => ({
      from: seconds(1000 * place),
      to: seconds(1000 * place + 1 + place),
      reason: `reason ${place}.`,
    }));
    const coverage = { source: 'tape', from: seconds(0), to: seconds(150_000), rows: 1, gaps, assumptions: [] };
    const shown = pageOf(new ManualRun().finishRecord(150_000, { coverage }));
    expect(shown).toContain('The 100 longest gaps');
    expect([0, 49, 50, 149].filter((place) => shown.includes(`reason ${place}.`))).toEqual([50, 149]);
  });
});

describe('an even choice', () => {
  it('includes the first and the last item, and at most the requested number', () => {
    const items = Array.from({ length: 1001 }, (_, at) => at);
    expect(evenChoice(items, 11)).toEqual([0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000]);
    expect(evenChoice(items, 5000)).toEqual(items);
  });
});
