// The page in a real browser, from disk and without a network: it draws, sorts, filters, and shows values under the
// pointer.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, type Page, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pageAssets } from '../../../src/app/report-page.ts';
import { renderHtml } from '../../../src/report/page/html-page.ts';
import { reportOfRun } from '../../../src/report/statement/statement.ts';
import { sampleRun } from '../../support/reports/sample-run.ts';
import { ManualRun } from '../../support/reports/manual-run.ts';

const BROWSERS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** A browser on the path; `null` when there is none. */
function findBrowser(): string | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const found = BROWSERS.flatMap((name) => folders.map((folder) => join(folder, name))).find((file) =>
    existsSync(file),
  );
  return found ?? null;
}

const executablePath = findBrowser();
const why = executablePath === null ? ` (skipped: none of ${BROWSERS.join(', ')} is on the path)` : '';

/** Counts the pixels of a canvas that are not empty. */
const inkOf = (page: Page, selector: string): Promise<number> =>
  page.$eval(`${selector} canvas`, (canvas) => {
    const { width, height } = canvas as unknown as { width: number; height: number };
    const context = (
      canvas as unknown as { getContext(kind: string): { getImageData(...at: number[]): { data: Uint8ClampedArray } } }
    ).getContext('2d');
    const { data } = context.getImageData(0, 0, width, height);
    let drawn = 0;
    for (let at = 3; at < data.length; at += 4) if ((data[at] ?? 0) > 0) drawn += 1;
    return drawn;
  });

const textsOf = (page: Page, selector: string): Promise<string[]> =>
  page.$$eval(selector, (cells) => cells.map((cell) => String(cell.textContent)));

