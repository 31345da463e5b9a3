// Keys of the page in a real browser: every view, row and control is reached without a mouse.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser, noBrowser, titled, visitPage } from './chromium.ts';

const VIEW_KEYS = [
  ['m', 'markets'],
  ['r', 'orders'],
  ['s', 'strategies'],
  ['k', 'risk'],
  ['f', 'feed'],
  ['t', 'timeline'],
  ['w', 'why'],
  ['o', 'overview'],
] as const;

describe.skipIf(noBrowser !== null)(titled('the keys of the page'), () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  it('g and a letter open each view', async () => {
    const { page, close } = await visitPage(browser);
    for (const [key, view] of VIEW_KEYS) {
      await page.keyboard.press('g');
      await page.keyboard.press(key);
      await page.waitForSelector(`main[data-view="${view}"]`);
    }
    await close();
  });

  it('j, k and Enter walk the table of markets and open a row; w asks why for it', async () => {
    const { page, goTo, close } = await visitPage(browser, { markets: 400 });
    await goTo('#/b/demo/markets');
    await page.waitForSelector('.grid-space .c-day');
    const focused = (): Promise<unknown> => page.evaluate(`document.activeElement?.getAttribute('data-row')`);
    for (const key of ['j', 'j', 'j', 'k']) await page.keyboard.press(key);
    expect(await focused()).toBe('1');
    const ticker = await page.locator('[data-row="1"] .c-market a').textContent();
    await page.keyboard.press('Enter');
    await page.waitForSelector('main[data-view="market"]');
    expect(await page.locator('h1').textContent()).toBe(ticker);
    await goTo('#/b/demo/markets');
    await page.waitForSelector('.grid-space .c-day');
    for (const key of ['j', 'j', 'w']) await page.keyboard.press(key);
    await page.waitForSelector('.checks');
    expect(page.url()).toContain(`market=${ticker}`);
    await close();
  });

  it('j, k and Enter walk the cards of all bots and the orders, and open one', async () => {
    const { page, goTo, close } = await visitPage(browser, { bots: ['demo', 'nba', 'old'] });
    await goTo('#/');
    await page.locator('article').nth(2).waitFor();
    const focused = (): Promise<unknown> => page.evaluate(`document.activeElement?.getAttribute('data-row')`);
    for (const key of ['j', 'j', 'j', 'k']) await page.keyboard.press(key);
    expect(await focused()).toBe('1');
    const bot = await page.locator('article').nth(1).getAttribute('aria-label');
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`#/b/${bot ?? ''}$`));
    await goTo('#/b/demo/orders');
    await page.waitForSelector('.order-row');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.order-row details[open]');
    await close();
  });

  it('/ goes to the filter, and no key acts while a person types', async () => {
    const { page, goTo, close } = await visitPage(browser);
    await goTo('#/b/demo/markets');
    await page.waitForSelector('.grid-space .c-day');
    await page.keyboard.press('/');
    await page.keyboard.type('gmwb?H');
    expect(await page.getByRole('searchbox').inputValue()).toBe('gmwb?H');
    expect(await page.locator('dialog').count()).toBe(0);
    await page.getByRole('searchbox').fill('cairo');
    await page.locator('.view-head .num', { hasText: /^24$/ }).waitFor();
    await close();
  });

  it('[ and ] step through the minutes of why, b goes to the next bot, ? shows the keys', async () => {
    const { page, goTo, close } = await visitPage(browser, { bots: ['demo', 'nba'] });
    await goTo('#/b/demo/why?market=T&at=2026-11-23T14:02:00.000Z');
    await page.waitForSelector('.checks');
    await page.keyboard.press('[');
    await page.waitForURL(/at=2026-11-23T14%3A01/);
    await page.waitForSelector('.checks');
    await page.keyboard.press(']');
    await page.waitForURL(/at=2026-11-23T14%3A02/);
    await page.keyboard.press('b');
    await page.waitForURL(/#\/b\/nba\/why/);
    await page.keyboard.press('?');
    await page.getByText('Open the halt; Enter halts').waitFor();
    await close();
  });

  it('the grid says its size and the place of each row to a screen reader', async () => {
    const { page, goTo, close } = await visitPage(browser, { markets: 10_000 });
    await goTo('#/b/demo/markets');
    await page.waitForSelector('.grid-space .c-day');
    expect(await page.locator('[role="grid"]').getAttribute('aria-rowcount')).toBe('10001');
    await page.evaluate(`document.querySelector('.grid-scroll').scrollTo(0, 200000)`);
    await page.waitForSelector('[data-row="5900"] .c-day');
    expect(await page.locator('[data-row="5900"]').getAttribute('aria-rowindex')).toBe('5902');
    expect(await page.locator('.grid-space [role="row"]').count()).toBeLessThan(80);
    await close();
  });
});
