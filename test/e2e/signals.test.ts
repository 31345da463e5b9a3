// SIGUSR1, at which Node opens a debugger to every user of the machine by default: each process takes it as a halt.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { PATIENCE_MS } from '../support/runner/patience.ts';
import type { Presage } from './presage.ts';
import { Site } from './site.ts';

const TIMEOUT_MS = 2 * PATIENCE_MS;
const DEBUGGER = /debugger/i;

let site: Site;
let bot: Presage;
beforeAll(async () => {
  site = await Site.open();
  bot = site.run();
});
afterAll(() => site.close());

describe('SIGUSR1', () => {
  it(
    'to the bot halts the account, and opens no debugger',
    async () => {
      await site.until((resting) => resting.length >= 5);
      bot.kill('SIGUSR1');
      await site.until((resting) => resting.length === 0);
      expect(await site.order('status')).toMatchObject({ halts: [{ by: 'operator', reason: 'the signal SIGUSR1' }] });
      expect(bot.stderr).not.toMatch(DEBUGGER);
    },
    TIMEOUT_MS,
  );

  it(
    'to its watchdog halts the account too',
    async () => {
      expect(await site.order('resume', '--reason', 'it was a test')).toMatchObject({ exitCode: 0 });
      await site.until((resting) => resting.length >= 5);
      const folder = join(site.folder, 'local');
      const readPid = (): string => readFileSync(join(folder, 'watchdog.pid'), 'utf8');
      // It starts beside the bot, and may take longer. A file that is just being written is empty.
      await vi.waitFor(() => expect(readPid()).toMatch(/^\d+/), { timeout: PATIENCE_MS });
      process.kill(Number(readPid()), 'SIGUSR1');
      await site.until((resting) => resting.length === 0);
      expect(await site.order('status')).toMatchObject({
        halts: [{ by: 'operator', reason: 'the signal SIGUSR1 to the watchdog' }],
      });
      expect(readFileSync(join(folder, 'watchdog.log'), 'utf8')).not.toMatch(DEBUGGER);
      expect(await bot.stop()).toBe(0);
    },
    TIMEOUT_MS,
  );

  it(
    'to an exchange ends it cleanly',
    async () => {
      const { exchange } = site;
      exchange.kill('SIGUSR1');
      expect(await exchange.exited).toBe(0);
      expect(exchange.stderr).not.toMatch(DEBUGGER);
      expect(exchange.lines.at(-1)).toMatchObject({ type: 'end' });
    },
    TIMEOUT_MS,
  );
});
