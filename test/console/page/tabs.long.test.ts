// Many tabs of one browser. A browser opens six connections to a host: eight tabs that are all shown must leave one for a
// control, and every one must stay live.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SLOTS } from '../../../src/console/page/state/stream-slots.ts';
import { REMOTE_HOST, launchBrowser, noBrowser, titled, visitPage } from './chromium.ts';

const TABS = 8;
const LOOK_MS = 2000;

describe.skipIf(noBrowser !== null)(titled('eight tabs'), () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  it.each([
    ['on this machine', '127.0.0.1'],
    ['at a remote address without TLS, where browsers have no locks', REMOTE_HOST],
  ])('%s stay live, hold three streams, and halt', async (_, host) => {
    const { page, server, errors, close } = await visitPage(browser, { host });
    const { origin } = new URL(page.url());
    const tabs: Page[] = [page];
    while (tabs.length < TABS) {
      const tab = await page.context().newPage();
      await tab.goto(`${origin}/#/b/demo/markets`);
      await tab.waitForSelector('.light.live');
      await tab.waitForSelector('.grid-space .c-day');
      tabs.push(tab);
    }
    const lasting = server.streamsOlderThan(LOOK_MS);
    await expect.poll(lasting).toBe(SLOTS);
    for (const tab of tabs) await tab.waitForSelector('.light.live');
    await tabs.at(-1)?.getByRole('button', { name: 'Halt demo' }).click();
    await expect.poll(() => server.bot.halts.length).toBe(1);
    for (const tab of tabs) await tab.getByText('demo is halted').waitFor();
    // A tab without a stream gets that of a closed one.
    await tabs[0]?.close();
    await expect.poll(lasting).toBe(SLOTS);
    expect(errors).toEqual([]);
    await close();
  });
});
