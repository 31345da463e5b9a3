// `presage backtest` over the shipped recording: its config, options and exit codes.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type BacktestFlags, namingFlags, overridesOf } from '../../src/cli/arguments/backtest-flags.ts';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { UsageError } from '../../src/app/usage-error.ts';
import { backtestCommand } from '../../src/cli/backtest-command.ts';
import { cashArgument } from '../../src/cli/arguments/argument-parsers.ts';
import { applyOverrides } from '../../src/app/backtest/backtest-overrides.ts';
import { chooseMarkets } from '../../src/app/backtest/backtest-markets.ts';
import { backtestRecord, runBacktestOnce } from '../../src/app/backtest/backtest-session.ts';
import { openTapeAt } from '../../src/app/tape-place.ts';
import { type BacktestConfig, readBacktestConfig } from '../../src/config/backtest-config.ts';
import type { RowSource } from '../../src/tape/baked/tape-rows.ts';

const FILE = 'config/backtest.yaml';
/** A strategy that throws at its first book, at line 11. */
const THROWING = `// Throws.
import { defineStrategy, z } from 'presage-trading';

type Found = { readonly x: number };
export default defineStrategy({
  name: 'throwing',
  params: z.strictObject({}),
  setup: () => ({
    onBook() {
      const found = undefined as unknown as Found;
      void found.x;
    },
  }),
});
`;
const flags = (over: Partial<BacktestFlags> = {}): BacktestFlags => ({ config: FILE, ...over });
const withFlags = (config: BacktestConfig, given: BacktestFlags): BacktestConfig =>
  namingFlags(() => applyOverrides(config, overridesOf(given)));

describe('the shipped backtest config', () => {
  const config = readBacktestConfig(FILE);

  it('is read with absolute paths', () => {
    expect(config.tape.endsWith(join('backtest', 'data', 'sample'))).toBe(true);
    expect(config.strategies.map(({ file }) => existsSync(file))).toEqual([true, true]);
  });

  it('is refused without limits, with every limit that must be chosen', () => {
    const folder = mkdtempSync(join(tmpdir(), 'presage-'));
    const file = join(folder, 'no-limits.yaml');
    const lines = readFileSync(FILE, 'utf8').split('\n');
    const from = lines.findIndex((line) => line.startsWith('limits:'));
    const to = lines.findIndex((line) => line.startsWith('budgets:'));
    writeFileSync(file, lines.toSpliced(from, to - from).join('\n'));
    expect(() => readBacktestConfig(file)).toThrow(/limits, as a live config must have them:[\s\S]*orderQtyMax/);
    rmSync(folder, { recursive: true });
  });

  it('is overridden by the command line, value by value', () => {
    const given = withFlags(
      config,
      flags({ seed: 9, cash: cashArgument('25.5'), tape: 'elsewhere', html: 'out.html' }),
    );
    expect(given).toMatchObject({ seed: 9, cash: 25_500_000 });
    expect(given.tape.endsWith('elsewhere')).toBe(true);
    expect(given.report.html?.endsWith('out.html')).toBe(true);
    expect(given.limits).toEqual(config.limits);
  });

  it('takes a strategy and its parameters from the command line, as JSON where possible', () => {
    const param = ['qtyContracts=7', 'events=["RAIN-OSLO"]', 'name=plain text'];
    const { strategies } = withFlags(config, flags({ strategy: 'strategies/two-sided-quoter.ts', param }));
    expect(strategies).toMatchObject([
      { name: 'two-sided-quoter', params: { qtyContracts: 7, events: ['RAIN-OSLO'], name: 'plain text' } },
    ]);
  });

  it('takes an installed package from the command line, resolved from the working folder', () => {
    const { strategies } = withFlags(config, flags({ strategy: '@me/plugin/fast' }));
    expect(strategies).toMatchObject([{ name: 'fast', file: join(process.cwd(), 'node_modules/@me/plugin/fast') }]);
  });

  it.each([
    [
      () => withFlags(config, flags({ param: ['a=1'] })),
      /^--param: expected one strategy, found 2; say which by --strategy$/,
    ],
    [
      () => withFlags(config, flags({ strategy: 'x.ts', param: ['novalue'] })),
      /--param: expected name=value, found "novalue"/,
    ],
    [
      () => withFlags(config, flags({ strategy: 'x.ts', param: ['a=1', 'b=1', 'a=2'] })),
      /--param: expected each parameter once, found "a" twice/,
    ],
    [() => withFlags(config, flags({ from: 5 as never, to: 5 as never })), /--to: expected a moment after/],
  ])('refuses options that do not fit, and says what was expected (%#)', (act, message) => {
    expect(act).toThrow(message);
  });
});

