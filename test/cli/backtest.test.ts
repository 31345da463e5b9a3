// `presage backtest` over the recording that comes with Presage: its config, its flags, its exit codes.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type BacktestFlags,
  cashArgument,
  seedArgument,
  withFlags,
  withMarkets,
} from '../../src/cli/backtest-options.ts';
import { recordOf, runOnce } from '../../src/cli/backtest-session.ts';
import { openTapeAt } from '../../src/cli/tape-place.ts';
import { type BacktestConfig, readBacktestConfig } from '../../src/config/backtest-config.ts';
import type { RowSource } from '../../src/tape/baked/rows.ts';

const FILE = 'config/backtest.yaml';
const flags = (over: Partial<BacktestFlags> = {}): BacktestFlags => ({ config: FILE, ...over });

describe('the config', () => {
  const config = readBacktestConfig(FILE);

  it('that ships is read, its paths made absolute', () => {
    expect(config.tape.endsWith(join('backtest', 'data', 'sample'))).toBe(true);
    expect(config.strategies.map(({ file }) => existsSync(file))).toEqual([true, true]);
  });

  it('is refused without limits, and the message names each that must be chosen', () => {
    const folder = mkdtempSync(join(tmpdir(), 'presage-'));
    const file = join(folder, 'no-limits.yaml');
    const lines = readFileSync(FILE, 'utf8').split('\n');
    const from = lines.findIndex((line) => line.startsWith('limits:'));
    const to = lines.findIndex((line) => line.startsWith('budgets:'));
    writeFileSync(file, lines.toSpliced(from, to - from).join('\n'));
    expect(() => readBacktestConfig(file)).toThrow(/limits, as a live config must have them:[\s\S]*orderQtyMax/);
    rmSync(folder, { recursive: true });
  });

  it('gives way to the command line, member by member', () => {
    const given = withFlags(
      config,
      flags({ seed: 9, cash: cashArgument('25.5'), tape: 'elsewhere', html: 'out.html' }),
    );
    expect(given).toMatchObject({ seed: 9, cash: 25_500_000 });
    expect(given.tape.endsWith('elsewhere')).toBe(true);
    expect(given.report.html?.endsWith('out.html')).toBe(true);
    expect(given.limits).toEqual(config.limits);
  });

  it('takes a strategy and its parameters from the command line, as JSON where they are any', () => {
    const param = ['qtyContracts=7', 'events=["RAIN-OSLO"]', 'name=plain text'];
    const { strategies } = withFlags(config, flags({ strategy: 'strategies/two-sided-quoter.ts', param }));
    expect(strategies).toMatchObject([
      { name: 'two-sided-quoter', params: { qtyContracts: 7, events: ['RAIN-OSLO'], name: 'plain text' } },
    ]);
  });

  it.each([
    [() => withFlags(config, flags({ param: ['a=1'] })), /--param: expected one strategy, found 2/],
    [
      () => withFlags(config, flags({ strategy: 'x.ts', param: ['novalue'] })),
      /--param: expected name=value, found "novalue"/,
    ],
    [() => withFlags(config, flags({ from: 5 as never, to: 5 as never })), /--to: expected a moment after/],
    [() => seedArgument('-1'), /--seed: expected a whole number from 0/],
    [() => cashArgument('much'), /--cash: expected dollars/],
  ])('refuses what does not fit, and says what was expected (%#)', (act, message) => {
    expect(act).toThrow(message);
  });
});

describe('a run over the sample', () => {
  let folder = '';
  let source: RowSource;
  let config: BacktestConfig;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'presage-'));
    config = readBacktestConfig(FILE);
    source = openTapeAt(config.tape, { bakedFile: join(folder, 'baked.arrow') });
  });
  afterAll(() => {
    source.close();
    rmSync(folder, { recursive: true });
  });

  it('trades, is paid out, balances, and decides the same twice', async () => {
    const runs = [await runOnce(config, source, {}), await runOnce(config, source, {})];
    const [first, second] = runs;
    expect(first!.decisionHash).toBe(second!.decisionHash);
    const { account } = first!.driver.venue;
    expect(account.fills.length).toBeGreaterThan(50);
    expect(account.settled).not.toBe(0);
    expect(first!.imbalances).toEqual([]);
    expect(new Set(first!.driver.engine.state.surprises.keys())).toEqual(new Set());
    const record = recordOf(first!, config, source);
    expect(record).toMatchObject({ kind: 'backtest', seed: 1, decisionHash: first!.decisionHash });
    expect(record.coverage?.gaps).toEqual([]);
  });

  it('trades only in the markets that the command line names, a market or an event group', async () => {
    const chosen = withMarkets(config, flags({ markets: ['RAIN-LIMA,CITY-36-AHM'] }), source);
    expect(chosen.markets).toMatchObject({ tickers: ['CITY-36-AHM'], events: ['RAIN-LIMA'], series: [] });
    const traded = new Set<string>();
    await runOnce(chosen, source, {
      onDecision: (_text, command) => void (command.type === 'place' && traded.add(command.ticker)),
    });
    for (const name of traded) expect(name).toMatch(/^(RAIN-LIMA|CITY-36-AHM)/);
    expect(traded.size).toBeGreaterThan(0);
  });

  it('refuses a market that is not on the tape, and finds the others whatever stands between them', () => {
    const namely = (...markets: string[]) => withMarkets(config, flags({ markets }), source).markets;
    expect(() => namely('RAIN-LIMA', 'RAIN-LAMI')).toThrow(/--markets: expected .* of the tape, found "RAIN-LAMI"/);
    expect(namely('RAIN-LIMA', 'CITY-36')).toEqual(namely('RAIN-LIMA, CITY-36'));
  });
});
