// The main job as a user runs it: a process of its own, real sockets, the exchange's ledger as the judge.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Line, Presage, endOf, isEnd, isFillOf, shippedConfig } from './presage.ts';
import { PATIENCE_MS } from '../support/runner/patience.ts';

const TIMEOUT_MS = 2 * PATIENCE_MS;

let folder = '';
const running: Presage[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'presage-e2e-'));
});
afterEach(() => {
  for (const program of running.splice(0)) program.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

function start(args: readonly string[]): Presage {
  const program = new Presage(args);
  running.push(program);
  return program;
}

/** Writes a shipped config, changed, into the test's folder. */
function config(name: string, change: (text: string) => string): string {
  const file = join(folder, name);
  writeFileSync(file, change(shippedConfig(name, folder)));
  return file;
}

const same = (text: string): string => text;
const isPhase = (phase: string) => (line: Line) => line.type === 'phase' && String(line['text']).includes(phase);

describe('the main job', () => {
  it(
    'trades both strategies on the embedded exchange, cancels every order at SIGINT, and equals its ledger to the last millionth',
    async () => {
      const bot = start(['run', '--config', config('demo.yaml', same), '--json', '--seed', '7']);
      await Promise.all(['quoter', 'arbitrage'].map((name) => bot.line(isFillOf(name))));
      await bot.line((line) => line.type === 'snapshot' && working(line) > 0);
      bot.kill('SIGINT');
      expect(await bot.exited).toBe(0);
      const end = endOf(bot);
      expect(end.end).toMatchObject({ type: 'stopped', isReconciled: true });
      expect(end.ledgerDifferences).toEqual([]);
      for (const { fills, name } of end.strategies) expect(fills, `fills of ${name}`).toBeGreaterThan(0);
      expect(end.account.pledged).toBe(0);
      expect(end.rateLimited).toEqual({ read: 0, trade: 0 });
      expect(bot.stderr).toBe('');
    },
    TIMEOUT_MS,
  );

  it(
    'does the same with the other profile',
    async () => {
      const args = ['--profile', 'kalshi', '--json', '--seed', '7'];
      const bot = start(['run', '--config', config('demo.yaml', same), ...args]);
      await bot.line(({ type }) => type === 'fill');
      bot.kill('SIGINT');
      expect(await bot.exited).toBe(0);
      const end = endOf(bot);
      expect(end.end).toMatchObject({ type: 'stopped', isReconciled: true });
      expect(end.ledgerDifferences).toEqual([]);
      expect(end.account.pledged).toBe(0);
      expect(bot.stderr).toBe('');
    },
    TIMEOUT_MS,
  );

  it(
    'respects 429s when its budget exceeds the exchange’s: nothing is lost or doubled',
    async () => {
      const greedy = (text: string): string =>
        text
          .replace('  share: 0.9 # of the venue’s limits', '  share: 1')
          .replace('budgets:\n', 'budgets:\n  trade: { count: 200, window: 1s }\n  read: { count: 200, window: 1s }\n')
          .replace('toleranceCents: 1', 'toleranceCents: 0')
          .replace('events: [RAIN-OSLO, RAIN-LIMA] #', '#')
          .concat('\nupkeep: { fills: 50ms, compare: 100ms, audit: 50ms, probe: 100ms, markets: 200ms }\n');
      const bot = start(['run', '--config', config('demo.yaml', greedy), '--json']);
      for (const kind of ['trade', 'read'])
        await bot.line(({ type, budget }) => type === 'rate-limited' && budget === kind);
      await bot.line(({ type }) => type === 'fill');
      bot.kill('SIGINT');
      expect(await bot.exited).toBe(0);
      const end = endOf(bot);
      expect(end.rateLimited.trade).toBeGreaterThan(0);
      expect(end.rateLimited.read).toBeGreaterThan(0);
      expect(end.end).toMatchObject({ type: 'stopped', isReconciled: true });
      expect(end.ledgerDifferences).toEqual([]);
    },
    TIMEOUT_MS,
  );
});

describe('a session that cannot start', () => {
  it(
    'exits with 2 when its profile is not the one of the exchange at its address',
    async () => {
      const bot = start(['run', '--config', config('local.yaml', same), '--profile', 'kalshi']);
      expect(await bot.exited).toBe(2);
      expect(bot.stderr).toContain('--profile: only with an embedded exchange');
    },
    TIMEOUT_MS,
  );

  it(
    'exits with 2 and prints the venue’s refusal',
    async () => {
      const unknown = (text: string): string => text.replace('events: [CITY-36,', 'events: [NO-SUCH, CITY-36,');
      const bot = start(['run', '--config', config('demo.yaml', unknown), '--json']);
      expect(await bot.exited).toBe(2);
      expect(endOf(bot).end).toEqual({
        type: 'refused',
        reason: 'the venue refused event NO-SUCH: 404 not_found: not found',
      });
    },
    TIMEOUT_MS,
  );

  it(
    'exits with 2 when the exchange does not know its key',
    async () => {
      const exchange = start(['exchange', '--config', 'config/exchange.yaml', '--port', '0', '--json']);
      const { port } = new URL(String((await exchange.line(({ type }) => type === 'listening'))['url']));
      const keys = start(['keys', 'generate', '--out', join(folder, 'demo.pem'), '--json']);
      expect(await keys.exited).toBe(0);
      const local = config('local.yaml', (text) => text.replaceAll('8790', port));
      const bot = start(['run', '--config', local, '--json']);
      expect(await bot.exited).toBe(2);
      expect(endOf(bot).end).toMatchObject({
        type: 'refused',
        reason: expect.stringContaining('401 authentication_error'),
      });
    },
    TIMEOUT_MS,
  );
});

const working = (line: Line): number => (line['orders'] as { working: number }).working;

describe('a session over two processes', () => {
  it(
    'survives a kill and restart of the exchange, and ends reconciled with its ledger',
    async () => {
      const key = `demo=${join(folder, 'demo.pem')}`;
      const data = join(folder, 'exchange');
      // No market may pay out between the end of the session and the end of the exchange.
      const exchange = config('exchange.yaml', (text) => text.replace('closesIn: 15s', 'closesIn: 2h'));
      const exchangeArgs = ['exchange', '--config', exchange, '--key', key, '--data', data, '--json'];
      const first = start([...exchangeArgs, '--port', '0']);
      const listening = await first.line(({ type }) => type === 'listening');
      const { port } = new URL(String(listening['url']));
      const local = config('local.yaml', (text) => text.replaceAll('8790', port));
      const bot = start(['run', '--config', local, '--json']);
      await bot.line((line) => line.type === 'snapshot' && working(line) > 0);
      await bot.line(({ type }) => type === 'fill');
      first.kill('SIGKILL');
      await first.exited;
      const second = start([...exchangeArgs, '--port', port]);
      await second.line(({ type }) => type === 'listening');
      const lost = bot.lines.indexOf(await bot.line(isPhase('recovering')));
      await bot.line((line) => isPhase('trading')(line) && bot.lines.indexOf(line) > lost);
      bot.kill('SIGINT');
      expect(await bot.exited).toBe(0);
      const end = endOf(bot);
      expect(end.end).toMatchObject({ type: 'stopped', isReconciled: true });
      second.kill('SIGINT');
      expect(await second.exited).toBe(0);
      const { ledger } = (await second.line(isEnd)) as unknown as { ledger: Ledger };
      const account = ledger.accounts.find(({ account: name }) => name === 'demo');
      expect(account).toMatchObject({ cash: end.account.cash, reserved: 0, fees: end.account.fees });
      for (const { ticker, qty } of end.account.positions)
        expect(account?.positions.find((position) => position.ticker === ticker)?.qty ?? 0, ticker).toBe(qty);
      expect(ledger.accounts.reduce((sum, { cash }) => sum + cash, ledger.house + ledger.locked)).toBe(
        ledger.deposited,
      );
    },
    TIMEOUT_MS,
  );
});

/** The exchange's ledger: the last record of `presage exchange --json`. */
interface Ledger {
  readonly accounts: readonly {
    readonly account: string;
    readonly cash: number;
    readonly reserved: number;
    readonly fees: number;
    readonly positions: readonly { readonly ticker: string; readonly qty: number }[];
  }[];
  readonly house: number;
  readonly locked: number;
  readonly deposited: number;
}
