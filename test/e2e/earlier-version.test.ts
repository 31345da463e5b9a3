// A data folder that version 0.1.0 wrote: a later version replays its journal to the same commands, keeps its halt, and
// trades on with its saved state and strategy ledgers. Files on disk are a promise; the names in the code are not.
import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Presage, presage, shippedConfig } from './presage.ts';

const WRITTEN = fileURLToPath(new URL('data-0.1.0', import.meta.url));
const STRATEGIES = ['two-sided-quoter', 'group-arbitrage'];

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'presage-earlier-'));
  cpSync(WRITTEN, join(folder, 'demo'), { recursive: true });
  // Sources of that version, stored as text so that nothing else reads them as code of today.
  for (const name of STRATEGIES) renameSync(join(folder, 'demo/strategies', `${name}.ts.txt`), strategyFile(name));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const strategyFile = (name: string): string => join(folder, `${name}.ts`);
const journal = (): string => join(folder, 'demo', 'journal');

describe('a data folder of version 0.1.0', () => {
  it('has a journal in which every checksum is right', async () => {
    const { code, stderr } = await presage('journal', 'verify', journal());
    expect([code, stderr]).toEqual([0, '']);
  });

  it.each([
    ['hofmwndmnr', 65],
    ['hofmxcevdp', 43],
  ])('replays session %s to the same %d commands', async (session, commands) => {
    const { code, stdout, stderr } = await presage(
      'journal',
      'replay',
      journal(),
      '--session',
      session,
      '--strategies',
      folder,
    );
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`session ${session}`);
    expect(stdout).toContain(`${commands} commands the same`);
  });

  it('goes on with its halt, its strategy ledgers and its saved state', async () => {
    const config = join(folder, 'demo.yaml');
    writeFileSync(config, shippedConfig('demo.yaml', folder));
    const bot = new Presage(['run', '--config', config, '--json']);
    const halt = await bot.line(({ type }) => type === 'halt');
    expect(halt['text']).toContain('CITY-36-A');
    await bot.line(({ type, text }) => type === 'phase' && String(text).startsWith('session trading'));
    bot.kill('SIGINT');
    expect([await bot.exited, bot.stderr]).toEqual([0, '']);
    const sessions = JSON.parse(readFileSync(join(folder, 'demo', 'sessions.json'), 'utf8')) as { session: string }[];
    expect(sessions.map(({ session }) => session).slice(0, 2)).toEqual(['hofmwndmnr', 'hofmxcevdp']);
    expect(sessions).toHaveLength(3);
    expect(JSON.parse(readFileSync(join(folder, 'demo', 'saved', 'arbitrage.json'), 'utf8'))).toHaveProperty('waits');
  });
});