describe.skipIf(executablePath === null)(`the page in a browser${why}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'presage-page-'));
  const file = join(folder, 'report.html');
  let browser: Browser;
  let page: Page;
  const faults: string[] = [];
  const requests: string[] = [];

  const openPage = async (colorScheme: 'light' | 'dark', width = 1280): Promise<Page> => {
    const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 }, offline: true });
    const opened = await context.newPage();
    opened.on('console', (message) => faults.push(message.text()));
    opened.on('pageerror', (error) => faults.push(error.message));
    opened.on('request', (request) => requests.push(request.url()));
    await opened.goto(pathToFileURL(file).href);
    return opened;
  };

  beforeAll(async () => {
    writeFileSync(file, renderHtml(reportOfRun(sampleRun()), pageAssets()));
    browser = await chromium.launch({ executablePath: executablePath ?? '', args: ['--no-sandbox'] });
    page = await openPage('light');
  });

  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('opens without a fault, and loads nothing but itself', () => {
    expect(faults).toEqual([]);
    expect(requests).toEqual([pathToFileURL(file).href]);
  });

  it.each(['#plot-equity', '#plot-drawdown', '#plot-locked', '#plot-markouts', '#plot-calibration', '#plot-trades'])(
    'draws %s',
    async (plot) => {
      expect(await inkOf(page, plot)).toBeGreaterThan(500);
    },
  );

  it('shows the values under the pointer, in every plot of the same time', async () => {
    const over = page.locator('#plot-equity .u-over');
    await over.scrollIntoViewIfNeeded();
    const before = await textsOf(page, '.plot-title .u-value');
    const box = await over.boundingBox();
    if (!box) throw new Error('no plot');
    await page.mouse.move(box.x + box.width / 3, box.y + box.height / 2);
    await expect.poll(() => textsOf(page, '.plot-title .u-value')).not.toEqual(before);
    const values = await textsOf(page, '.plot-title .u-value');
    expect(values[0]).toMatch(/^2027-01-15 1\d:\d\d:\d\d$/);
    expect(values[1]).toMatch(/^\$\d{3}\.\d\d$/);
    expect(values[2]).toBe(values[0]);
    expect(values[4]).toBe(values[0]);
  });

  it('sorts a table both ways by value, not by text', async () => {
    const fees = page.locator('#panel-market th', { hasText: 'Fees' });
    const amounts = async (): Promise<number[]> =>
      (
        await page.$$eval('#panel-market tbody tr td:nth-child(6)', (cells) =>
          cells.map((cell) => cell.getAttribute('data-v')),
        )
      ).map(Number);
    await fees.locator('button').click();
    const down = await amounts();
    expect(down.length).toBe(42);
    expect(down).toEqual([...down].sort((a, b) => b - a));
    expect(await fees.getAttribute('aria-sort')).toBe('descending');
    await fees.locator('button').click();
    expect(await amounts()).toEqual([...down].sort((a, b) => a - b));
    expect(await fees.getAttribute('aria-sort')).toBe('ascending');
  });

  it('shows one table at a time, and finds a name in it', async () => {
    await page.locator('#tab-group').click();
    expect(await page.locator('#panel-group').isVisible()).toBe(true);
    expect(await page.locator('#panel-market').isVisible()).toBe(false);
    await page.locator('#table-filter').fill('chi-2');
    expect(await page.locator('#panel-group tbody tr:visible').count()).toBe(1);
    await page.locator('#table-filter').fill('');
    await page.locator('#tab-group').press('ArrowRight');
    expect(await page.locator('#panel-series').isVisible()).toBe(true);
  });

  it('filters trades, and turns their pages', async () => {
    const all = await page.locator('#trade-count').textContent();
    expect(all).toMatch(/^1–25 of \d+$/);
    await page.locator('#trade-on').click();
    expect(await page.locator('#trade-count').textContent()).toMatch(/^26–50 of/);
    await page.locator('#trade-liquidity').selectOption('1');
    expect(new Set(await textsOf(page, '#trade-table tbody td:nth-child(5)'))).toEqual(new Set(['taker']));
    await page.locator('#trade-market').fill('no such market');
    expect(await page.locator('#trade-count').textContent()).toBe('No trade matches.');
    await page.locator('#trade-market').fill('');
    await page.locator('#trade-liquidity').selectOption('');
    expect(await inkOf(page, '#plot-trades')).toBeGreaterThan(500);
  });

  it('shows light or dark as chosen, and redraws for either', async () => {
    const dark = await openPage('dark');
    const groundOf = (of: Page): Promise<string> => of.evaluate('getComputedStyle(document.body).backgroundColor');
    const before = await groundOf(dark);
    expect(before).not.toBe(await groundOf(page));
    await dark.locator('#theme').click();
    expect(await groundOf(dark)).toBe(await groundOf(page));
    expect(await inkOf(dark, '#plot-equity')).toBeGreaterThan(500);
    await dark.context().close();
  });

  it('fits a narrow screen: only tables scroll sideways', async () => {
    const narrow = await openPage('light', 390);
    expect(await narrow.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    expect(await inkOf(narrow, '#plot-equity')).toBeGreaterThan(500);
    await narrow.context().close();
  });

  it('is light on paper, with whole tables and the name of the shown one, also when the screen is dark', async () => {
    const dark = await openPage('dark', 718);
    await dark.click('#theme');
    await dark.click('#theme');
    await dark.emulateMedia({ media: 'print' });
    const found = await dark.evaluate(`({
      ink: getComputedStyle(document.body).color,
      cards: getComputedStyle(document.querySelector('.card')).backgroundColor,
      height: getComputedStyle(document.querySelector('.scroll.tall')).maxHeight,
      tabs: Array.from(document.querySelectorAll('[role=tab]')).filter((tab) => tab.offsetWidth > 0).length,
      width: document.documentElement.scrollWidth,
    })`);
    expect(found).toEqual({ ink: 'rgb(23, 27, 33)', cards: 'rgb(255, 255, 255)', height: 'none', tabs: 1, width: 718 });
    await dark.context().close();
  });

  it('fits a narrow screen with the longest names', async () => {
    const run = new ManualRun();
    run.recorder.beginRecord();
    run.setBook(1, 0, [4000, 4200]);
    const strategy = 'a-strategy-with-a-name-'.repeat(6);
    run.tradeOrder(2, { market: 0, side: 'buy', price: 4000, qty: 100, strategy });
    const record = run.finishRecord(4, {
      name: 'n'.repeat(300),
      strategies: [{ name: strategy, file: '', params: {} }],
    });
    writeFileSync(file, renderHtml(reportOfRun(record), pageAssets()));
    const narrow = await openPage('light', 380);
    expect(await narrow.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(380);
    await narrow.context().close();
  });

  it('opens a report of a run in which nothing happened', async () => {
    const run = new ManualRun();
    run.recorder.beginRecord();
    writeFileSync(file, renderHtml(reportOfRun(run.finishRecord(1)), pageAssets()));
    const empty = await openPage('light');
    expect(await empty.locator('.verdict strong').textContent()).toBe('Nothing was traded.');
    await empty.context().close();
    expect(faults).toEqual([]);
  });
});