describe('a run over the sample tape', () => {
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

  it('trades, is paid out, balances, and makes the same decisions twice', async () => {
    const runs = [await runBacktestOnce(config, source, {}), await runBacktestOnce(config, source, {})];
    const [first, second] = runs;
    expect(first!.decisionHash).toBe(second!.decisionHash);
    const { account } = first!.driver.venue;
    expect(account.fills.length).toBeGreaterThan(50);
    expect(account.settled).not.toBe(0);
    expect(first!.imbalances).toEqual([]);
    expect(new Set(first!.driver.engine.state.surprises.keys())).toEqual(new Set());
    const record = backtestRecord(first!, config, source);
    expect(record).toMatchObject({ kind: 'backtest', seed: 1, decisionHash: first!.decisionHash });
    expect(record.coverage?.gaps).toEqual([]);
  });

  it('trades only in the markets and event groups that the command line names', async () => {
    const { config: chosen } = chooseMarkets(config, ['RAIN-LIMA,CITY-36-AHM'], source);
    expect(chosen.markets).toMatchObject({ tickers: ['CITY-36-AHM'], events: ['RAIN-LIMA'], series: [] });
    const traded = new Set<string>();
    await runBacktestOnce(chosen, source, {
      onDecision: (_text, command) => void (command.type === 'place' && traded.add(command.ticker)),
    });
    for (const name of traded) expect(name).toMatch(/^(RAIN-LIMA|CITY-36-AHM)/);
    expect(traded.size).toBeGreaterThan(0);
  });

  it('refuses a market that is not on the tape, and accepts names with commas or spaces between', () => {
    const namely = (...markets: string[]) => namingFlags(() => chooseMarkets(config, markets, source)).config.markets;
    expect(() => namely('RAIN-LIMA', 'RAIN-LAMI')).toThrow(
      /--markets: expected .* of the tape, found event group RAIN-LAMI; it has 33 markets \(CITY-36-AHM, /,
    );
    for (const empty of ['', ',', 'RAIN-LIMA,'])
      expect(() => namely(empty)).toThrow(
        /^--markets: expected names of markets or event groups, found an empty one in "/,
      );
    expect(() => namely()).toThrow(/^--markets: expected names of markets or event groups, found none$/);
    expect(namely('RAIN-LIMA', 'CITY-36')).toEqual(namely('RAIN-LIMA, CITY-36'));
  });

  it.each([['not a tape'], ['']])(
    'refuses a tape that is a file of another kind, as it refuses a folder without a tape: %j',
    (text) => {
      const other = join(folder, 'other.arrow');
      writeFileSync(other, text);
      expect(() => openTapeAt(other)).toThrow(UsageError);
      expect(() => openTapeAt(other)).toThrow(
        'other.arrow: expected the folder of a recording or journal, or a baked .arrow file, found a file that is not Arrow',
      );
      expect(() => openTapeAt(tmpdir())).toThrow(UsageError);
    },
  );

  it('refuses a config of whose markets the tape has none, and lists what it has', () => {
    const none = { ...config.markets, tickers: ['SNOW-1'], events: ['SNOW', 'SNOW'], series: ['SNOW'] };
    expect(() => chooseMarkets({ ...config, markets: none }, undefined, source)).toThrow(
      /^markets: expected markets of the tape \(it has none of market SNOW-1, event group SNOW, series SNOW; it has 33 markets \(CITY-36-AHM, CITY-36-DOH, CITY-36-IST and 30 more\), \d+ event groups \(CITY-36, .*\), 4 series \(/,
    );
  });

  interface Commanded {
    readonly printed: string;
    readonly said: string;
    readonly code: number | string | undefined;
  }

  /** Runs the command with a config of these event groups; returns what it printed and its exit code. */
  async function commanded(
    events: string,
    flags: readonly string[] = ['--to', '2026-11-21T16:48:10Z', '--json'],
    edit: (text: string) => string = (text) => text,
  ): Promise<Commanded> {
    const file = join(folder, 'other.yaml');
    const text = readFileSync(FILE, 'utf8')
      .replace(/^tape: .*$/m, `tape: ${join(folder, 'baked.arrow')}`)
      .replace(/^ {2}events: .*$/m, `  events: [${events}]`)
      .replace(/^ {2}series: .*$/m, '  series: [HAIL]')
      .replace(/^ {2}html: .*$/m, `  html: ${join(folder, 'report.html')}`)
      .replaceAll('../strategies', join(process.cwd(), 'strategies'));
    writeFileSync(file, edit(text));
    const printed: string[] = [];
    const said: string[] = [];
    vi.spyOn(process.stdout, 'write').mockImplementation((line) => printed.push(String(line)) > 0);
    vi.spyOn(process.stderr, 'write').mockImplementation((line) => said.push(String(line)) > 0);
    try {
      await backtestCommand().parseAsync(['--config', file, ...flags], { from: 'user' });
      return { printed: printed.join(''), said: said.join(''), code: process.exitCode };
    } finally {
      vi.restoreAllMocks();
      process.exitCode = undefined;
    }
  }

  it('names a wrong option by its flag', async () => {
    await expect(commanded('CITY-36', ['--markets', 'SNOW'])).rejects.toThrow(/^--markets: expected .* group SNOW;/);
    await expect(commanded('CITY-36', ['--param', 'a=1'])).rejects.toThrow(/^--param: .*; say which by --strategy$/);
  });

  it('refuses an option that does nothing beside another', async () => {
    await expect(commanded('CITY-36', ['--explain', 'b1-0-1', '--json'])).rejects.toThrow(
      '--json: expected no such option with --explain, which prints text in place of the report',
    );
    await expect(commanded('CITY-36', ['--check', 'outcome-flip', '--html', 'a.html'])).rejects.toThrow(/^--html: /);
    await expect(commanded('CITY-36', ['--check', 'outcome-flip', '--explain', 'b1-0-1'])).rejects.toThrow(
      /^--check: /,
    );
  });

  it('prints the report of a run whose tables cannot be written, and ends with 1', async () => {
    const tables = join(folder, 'blocked');
    mkdirSync(join(tables, 'fills.parquet'), { recursive: true });
    const { printed, said, code } = await commanded('CITY-36', ['--json', '--export', tables]);
    expect(JSON.parse(printed)).toMatchObject({ version: 1, isWhole: true });
    expect(said).toMatch(/^presage: .*fills\.parquet: .+\n$/m);
    expect(code).toBe(1);
  });

  it('reports missing markets before the run, and in the JSON report', async () => {
    const { printed, said } = await commanded('CITY-36, SNOW');
    expect(said).toMatch(
      /^presage: not on the tape, and not traded: event group SNOW, series HAIL; it has 33 markets \(/m,
    );
    expect(JSON.parse(printed)).toMatchObject({ notOnTape: ['event group SNOW', 'series HAIL'], isWhole: true });
  });

  it('trades the remaining markets of a config that names a missing event group', async () => {
    const { printed, code } = await commanded('CITY-36, SNOW, RAIN-LIMA');
    const { trading, neverReady } = JSON.parse(printed);
    expect(trading.orders).toBeGreaterThan(10);
    expect(neverReady).toBeNull();
    expect(code).toBe(0);
  });

  it('reports first that the session never became ready, and exits with 1', async () => {
    const beginning = ['--from', '2026-11-21T16:48:00Z', '--to', '2026-11-21T16:48:00.05Z'];
    const words = 'The session never became ready to trade: it was still looking up its markets when the tape ended.';
    const json = await commanded('CITY-36', [...beginning, '--json']);
    expect(json.code).toBe(1);
    expect(JSON.parse(json.printed)).toMatchObject({
      headline: expect.stringContaining(words),
      trading: { orders: 0 },
    });
    const text = await commanded('CITY-36', beginning);
    expect(text.code).toBe(1);
    expect(text.printed.replaceAll(/\s+/g, ' ')).toContain(words);
    expect(text.printed).not.toContain('Nothing was traded');
    expect(readFileSync(join(folder, 'report.html'), 'utf8')).toContain(words);
  });

  it('reports first which strategy was halted, with its error and line, and exits with 1', async () => {
    const file = join(folder, 'throwing.ts');
    writeFileSync(file, THROWING);
    const edit = (text: string): string =>
      text.replace(/file: .*group-arbitrage\.ts\n {4}params:[\s\S]*?\n\n/, `file: ${file}\n\n`);
    const words =
      /Strategy arbitrage was halted at 2026-11-21 16:4\d:\d\d: TypeError: Cannot read properties of undefined \(reading 'x'\) \(throwing\.ts:11\)\./;
    const until = ['--to', '2026-11-21T16:48:10Z'];
    const json = await commanded('CITY-36, RAIN-LIMA', [...until, '--json'], edit);
    const report = JSON.parse(json.printed);
    expect(report.headline).toMatch(words);
    expect(report.faults).toMatchObject([{ scope: 'strategy arbitrage', by: 'fault' }]);
    expect(report.trading.orders).toBeGreaterThan(0);
    expect(json.code).toBe(1);
    const text = await commanded('CITY-36, RAIN-LIMA', until, edit);
    expect(text.printed.split('\n\n')[1]?.replaceAll(/\s+/g, ' ').trim()).toMatch(new RegExp(`^${words.source}`));
    expect(text.code).toBe(1);
    expect(readFileSync(join(folder, 'report.html'), 'utf8').replaceAll('&#39;', "'")).toMatch(words);
  });

  it('names the config’s line when its tape does not exist', async () => {
    const nowhere = join(folder, 'nowhere');
    const edit = (text: string): string => text.replace(/^tape: .*$/m, `tape: ${nowhere}`);
    await expect(commanded('CITY-36', [], edit)).rejects.toThrow(
      `other.yaml:4:1: tape: expected the folder of a recording or journal, or a baked .arrow file (${nowhere}: nothing is there), found "${nowhere}"`,
    );
  });

  it('does not run when the tape has none of the config’s markets', async () => {
    await expect(commanded('SNOW')).rejects.toThrow(
      /other\.yaml:\d+:1: markets: expected markets of the tape \(it has none of/,
    );
  });

  it('keeps the config’s markets that are on the tape, and lists the missing ones', () => {
    const markets = { ...config.markets, events: ['RAIN-LIMA', 'SNOW'], series: ['WIND', 'HAIL'] };
    const chosen = chooseMarkets({ ...config, markets }, undefined, source);
    expect(chosen.config.markets).toEqual(markets);
    expect(chosen.missing).toEqual(['event group SNOW', 'series HAIL']);
    expect(chosen.available).toMatch(/^33 markets \(/);
    expect(chooseMarkets(config, undefined, source)).toEqual({ config, missing: [], available: '' });
  });
});
