// Every view in the dark scheme, on a laptop of 1024 pixels and on a phone of 390 pixels: no error, no sideways scrolling, no serious fault of axe.
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PHONE, WIDE, launchBrowser, noBrowser, titled, visitPage } from './chromium.ts';
import { faultsOfViews } from './view-faults.ts';

const MODES: readonly (readonly [name: string, context: BrowserContextOptions])[] = [
  ['wide and dark', { ...WIDE, colorScheme: 'dark' }],
  ['on a laptop', { viewport: { width: 1024, height: 768 } }],
  ['on a phone', { ...PHONE, colorScheme: 'light' }],
  ['on a phone in the dark', { ...PHONE, colorScheme: 'dark' }],
];

/** The names of limits that do not fit their place. */
const CUT_NAMES = `[...document.querySelectorAll('.limit-name')]
  .filter((name) => name.scrollWidth > name.clientWidth)
  .map((name) => name.textContent)`;

describe.skipIf(noBrowser !== null)(titled('a view of the page'), () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  it.each(MODES)('%s shows its figures without a serious fault', async (_mode, context) => {
    const visit = await visitPage(browser, { context, bots: ['demo', 'nba', 'weather-and-elections-of-two-accounts'] });
    expect(await faultsOfViews(visit)).toEqual({});
    // No name of a limit is cut short.
    await visit.goTo('#/b/demo/risk');
    await visit.page.waitForSelector('.limit-name');
    expect(await visit.page.evaluate(CUT_NAMES)).toEqual([]);
    expect(visit.errors).toEqual([]);
    await visit.close();
  });
});
