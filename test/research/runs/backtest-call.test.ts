// A backtest as a call: results by event group, progress, stop, tables, and reports read back.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderJson } from '../../../src/report/text/json-report.ts';
import {
  type BacktestCallOptions,
  type BacktestResult,
  backtest,
  readReport,
} from '../../../src/research/research-entry.ts';

const folder = mkdtempSync(join(tmpdir(), 'presage-'));
afterAll(() => rmSync(folder, { recursive: true }));
const CONFIG = 'config/backtest.yaml';
const QUOTER = 'strategies/two-sided-quoter.ts';
const run = (options: Partial<BacktestCallOptions> = {}) =>
  backtest({ config: CONFIG, html: join(folder, 'report.html'), ...options });

let known: Promise<BacktestResult> | null = null;
/** The result of a run without options, which several tests compare others with. */
const plainRun = (): Promise<BacktestResult> => (known ??= run());

const sumOf = <Row>(rows: readonly Row[], of: (row: Row) => number): number =>
  rows.reduce((sum, row) => sum + of(row), 0);

/** A run that trades whatever the parameters: a minute of the sample at least. */
const quoting = fc.record({
  params: fc.record({
    series: fc.constantFrom(['RAIN', 'WIND'], ['RAIN'], ['CITY', 'WIND']),
    qtyContracts: fc.integer({ min: 1, max: 10 }),
    halfSpreadCents: fc.integer({ min: 1, max: 3 }),
  }),
  seed: fc.integer({ min: 0, max: 1000 }),
  to: fc.constantFrom(undefined, '2026-11-21T16:50:00Z', '2026-11-21T16:49:00Z'),
});

describe('a backtest as a call', () => {
  it('gives results by event group that add up to the report, to the millionth', async () => {
    let fills = 0;
    await fc.assert(
      fc.asyncProperty(quoting, async ({ to, ...rest }) => {
        const { report, groups } = await run({ strategy: QUOTER, ...rest, ...(to !== undefined && { to }) });
        fills += report.fillCount;
        expect(sumOf(groups, ({ profit }) => profit) + report.split.unexplained).toBe(report.account.profit);
        expect(report.split.unexplained).toBe(0);
        expect(sumOf(groups, ({ fees }) => fees)).toBe(report.trading.fees);
        expect(sumOf(groups, ({ qty }) => qty)).toBe(report.trading.qty);
        expect(sumOf(groups, (group) => group.fills)).toBe(report.fillCount);
        expect(sumOf(groups, ({ lockedDollarDays }) => lockedDollarDays)).toBeCloseTo(
          report.capital.lockedDollarDays,
          9,
        );
      }),
      { numRuns: 8 },
    );
    expect(fills).toBeGreaterThan(0);
  });

  it('names every group of the config, in the sequence in which results are known', async () => {
    const { groups } = await plainRun();
    expect(groups.map(({ group }) => group)).toEqual(expect.arrayContaining(['CITY-36', 'RAIN-OSLO', 'RAIN-LIMA']));
    const known = groups.map((group) => group.known ?? Number.POSITIVE_INFINITY);
    expect(known).toEqual(known.toSorted((a, b) => a - b));
    for (const { from, known: at } of groups) expect(at === null || at > from).toBe(true);
  });

  it('repeats itself, and counts progress up to the end', async () => {
    const shares: number[] = [];
    const [one, two] = [await run({ onProgress: ({ share }) => void shares.push(share) }), await plainRun()];
    expect(one).toEqual(two);
    expect({ isWhole: one.isWhole, isSound: one.isSound, last: shares.at(-1) }).toEqual({
      isWhole: true,
      isSound: true,
      last: 1,
    });
  });

  it('stops by its signal, and says so', async () => {
    const abort = new AbortController();
    const result = await run({ signal: abort.signal, onProgress: () => abort.abort() });
    expect(result).toMatchObject({ isWhole: false, isSound: false });
    const { run: facts, coverage } = result.report;
    expect(facts.isPartial).toBe(true);
    const whole = (await plainRun()).report;
    expect(facts.to).toBeLessThan(whole.run.to);
    expect(coverage).toMatchObject({ from: whole.coverage!.from, to: facts.to });
  });

  it.each([
    [{ seed: -1 }, 'seed: expected a whole number from 0 to 4294967295, found -1'],
    [
      { from: 'now' },
      'from: expected a moment such as 2026-12-31T23:00:00Z, on a day that exists, to the microsecond at most, found "now"',
    ],
    [{ cash: '-5' }, 'cash: expected dollars such as 1000 or 0.25, found "-5"'],
    [{ sed: 3 }, /^sed: expected one of the options config, tape, .*, onProgress \(did you mean seed\?\)$/],
    [{ verbose: true, strtegy: QUOTER }, /^verbose: expected .*\nstrtegy: expected .* \(did you mean strategy\?\)$/],
    [{ config: 5 }, 'config: expected a text, found 5'],
    [{ config: undefined }, 'config: expected a text, found nothing'],
    [{ markets: 'WIND' }, 'markets: expected a list, found "WIND"'],
    [{ markets: ['WIND', 1] }, 'markets.1: expected a text, found 1'],
    [{ params: 5 }, 'params: expected a mapping of fields, found 5'],
    [{ signal: {} }, 'signal: expected AbortSignal, found {}'],
    [{ onProgress: 5 }, 'onProgress: expected a function, found 5'],
    [{ cash: Number.NaN }, 'cash: expected dollars such as 1000 or 0.25, found NaN'],
    [{ params: { qtyContracts: 3 } }, /^params: expected one strategy, found 2; say which by strategy$/],
    [
      { from: '2026-11-21T16:50:00Z', to: '2026-11-21T16:49:00Z' },
      /^to: expected a moment after the start of the run, 2026-11-21T16:50:00.000000Z, found 2026-11-21T16:49:00.000000Z$/,
    ],
    [{ markets: ['SNOW'] }, /^markets: expected markets or event groups of the tape, found event group SNOW; it has /],
    [{ markets: [] }, /^markets: expected names of markets or event groups, found none$/],
  ])('refuses %j', async (wrong, message) => {
    // tidy: as (a program in JavaScript passes what no compiler has seen)
    await expect(run(wrong as Partial<BacktestCallOptions>)).rejects.toThrow(message);
  });

  it('counts an option that is undefined as absent', async () => {
    const absent: object = { seed: undefined, markets: undefined, signal: undefined, from: undefined };
    expect(await run(absent)).toEqual(await plainRun());
  });
});

