// The twelve staged causes of no trade, asked of the console over HTTP, on its page and of the command line: all three give
// the same first sentence, which names the cause.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { version } from '../../src/app/package-version.ts';
import { must } from '../../src/base/assert.ts';
import { type RunningConsole, startConsole } from '../../src/console/server/console-run.ts';
import { makeSecret } from '../../src/console/security/token-file.ts';
import { fileStorage } from '../../src/tape/journal/file-storage.ts';
import { WIDE, builtPage, launchBrowser, noBrowser, titled } from '../console/page/chromium.ts';
import { PATIENCE_MS } from '../support/runner/patience.ts';
import { CASES } from '../why/staged-cases.ts';
import { StagedSession } from '../why/staged-session.ts';
import { ROOT, presage } from './presage.ts';

const token = makeSecret();
/** Inside the project, as a strategy's file is found from the journal's folder. */
let folder = '';
let running: RunningConsole | null = null;
beforeEach(() => {
  mkdirSync(join(ROOT, 'var'), { recursive: true });
  folder = mkdtempSync(join(ROOT, 'var', 'console-why-'));
  writeFileSync(join(folder, 'console.token'), `ada reader ${token}\n`, { mode: 0o600 });
});
afterEach(async () => {
  await running?.close();
  running = null;
  rmSync(folder, { recursive: true, force: true });
});

/** Writes the journal of a staged session. Returns the moment of the question. */
async function stage({ options = {}, act, agoMs = 0 }: (typeof CASES)[number]): Promise<string> {
  const file = join(folder, 'maker.ts');
  writeFileSync(file, `export { stagedMaker as default } from '${join(ROOT, 'test/why/staged-maker.ts')}';\n`);
  const session = await StagedSession.open({
    ...options,
    storage: fileStorage(join(folder, 'journal')),
    version,
    file,
  });
  act(session);
  await session.close();
  return new Date((session.now - agoMs * 1000) / 1000).toISOString();
}

/** The first sentence of the command line's answer. */
async function sentenceOfCommand(at: string): Promise<string> {
  const question = ['--market', 'M-0', '--strategy', 'maker', '--at', at, '--json'];
  const { stdout, stderr } = await presage('why', '--data', folder, ...question);
  const [line = ''] = stdout.split('\n');
  const sentence = /"sentence":"((?:[^"\\]|\\.)*)"/.exec(line)?.[1];
  return JSON.parse(`"${must(sentence, `a sentence, not ${stderr}`)}"`) as string;
}

describe.skipIf(noBrowser !== null)(titled('why there was no trade'), () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  it.each(CASES)('is said by the console, its page and the command line: $name', async (staged) => {
    const at = await stage(staged);
    running = await startConsole({ configs: [], folders: [folder], listen: '127.0.0.1:0', pageFolder: builtPage() });
    const { url } = running.server;
    const { name } = must(running.bots[0], 'a bot');
    const answer = await fetch(`${url}/api/v1/bots/${name}/why?market=M-0&at=${at}`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    expect(answer.status).toBe(200);
    const [first] = ((await answer.json()) as { answers: { sentence: string }[] }).answers;
    const { sentence } = must(first, 'an answer');
    expect(sentence).toMatch(/^At 00:16:\d\d\.\d{3}Z maker did not trade M-0 because /);
    expect(sentence).toMatch(staged.cause);
    expect(await sentenceOfCommand(at)).toBe(sentence);

    const context = await browser.newContext(WIDE);
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    await page.goto(url);
    await page.getByLabel('Token').fill(token);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.goto(`${url}/#/b/${name}/why?market=M-0&strategy=maker&at=${at}`);
    expect(await page.locator('.sentence').first().textContent()).toBe(sentence);
    expect(await page.locator('.checks .fail').count()).toBe(1);
    await context.close();
  });
});
