// The states of the page in a real browser: loading, stale, not connected, a bot that is gone, nothing to show. Figures that
// are not live never look live.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PATIENCE_MS } from '../../support/runner/patience.ts';
import { pastOrders } from './demo-past.ts';
import { DEMO_TOKEN } from './demo-server.ts';
import { launchBrowser, noBrowser, titled, visitPage } from './chromium.ts';

const COLOR_OF_FIGURE = `getComputedStyle(document.querySelector('.bar-figures dd .num')).color`;
const OPACITY_OF_BARS = `getComputedStyle(document.querySelector('main .loading')).opacity`;
/** The color of stale figures in the light scheme. */
const STALE = 'rgb(107, 92, 126)';

describe.skipIf(noBrowser !== null)(titled('the page'), () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  it('marks figures as stale after 3 s and as of a time after 10 s without a sign, and is live again by itself', async () => {
    const { page, server, errors, close } = await visitPage(browser, { hasClock: true });
    await page.waitForSelector('.bar-figures');
    expect(await page.evaluate(COLOR_OF_FIGURE)).not.toBe(STALE);
    server.trouble = 'stall';
    await page.clock.fastForward(3500);
    await page.waitForSelector('.light.stale');
    expect(await page.evaluate(COLOR_OF_FIGURE)).toBe(STALE);
    expect(await page.locator('.as-of').first().textContent()).toMatch(/^as of \d\d:\d\d:\d\d/);
    expect(await page.locator('.banner.alarm').count()).toBe(0);
    await page.clock.fastForward(7000);
    await page.waitForSelector('.light.disconnected');
    await page.getByText(/Not connected to the console since/).waitFor();
    expect(await page.getByRole('button', { name: 'Halt demo' }).isEnabled()).toBe(true);
    server.trouble = 'none';
    await page.waitForSelector('.light.live');
    expect(await page.locator('.as-of').count()).toBe(0);
    expect(errors).toEqual([]);
    await close();
  });

  it('says that it is not connected while a proxy answers in place of the console, in a new view, too', async () => {
    const { page, server, goTo, close } = await visitPage(browser);
    await page.waitForSelector('.bar-figures');
    server.leaveProxy();
    await page.waitForSelector('.light.stale');
    await page.waitForSelector('.light.disconnected');
    await page.getByText(/Not connected to the console since/).waitFor();
    await goTo('#/b/demo/risk');
    await page.getByRole('heading', { name: 'Risk' }).waitFor();
    expect(await page.locator('.light').getAttribute('data-state')).toBe('disconnected');
    server.trouble = 'none';
    await page.waitForSelector('.light.live');
    await close();
  });

  it('says that the console refuses the live figures, and why, in place of that it is not connected', async () => {
    const { page, server, close } = await visitPage(browser);
    await page.waitForSelector('.bar-figures');
    server.refuseStreams();
    await page.waitForSelector('.light.disconnected');
    const banner = page.locator('.banner.alarm');
    await banner.getByText('The console answers, but gives this page no live figures since').waitFor();
    expect(await banner.textContent()).toContain(': too many live streams are open.');
    expect(await page.locator('.light').textContent()).toBe('refused');
    server.leaveProxy();
    await page.getByText(/Not connected to the console since/).waitFor();
    server.trouble = 'none';
    await page.waitForSelector('.light.live');
    await close();
  });

  it('says that a halt did not reach the console, and shows the line for a terminal', async () => {
    const { page, server, close } = await visitPage(browser, { hasClock: true });
    await page.waitForSelector('.bar-figures');
    await server.dropConnections();
    await page.clock.fastForward(11_000);
    await page.waitForSelector('.light.disconnected');
    await page.getByRole('button', { name: 'Halt demo' }).click();
    await page.getByText('The console does not answer.').first().waitFor();
    expect(await page.locator('.progress').textContent()).toContain('presage halt --config FILE');
    expect(await page.locator('.progress .reached').count()).toBe(0);
    await close();
  });

  it('shows what the folder of a dead bot holds, with its time', async () => {
    const { page, server, close } = await visitPage(browser);
    await page.waitForSelector('.bar-figures');
    server.trouble = 'gone';
    await page.getByText('demo does not answer.').waitFor();
    await page.getByText('Saved figures: equity').waitFor();
    expect(await page.evaluate(COLOR_OF_FIGURE)).toBe(STALE);
    server.trouble = 'none';
    await page.getByText('demo does not answer.').waitFor({ state: 'detached' });
    await close();
  });

  it('says of a bot that was stopped that it stopped, without an alarm', async () => {
    const { page, server, goTo, close } = await visitPage(browser, { bots: ['demo', 'rain'] });
    await goTo('#/b/demo');
    await page.waitForSelector('.bar-figures');
    server.trouble = 'stopped';
    await page.getByText('demo stopped in order').waitFor();
    expect(await page.locator('.top-bar .mark').first().textContent()).toBe('stopped');
    expect(await page.locator('.banners .alarm').count()).toBe(0);
    server.trouble = 'none';
    await goTo('#/');
    expect(await page.getByRole('article', { name: 'rain' }).textContent()).toContain('Stopped in order');
    await close();
  });

  it('names commands with --paper for a paper session that never answered', async () => {
    const { page, server, goTo, close } = await visitPage(browser, { bots: ['demo', 'paper'] });
    server.trouble = 'gone';
    server.bot.isPaper = true;
    server.bot.refusals.set('halt', 'a paper session is only watched');
    await goTo('#/b/paper');
    await page.locator('.top-bar .mark', { hasText: 'paper' }).waitFor();
    await page.getByRole('button', { name: 'Halt paper' }).click();
    await page.getByText('presage halt --config FILE --paper').waitFor();
    await page.keyboard.press('Escape');
    await goTo('#/b/paper/why?market=T&strategy=quoter&at=2026-11-23T14:02:00.000Z');
    const copy = page.getByRole('button', { name: 'Copy command' }).first();
    expect(await copy.getAttribute('title')).toMatch(/^presage why --data FOLDER --market T /);
    await close();
  });

  it('shows grey bars and no figure in a view before its data has come', async () => {
    const { page, server, goTo, close } = await visitPage(browser, { bots: ['demo', 'nba'] });
    server.trouble = 'no-data';
    server.bot.pastSessions = [];
    for (const path of ['', '/markets', '/orders', '/strategies', '/risk', '/feed', '/timeline', '/market/T']) {
      await goTo(`#/b/nba${path}`);
      const bar = page.locator(`main[data-view="${path.split('/')[1] ?? 'overview'}"] .grey-bar`).first();
      await bar.waitFor();
      // The bars are drawn for a person who wants no motion, too.
      await expect.poll(() => page.evaluate(OPACITY_OF_BARS)).toBe('1');
      const figures = await page.locator('main .num').allTextContents();
      expect(figures.filter((text) => /\d/.test(text))).toEqual([]);
    }
    await close();
  });

  it('says in each view of a bot that never answered that there is nothing to show, and draws no grey bars', async () => {
    const { page, server, goTo, close } = await visitPage(browser, { bots: ['demo', 'nba'] });
    server.trouble = 'gone';
    for (const path of ['', '/markets', '/orders', '/strategies', '/risk', '/feed', '/timeline', '/market/T']) {
      await goTo(`#/b/nba${path}`);
      const view = page.locator(`main[data-view="${path.split('/')[1] ?? 'overview'}"]`);
      await view.getByText('Nothing to show until the bot answers.').first().waitFor();
      await expect.poll(() => view.locator('.grey-bar').count()).toBe(0);
    }
    await close();
  });

  it('shows the profit of the last days of a bot that never answered, the latest day first', async () => {
    const { page, server, errors, goTo, close } = await visitPage(browser, { bots: ['demo', 'nba'] });
    server.trouble = 'gone';
    await goTo('#/b/nba');
    const days = page.locator('section', { has: page.getByRole('heading', { name: 'Profit by day (UTC)' }) });
    await days.getByText('2026-11-19').waitFor();
    const rows = await days.locator('tbody tr').allInnerTexts();
    expect(rows).toHaveLength(7);
    expect(rows[0]?.split(/\s*\t\s*/)).toEqual([
      '2026-11-19',
      '\u22121.598700',
      '18.519900',
      '1\u202f008',
      '3\u202f527.5',
    ]);
    expect(rows[1]).toContain('+41.645100');
    expect(errors).toEqual([]);
    await close();
  });

  it('shows what a bot that never answered holds and what may rest, by its journals', async () => {
    const { page, server, errors, goTo, close } = await visitPage(browser, { bots: ['demo', 'nba'] });
    server.trouble = 'gone';
    await goTo('#/b/nba');
    const held = page.getByRole('region', { name: 'Positions, from the journals' });
    await held.getByText('The account may have changed since.').waitFor();
    const cells = (rows: readonly string[]): string[][] => rows.map((row) => row.split(/\s*\t\s*/));
    expect(cells(await held.locator('tbody tr').allInnerTexts())).toEqual([
      ['RAIN-OSLO-DAY', '+12', '5.04', '44', '5.28'],
      ['CITY-36-AHM', '\u22123.5', '2.45', '28.75', '2.49'],
    ]);
    const open = page.getByRole('region', { name: 'Orders without an end in the journals' });
    expect(cells(await open.locator('tbody tr').allInnerTexts())[0]?.slice(1)).toEqual([
      'RAIN-OSLO-DAY',
      '▼ sell',
      '1/5',
      '47',
      'quoter',
      'working',
    ]);
    expect(await open.locator('tbody tr').count()).toBe(250);
    expect(await open.getByText('are shown').count()).toBe(0);
    expect(errors).toEqual([]);
    await close();
  });

  it('says of a list of orders that it is cut off, and how many are shown', async () => {
    const { page, server, goTo, close } = await visitPage(browser, { bots: ['demo', 'nba'] });
    server.bot.pastOrders = pastOrders(1001);
    server.trouble = 'gone';
    await goTo('#/b/nba');
    const open = page.getByRole('region', { name: 'Orders without an end in the journals' });
    await open.getByText('Only the newest 1\u202f000 are shown. The journals have more.').waitFor();
    expect(await open.locator('tbody tr').count()).toBe(1000);
    await close();
  });

  it('says how many sessions are shown while the history has earlier ones, and shows them on request', async () => {
    const { page, errors, goTo, close } = await visitPage(browser);
    await goTo('#/b/demo/timeline');
    const sessions = page.locator('section', { has: page.getByRole('heading', { name: 'Sessions' }) });
    await sessions.getByText('The newest 50 are shown. The history has earlier ones.').waitFor();
    expect(await sessions.locator('tbody tr').count()).toBe(50);
    await sessions.getByRole('button', { name: 'Show earlier sessions' }).click();
    await sessions.getByText('session-1', { exact: true }).waitFor();
    expect(await sessions.locator('tbody tr').count()).toBe(60);
    expect(await sessions.getByText('are shown').count()).toBe(0);
    expect(await sessions.getByRole('button').count()).toBe(0);
    expect(errors).toEqual([]);
    await close();
  });

  it('shows in the timeline what happened before the session, and opens the pages before', async () => {
    const { page, errors, goTo, close } = await visitPage(browser);
    await goTo('#/b/demo/timeline');
    const before = page.locator('section', { has: page.getByRole('heading', { name: 'Before this session' }) });
    await before.getByText('RAIN-OSLO-DAY-0 was paid out').waitFor();
    expect(await before.locator('.events li').count()).toBe(50);
    await before.getByRole('button', { name: 'Show earlier events' }).click();
    await before.getByText('quotes looked odd after the release').waitFor();
    expect(await before.getByText('ended without an orderly end').count()).toBe(1);
    await page.getByRole('button', { name: 'operator' }).click();
    await before.getByText('RAIN-OSLO-DAY-0 was paid out').waitFor({ state: 'detached' });
    // The list is empty until the answer for this kind has come.
    await before.getByText('quotes looked odd after the release').waitFor();
    expect(await before.locator('.events li').count()).toBe(1);
    await page.getByLabel('Filter by text, market or order').fill('feed-lag');
    await before.getByText('Nothing of this kind is in the history.').waitFor();
    await page.getByRole('button', { name: 'important' }).click();
    expect(errors).toEqual([]);
    await close();
  });

  it('shows in the timeline the events of a busy session that the page no longer has', async () => {
    const { page, server, errors, goTo, close } = await visitPage(browser);
    server.bot.forgetEvents(4);
    await goTo('#/b/demo/timeline');
    await page.reload();
    const earlier = page.locator('section', { has: page.getByRole('heading', { name: 'Earlier events' }) });
    await earlier.getByText('lost $50 today').waitFor();
    await page.getByLabel('Filter by text, market or order').fill('no such text');
    await page.getByText(/None of the last \d+ events is of this kind and has this text/).waitFor();
    expect(errors).toEqual([]);
    await close();
  });

  it('shows a mark that reverses text as an escape', async () => {
    const { page, goTo, close } = await visitPage(browser);
    await page.route('**/history/alarms*', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).replaceAll('was paid out', '\u202Ewas paid out') });
    });
    await goTo('#/b/demo/timeline');
    await page.getByText(String.raw`RAIN-OSLO-DAY-0 \u202ewas paid out`).waitFor();
    await close();
  });

  it('says of an address of an unknown bot or market that there is none, and offers no HALT of it', async () => {
    const { page, errors, goTo, close } = await visitPage(browser, { bots: ['demo', 'nba'] });
    await goTo('#/b/demu/markets');
    await page.getByText('This console has no bot demu.').waitFor();
    expect(await page.getByRole('button', { name: /halt/i }).count()).toBe(0);
    await goTo('#/b/demo/market/NO-SUCH-MARKET');
    await page.getByText('demo follows no market NO-SUCH-MARKET now.').waitFor();
    expect(errors).toEqual([]);
    await close();
  });

  it('says that the exchange has paused trading, for as long as it does', async () => {
    const { page, server, close } = await visitPage(browser);
    server.bot.isExchangeTrading = false;
    await page.getByText('The exchange has paused trading: no order is sent until it trades again.').waitFor();
    server.bot.isExchangeTrading = true;
    await page.getByText('The exchange has paused trading').waitFor({ state: 'detached' });
    await close();
  });

  it('shows what a session remarks of its exchange, on the card of the bot and above its views', async () => {
    const { page, server, goTo, close } = await visitPage(browser, { bots: ['demo', 'nba'] });
    server.bot.remarks = ['an empty order group may stand there'];
    await goTo('#/');
    await page.locator('.bot-card', { hasText: 'an empty order group may stand there' }).waitFor();
    await goTo('#/b/demo');
    await page.locator('.banner', { hasText: 'an empty order group may stand there' }).waitFor();
    server.bot.remarks = [];
    await page.getByText('an empty order group').waitFor({ state: 'detached' });
    await close();
  });

  it('shows no figure of an account that has not been read yet', async () => {
    const { page, server, close } = await visitPage(browser);
    server.bot.isAccountOpen = false;
    await expect.poll(() => page.locator('.bar-figures .num').first().textContent()).toBe('–');
    const figures = await page.locator('main .headline dd > .num').allTextContents();
    expect(figures).toEqual(['–', '–', '–', '–', '–']);
    await close();
  });

  it('says of a log-out that did not reach the console that the browser is still logged in there', async () => {
    const { page, server, close } = await visitPage(browser);
    server.leaveProxy();
    await page.getByRole('button', { name: 'Log out ada' }).click();
    await page.getByText('this browser is still logged in there').waitFor();
    await close();
  });

  it('says in an empty view what would be there', async () => {
    const { page, server, goTo, close } = await visitPage(browser, { markets: 0 });
    await goTo('#/b/demo/markets');
    await page.getByText('No market fits.').waitFor();
    await goTo('#/b/demo/orders');
    await page.getByText('No orders yet.').waitFor();
    await goTo('#/b/demo/why');
    await page.getByText('Name a market to learn why').waitFor();
    expect(server.bot.markets.rows).toEqual([]);
    await close();
  });

  it('asks for a token, refuses a wrong one in words, and logs out', async () => {
    const { page, goTo, close } = await visitPage(browser);
    await page.getByRole('button', { name: 'Log out ada' }).click();
    await page.getByLabel('Token').fill('wrong');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByText('The token is wrong.').waitFor();
    await page.getByLabel('Token').fill(DEMO_TOKEN);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.waitForSelector('.light.live');
    expect(page.url()).not.toContain('login');
    expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain(DEMO_TOKEN);
    await goTo('#/b/demo/feed');
    await page.waitForSelector('.pairs dd');
    await close();
  });

  it('keeps an address that changes while the login is under way', async () => {
    const { page, goTo, close } = await visitPage(browser);
    await page.getByRole('button', { name: 'Log out ada' }).click();
    await page.getByLabel('Token').waitFor();
    await goTo('#/');
    // The address changes just before the page receives its login: the browser reports the change later.
    await page.evaluate(`{
      const fetchAnswer = window.fetch;
      window.fetch = async (target, init) => {
        const answer = await fetchAnswer(target, init);
        if (!String(target.url ?? target).endsWith('/session') || (init?.method ?? 'GET') !== 'GET') return answer;
        const text = await answer.text();
        const later = new Response(text, { status: answer.status, headers: answer.headers });
        later.text = async () => {
          location.hash = '#/b/demo/feed';
          return text;
        };
        window.fetch = fetchAnswer;
        return later;
      };
    }`);
    await page.getByLabel('Token').fill(DEMO_TOKEN);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.waitForSelector('main[data-view="feed"] .pairs dd', { timeout: PATIENCE_MS });
    expect(new URL(page.url()).hash).toBe('#/b/demo/feed');
    await close();
  });

  it('offers no control to a reader', async () => {
    const { page, goTo, close } = await visitPage(browser, { role: 'reader' });
    for (const path of ['', '/strategies', '/risk', '/market/RAIN-OSLO-26NOV23-T0']) {
      await goTo(`#/b/demo${path}`);
      await page.waitForSelector('main .num');
      expect(await page.getByRole('button', { name: /halt|resume|cancel all|flatten|override/i }).count()).toBe(0);
    }
    await page.keyboard.press('Shift+H');
    expect(await page.locator('dialog').count()).toBe(0);
    await close();
  });
});