describe('a value that fits the schema and yet cannot be used', () => {
  const edited = (edit: (text: string) => string): string => {
    const file = join(folder, 'edited.yaml');
    writeFileSync(file, edit(readFileSync(CONFIG, 'utf8')));
    return file;
  };

  it.each([
    ['\nprofile: nope\n', /edited\.yaml:\d+:1: profile: expected one of service, kalshi, found "nope"/],
    [
      '\nsimulation:\n  latency:\n    order: { model: journal, folder: /nope }\n',
      /edited\.yaml:\d+:30: simulation\.latency\.order\.folder: expected the folder of a journal with answered orders, found "\/nope"/,
    ],
    [
      '\nbudgets: { trade: { count: 1, window: 1d } }\n',
      /edited\.yaml:\d+:21: budgets\.trade\.count: expected a faster trade budget: .*, found 1/,
    ],
  ])('names the line of the config: %j', async (lines, message) => {
    const config = edited((text) => {
      const rest = text.replace(/^profile:.*$/m, '').replace(/^(?:simulation|budgets):\n(?: .*\n|\n)*/gm, '') + lines;
      return rest
        .replace(/^tape: /m, `tape: ${join(process.cwd(), 'config')}/`)
        .replaceAll('../strategies', join(process.cwd(), 'strategies'));
    });
    await expect(backtest({ config })).rejects.toThrow(message);
  });
});

describe('a saved report', () => {
  it('is read back as it was', async () => {
    const { report } = await plainRun();
    const file = join(folder, 'report.json');
    writeFileSync(file, renderJson(report));
    expect(readReport(file)).toEqual(report);
  });

  it.each([
    ['{', 'expected a report as JSON, found none'],
    ['{"version":1}', 'expected a report of version 1, as `presage backtest --json` prints it; headline'],
    ['{"version":99}', 'version'],
  ])('is refused when it is %s', (text, message) => {
    const file = join(folder, 'wrong.json');
    writeFileSync(file, text);
    expect(() => readReport(file)).toThrow(message);
  });
});

describe('the tables of a run', () => {
  const exportTo = join(folder, 'tables');
  let exported: BacktestResult;
  beforeAll(async () => {
    exported = await run({ exportTo });
  });

  it('hold what the report holds, in both formats', async () => {
    const { report, groups } = exported;
    const read = async (name: string): Promise<Record<string, unknown>[]> =>
      parquetReadObjects({ file: await asyncBufferFromFile(join(exportTo, `${name}.parquet`)) });
    const fills = await read('fills');
    expect(fills).toHaveLength(report.fillCount);
    expect(sumOf(fills, ({ fee }) => Math.round(Number(fee) * 1e6))).toBe(report.trading.fees);
    expect(await read('orders')).toHaveLength(report.trading.orders);
    expect(Math.round(Number((await read('equity')).at(-1)?.['equity']) * 1e6)).toBe(report.account.closingEquity);
    expect(await read('denials')).toHaveLength(sumOf(report.denials, ({ count }) => count));
    expect((await read('groups')).map(({ group, profit }) => [group, Math.round(Number(profit) * 1e6)])).toEqual(
      groups.map(({ group, profit }) => [group, profit]),
    );
    for (const name of ['fills', 'orders', 'equity', 'forecasts', 'denials', 'groups']) {
      const lines = readFileSync(join(exportTo, `${name}.csv`), 'utf8')
        .trimEnd()
        .split('\n');
      expect(lines).toHaveLength((await read(name)).length + 1);
    }
  });

  it('change nothing of the run', async () => {
    expect(exported).toEqual(await plainRun());
  });
});
