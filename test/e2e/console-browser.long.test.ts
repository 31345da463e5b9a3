// The console in a real browser, beside a bot that trades: one command starts bot and console, and a person opens the
// printed address, sees prices move, sees a quote and a fill on the chart, halts, and resumes. The exchange's own list
// proves the halt.
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { must } from '../../src/base/assert.ts';
import { WIDE, launchBrowser, noBrowser, titled } from '../console/page/chromium.ts';
import { PATIENCE_MS } from '../support/runner/patience.ts';
import { type Line, type Presage, shippedConfig } from './presage.ts';
import { Site, pause } from './site.ts';

const TIMEOUT_MS = 4 * PATIENCE_MS;

let site: Site | null = null;
let browser: Browser;

/** A person's page, and the errors that it logged. */
interface Visitor {
  readonly page: Page;
  readonly errors: string[];
}

/** Opens the printed address. */
async function visit(url: string): Promise<Visitor> {
  const context = await browser.newContext(WIDE);
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('pageerror', (fault) => errors.push(fault.message));
  page.on('console', (message) => {
    // The page asks who is logged in before it logs in.
    if (message.type() === 'error' && !message.text().includes('401')) errors.push(message.text());
  });
  await page.goto(url);
  await page.waitForSelector('.light.live');
  expect(page.url()).not.toContain('login');
  return { page, errors };
}

const isFill = (line: Line): boolean => line.type === 'fill';

/** Prices of the table of markets, as the page shows them. */
const pricesOf = (page: Page): Promise<string> =>
  page.locator('.grid-space .c-bid, .grid-space .c-ask').allTextContents().then(String);

/** Waits until the prices differ from those of a moment before. Returns how long that took, in milliseconds. */
async function waitForPriceChange(page: Page): Promise<number> {
  await page.waitForSelector('.grid-space .c-bid');
  const before = await pricesOf(page);
  const startedMs = performance.now();
  while ((await pricesOf(page)) === before) {
    if (performance.now() - startedMs > PATIENCE_MS) throw new Error(`no price moved: ${before}`);
    await pause(20);
  }
  return performance.now() - startedMs;
}

/** A market may close, or trade rarely: another one is opened when no fill comes for this time. */
const FILL_WAIT_MS = 20_000;

/** Opens a market that we trade, and waits until its chart and its ladder show our quotes, and the chart a new fill. */
async function seeQuoteAndFill(page: Page, bot: Presage): Promise<void> {
  const isOurs = (line: Line): boolean => isFill(line) && line['strategy'] === 'quoter';
  await bot.line(isOurs);
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    await page.getByRole('link', { name: String(bot.lines.findLast(isOurs)?.['ticker']), exact: true }).click();
    await page.waitForSelector('main[data-view="market"] .plot');
    if (await hasNewFill(page)) return;
    if (performance.now() > until) {
      throw new Error('no market had a new fill on its chart, beside both of our quotes there and on its ladder');
    }
    await page.keyboard.press('g');
    await page.keyboard.press('m');
  }
}

/** Waits for a fill on the chart of the shown market while both of our quotes are drawn, and an order on its ladder. */
async function hasNewFill(page: Page): Promise<boolean> {
  const plot = page.locator('.plot');
  const ownOrders = page.locator('.ladder tr.own .own-order');
  const drawnNow = async (): Promise<number> => Number(await plot.getAttribute('data-drawn-fills'));
  const quotesAreShown = async (): Promise<boolean> => {
    const lines = (await plot.getAttribute('data-drawn-lines'))?.split(' ') ?? [];
    return lines.includes('ownBid') && lines.includes('ownAsk') && (await ownOrders.first().isVisible());
  };
  const drawn = await drawnNow();
  const until = performance.now() + FILL_WAIT_MS;
  while (performance.now() < until) {
    if ((await drawnNow()) > drawn && (await quotesAreShown())) return true;
    await pause(100);
  }
  return false;
}

