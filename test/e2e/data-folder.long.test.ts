// The data folder of a running bot, over real processes: deleted, replaced, writable by others; and files in it that
// halt.
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { PATIENCE_MS } from '../support/runner/patience.ts';
import { type Presage, endOf, presage } from './presage.ts';
import { Site, type SiteOptions, pause } from './site.ts';

const TIMEOUT_MS = 2 * PATIENCE_MS;

let site: Site | null = null;
afterEach(async () => {
  await site?.close();
  site = null;
});

async function open(options?: SiteOptions): Promise<Site> {
  site = await Site.open(options);
  return site;
}

/** A bot with some resting orders. */
async function trading(at: Site): Promise<Presage> {
  const bot = at.run();
  await at.until((resting) => resting.length >= 5);
  return bot;
}

describe('a data folder that is deleted under a running bot', () => {
  it(
    'ends the session: orders are canceled, the reason is printed, the exit code is 1, and the folder is not made again',
    async () => {
      const at = await open();
      const bot = await trading(at);
      const folder = join(at.folder, 'local');
      rmSync(folder, { recursive: true, maxRetries: 10 });
      expect(await bot.exited).toBe(1);
      expect(await at.resting()).toEqual([]);
      expect(endOf(bot).end).toMatchObject({
        type: 'fault',
        ordersLeft: 0,
        fault: expect.stringMatching(/local\S*: was removed while the bot ran/),
      });
      expect(existsSync(folder)).toBe(false);
    },
    TIMEOUT_MS,
  );

  it(
    'ends the session also when an empty folder replaces it',
    async () => {
      const at = await open();
      const bot = await trading(at);
      const folder = join(at.folder, 'local');
      // The bot writes to its folder at all times: to move it away takes one step, to delete it takes many.
      renameSync(folder, `${folder}-moved`);
      mkdirSync(folder, { mode: 0o700 });
      expect(await bot.exited).toBe(1);
      expect(await at.resting()).toEqual([]);
      expect(String((endOf(bot).end as { fault?: unknown }).fault)).toContain('local: was replaced by another');
      expect(readdirSync(folder).filter((name) => name.endsWith('.json'))).toEqual([]);
    },
    TIMEOUT_MS,
  );
});

describe('a data folder that others may write to', () => {
  it(
    'is refused before the session starts, while a halt still works in it',
    async () => {
      const at = await open();
      const folder = join(at.folder, 'local');
      mkdirSync(folder);
      chmodSync(folder, 0o777);
      const bot = at.run();
      expect(await bot.exited).toBe(2);
      expect(bot.stderr).toContain(
        'local: expected a folder that only its owner may write, found mode 777 (chmod 700 it)',
      );
      expect(readdirSync(folder)).toEqual([]);
      expect(await at.order('halt', '--reason', 'who else is here')).toMatchObject({ exitCode: 0, isDone: true });
    },
    TIMEOUT_MS,
  );
});

describe('a file named HALT', () => {
  it(
    'is shown and given on one line, without its control characters and with marks of direction escaped',
    async () => {
      const at = await open();
      const reason = 'odd \u001B]0;owned\u0007\u009B2J\u202E';
      mkdirSync(join(at.folder, 'local'), { mode: 0o700 });
      writeFileSync(join(at.folder, 'local', 'HALT'), reason);
      const told = await presage('status', '--config', at.config);
      expect(told.stdout).toContain('odd  ]0;owned 2J\\u202e');
      expect(told.stdout).not.toMatch(/[^\P{Cc}\n]|\u202E/u);
      expect(await at.order('status')).toMatchObject({ halts: [{ reason: 'odd  ]0;owned 2J\u202E' }] });
      const wrong = await presage('halt', '--config', `${at.folder}/\u001B[2J.yaml`);
      expect(wrong.stderr).toContain('\\u001b[2J.yaml');
      expect(wrong.stderr).not.toContain('\u001B');
    },
    TIMEOUT_MS,
  );

  it(
    'as a link that leads nowhere, or as a folder, halts a running bot until it is resumed',
    async () => {
      const at = await open();
      const bot = await trading(at);
      for (const make of [(path: string) => symlinkSync('/nowhere/at/all', path), (path: string) => mkdirSync(path)]) {
        make(join(at.folder, 'local', 'HALT'));
        await at.until((resting) => resting.length === 0);
        await pause(1000);
        expect(await at.resting()).toEqual([]);
        expect(await at.order('status')).toMatchObject({ halts: [{ by: 'operator', reason: 'the file HALT exists' }] });
        expect(await at.order('resume', '--reason', 'seen')).toMatchObject({ exitCode: 0, isDone: true });
        await at.until((resting) => resting.length >= 5);
      }
      bot.kill('SIGINT');
      expect(await bot.exited).toBe(0);
    },
    TIMEOUT_MS,
  );
});
