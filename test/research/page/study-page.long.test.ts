// The page of a study in a browser, without a network: accessible, no wider than the screen, selected by pointer and keyboard.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pageAssets } from '../../../src/app/report-page.ts';
import { renderStudy } from '../../../src/research/page/study-page.ts';
import { launchBrowser, noBrowser, titled } from '../../console/page/chromium.ts';
import { sampleReport } from './sample-study.ts';

const TRIALS = 60;
const text = renderStudy(sampleReport(TRIALS), pageAssets());

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeResult {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}

/** Names of the rules of accessibility that a page breaks, with the first place. */
async function axeFaults(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const { violations } = (await page.evaluate('axe.run()')) as AxeResult;
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`);
}

describe.skipIf(noBrowser !== null)(titled('the page of a study in a browser'), () => {
  const folder = mkdtempSync(join(tmpdir(), 'presage-study-page-'));
  const file = join(folder, 'study.html');
  const faults: string[] = [];
  const requests: string[] = [];
  let browser: Browser;

  const openPage = async (colorScheme: 'light' | 'dark', width: number): Promise<Page> => {
    const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 }, offline: true });
    const page = await context.newPage();
    page.on('console', (message) => faults.push(message.text()));
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('request', (request) => requests.push(request.url()));
    await page.goto(pathToFileURL(file).href);
    return page;
  };

  const shownRows = (page: Page): Promise<number> => page.locator('#trials tbody tr:not([hidden])').count();

  beforeAll(async () => {
    writeFileSync(file, text);
    browser = await launchBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 390],
  ] as const)(
    'breaks no rule of accessibility, %s at %i pixels, and is not wider than the screen',
    async (scheme, width) => {
      const page = await openPage(scheme, width);
      expect(await axeFaults(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      expect(new Set(requests)).toEqual(new Set([pathToFileURL(file).href]));
      expect(faults).toEqual([]);
      await page.context().close();
    },
  );

  it('draws the only map of two parameters no larger than one of several', async () => {
    const report = sampleReport(TRIALS);
    writeFileSync(file, renderStudy({ ...report, importances: report.importances.slice(0, 2) }, pageAssets()));
    const page = await openPage('light', 1280);
    writeFileSync(file, text);
    const maps = page.locator('#maps svg');
    expect(await maps.count()).toBe(1);
    expect((await maps.boundingBox())?.width).toBeLessThan(1280 / 2);
    await page.context().close();
  });

  it('selects trials by dragging along an axis, in the table too, and all again by a click', async () => {
    const page = await openPage('light', 1280);
    const box = await page.locator('#parallel .reach').last().boundingBox();
    if (!box) throw new Error('no axis');
    const x = box.x + box.width / 2;
    await page.mouse.move(x, box.y + 2);
    await page.mouse.down();
    await page.mouse.move(x, box.y + box.height / 3, { steps: 4 });
    await page.mouse.up();
    const chosen = await shownRows(page);
    expect(chosen).toBeGreaterThan(0);
    expect(chosen).toBeLessThan(TRIALS);
    expect(await page.locator('#selected').textContent()).toBe(`${chosen} of ${TRIALS - 2} finished trials selected`);
    expect(await page.locator('.lines path:not(.off)').count()).toBe(chosen);
    await page.mouse.click(x, box.y + 5);
    expect(await shownRows(page)).toBe(TRIALS);
    await page.context().close();
  });

  it('selects trials by the keyboard alone', async () => {
    const page = await openPage('light', 1280);
    await page.locator('#ranges summary').focus();
    await page.keyboard.press('Enter');
    await page.locator('.ranges input').first().focus();
    for (let at = 0; at < 60; at += 1) await page.keyboard.press('ArrowRight');
    const chosen = await shownRows(page);
    expect(chosen).toBeGreaterThan(0);
    expect(chosen).toBeLessThan(TRIALS);
    await page.context().close();
  });

  it('sorts the table by a figure, both ways', async () => {
    const page = await openPage('dark', 1280);
    const values = async (): Promise<number[]> =>
      (await page.$$eval('#trials tbody td:nth-child(3)', (cells) => cells.map((each) => each.getAttribute('data-v'))))
        .filter((value) => value !== '')
        .map(Number);
    const button = page.locator('#trials th button', { hasText: 'profit' }).first();
    await button.click();
    const down = await values();
    expect(down).toEqual(down.toSorted((a, b) => b - a));
    await button.click();
    expect(await values()).toEqual(down.toSorted((a, b) => a - b));
    await page.context().close();
  });
});