/** Presses halt, gives the reason, and waits until the page says that no order is left. */
async function halt(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Halt demo', exact: true }).click();
  await page.getByLabel('Why? For the person who resumes it.').fill('the <b>books</b> look odd');
  await page.waitForSelector('[data-action-state="confirmed"]');
  expect(await page.locator('.steps .reached').allTextContents()).toEqual(
    expect.arrayContaining([expect.stringContaining("The exchange's own list shows no order left")]),
  );
  await page.getByRole('button', { name: 'Save reason' }).click();
  await page.locator('dialog').waitFor({ state: 'detached' });
  const banner = page.locator('.banner.alarm');
  await banner.getByText('the <b>books</b> look odd').waitFor();
  expect(await banner.textContent()).toContain('demo is halted');
  expect(await page.locator('.top-bar').textContent()).toContain('halted');
}

/** Waits until the page shows no open order. */
async function seeNoOrder(page: Page): Promise<void> {
  await page.locator('.ladder tr.own').first().waitFor({ state: 'detached' });
  await page.keyboard.press('g');
  await page.keyboard.press('r');
  await page.getByText('No order fits the filter.').waitFor();
}

/** Resumes by the typed confirmation, and waits until the page shows a resting order again. */
async function resume(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Resume…' }).click();
  const button = page.getByRole('button', { name: 'Resume', exact: true });
  await page.getByLabel('Reason').fill('looked at');
  await page.getByLabel(/to confirm/).fill('accoun');
  expect(await button.isDisabled()).toBe(true);
  await page.getByLabel(/to confirm/).fill('account');
  await button.click();
  await page.waitForSelector('[data-action-state="confirmed"]');
  await page.getByText('Close', { exact: true }).click();
  await page.getByText('demo is halted').waitFor({ state: 'detached' });
  await page.waitForSelector('.order-row');
}

/** Waits until the bot has traded more than it has until now. */
async function tradeAgain(bot: Presage): Promise<void> {
  const before = bot.lines.filter(isFill).length;
  await bot.line((line) => isFill(line) && bot.lines.filter(isFill).length > before);
}

/** Starts a bot with a console beside it, by one command. Returns the printed address, too. */
async function runWithConsole(at: Site, config: string): Promise<{ readonly bot: Presage; readonly url: string }> {
  const bot = at.start(['run', '--config', config, '--console', '127.0.0.1:0', '--json']);
  const { url } = await bot.line((line) => line.type === 'console');
  return { bot, url: String(url) };
}

/** The strategies of a shipped config. */
const strategiesOf = (text: string): string => must(/strategies:\n[\s\S]*?\n\n(?=#)/.exec(text)?.[0], 'strategies');

describe.skipIf(noBrowser !== null)(titled('the console in a browser'), () => {
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close();
    await site?.close();
    site = null;
  });

  it(
    'shows the demo trade, halts it, and resumes it',
    async () => {
      site = await Site.open();
      const { bot, url } = await runWithConsole(site, site.write('demo.yaml', shippedConfig('demo.yaml', site.folder)));
      const { page, errors } = await visit(url);
      await page.keyboard.press('g');
      await page.keyboard.press('m');
      const tookMs = await waitForPriceChange(page);
      await seeQuoteAndFill(page, bot);
      await halt(page);
      await seeNoOrder(page);
      await resume(page);
      await tradeAgain(bot);
      expect(errors).toEqual([]);
      bot.kill('SIGINT');
      expect(await bot.exited).toBe(0);
      await page.getByText('Not connected to the console').waitFor();
      process.stdout.write(`a price moved on the page within ${Math.round(tookMs)} ms\n`);
    },
    TIMEOUT_MS,
  );

  it(
    'halts a bot at an exchange of its own, whose list is then empty, and resumes it',
    async () => {
      const strategies = strategiesOf(shippedConfig('demo.yaml', ''));
      site = await Site.open({
        bot: (text) => text.replace(/strategies:\n[\s\S]*?\n\n(?=#)/, strategies).replace('/local #', '/demo #'),
      });
      const { bot, url } = await runWithConsole(site, site.config);
      const { page, errors } = await visit(url);
      await page.keyboard.press('g');
      await page.keyboard.press('m');
      await waitForPriceChange(page);
      await seeQuoteAndFill(page, bot);
      expect((await site.until((resting) => resting.length > 0)).length).toBeGreaterThan(0);
      await halt(page);
      expect(await site.resting()).toEqual([]);
      await seeNoOrder(page);
      expect(await site.resting()).toEqual([]);
      await resume(page);
      await site.until((resting) => resting.length > 0);
      await tradeAgain(bot);
      expect(errors).toEqual([]);
    },
    TIMEOUT_MS,
  );
});
