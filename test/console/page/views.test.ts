// Every view in a real browser. Each shows its figures, logs no error, does not scroll sideways, and has no serious fault
// that axe finds. `views.long.test.ts` repeats this in the dark and on a phone.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser, noBrowser, titled, visitPage } from './chromium.ts';
import { TICKER, VIEWS, faultsOfViews } from './view-faults.ts';

describe.skipIf(noBrowser !== null)(titled('a view of the page'), () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  it('shows its figures without a serious fault', async () => {
    const visit = await visitPage(browser, { bots: ['demo', 'nba', 'old'] });
    expect(await faultsOfViews(visit)).toEqual({});
    expect(visit.errors).toEqual([]);
    await visit.close();
  });

  it('shows a script of the venue, of a strategy and of a person as text', async () => {
    const script = (name: string): string => `<img src=x onerror="window.${name}=1"><script>window.${name}=1</script>`;
    const texts = { title: script('title'), strategyReason: script('reason'), haltReason: script('halt') };
    const { page, server, errors, goTo, close } = await visitPage(browser, { texts, bots: ['demo', 'nba'] });
    for (const [, fragment, shows] of VIEWS) {
      await goTo(fragment);
      await page.waitForSelector(shows);
      expect(await page.locator('img, iframe, body script').count()).toBe(0);
    }
    server.bot.halts = [{ scope: 'account', by: script('by'), reason: script('banner'), sinceUs: server.bot.nowUs }];
    await goTo(`#/b/demo/market/${TICKER}`);
    await page.getByText(texts.title).waitFor();
    await page.getByText(script('banner')).waitFor();
    await goTo('#/b/demo/strategies');
    await page.getByText(texts.strategyReason).waitFor();
    await goTo('#/b/demo/timeline');
    await page.getByText(texts.haltReason).first().waitFor();
    const ran = ['title', 'reason', 'halt', 'by', 'banner'].map((name) => `'${name}' in window`);
    expect(await page.evaluate(`[${ran.join()}]`)).toEqual(ran.map(() => false));
    expect(errors).toEqual([]);
    await close();
  });

  it('refuses markup as text, so that the policy of the page is in force', async () => {
    const { page, close } = await visitPage(browser);
    const refused = await page.evaluate(
      `(() => { try { document.body.innerHTML = '<p>'; return null; } catch (fault) { return fault.message; } })()`,
    );
    expect(refused).toContain('TrustedHTML');
    await close();
  });
});
