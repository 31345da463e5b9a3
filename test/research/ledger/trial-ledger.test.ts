// The ledger of trials: each trial once however often it is appended, torn lines cut at every byte, changed and missing
// lines refused by their number, and several processes that append at once.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LedgerEntry } from '../../../src/research/ledger/ledger-lines.ts';
import { TrialLedger } from '../../../src/research/ledger/trial-ledger.ts';
import { builtModule } from '../../e2e/presage.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'presage-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const NOW_MS = Date.UTC(2026, 0, 2, 3, 4, 5);
const open = (): TrialLedger => new TrialLedger(folder, () => NOW_MS);
const file = (): string => join(folder, 'ledger.jsonl');
const hashOf = (n: number): string => n.toString(16).padStart(64, '0');
const study = (n: number, ...clusters: string[]): LedgerEntry => ({
  kind: 'study',
  study: hashOf(n),
  name: `study ${n}`,
  clusters,
});
const trial = (of: number, n: number, sharpe: number | null = null): LedgerEntry => ({
  kind: 'trial',
  study: hashOf(of),
  trial: hashOf(n),
  end: 'finished',
  returns: sharpe === null ? null : { groups: 30, sharpe, skewness: 0, kurtosis: 3 },
});

describe('the ledger of trials', () => {
  it('has each study and each trial of a study once, and is read back as it was', async () => {
    const ledger = open();
    await ledger.append([study(1, 'a'), trial(1, 10, 0.5), trial(1, 10, 0.5)]);
    await open().append([trial(1, 10, 0.5), trial(1, 11)]);
    await ledger.append([trial(1, 11), trial(2, 11)]);
    const { lines } = open();
    expect(lines).toEqual(ledger.lines);
    const entries = lines.map(({ v, prev, at, ...entry }) => {
      expect([v, at, prev.length]).toEqual([1, '2026-01-02T03:04:05.000Z', 64]);
      return entry;
    });
    expect(entries).toEqual([study(1, 'a'), trial(1, 10, 0.5), trial(1, 11), trial(2, 11)]);
  });

  it('finds the trials of all studies that share an event group, each once', async () => {
    const ledger = open();
    await ledger.append([study(1, 'a', 'b'), study(2, 'b', 'c'), study(3, 'd')]);
    await ledger.append([trial(1, 10, 0.5), trial(2, 10, 0.5), trial(2, 11), trial(3, 12)]);
    const found = (...clusters: string[]): string[] => ledger.trialsOn(clusters).map((line) => line.trial);
    expect(found('a')).toEqual([hashOf(10)]);
    expect(found('b')).toEqual([hashOf(10), hashOf(11)]);
    expect(found('c', 'd')).toEqual([hashOf(10), hashOf(11), hashOf(12)]);
    expect(found('e')).toEqual([]);
  });

  it('loses only the torn part of its last line, wherever it was cut', async () => {
    await open().append([study(1, 'ä'), trial(1, 10, 0.5)]);
    const bytes = readFileSync(file());
    const first = bytes.indexOf(10) + 1;
    for (let size = first; size < bytes.length; size += 1) {
      writeFileSync(file(), bytes.subarray(0, size));
      const ledger = open();
      expect(ledger.lines).toHaveLength(1);
      await ledger.append([trial(1, 10, 0.5)]);
      expect(readFileSync(file())).toEqual(bytes);
    }
  });

  it.each([
    ['changed', (lines: string[]) => lines.with(1, lines[1]!.replace('0.5', '0.4')), 3],
    ['removed', (lines: string[]) => lines.toSpliced(1, 1), 2],
    ['added twice', (lines: string[]) => lines.toSpliced(1, 0, lines[1]!), 3],
    ['no JSON', (lines: string[]) => lines.with(1, '{'), 2],
  ])('is refused when a line is %s, with the number of the line', async (_, change, number) => {
    await open().append([study(1, 'a'), trial(1, 10, 0.5), trial(1, 11)]);
    const lines = readFileSync(file(), 'utf8').trimEnd().split('\n');
    writeFileSync(file(), `${change(lines).join('\n')}\n`);
    expect(open).toThrow(`ledger.jsonl:${number}: expected a line that follows the line before`);
  });

  it('has the lines of several processes that append at once', async () => {
    const script = join(folder, 'append.mjs');
    const module = JSON.stringify(builtModule('research/ledger/trial-ledger'));
    writeFileSync(
      script,
      `import { TrialLedger } from ${module};
const ledger = new TrialLedger(process.argv[2]);
const hash = (n) => n.toString(16).padStart(64, '0');
for (let n = 0; n < 20; n += 1) {
  const trial = hash(Number(process.argv[3]) * 100 + n);
  await ledger.append([{ kind: 'trial', study: hash(1), trial, end: 'failed', returns: null }]);
}
`,
    );
    const to = join(folder, 'shared');
    mkdirSync(to);
    const run = promisify(execFile);
    await Promise.all([1, 2, 3].map((n) => run(process.execPath, [script, to, String(n)])));
    const { lines } = new TrialLedger(to);
    expect(new Set(lines.map((line) => line.kind === 'trial' && line.trial)).size).toBe(60);
    expect(lines).toHaveLength(60);
  });
});
