// Data of other recorders, imported: findings are counted, faults are reported.
import { spawn, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { changeOf, linesOf, snapshotOf } from '../support/tapes/captured-messages.ts';
import { MAIN, ROOT, type Told, presageIn } from './presage.ts';
import { PATIENCE_MS } from '../support/runner/patience.ts';

const folder = mkdtempSync(join(tmpdir(), 'presage-import-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a tape command to its end. */
const tape = (...args: string[]): Promise<Told> => presageIn(folder, ['tape', ...args]);

const TRADES = `ticker,ts,price,quantity,direction,weather
RAIN-26-A,2026-01-02T15:00:00.250000Z,0.41,3,yes_taker,wet
RAIN-26-A,2026-01-02T15:00:01Z,0.42,1,no_taker,wet
RAIN-26-A,2026-01-02T15:00:01Z,0.42,1,no_taker,wet
RAIN-26-A,2026-01-02T15:00:02Z,many,1,no_taker,dry
`;

const OPENS = '2026-01-02T00:00:00Z';
const CLOSES = '2026-01-03T00:00:00Z';
const EVENT = { event_ticker: 'RAIN-26', series_ticker: 'RAIN', title: 'Rain', mutually_exclusive: false };

describe('presage tape import', { timeout: 2 * PATIENCE_MS }, () => {
  it.each([
    [['import', 'trades.csv'], /required option '--format <name>' not specified/],
    [['slice', 'trades.arrow'], /required option '--out <file>' not specified/],
    [['tear', 'trades.arrow'], /unknown command 'tear'/],
  ])('exits with 2 when an option is missing (%j)', async (args, message) => {
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

  it('prints the same report for people', async () => {
    writeFileSync(join(folder, 'trades.csv'), TRADES);
    const { code, stdout } = await tape('import', '--format', 'trades-csv', 'trades.csv', '--out', 'told.arrow');
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^WARNING: 1 of 4 trades equal an earlier one .*\ntold\.arrow: no books, 0 gaps, 3 findings\n {2}1 market, 2026-01-02T15:00:00\.250000Z to /,
    );
    expect(stdout).toMatch(/\n {2}4 read as trades-csv, \d+ rows written\nassumed:\n/);
    expect(stdout).toMatch(/\nfound:\n/);
    expect(stdout).toMatch(/1 bad-row: left out\n {4}first in .*trades\.csv, line 5: /);
    expect(stdout).toMatch(/\non the tape:\n(.*\n)* {2}print +3\n/);
  });

  it('warns first, and exits with 1, when most of the files is unknown, unless that is accepted', async () => {
    const lines = [
      snapshotOf(1, { yes: [['0.4200', '3.00']] }),
      ...Array.from({ length: 40 }, (_, at) => changeOf(4 + 3 * at)),
    ];
    writeFileSync(join(folder, 'split.jsonl'), linesOf(...lines));
    const importing = (out: string, ...more: string[]) =>
      tape('import', '--format', 'feed-jsonl', 'split.jsonl', '--dialect', 'dollars', '--out', out, ...more);
    const plain = await importing('split-1.arrow');
    expect(plain.code).toBe(1);
    expect(plain.stdout).toMatch(
      /^WARNING: Sequence numbers are missing 40 times .* --dialect dollars-unnumbered\.\nWARNING: Books are/,
    );
    expect(plain.stdout).toMatch(
      /\nsplit-1\.arrow: books known for 0 % of their time, 40 gaps, 40 findings\n {2}M-1: known for 0 %\n/,
    );
    expect(plain.stderr).toContain('--accept-unknown accepts that');
    expect((await importing('split-2.arrow', '--accept-unknown')).code).toBe(0);
    const told = await importing('split-3.arrow', '--json');
    expect(told.code).toBe(1);
    expect(JSON.parse(told.stdout)).toMatchObject({
      isMostlyUnknown: true,
      dialect: 'dollars',
      coverage: { markets: [{ ticker: 'M-1' }] },
      warnings: [expect.stringContaining('--dialect dollars-unnumbered'), expect.anything()],
    });
    // The remedy in the warning works.
    const again = await tape('import', '--format', 'feed-jsonl', 'split.jsonl', '--out', 'split-4.arrow');
    expect(again).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^split-4.arrow: books known for 100 %/) as string,
    });
  });

  it('reads descriptions of markets from several files, and from a folder', async () => {
    writeFileSync(join(folder, 'trades.csv'), TRADES);
    mkdirSync(join(folder, 'metadata'));
    const market = (name: string) => ({
      ticker: name,
      event_ticker: 'RAIN-26',
      status: 'active',
      open_time: OPENS,
      close_time: CLOSES,
    });
    writeFileSync(join(folder, 'metadata/a.json'), JSON.stringify({ response: { markets: [market('RAIN-26-A')] } }));
    writeFileSync(join(folder, 'metadata/b.json'), JSON.stringify({ event: EVENT }));
    writeFileSync(join(folder, 'metadata/notes.txt'), 'not read');
    const importing = (out: string, ...places: string[]) =>
      tape(
        'import',
        '--format',
        'trades-csv',
        'trades.csv',
        '--json',
        '--out',
        out,
        ...places.flatMap((each) => ['--markets', each]),
      );
    for (const [out, places] of [
      ['known-1.arrow', ['metadata']],
      ['known-2.arrow', ['metadata/a.json', 'metadata/b.json']],
    ] as const) {
      const { stdout, stderr } = await importing(out, ...places);
      expect(stderr).toBe('');
      expect((JSON.parse(stdout) as { facts: { assumptions: string[] } }).facts.assumptions.join(' ')).not.toContain(
        'have no definition: ',
      );
    }
    mkdirSync(join(folder, 'empty'));
    expect(await importing('known-3.arrow', 'empty')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('found none: empty') as string,
    });
  });

  it('accepts names of columns', async () => {
    writeFileSync(join(folder, 'named.csv'), TRADES.replace('ticker,', 'sym,').replace('price,', 'px,'));
    const importing = (...columns: string[]) =>
      tape('import', '--format', 'trades-csv', 'named.csv', '--out', 'named.arrow', ...columns);
    const unnamed = await importing('--column', 'ticker');
    expect(unnamed).toMatchObject({ code: 2, stderr: expect.stringContaining('Expected two names') as string });
    const twice = await importing('--column', 'price=px', '--column', 'price=p');
    expect(twice).toMatchObject({ code: 2, stderr: expect.stringContaining('one name for price') as string });
    const unknown = await importing('--column', 'cost=px');
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('column: expected one of') as string });
    const named = await importing('--column', 'ticker=sym', '--column', 'price=px');
    expect(named).toMatchObject({ code: 0, stdout: expect.stringContaining('4 read as trades-csv') as string });
  });

  it('reports a stop by a signal, exits with 1, and leaves nothing behind', async () => {
    const place = mkdtempSync(join(folder, 'stopped-'));
    const rows = Array.from({ length: 100_000 }, (_, at) => `RAIN-26-A,${1_767_348_000 + at},0.41,3,yes`).join('\n');
    const file = join(place, 'long.csv');
    writeFileSync(file, `ticker,ts,price,quantity,direction\n`);
    for (let part = 0; part < 20; part++) appendFileSync(file, `${rows}\n`);
    const out = join(place, 'out.arrow');
    const args = [MAIN, 'tape', 'import', '--format', 'trades-csv', file, '--out', out];
    const child = spawn(process.execPath, args, { env: { ...process.env, TMPDIR: place } });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const ended = new Promise<number | null>((resolve) => void child.on('close', resolve));
    await expect
      .poll(() => readdirSync(place).some((name) => name.endsWith('.new')), { timeout: 60_000, interval: 5 })
      .toBe(true);
    child.kill('SIGINT');
    expect(await ended).toBe(1);
    expect(stderr).toBe('presage: stopped by SIGINT: nothing was written\n');
    expect(readdirSync(place)).toEqual(['long.csv']);
  });

  it('refuses another format, a missing file, or an existing output, and leaves nothing behind', async () => {
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
    expect(nothing).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('No tape was made') as string,
    });
    expect(existsSync(join(folder, 'nothing.arrow'))).toBe(false);
    expect(existsSync(join(folder, 'x.arrow'))).toBe(false);
    expect(readdirSync(folder).filter((name) => name.startsWith('x.'))).toEqual([]);
  });
});

describe('the output of a command', { timeout: 2 * PATIENCE_MS }, () => {
  const info = [MAIN, 'tape', 'info', join(ROOT, 'backtest/data/sample')];

  it('may have a reader that goes away', () => {
    const { stderr } = spawnSync('sh', ['-c', '"$@" | true', 'sh', process.execPath, ...info], { encoding: 'utf8' });
    expect(stderr).toBe('');
  });

  it.skipIf(!existsSync('/dev/full'))('is reported when it cannot be written, with exit code 1', () => {
    const full = openSync('/dev/full', 'w');
    const { status, stderr } = spawnSync(process.execPath, info, { encoding: 'utf8', stdio: ['ignore', full, 'pipe'] });
    closeSync(full);
    expect(stderr).toMatch(/^presage: the output cannot be written: ENOSPC.*\n$/);
    expect(status).toBe(1);
  });
});
