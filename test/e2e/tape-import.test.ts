// What others recorded, brought in as a user does it: what was found is counted, what is wrong is said.
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { MAIN, ROOT, type Told, presageIn } from './presage.ts';
import { PATIENCE_MS } from '../support/patience.ts';

const folder = mkdtempSync(join(tmpdir(), 'presage-import-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a command of tapes to its end. */
const tape = (...args: string[]): Promise<Told> => presageIn(folder, ['tape', ...args]);

const TRADES = `ticker,ts,price,quantity,direction,weather
RAIN-26-A,2026-01-02T15:00:00.250000Z,0.41,3,yes_taker,wet
RAIN-26-A,2026-01-02T15:00:01Z,0.42,1,no_taker,wet
RAIN-26-A,2026-01-02T15:00:01Z,0.42,1,no_taker,wet
RAIN-26-A,2026-01-02T15:00:02Z,many,1,no_taker,dry
`;

describe('presage tape import', { timeout: 2 * PATIENCE_MS }, () => {
  it.each([
    [['import', 'trades.csv'], /required option '--format <name>' not specified/],
    [['slice', 'trades.arrow'], /required option '--out <file>' not specified/],
    [['tear', 'trades.arrow'], /unknown command 'tear'/],
  ])('as any command of tapes: one that is incomplete ends with 2 (%j)', async (args, message) => {
    const { code, stdout, stderr } = await tape(...args);
    expect(stderr).toMatch(message);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });

  it('makes a tape, and counts what was not plainly good', async () => {
    writeFileSync(join(folder, 'trades.csv'), TRADES);
    const { code, stdout, stderr } = await tape(
      'import',
      '--format',
      'trades-csv',
      'trades.csv',
      '--out',
      'trades.arrow',
      '--json',
    );
    expect(code, stderr).toBe(0);
    const report = JSON.parse(stdout) as {
      read: number;
      markets: number;
      findings: { kind: string; count: number }[];
      facts: { counts: object };
    };
    expect(report).toMatchObject({ read: 4, markets: 1, facts: { counts: { print: 3 } } });
    expect(Object.fromEntries(report.findings.map(({ kind, count }) => [kind, count]))).toEqual({
      'unknown-column': 1,
      'bad-row': 1,
      duplicate: 1,
    });
    const info = await tape('info', 'trades.arrow', '--json');
    expect(JSON.parse(info.stdout)).toMatchObject({
      of: 'baked',
      facts: { source: 'trades-csv' },
      markets: [{ ticker: 'RAIN-26-A', prints: 3 }],
    });
    expect((await tape('export', 'trades.arrow', '--out', 'again.csv')).code).toBe(0);
  });

  it('tells a person the same', async () => {
    writeFileSync(join(folder, 'trades.csv'), TRADES);
    const { stdout } = await tape('import', '--format', 'trades-csv', 'trades.csv', '--out', 'told.arrow');
    expect(stdout).toMatch(/^told\.arrow: 4 read, \d+ rows of 1 market, 0 gaps\n/);
    expect(stdout).toMatch(/1 bad-row: left out, first in .*trades\.csv, line 5: /);
  });

  it('is refused with another format, a file that is not there, or an output that is, and leaves nothing behind', async () => {
    writeFileSync(join(folder, 'trades.csv'), TRADES);
    const format = await tape('import', '--format', 'none', 'trades.csv', '--out', 'x.arrow');
    expect(format).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/--format: expected one of .*trades-csv.*, found "none"/) as string,
    });
    const missing = await tape('import', '--format', 'trades-csv', 'none.csv', '--out', 'x.arrow');
    expect(missing).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/none\.csv: expected a file that can be read/) as string,
    });
    const there = await tape('import', '--format', 'trades-csv', 'trades.csv', '--out', 'trades.csv');
    expect(there).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/--out: expected the name of a new file/) as string,
    });
    writeFileSync(join(folder, 'bad.csv'), TRADES.replaceAll('Z,0.', 'Z,x'));
    const nothing = await tape('import', '--format', 'trades-csv', 'bad.csv', '--out', 'nothing.arrow');
    expect(nothing).toMatchObject({ code: 1, stdout: expect.stringContaining('NOTHING IS ON IT') as string });
    expect(existsSync(join(folder, 'x.arrow'))).toBe(false);
    expect(readdirSync(folder).filter((name) => name.startsWith('x.'))).toEqual([]);
  });
});

describe('what a command prints', { timeout: 2 * PATIENCE_MS }, () => {
  const info = [MAIN, 'tape', 'info', join(ROOT, 'backtest/data/sample')];

  it('may have a reader that goes away', () => {
    const { stderr } = spawnSync('sh', ['-c', '"$@" | true', 'sh', process.execPath, ...info], { encoding: 'utf8' });
    expect(stderr).toBe('');
  });

  it.skipIf(!existsSync('/dev/full'))('and what cannot be written is told, and ends with 1', () => {
    const full = openSync('/dev/full', 'w');
    const { status, stderr } = spawnSync(process.execPath, info, { encoding: 'utf8', stdio: ['ignore', full, 'pipe'] });
    closeSync(full);
    expect(stderr).toMatch(/^presage: the output cannot be written: ENOSPC.*\n$/);
    expect(status).toBe(1);
  });
});
