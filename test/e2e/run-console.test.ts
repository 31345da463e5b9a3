// `presage run --console` with the demo: one command starts the bot, the exchange in it and the console beside it; the page's
// figures move; the console dies without the bot, and ends with the bot.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { must } from '../../src/base/assert.ts';
import { FollowClient } from '../../src/runtime/follow/follow-client.ts';
import { controlPath } from '../../src/runtime/operator/control-path.ts';
import { systemScheduler } from '../../src/transport/scheduler.ts';
import { PATIENCE_MS } from '../support/runner/patience.ts';
import { Person } from './console-person.ts';
import { Presage, endOf, shippedConfig } from './presage.ts';

let folder = '';
let started: Presage[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'presage-demo-'));
});
afterEach(() => {
  for (const program of started) program.kill('SIGKILL');
  started = [];
  rmSync(folder, { recursive: true, force: true });
});

const waitFor = (claim: () => void | Promise<void>): Promise<void> =>
  vi.waitFor(claim, { timeout: PATIENCE_MS, interval: 50 });

/** Starts the demo, or another command and config, with a console at any free port; returns the link too. */
async function runDemo(command = 'run', name = 'demo.yaml'): Promise<{ readonly bot: Presage; readonly url: string }> {
  const config = join(folder, name);
  writeFileSync(config, shippedConfig(name, folder));
  const bot = new Presage([command, '--config', config, '--console', '127.0.0.1:0', '--json']);
  started.push(bot);
  const { url } = await bot.line((line) => line.type === 'console');
  return { bot, url: String(url) };
}

/** Logs in by the link; returns a function that reads the API. */
async function logIn(url: string): Promise<(path: string) => Promise<unknown>> {
  const { origin, hash } = new URL(url);
  const headers = { Origin: origin, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ code: hash.slice('#login='.length) });
  const answer = await fetch(`${origin}/api/v1/session`, { method: 'POST', headers, body });
  expect(answer.status).toBe(204);
  const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  return async (path) => (await fetch(`${origin}/api/v1${path}`, { headers: { Cookie: cookie } })).json();
}

/** The id of the console that a bot's process has started. */
function consoleOf(parent: number): number {
  const rows = execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(parent)], { encoding: 'utf8' }).split('\n');
  const row = rows.find((text) => text.includes(' console --config '));
  return Number.parseInt(must(row, 'a console'), 10);
}

describe('the demo with a console', () => {
  it('shows the bot trading, and ends the console with the bot', async () => {
    const { bot, url } = await runDemo();
    const read = await logIn(url);
    await waitFor(async () => {
      const text = JSON.stringify(await read('/bots'));
      expect(text).toContain('"phase":"trading"');
      expect(text).toContain('"state":"running"');
    });
    const before = JSON.stringify(await read('/bots'));
    await waitFor(async () => expect(JSON.stringify(await read('/bots'))).not.toBe(before));
    bot.kill('SIGINT');
    expect(await bot.exited).toBe(0);
    expect(endOf(bot).end).toMatchObject({ type: 'stopped', isReconciled: true });
    await waitFor(() => expect(fetch(new URL(url).origin)).rejects.toThrow());
  });

  it('trades on when its console is killed, and says so', async () => {
    const { bot } = await runDemo();
    const client = new FollowClient({
      path: controlPath(join(folder, 'demo'), 'control'),
      scheduler: systemScheduler,
      random: () => 0,
    });
    client.start();
    try {
      await waitFor(() => expect(client.bot.session?.phase).toBe('trading'));
      const pid = consoleOf(must(client.bot.hello, 'a first frame').pid);
      process.kill(pid, 'SIGKILL');
      expect(await bot.line((line) => line.type === 'console' && line['url'] === null)).toMatchObject({
        why: 'it ended with SIGKILL',
      });
      const fills = client.bot.session?.lastFillUs ?? 0;
      await waitFor(() => expect(client.bot.session?.lastFillUs).toBeGreaterThan(fills));
      expect(client.bot.session?.phase).toBe('trading');
    } finally {
      client.stop();
    }
    bot.kill('SIGINT');
    expect(await bot.exited).toBe(0);
  });
});

describe('a paper session with a console', () => {
  it('is shown, halted and resumed, and a halt of it does not halt the live bot', async () => {
    const { bot, url } = await runDemo('paper', 'paper.yaml');
    const person = await Person.logIn(url);
    const row = async (): Promise<unknown> => (await person.call('GET', `/bots/${person.bot}`)).body;
    await waitFor(async () =>
      expect(await row()).toMatchObject({ bot: 'paper (paper)', isPaper: true, phase: 'trading' }),
    );
    const halted = await person.control('halt', { scope: 'account', reason: 'look first' });
    const text: unknown = expect.stringContaining('the simulated venue has nothing left');
    expect(halted).toMatchObject({ state: 'confirmed', left: [], text });
    const saved = ['paper', 'paper/paper'].map((path) => existsSync(join(folder, path, 'HALT')));
    expect(saved).toEqual([false, true]);
    const resumed = await person.control('resume', { scope: 'account', reason: 'seen', typed: 'account' });
    expect(resumed).toMatchObject({ state: 'confirmed' });
    await waitFor(async () => expect(await row()).toMatchObject({ halts: [] }));
    bot.kill('SIGINT');
    expect(await bot.exited).toBe(0);
  });
});
