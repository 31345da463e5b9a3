// The end of a run when a terminal, a pipe, a disk or its watchdog fails.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { PATIENCE_MS } from '../support/runner/patience.ts';
import type { Line, Presage } from './presage.ts';
import { Site, type SiteOptions } from './site.ts';

const TIMEOUT_MS = 2 * PATIENCE_MS;
/** A config without a watchdog: only the bot cancels its orders. */
const ALONE: SiteOptions = { bot: (text) => text.replace('enabled: true', 'enabled: false') };

let site: Site | null = null;
afterEach(async () => {
  await site?.close();
  site = null;
});

async function open(options: SiteOptions): Promise<Site> {
  site = await Site.open(options);
  return site;
}

async function trading(at: Site): Promise<Presage> {
  const bot = at.run();
  await bot.line((line: Line) => String(line['text']).startsWith('session trading'));
  await at.until((resting) => resting.length >= 3);
  return bot;
}

describe('a bot', () => {
  it(
    'cancels every order when its terminal is closed, even if that is signaled twice',
    async () => {
      const at = await open(ALONE);
      const bot = await trading(at);
      bot.kill('SIGHUP');
      bot.kill('SIGHUP');
      expect(await bot.exited).toBe(0);
      expect(await at.resting()).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    'cancels every order when its output is closed',
    async () => {
      const at = await open(ALONE);
      const bot = await trading(at);
      bot.closeOutput();
      expect(await bot.exited).toBe(0);
      expect(bot.stderr).toBe('');
      expect(await at.resting()).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it.runIf(existsSync('/dev/full'))(
    'trades on without its log when the disk is full, and ends well',
    async () => {
      const at = await open({ bot: (text) => text.replace(/file: .*\.log/, 'file: /dev/full') });
      const bot = await trading(at);
      bot.kill('SIGINT');
      expect(await bot.exited).toBe(0);
      expect(bot.stderr).toMatch(/^presage: the log \/dev\/full cannot be written and ends here: ENOSPC.*\n$/);
      expect(await at.resting()).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    'says that it cannot start its watchdog, and ends with its control socket closed',
    async () => {
      const at = await open({});
      const file = join(at.folder, 'local', 'watchdog.log');
      mkdirSync(file, { recursive: true });
      const bot = at.run();
      expect(await bot.exited).toBe(2);
      expect(bot.stderr).toContain(`presage: ${file}: cannot be opened: Error: EISDIR`);
      expect(await at.order('status')).toMatchObject({ exitCode: 0, isRunning: false });
    },
    TIMEOUT_MS,
  );
});

describe('a halt with little time', () => {
  it(
    'is carried out by the command itself when the time is over before the bot answers',
    async () => {
      const at = await open(ALONE);
      await trading(at);
      at.hang();
      const halt = await at.order('halt', '--within', '500ms');
      expect(halt).toMatchObject({ isSeenAtVenue: true, by: ['command'] });
    },
    TIMEOUT_MS,
  );
});

describe('a watchdog', () => {
  it(
    'survives a stop signal while its bot runs',
    async () => {
      const at = await open({});
      const bot = await trading(at);
      const file = join(at.folder, 'local', 'watchdog.pid');
      // It starts beside the bot, and may take longer.
      await vi.waitFor(() => expect(readFileSync(file, 'utf8')).toMatch(/^\d+/), { timeout: PATIENCE_MS });
      // Otherwise the bot would start another one.
      bot.kill('SIGSTOP');
      const pid = Number(readFileSync(file, 'utf8'));
      process.kill(pid, 'SIGTERM');
      bot.kill('SIGKILL');
      await at.until((resting) => resting.length === 0);
    },
    TIMEOUT_MS,
  );

  it(
    'is refused when the data folder of its bot was removed, and does not create it',
    async () => {
      const at = await open({});
      const watchdog = at.start(['watchdog', '--config', at.config]);
      expect(await watchdog.exited).toBe(2);
      expect(watchdog.stderr).toMatch(/local: expected the data folder of a running bot, found nothing/);
      expect(existsSync(join(at.folder, 'local'))).toBe(false);
    },
    TIMEOUT_MS,
  );
});

describe('a second exchange on one data folder', () => {
  it(
    'is refused with the name of the process that holds it',
    async () => {
      const at = await open({});
      const args = ['exchange', '--config', join(at.folder, 'exchange.yaml'), '--port', '0', '--json'];
      const data = ['--data', join(at.folder, 'memory')];
      const first = at.start([...args, ...data]);
      await first.line((line) => line.type === 'listening');
      const second = at.start([...args, ...data]);
      expect(await second.exited).toBe(2);
      expect(second.stderr).toMatch(/memory: is in use by process \d+: one at a time may write it/);
      first.kill('SIGKILL');
      await first.exited;
      const third = at.start([...args, ...data, '--for', '100ms']);
      expect(await third.exited).toBe(0);
    },
    TIMEOUT_MS,
  );
});

describe('an operator', () => {
  it(
    'can halt although the data folder is unusable, and is warned that the halt is not saved',
    async () => {
      const at = await open({ bot: (text) => text.replace(/dataFolder: .*/, 'dataFolder: a-file') });
      writeFileSync(join(at.folder, 'a-file'), '');
      const halt = await at.order('halt', '--within', '60s');
      expect(halt).toMatchObject({ exitCode: 1, isDone: true, isLatched: false, isSeenAtVenue: true });
    },
    TIMEOUT_MS,
  );
});
