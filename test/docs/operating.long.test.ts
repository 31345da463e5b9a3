// The pages on running a bot for weeks: their blocks are run, in order, in a folder with the demo. A block that needs more
// than this machine surely has says so in the line that opens it.
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MAIN, Presage, ROOT, endOf, isAccepted, isTrading, shippedConfig } from '../e2e/presage.ts';
import { PATIENCE_MS } from '../support/runner/patience.ts';
import { readPage } from './pages.ts';

const PAGES = ['run-as-a-service', 'containers', 'backup-and-upgrade', 'several-bots'];

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'presage-operating-'));
  mkdirSync(join(folder, 'config'));
  mkdirSync(join(folder, 'bin'));
  const inside = (name: string): string =>
    shippedConfig('demo.yaml', join(folder, 'var')).replaceAll('/demo', `/${name}`);
  writeFileSync(join(folder, 'config/demo.yaml'), shippedConfig('demo.yaml', join(folder, 'var')));
  writeFileSync(join(folder, 'other.yaml'), inside('other'));
  writeFileSync(join(folder, 'bin/presage'), `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`);
  chmodSync(join(folder, 'bin/presage'), 0o755);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs lines of shell in the folder; each must end with 0. */
function runShell(text: string): Promise<{ code: number | null; said: string }> {
  const env = { ...process.env, PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`, PRESAGE_HOME: ROOT };
  const child = spawn('sh', ['-e', '-c', text], { cwd: folder, env });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => (said += part));
  return new Promise((resolve) => {
    child.on('close', (code) => resolve({ code, said }));
  });
}

/** Runs the demo until it trades, and stops it. Returns the time that it took to begin, and its last record. */
async function runDemo() {
  const bot = new Presage(['run', '--config', join(folder, 'config/demo.yaml'), '--json']);
  const { elapsedMs } = await bot.line(isTrading);
  await bot.line(isAccepted);
  expect(await bot.stop(), bot.stderr).toBe(0);
  return { beginMs: Number(elapsedMs), end: endOf(bot) };
}

/** The lines of a block, in which a session runs for as long as a session on this machine surely takes to trade. */
function timed(text: string, beginMs: number): string {
  return text.replaceAll('--for 10s', `--for ${Math.max(2, Math.ceil(beginMs / 200))}s`);
}

describe('a page on running a bot', { timeout: 2 * PATIENCE_MS }, () => {
  it.each(PAGES)('%s has commands that work', async (name) => {
    const blocks = readPage(`docs/how-to/${name}.md`).blocks.filter(({ lang }) => lang === 'sh');
    const run = blocks.filter(({ info }) => !info.startsWith('needs '));
    expect(run.length).toBeGreaterThan(0);
    expect(blocks.filter(({ info }) => info !== '' && !info.startsWith('needs '))).toEqual([]);
    // A session has run before, so that there is a journal.
    const { beginMs } = await runDemo();
    for (const { text, line } of run)
      expect({ line, ...(await runShell(timed(text, beginMs))) }).toMatchObject({ line, code: 0 });
  });

  it('backup-and-upgrade restores to a halted bot, which trades again after the resume', async () => {
    const { beginMs } = await runDemo();
    const blocks = readPage('docs/how-to/backup-and-upgrade.md').blocks.filter(
      ({ lang, info }) => lang === 'sh' && info === '',
    );
    const [backUp, restore, resume] = blocks.map(({ text }) => timed(text, beginMs));
    const restored = await runShell(`${backUp}${restore}`);
    expect(restored.said).toContain('the account STILL HALTED by operator: restored from a backup');
    expect(restored.said).not.toMatch(/ (?:bought|sold) /);
    expect(await runShell(String(resume))).toMatchObject({ code: 0 });
    expect((await runDemo()).end).toMatchObject({ halts: [] });
  });
});
