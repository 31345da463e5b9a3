// The bots of a console: from configs, from the paper sessions of configs, and from data folders, each with a name.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UsageError } from '../../src/app/usage-error.ts';
import type { LiveClients } from '../../src/console/live/live-response.ts';
import { consoleMetricsText } from '../../src/console/server/console-metrics.ts';
import { type ConsoleRunOptions, startConsole } from '../../src/console/server/console-run.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'presage-bots-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Writes a config with paper sessions, or without them; its bot's data folder is `PATH/data`. */
function configAt(path: string, hasPaper = true): string {
  const folder = join(root, path);
  mkdirSync(join(folder, 'data'), { recursive: true });
  const file = join(folder, 'bot.yaml');
  const text = readFileSync('config/paper.yaml', 'utf8').replaceAll('../var/paper', join(folder, 'data'));
  writeFileSync(file, hasPaper ? text : text.replace(/^paper:[^]*/m, ''));
  return file;
}

const folderOf = (config: string): string => join(dirname(config), 'data');

/** Name, folder below the test's and kind of each bot of a console. */
async function botsOf(options: Partial<ConsoleRunOptions>): Promise<readonly (readonly [string, string, boolean])[]> {
  const running = await startConsole({ configs: [], folders: [], listen: '127.0.0.1:0', ...options });
  try {
    return running.bots.map(({ name, dataFolder, isPaper }) => [name, dataFolder.slice(root.length + 1), isPaper]);
  } finally {
    await running.close();
  }
}

describe('the bots of a console', () => {
  it('are named by their folders, and by the folders above where these are alike', async () => {
    const configs = [configAt('a')];
    mkdirSync(join(root, 'nba'));
    expect(await botsOf({ configs, folders: [folderOf(configAt('b')), join(root, 'nba')] })).toEqual([
      ['a-data', 'a/data', false],
      ['b-data', 'b/data', false],
      ['nba', 'nba', false],
    ]);
  });

  it('include with --paper the paper session of each config, named after its bot', async () => {
    const config = configAt('a');
    expect(await botsOf({ configs: [config], isPaper: true })).toEqual([['data (paper)', 'a/data/paper', true]]);
    expect(await botsOf({ configs: [config], isPaper: true, folders: [folderOf(config)] })).toEqual([
      ['a-data (paper)', 'a/data/paper', true],
      ['a-data', 'a/data', false],
    ]);
  });

  it('have a name each on paper, also in the metrics, where the folders are alike', async () => {
    const configs = [configAt('a'), configAt('b')];
    const running = await startConsole({ configs, folders: [], isPaper: true, listen: '127.0.0.1:0' });
    // tidy: as (the text needs the number of clients alone)
    const text = await consoleMetricsText(running.bots, { size: 0, dropped: 0 } as LiveClients);
    await running.close();
    expect(text.match(/^presage_up\{.*/gm)).toEqual([
      'presage_up{bot="a-data (paper)"} 0',
      'presage_up{bot="b-data (paper)"} 0',
    ]);
  });

  it('are refused when one is given twice', async () => {
    const config = configAt('a');
    await expect(botsOf({ configs: [config, config] })).rejects.toThrow(/expected each bot once, found .*data twice/);
  });

  it('are refused with --paper where no config has paper sessions', async () => {
    const lone = await botsOf({ folders: [root], isPaper: true }).catch((fault: unknown) => fault);
    expect(lone).toEqual(new UsageError('--paper: expected --config FILE beside it, found none'));
    await expect(botsOf({ configs: [configAt('a', false)], isPaper: true })).rejects.toThrow(
      /--paper: expected a section paper in .*bot.yaml, found none/,
    );
  });
});
