// SIGUSR1, at which Node opens a debugger to every user of the machine by default: each process takes it as a halt.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, describe, expect, it, vi } from 'vitest';
import { PATIENCE_MS } from '../support/runner/patience.ts';
import { Site } from './site.ts';

const TIMEOUT_MS = 2 * PATIENCE_MS;
const WITHIN_MS = 10_000;
const DEBUGGER = /debugger/i;

async function open({ onTestFinished }: TestContext): Promise<Site> {
  const site = await Site.open();
  onTestFinished(() => site.close());
  return site;
}

// Its processes mostly wait.
describe.concurrent('SIGUSR1', () => {
  it(
    'to the bot halts the account, and opens no debugger',
    async (context) => {
      const site = await open(context);
      const bot = site.run();
      await site.until((resting) => resting.length >= 5);
      bot.kill('SIGUSR1');
      await site.until((resting) => resting.length === 0);
      expect(await site.order('status')).toMatchObject({ halts: [{ by: 'operator', reason: 'the signal SIGUSR1' }] });
      expect(bot.stderr).not.toMatch(DEBUGGER);
      bot.kill('SIGINT');
      expect(await bot.exited).toBe(0);
    },
    TIMEOUT_MS,
  );

  it(
    'to its watchdog halts the account too',
    async (context) => {
      const site = await open(context);
      const bot = site.run();
      await site.until((resting) => resting.length >= 5);
      const folder = join(site.folder, 'local');
      const pid = await vi.waitFor(() => readFileSync(join(folder, 'watchdog.pid'), 'utf8'), { timeout: WITHIN_MS });
      process.kill(Number(pid), 'SIGUSR1');
      await site.until((resting) => resting.length === 0);
      expect(await site.order('status')).toMatchObject({
        halts: [{ by: 'operator', reason: 'the signal SIGUSR1 to the watchdog' }],
      });
      expect(readFileSync(join(folder, 'watchdog.log'), 'utf8')).not.toMatch(DEBUGGER);
      bot.kill('SIGINT');
      expect(await bot.exited).toBe(0);
    },
    TIMEOUT_MS,
  );

  it(
    'to an exchange ends it cleanly',
    async (context) => {
      const site = await open(context);
      const { exchange } = site;
      exchange.kill('SIGUSR1');
      expect(await exchange.exited).toBe(0);
      expect(exchange.stderr).not.toMatch(DEBUGGER);
      expect(exchange.lines.at(-1)).toMatchObject({ type: 'end' });
    },
    TIMEOUT_MS,
  );
});
