// The demo, live and on paper; then each session's tape in the backtester, and replayed.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DifferenceCause } from '../../backtest/parity/run-comparison.ts';
import { Presage, ROOT, endOf, isAccepted, presage, shippedConfig } from './presage.ts';
import { PATIENCE_MS } from '../support/runner/patience.ts';

const TIMEOUT_MS = 2 * PATIENCE_MS;
/** Times at least that an order of a session came to rest: placed or amended. */
const ORDERS_MIN = 30;
/** Every cause. The type makes the list complete. */
const CAUSES: Readonly<Record<DifferenceCause, true>> = {
  latency: true,
  queue: true,
  fee: true,
  budget: true,
  refused: true,
  code: true,
  tape: true,
  start: true,
  halt: true,
  follows: true,
  position: true,
  unexplained: true,
};

interface Parity {
  readonly orders: { readonly live: number; readonly simulated: number; readonly paired: number };
  readonly filledQty: { readonly live: number; readonly simulated: number; readonly same: number };
  readonly agreement: number;
  readonly differences: readonly {
    readonly cause: string;
    readonly what: string;
    readonly strategy: string;
    readonly live: string | null;
  }[];
  readonly byCause: Readonly<Record<string, number>>;
  readonly notes: readonly string[];
}

let folder = '';
/** Writes a shipped config whose files go elsewhere. */
function config(name: string, more = ''): string {
  const file = join(folder, `${more.length}-${name}`);
  writeFileSync(file, shippedConfig(name, folder) + more);
  return file;
}

beforeAll(() => {
  mkdirSync(join(ROOT, 'var'), { recursive: true });
  folder = mkdtempSync(join(ROOT, 'var', 'e2e-parity-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a session and the backtest of its own tape', () => {
  it.each([
    { how: 'a cancel and a new order', moves: 'cancel', batches: false },
    { how: 'a cancel and a new order, in batches', moves: 'cancel', batches: true },
    { how: 'an amend', moves: 'amend', batches: false },
  ])(
    'are compared, and every difference has a cause, with quotes that move by $how',
    async ({ moves, batches }) => {
      const tape = join(folder, `tape-${moves}-${batches}`);
      const file = config('demo.yaml', `\norders: { moveQuotesBy: ${moves}, batches: ${batches} }\n`);
      const run = new Presage(['run', '--config', file, '--record', tape, '--json']);
      await run.gotLines(ORDERS_MIN, isAccepted);
      await run.line(({ type }) => type === 'fill');
      expect(await run.stop(), run.stderr).toBe(0);
      const commands = await presage('journal', 'inspect', tape, '--kind', 'commands', '--json');
      expect(commands.stdout.includes('"type":"amend"')).toBe(moves === 'amend');
      expect(await presage('journal', 'replay', tape)).toMatchObject({ code: 0 });
      const { code, stdout, stderr } = await presage('parity', tape, '--json');
      expect(stderr).toBe('');
      const report = JSON.parse(stdout) as Parity;
      const orders = endOf(run).strategies.reduce((sum, strategy) => sum + strategy.orders, 0);
      expect(report.orders.live).toBe(orders);
      expect(report.orders.simulated).toBeGreaterThan(0);
      expect(report.orders.paired).toBeGreaterThan(0);
      for (const { cause } of report.differences) expect(Object.keys(CAUSES)).toContain(cause);
      expect(Object.values(report.byCause).reduce((sum, count) => sum + count, 0)).toBe(report.differences.length);
      expect(code).toBe((report.byCause['unexplained'] ?? 0) > 0 ? 1 : 0);
      const again = await presage('parity', tape, '--json');
      expect(again.stdout).toBe(stdout);
      expect((await presage('parity', tape)).stdout).toContain('agreement');
    },
    TIMEOUT_MS,
  );

  it(
    'are compared up to where the journal replays differently, because the code has changed',
    async () => {
      const [tape, changed] = [join(folder, 'tape-changed'), join(folder, 'strategies')];
      const run = new Presage(['run', '--config', config('demo.yaml'), '--record', tape, '--json']);
      await run.line(({ type, strategy }) => type === 'fill' && strategy === 'arbitrage');
      expect(await run.stop(), run.stderr).toBe(0);
      cpSync(join(ROOT, 'strategies'), changed, { recursive: true });
      const file = join(changed, 'group-arbitrage.ts');
      writeFileSync(file, readFileSync(file, 'utf8').replaceAll("timeInForce: 'ioc'", "timeInForce: 'fok'"));
      const { stdout } = await presage('parity', tape, '--strategies', changed, '--allow-changed', '--json');
      const report = JSON.parse(stdout) as Parity;
      expect(report.notes[0]).toContain('the code has changed, and only what came before is compared');
      // No order of the changed code passes for one of the session.
      const commands = await presage('journal', 'inspect', tape, '--kind', 'commands', '--json');
      for (const { live } of report.differences) expect(commands.stdout).toContain(live ?? '');
      const arbitrage = report.differences.filter(({ strategy, live }) => strategy === 'arbitrage' && live !== null);
      expect(arbitrage).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it('require a session: a recording of the feed alone has no orders', async () => {
    const { code, stderr } = await presage('parity', join(folder, 'nothing-here'));
    expect(code).toBe(2);
    expect(stderr).toContain('found nothing');
  });
});

describe('presage paper', () => {
  it(
    'trades the demo without an order at the exchange, equals its own ledger, and replays to the same commands',
    async () => {
      const file = config('paper.yaml');
      const paper = new Presage(['paper', '--config', file, '--json']);
      await paper.gotLines(ORDERS_MIN, isAccepted);
      expect(await paper.stop(), paper.stderr).toBe(0);
      const end = endOf(paper);
      expect(end.end).toMatchObject({ type: 'stopped', isReconciled: true });
      expect(end.ledgerDifferences).toEqual([]);
      expect(end.strategies.some(({ orders }) => orders > 0)).toBe(true);
      const journal = join(folder, 'paper/paper/journal');
      const replay = await presage('journal', 'replay', journal);
      expect(replay.code, replay.stdout).toBe(0);
      const { stdout } = await presage('parity', journal, '--json');
      const report = JSON.parse(stdout) as Parity;
      expect(report.orders.paired).toBeGreaterThan(0);
      expect(report.notes).toEqual([]);
      // The models are those of the session: a file with the same ones changes nothing.
      const models = join(folder, 'models.yaml');
      writeFileSync(models, stringify({ simulation: parse(readFileSync(file, 'utf8')).paper.simulation }));
      expect((await presage('parity', journal, '--simulation', models, '--json')).stdout).toBe(stdout);
      writeFileSync(models, 'latency: { order: { model: constant, delay: 900ms } }\n');
      expect((await presage('parity', journal, '--simulation', models, '--json')).stdout).not.toBe(stdout);
    },
    TIMEOUT_MS,
  );

  it('requires the opening cash', async () => {
    const { code, stderr } = await presage('paper', '--config', 'config/demo.yaml');
    expect(code).toBe(2);
    expect(stderr).toContain('expected a section paper, such as paper: { cash: 1000 }, found none');
  });
});
