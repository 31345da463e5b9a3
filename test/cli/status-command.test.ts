// `presage status`: what it shows without a bot, and the exit code of each state with --quiet, in the order in which they
// count.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { quietCode, statusCommand } from '../../src/cli/status-command.ts';
import type { StatusRecord } from '../../src/app/session/status-record.ts';
import { Presage, presageIn, shippedConfig } from '../e2e/presage.ts';
import { PATIENCE_MS } from '../support/runner/patience.ts';

const WELL = {
  phase: 'trading',
  halts: [],
  feed: { isUp: true, ageMs: 1, fault: null },
  drift: { ageMs: 1, contracts: '0', cash: '0', isDrift: false },
} as unknown as StatusRecord;
const halt = { scope: 'strategy quoter', by: 'operator', reason: 'news', since: '2026-11-23T00:00:00Z' };

describe('the code of a bot that answers', () => {
  it.each<[string, Partial<StatusRecord>, number]>([
    ['trades and is well', {}, 0],
    ['is halted in any scope', { halts: [halt] }, 4],
    ['is halted and stops', { halts: [halt], phase: 'stopping' }, 4],
    ['starts', { phase: 'loading' }, 5],
    ['has no feed', { feed: { ...WELL.feed, isUp: false } }, 6],
    ['has a feed that blocks orders', { feed: { ...WELL.feed, fault: 'private: refused' } }, 6],
    ['has an unexplained difference', { drift: { ...WELL.drift, isDrift: true } }, 6],
  ])('that %s', (_, over, code) => {
    expect(quietCode({ ...WELL, ...over })).toBe(code);
  });
});

describe('presage status without a bot', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'presage-status-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('shows the halts, and says why it cannot list orders, when the key cannot be used', async () => {
    const config = join(folder, 'local.yaml');
    writeFileSync(config, shippedConfig('local.yaml', folder).replace(/file: \S*demo\.pem/, 'file: none.pem'));
    writeFileSync(join(folder, 'none.pem'), 'not a key', { mode: 0o600 });
    const data = /^dataFolder: (\S+)/m.exec(readFileSync(config, 'utf8'))?.[1] ?? '';
    mkdirSync(resolve(folder, data), { recursive: true });
    writeFileSync(resolve(folder, data, 'HALT'), 'news');
    const shown = await presageIn(folder, ['status', '--config', config]);
    expect(shown.code).toBe(2);
    expect(shown.stdout).toMatch(/^the account is HALTED by operator since \S+: news$/m);
    expect(shown.stdout).toMatch(/^what rests at the exchange is not known: key \S+none\.pem: expected PEM/m);
    expect(shown.stdout).toMatch(/^disk {5}journal/m);
    const record = JSON.parse((await presageIn(folder, ['status', '--config', config, '--json'])).stdout);
    expect(record).toMatchObject({
      halts: [{ reason: 'news' }],
      resting: null,
      keyFault: expect.stringContaining('PEM'),
    });
  });

  it('says in one sentence that the log of the operator cannot be written', async () => {
    const config = join(folder, 'unwritable.yaml');
    const data = join(folder, 'unwritable');
    // In a read-only folder the file cannot be opened, either; but a test may run as root, which may write everywhere.
    mkdirSync(join(data, 'operator.log'), { recursive: true });
    const text = shippedConfig('local.yaml', folder).replace(/^dataFolder: .*$/m, `dataFolder: ${data}`);
    writeFileSync(config, text.replace(/^  key:.*\n(?:    .*\n)*/m, ''));
    const { stderr } = await presageIn(folder, ['status', '--config', config]);
    expect(stderr).toBe(
      `presage: the log ${data}/operator.log cannot be opened: EISDIR; commands of the operator are logged here\n`,
    );
  });
});

it('refuses --json beside --quiet, which prints nothing', async () => {
  const command = statusCommand()
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  const parsed = command.parseAsync(['--config', 'none.yaml', '--json', '--quiet'], { from: 'user' });
  await expect(parsed).rejects.toThrow("option '--quiet' cannot be used with option '--json'");
});

describe('presage status --quiet', () => {
  let folder = '';
  let bot: Presage | null = null;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'presage-quiet-'));
  });
  afterAll(() => {
    bot?.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  it(
    'prints nothing and says by its code: no bot, trading, halted, wrong config',
    { timeout: PATIENCE_MS },
    async () => {
      const config = join(folder, 'demo.yaml');
      writeFileSync(config, shippedConfig('demo.yaml', folder));
      const quiet = () => presageIn(folder, ['status', '--config', config, '--quiet']);
      expect(await quiet()).toEqual({ code: 3, stdout: '', stderr: '' });
      bot = new Presage(['run', '--config', config, '--json']);
      await bot.line(({ type, phase }) => type === 'snapshot' && phase === 'trading');
      expect(await quiet()).toEqual({ code: 0, stdout: '', stderr: '' });
      const { stdout } = await presageIn(folder, ['status', '--config', config]);
      expect(stdout).toMatch(/^disk {5}journal .*, too young for a rate; .* left on the disk$/m);
      await presageIn(folder, ['halt', '--config', config, '--reason', 'test']);
      expect(await quiet()).toEqual({ code: 4, stdout: '', stderr: '' });
      bot.kill('SIGINT');
      await bot.exited;
      const stopped = (await presageIn(folder, ['status', '--config', config])).stdout;
      expect(stopped).toMatch(/^no bot runs on this data folder\nsession \S+ stopped in order at 2\S+Z$/m);
      await presageIn(folder, ['resume', '--config', config, '--reason', 'test']);
      bot = new Presage(['run', '--config', config, '--json']);
      await bot.line(({ type, phase }) => type === 'snapshot' && phase === 'trading');
      bot.kill('SIGKILL');
      await bot.exited;
      const died = JSON.parse((await presageIn(folder, ['status', '--config', config, '--json'])).stdout);
      expect(died).toMatchObject({ isRunning: false, lastSession: { end: null, at: expect.stringMatching(/Z$/) } });
      expect(await presageIn(folder, ['status', '--config', 'none.yaml', '--quiet'])).toMatchObject({ code: 2 });
    },
  );
});
