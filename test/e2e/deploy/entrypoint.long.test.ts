// The entry script of the container, with a real bot, its watchdog and an exchange: the script ends only when the watchdog
// has canceled the orders of a dead bot, and hands signals on.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { MAIN, ROOT } from '../presage.ts';
import { Site } from '../site.ts';
import { PATIENCE_MS } from '../../support/runner/patience.ts';

const TIMEOUT_MS = 2 * PATIENCE_MS;
const SCRIPT = join(ROOT, 'config/deploy/entrypoint.sh');

let site: Site | null = null;
let running: ChildProcess | null = null;
afterEach(async () => {
  running?.kill('SIGTERM');
  running = null;
  await site?.close();
  site = null;
});

/** Starts the script with a command. */
function startScript(command: readonly string[], env: Readonly<Record<string, string>>) {
  const child = spawn('sh', [SCRIPT, ...command], { cwd: ROOT, env: { ...process.env, ...env } });
  running = child;
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  child.stdout.resume();
  const exited = new Promise<number | null>((resolve) => {
    child.on('close', resolve);
  });
  return { child, exited, said: () => said };
}

/** Starts a bot by the script; its orders rest, and its watchdog watches, when this resolves. */
async function startBot() {
  site = await Site.open();
  const folder = join(site.folder, 'local');
  const command = [process.execPath, MAIN, 'run', '--lines', '--config', site.config];
  const script = startScript(command, { DATA_FOLDER: folder });
  await site.until((resting) => resting.length >= 4);
  await vi.waitFor(() => readFileSync(join(folder, 'watchdog.pid'), 'utf8'), { timeout: PATIENCE_MS });
  const pid = Number(readFileSync(join(folder, 'control.pid'), 'utf8'));
  return { ...script, site, pid };
}

describe('the entry script', () => {
  it('ends after the watchdog of a killed bot: no order rests then', { timeout: TIMEOUT_MS }, async () => {
    const { exited, site: at, pid, said } = await startBot();
    process.kill(pid, 'SIGKILL');
    expect(await exited).toBe(137);
    expect(await at.resting()).toEqual([]);
    expect(said()).toContain('the bot ended with 137; waiting for its watchdog');
    expect(said()).not.toContain('MAY STILL REST');
  });

  it('hands SIGTERM on, and ends with the code of the bot', { timeout: TIMEOUT_MS }, async () => {
    const { child, exited, site: at } = await startBot();
    child.kill('SIGTERM');
    expect(await exited).toBe(0);
    expect(await at.resting()).toEqual([]);
  });

  it('ends with the code of any program', async () => {
    const { exited } = startScript(['sh', '-c', 'exit 7'], { DATA_FOLDER: '/nonexistent' });
    expect(await exited).toBe(7);
  });

  it('gives up on a watchdog that does not end, and says so', async () => {
    site = await Site.open();
    const folder = site.folder;
    site.write('watchdog.pid', String(process.pid));
    const { exited, said } = startScript(['true'], { DATA_FOLDER: folder, WATCHDOG_WAIT: '1' });
    expect(await exited).toBe(0);
    expect(said()).toContain('MAY STILL REST');
  });

  it('is valid for the shell of the image', () => {
    expect(spawnSync('sh', ['-n', SCRIPT], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
  });
});
