// A bot and an exchange in two processes with every kind of fault between them, by a plan: the session still ends equal to
// the exchange's ledger, and its journal replays to identical commands.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { Presage, endOf, isEnd, isTrading, presage, shippedConfig } from './presage.ts';
import { PATIENCE_MS } from '../support/runner/patience.ts';

const TIMEOUT_MS = 2 * PATIENCE_MS;
const folder = mkdtempSync(join(tmpdir(), 'presage-faults-'));
const running: Presage[] = [];
afterAll(() => {
  for (const program of running.splice(0)) program.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

function start(args: readonly string[]): Presage {
  const program = new Presage(args);
  running.push(program);
  return program;
}

/** Time from the start of the exchange with faults to the end of its faults. */
const FAULTS_MS = 26_000;
/** Far more faults than any venue has, all of them over before the bot stops. */
const FAULTS = `seed: 1
requests:
  - { fault: drop-answer, on: [trades], probability: 0.08, until: ${FAULTS_MS}ms }
  - { fault: drop-request, on: [trades], probability: 0.04, until: ${FAULTS_MS}ms }
  - { fault: server-error, on: [trades], probability: 0.04, status: 502, acts: true, until: ${FAULTS_MS}ms }
  - { fault: odd-answer, on: [trades], probability: 0.04, body: no-order, until: ${FAULTS_MS}ms }
  - { fault: delay, probability: 0.05, before: 100ms, after: 100ms, until: ${FAULTS_MS}ms }
  - { fault: stale, on: [orders, fills, positions, balance], probability: 0.3, by: 400ms, until: ${FAULTS_MS}ms }
feed:
  - { fault: lose, on: [book], probability: 0.01, until: ${FAULTS_MS}ms }
  - { fault: duplicate, on: [book], probability: 0.01, until: ${FAULTS_MS}ms }
  - { fault: reorder, on: [book], probability: 0.01, until: ${FAULTS_MS}ms }
  - { fault: garbage, probability: 0.002, body: half, until: ${FAULTS_MS}ms }
  - { fault: cut, probability: 0.001, until: ${FAULTS_MS}ms }
incidents:
  - { incident: crash, after: 14s, for: 2s }
`;

it(
  'a run with injected faults and an exchange restart equals the ledger, and replays to the same commands',
  async () => {
    const faults = join(folder, 'faults.yaml');
    writeFileSync(faults, FAULTS);
    const key = `demo=${join(folder, 'demo.pem')}`;
    const data = join(folder, 'exchange');
    const exchangeArgs = ['exchange', '--config', 'config/exchange.yaml', '--key', key, '--data', data, '--json'];
    const calm = start([...exchangeArgs, '--port', '0']);
    const { port } = new URL(String((await calm.line(isListening))['url']));
    const config = join(folder, 'local.yaml');
    const text = shippedConfig('local.yaml', folder)
      .replaceAll('8790', port)
      .replace('toleranceCents: 1', 'toleranceCents: 0')
      .replace('deadline: 5s', 'deadline: 5s\n  giveUpAfter: 10s');
    writeFileSync(config, text);
    const bot = start(['run', '--config', config, '--json']);
    // The plan of faults counts from the start of the exchange, so the exchange starts again once the bot trades.
    await bot.line(isTrading);
    calm.kill('SIGINT');
    expect(await calm.exited).toBe(0);
    const exchange = start([...exchangeArgs, '--port', port, '--faults', faults]);
    await exchange.line(isListening);
    // The exchange counts from a moment before this.
    const quietMs = performance.now() + FAULTS_MS;
    // It goes on trading once the last fault is over.
    await bot.line((line) => isTrading(line) && performance.now() > quietMs);
    expect(await bot.stop(), JSON.stringify(bot.lines.at(-1))).toBe(0);
    const end = endOf(bot);
    expect(end.end).toMatchObject({ type: 'stopped', isReconciled: true });

    exchange.kill('SIGINT');
    expect(await exchange.exited).toBe(0);
    const told = (await exchange.line(isEnd)) as unknown as ExchangeEnd;
    const account = told.ledger.accounts.find(({ account: name }) => name === 'demo');
    expect(account).toMatchObject({ cash: end.account.cash, reserved: 0 });
    expect(told.faultsByKind).toMatchObject({ crash: 1 });
    expect(Object.keys(told.faultsByKind).length).toBeGreaterThan(6);

    const { stdout } = await presage('journal', 'replay', join(folder, 'local/journal'));
    expect(stdout).toMatch(/commands the same/);
  },
  TIMEOUT_MS,
);

const isListening = ({ type }: Readonly<Record<string, unknown>>): boolean => type === 'listening';

/** The last record of `presage exchange --json`. */
interface ExchangeEnd {
  readonly faultsByKind: Readonly<Record<string, number>>;
  readonly ledger: { readonly accounts: readonly { readonly account: string; readonly cash: number }[] };
}
