// Every view in the dark scheme and on a phone of 390 pixels: no error, no sideways scrolling, no serious fault of axe.
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PHONE, WIDE, launchBrowser, noBrowser, titled, visitPage } from './chromium.ts';
import { faultsOfViews } from './view-faults.ts';

const MODES: readonly (readonly [name: string, context: BrowserContextOptions])[] = [
  ['wide and dark', { ...WIDE, colorScheme: 'dark' }],
  ['on a phone', { ...PHONE, colorScheme: 'light' }],
  ['on a phone in the dark', { ...PHONE, colorScheme: 'dark' }],
];

describe.skipIf(noBrowser !== null)(titled('a view of the page'), () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  it.each(MODES)('%s shows its figures without a serious fault', async (_mode, context) => {
    const visit = await visitPage(browser, { context, bots: ['demo', 'nba', 'old'] });
    expect(await faultsOfViews(visit)).toEqual({});
    expect(visit.errors).toEqual([]);
    await visit.close();
  });
});
