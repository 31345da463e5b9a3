// The main job as a user runs it: a process of its own, real sockets, the exchange's ledger as the judge. The tests run at
// once, because their processes mostly wait.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, describe, expect, it } from 'vitest';
import { type Line, Presage, endOf, isEnd, shippedConfig } from './presage.ts';
import { PATIENCE_MS } from '../support/runner/patience.ts';
import { pause } from './site.ts';

const TIMEOUT_MS = 2 * PATIENCE_MS;

/** The folder and the programs of one test, which end with it. */
class Bench {
  readonly folder = mkdtempSync(join(tmpdir(), 'presage-e2e-'));
  readonly #running: Presage[] = [];

  constructor({ onTestFinished }: TestContext) {
    onTestFinished(() => {
      for (const program of this.#running) program.kill('SIGKILL');
      rmSync(this.folder, { recursive: true, force: true });
    });
  }

  start(args: readonly string[]): Presage {
    const program = new Presage(args);
    this.#running.push(program);
    return program;
  }

  /** Writes a shipped config, changed, into the test's folder. */
  config(name: string, change: (text: string) => string): string {
    const file = join(this.folder, name);
    writeFileSync(file, change(shippedConfig(name, this.folder)));
    return file;
  }
}

const same = (text: string): string => text;
const isPhase = (phase: string) => (line: Line) => line.type === 'phase' && String(line['text']).includes(phase);

describe.concurrent('the main job', () => {
  it(
    'trades both strategies on the embedded exchange and equals its ledger to the last millionth',
    async (context) => {
      const at = new Bench(context);
      const bot = at.start(['run', '--config', at.config('demo.yaml', same), '--for', '20s', '--json', '--seed', '7']);
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
    async (context) => {
      const at = new Bench(context);
      const args = ['--profile', 'kalshi', '--for', '20s', '--json', '--seed', '7'];
      const bot = at.start(['run', '--config', at.config('demo.yaml', same), ...args]);
      expect(await bot.exited).toBe(0);
      const end = endOf(bot);
      expect(end.end).toMatchObject({ type: 'stopped', isReconciled: true });
      expect(end.ledgerDifferences).toEqual([]);
      expect(end.strategies.reduce((sum, { fills }) => sum + fills, 0)).toBeGreaterThan(0);
      expect(end.account.pledged).toBe(0);
      expect(bot.stderr).toBe('');
    },
    TIMEOUT_MS,
  );

  it(
    'cancels every order at SIGINT and exits with 0',
    async (context) => {
      const at = new Bench(context);
      const bot = at.start(['run', '--config', at.config('demo.yaml', same), '--json']);
      await bot.line((line) => line.type === 'snapshot' && working(line) > 0);
      bot.kill('SIGINT');
      expect(await bot.exited).toBe(0);
      expect(endOf(bot)).toMatchObject({ end: { type: 'stopped', isReconciled: true }, account: { pledged: 0 } });
    },
    TIMEOUT_MS,
  );

  it(
    'respects 429s when its budget exceeds the exchange’s: nothing is lost or doubled',
    async (context) => {
      const at = new Bench(context);
      const greedy = (text: string): string =>
        text
          .replace('  share: 0.9 # of the venue’s limits', '  share: 1')
          .replace('budgets:\n', 'budgets:\n  trade: { count: 200, window: 1s }\n  read: { count: 200, window: 1s }\n')
          .replace('toleranceCents: 1', 'toleranceCents: 0')
          .replace('events: [RAIN-OSLO, RAIN-LIMA] #', '#')
          .concat('\nupkeep: { fills: 50ms, compare: 100ms, audit: 50ms, probe: 100ms, markets: 200ms }\n');
      const bot = at.start(['run', '--config', at.config('demo.yaml', greedy), '--json']);
      const isLimited = (budget: string) => (line: Line) => line.type === 'rate-limited' && line['budget'] === budget;
      await Promise.all([bot.line(isLimited('trade')), bot.line(isLimited('read')), pause(12_000)]);
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

describe.concurrent('a session that cannot start', () => {
  it(
    'exits with 2 when its profile is not the one of the exchange at its address',
    async (context) => {
      const at = new Bench(context);
      const bot = at.start(['run', '--config', at.config('local.yaml', same), '--profile', 'kalshi']);
      expect(await bot.exited).toBe(2);
      expect(bot.stderr).toContain('--profile: only with an embedded exchange');
    },
    TIMEOUT_MS,
  );

  it(
    'exits with 2 and prints the venue’s refusal',
    async (context) => {
      const at = new Bench(context);
      const unknown = (text: string): string => text.replace('events: [CITY-36,', 'events: [NO-SUCH, CITY-36,');
      const bot = at.start(['run', '--config', at.config('demo.yaml', unknown), '--json']);
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
    async (context) => {
      const at = new Bench(context);
      const exchange = at.start(['exchange', '--config', 'config/exchange.yaml', '--port', '0', '--json']);
      const { port } = new URL(String((await exchange.line(({ type }) => type === 'listening'))['url']));
      const keys = at.start(['keys', 'generate', '--out', join(at.folder, 'demo.pem'), '--json']);
      expect(await keys.exited).toBe(0);
      const local = at.config('local.yaml', (text) => text.replaceAll('8790', port));
      const bot = at.start(['run', '--config', local, '--json']);
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

describe.concurrent('a session over two processes', () => {
  it(
    'survives a kill and restart of the exchange, and ends reconciled with its ledger',
    async (context) => {
      const at = new Bench(context);
      const key = `demo=${join(at.folder, 'demo.pem')}`;
      const data = join(at.folder, 'exchange');
      const exchangeArgs = ['exchange', '--config', 'config/exchange.yaml', '--key', key, '--data', data, '--json'];
      const first = at.start([...exchangeArgs, '--port', '0']);
      const listening = await first.line(({ type }) => type === 'listening');
      const { port } = new URL(String(listening['url']));
      const local = at.config('local.yaml', (text) => text.replaceAll('8790', port));
      const bot = at.start(['run', '--config', local, '--json']);
      // By then the market of 15 seconds is settled: it must not be between the two ends.
      const settled = pause(24_000);
      await bot.line((line) => line.type === 'snapshot' && working(line) > 0);
      await bot.line(({ type }) => type === 'fill');
      first.kill('SIGKILL');
      await first.exited;
      const second = at.start([...exchangeArgs, '--port', port]);
      await second.line(({ type }) => type === 'listening');
      const recovering = await bot.line(isPhase('recovering'));
      const isLater = (line: Line): boolean => bot.lines.indexOf(line) > bot.lines.indexOf(recovering);
      await bot.line((line) => isPhase('trading')(line) && isLater(line));
      await bot.line((line) => line.type === 'fill' && isLater(line));
      await settled;
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
