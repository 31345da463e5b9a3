// Controls of the page in a real browser. A halt is one press; its effect is shown only when the console confirms
// it; a resume must be typed.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REMOTE_HOST, launchBrowser, noBrowser, titled, visitPage } from './chromium.ts';

describe.skipIf(noBrowser !== null)(titled('a control of the page'), () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  it('says of a paper session that the simulated venue shows no order left', async () => {
    const { page, server, close } = await visitPage(browser);
    server.bot.isPaper = true;
    await page.reload();
    await page.getByText('paper', { exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'Halt demo' }).click();
    await page.getByText('The simulated venue shows no order left').waitFor();
    await close();
  });

  it('halts at one press, shows each state, and asks the reason after it', async () => {
    const { page, server, errors, close } = await visitPage(browser);
    await page.getByRole('button', { name: 'Halt demo' }).click();
    await page.waitForSelector('[data-action-state="confirmed"]');
    expect(await page.locator('.steps .reached').count()).toBe(4);
    expect(server.bot.received.map(({ path }) => path)).toEqual(['/halt']);
    expect(server.bot.received[0]?.body).toMatchObject({
      scope: 'account',
      actionId: expect.stringMatching(/^[\da-f-]{36}$/),
    });
    await page.getByLabel('Why? For the person who resumes it.').fill('looked odd');
    await page.keyboard.press('Enter');
    await page.locator('dialog').waitFor({ state: 'detached' });
    expect(server.bot.reasons).toEqual(['looked odd']);
    await page.getByText('demo is halted').waitFor();
    expect(errors).toEqual([]);
    await close();
  });

  it('halts by Shift+H and Enter, and Escape leaves it unhalted', async () => {
    const { page, server, close } = await visitPage(browser);
    await page.keyboard.press('Shift+H');
    await page.waitForSelector('dialog');
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
    expect(server.bot.received).toEqual([]);
    await page.keyboard.press('Shift+H');
    await page.waitForSelector('dialog');
    await page.keyboard.press('Enter');
    await page.waitForSelector('[data-action-state="confirmed"]');
    expect(server.bot.halts).toHaveLength(1);
    await close();
  });

  it('resumes only when the scope is typed', async () => {
    const { page, server, close } = await visitPage(browser);
    server.bot.halts = [{ scope: 'account', by: 'ada', reason: 'by hand', sinceUs: server.bot.nowUs }];
    await page.getByRole('button', { name: 'Resume…' }).click();
    const resume = page.getByRole('button', { name: 'Resume', exact: true });
    await page.getByLabel('Reason').fill('all flat');
    await page.getByLabel(/to confirm/).fill('accoun');
    expect(await resume.isDisabled()).toBe(true);
    await page.getByLabel(/to confirm/).fill('account');
    await resume.click();
    await page.waitForSelector('[data-action-state="confirmed"]');
    expect(server.bot.received.at(-1)?.body).toMatchObject({ scope: 'account', typed: 'account', reason: 'all flat' });
    await page.getByText('demo is halted').waitFor({ state: 'detached' });
    await close();
  });

  it('shows the orders and the worst cost of a flatten before it can be sent', async () => {
    const { page, server, close } = await visitPage(browser);
    await page.getByRole('button', { name: 'Flatten…' }).click();
    await page.getByText('Worst cost in all').waitFor();
    expect(await page.locator('dialog tbody tr').count()).toBeGreaterThan(3);
    await page.getByText('cannot be closed now. The book is empty.').waitFor();
    await page.getByLabel('Reason').fill('over');
    await page.getByLabel(/to confirm/).fill('other');
    await page.getByRole('button', { name: 'Flatten', exact: true }).click();
    expect(server.bot.received.map(({ path }) => path)).toEqual(['/flatten/preview']);
    await page.getByLabel(/to confirm/).fill('demo');
    await page.getByRole('button', { name: 'Flatten', exact: true }).click();
    await page.waitForSelector('[data-action-state="confirmed"]');
    expect(server.bot.received.at(-1)?.body).toMatchObject({ previewId: 'preview-1', typed: 'demo', reason: 'over' });
    await close();
  });

  it('says of a refused flatten that nothing was closed, and makes another preview', async () => {
    const { page, server, close } = await visitPage(browser);
    server.bot.refusals.set('flatten', 'the positions have changed since the preview');
    const flatten = async (): Promise<void> => {
      await page.getByText('Worst cost in all').waitFor();
      await page.getByLabel('Reason').fill('over');
      await page.getByLabel(/to confirm/).fill('demo');
      await page.getByRole('button', { name: 'Flatten', exact: true }).click();
    };
    await page.getByRole('button', { name: 'Flatten…' }).click();
    await flatten();
    await page.getByText('Nothing was closed or halted.').waitFor();
    server.bot.refusals.delete('flatten');
    await page.getByRole('button', { name: 'Preview again' }).click();
    await flatten();
    await page.waitForSelector('[data-action-state="confirmed"]');
    expect(await page.getByText('Nothing was closed').count()).toBe(0);
    await close();
  });

  it('overrides a limit for a while, and halts a strategy and a market by their own scopes', async () => {
    const { page, server, goTo, close } = await visitPage(browser);
    await goTo('#/b/demo/risk');
    await page.getByRole('button', { name: 'Override exposureMax' }).click();
    await page.getByLabel("New value, in the config's unit").fill('2500');
    await page.getByLabel('Reason').fill('calm day');
    await page.getByRole('button', { name: 'Override', exact: true }).click();
    await page.waitForSelector('[data-action-state="confirmed"]');
    expect(server.bot.received.at(-1)?.body).toMatchObject({
      limit: 'exposureMax',
      value: '2500',
      forMs: 900_000,
      reason: 'calm day',
    });
    await page.keyboard.press('Escape');
    await goTo('#/b/demo/strategies');
    await page.getByRole('button', { name: 'Halt quoter' }).click();
    await page.waitForSelector('[data-action-state="confirmed"]');
    await page.keyboard.press('Escape');
    await goTo('#/b/demo/market/RAIN-OSLO-26NOV23-T0');
    await page.getByRole('button', { name: 'Halt market' }).click();
    await page.waitForSelector('[data-action-state="confirmed"]');
    expect(server.bot.halts.map(({ scope }) => scope)).toEqual(['strategy quoter', 'market RAIN-OSLO-26NOV23-T0']);
    await close();
  });

  it('says what failed, and never that it is done', async () => {
    const { page, server, close } = await visitPage(browser);
    server.trouble = 'controls-fail';
    await page.getByRole('button', { name: 'Halt demo' }).click();
    await page.getByText('The bot does not answer.').waitFor();
    expect(await page.locator('.progress').textContent()).toContain('It is not known whether the console received it');
    expect(await page.locator('[data-action-state="confirmed"]').count()).toBe(0);
    server.trouble = 'none';
    await page.waitForSelector('[data-action-state="confirmed"]');
    expect(server.bot.received.filter(({ path }) => path === '/halt')).toHaveLength(1);
    await close();
  });

  it('says that nothing was halted when the console refuses, and asks for no reason', async () => {
    const { page, server, close } = await visitPage(browser);
    server.bot.refusals.set('halt', 'This console only watches the bot.');
    await page.getByRole('button', { name: 'Halt demo' }).click();
    await page.getByText('Nothing was halted.').waitFor();
    await page.getByText('This console only watches the bot.').waitFor();
    expect(await page.getByRole('button', { name: 'Save reason' }).count()).toBe(0);
    await page.getByText('Close', { exact: true }).click();
    await page.locator('dialog').waitFor({ state: 'detached' });
    await close();
  });

  it('halts from a remote address without TLS, where browsers make no UUID', async () => {
    const { page, server, errors, close } = await visitPage(browser, { host: REMOTE_HOST });
    expect(await page.evaluate('isSecureContext')).toBe(false);
    await page.getByRole('button', { name: 'Halt demo' }).click();
    await page.waitForSelector('[data-action-state="confirmed"]');
    expect(server.bot.halts).toHaveLength(1);
    expect(errors).toEqual([]);
    await close();
  });

  it('says that a halt without an answer is not sent again after the last repeat', async () => {
    const { page, server, close } = await visitPage(browser);
    server.trouble = 'controls-fail';
    await page.getByRole('button', { name: 'Halt demo' }).click();
    const progress = page.locator('.progress');
    await progress.getByText('it is sent again').waitFor();
    await progress.getByText('It is not known whether the console received it, and it is not sent again.').waitFor();
    expect(server.bot.halts).toEqual([]);
    await close();
  });

  it('shows the command of an answer where the browser has no clipboard', async () => {
    const { page, goTo, errors, close } = await visitPage(browser, { host: REMOTE_HOST });
    await goTo('#/b/demo/why?market=T&strategy=quoter&at=2026-11-23T14:02:00.000Z');
    await page.getByRole('button', { name: 'Copy command' }).first().click();
    await page.locator('code', { hasText: 'presage why --config FILE --market T' }).first().waitFor();
    expect(errors).toEqual([]);
    await close();
  });
});
