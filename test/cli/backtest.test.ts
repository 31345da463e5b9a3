// `presage backtest` over the recording that comes with Presage: its config, its flags, its exit codes.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { backtestCommand } from '../../src/cli/backtest.ts';
import { cashArgument } from '../../src/cli/arguments.ts';
import { type BacktestFlags, withFlags } from '../../src/cli/backtest-options.ts';
import { chooseMarkets } from '../../src/cli/backtest-markets.ts';
import { recordOf, runOnce } from '../../src/cli/backtest-session.ts';
import { UsageError } from '../../src/cli/command.ts';
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

  it('takes a package from the command line, as this folder sees it', () => {
    const { strategies } = withFlags(config, flags({ strategy: '@me/plugin/fast' }));
    expect(strategies).toMatchObject([{ name: 'fast', file: join(process.cwd(), 'node_modules/@me/plugin/fast') }]);
  });

  it.each([
    [() => withFlags(config, flags({ param: ['a=1'] })), /--param: expected one strategy, found 2/],
    [
      () => withFlags(config, flags({ strategy: 'x.ts', param: ['novalue'] })),
      /--param: expected name=value, found "novalue"/,
    ],
    [() => withFlags(config, flags({ from: 5 as never, to: 5 as never })), /--to: expected a moment after/],
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
    const { config: chosen } = chooseMarkets(config, ['RAIN-LIMA,CITY-36-AHM'], source);
    expect(chosen.markets).toMatchObject({ tickers: ['CITY-36-AHM'], events: ['RAIN-LIMA'], series: [] });
    const traded = new Set<string>();
    await runOnce(chosen, source, {
      onDecision: (_text, command) => void (command.type === 'place' && traded.add(command.ticker)),
    });
    for (const name of traded) expect(name).toMatch(/^(RAIN-LIMA|CITY-36-AHM)/);
    expect(traded.size).toBeGreaterThan(0);
  });

  it('refuses a market that is not on the tape, and finds the others whatever stands between them', () => {
    const namely = (...markets: string[]) => chooseMarkets(config, markets, source).config.markets;
    expect(() => namely('RAIN-LIMA', 'RAIN-LAMI')).toThrow(
      /--markets: expected .* of the tape, found event group RAIN-LAMI; it has 33 markets \(CITY-36-AHM, /,
    );
    expect(namely('RAIN-LIMA', 'CITY-36')).toEqual(namely('RAIN-LIMA, CITY-36'));
  });

  it('refuses a config of which the tape has nothing, and says what it has instead', () => {
    const none = { ...config.markets, tickers: ['SNOW-1'], events: ['SNOW', 'SNOW'], series: ['SNOW'] };
    expect(() => chooseMarkets({ ...config, markets: none }, undefined, source)).toThrow(
      /^markets: expected markets of the tape, found market SNOW-1, event group SNOW, series SNOW, none of it there; it has 33 markets \(CITY-36-AHM, CITY-36-DOH, CITY-36-IST and 30 more\), \d+ event groups \(CITY-36, .*\), 4 series \(/,
    );
  });

  /** What a config of these event groups prints, and says beside. */
  async function commanded(events: string): Promise<{ readonly printed: string; readonly said: string }> {
    const file = join(folder, 'other.yaml');
    const text = readFileSync(FILE, 'utf8')
      .replace(/^tape: .*$/m, `tape: ${join(folder, 'baked.arrow')}`)
      .replace(/^ {2}events: .*$/m, `  events: [${events}]`)
      .replace(/^ {2}series: .*$/m, '  series: [HAIL]')
      .replace(/^ {2}html: .*$/m, '  html: report.html')
      .replaceAll('../strategies', join(process.cwd(), 'strategies'));
    writeFileSync(file, text);
    const printed: string[] = [];
    const said: string[] = [];
    vi.spyOn(process.stdout, 'write').mockImplementation((line) => printed.push(String(line)) > 0);
    vi.spyOn(process.stderr, 'write').mockImplementation((line) => said.push(String(line)) > 0);
    try {
      const flags = ['--config', file, '--to', '2026-11-21T16:48:10Z', '--json'];
      await backtestCommand().parseAsync(flags, { from: 'user' });
      return { printed: printed.join(''), said: said.join('') };
    } finally {
      vi.restoreAllMocks();
      process.exitCode = undefined;
    }
  }

  it('says what the tape does not have before the run, and in the report for programs', async () => {
    const { printed, said } = await commanded('CITY-36, SNOW');
    expect(said).toMatch(
      /^presage: not on the tape, and not traded: event group SNOW, series HAIL; it has 33 markets \(/m,
    );
    expect(JSON.parse(printed)).toMatchObject({ notOnTape: ['event group SNOW', 'series HAIL'], isWhole: true });
  });

  it('does not run where the tape has nothing of the config', async () => {
    await expect(commanded('SNOW')).rejects.toThrow(UsageError);
  });

  it('goes on with what of a config the tape has, and says what it has not', () => {
    const markets = { ...config.markets, events: ['RAIN-LIMA', 'SNOW'], series: ['WIND', 'HAIL'] };
    const chosen = chooseMarkets({ ...config, markets }, undefined, source);
    expect(chosen.config.markets).toEqual(markets);
    expect(chosen.missing).toEqual(['event group SNOW', 'series HAIL']);
    expect(chosen.held).toMatch(/^33 markets \(/);
    expect(chooseMarkets(config, undefined, source)).toEqual({ config, missing: [], held: '' });
  });
});
