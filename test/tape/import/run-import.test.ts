// What all imports have in common: progress, an end before the end, and nothing left behind.
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { must } from '../../../src/domain/assert.ts';
import { BakedWriter } from '../../../src/tape/baked/writer.ts';
import { IMPORTERS, type ImportProgress, type ImportReport, importerNamed } from '../../../src/tape/import/index.ts';
import type { TestImportOptions } from '../../support/importing.ts';
import { captureWire } from '../../../src/venues/trade-api/captures.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'presage-run-import-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const rows = (count: number): string =>
  [
    'ticker,ts,yes_price,count,taker_side',
    ...Array.from({ length: count }, (_each, at) => `M-1,${1_767_348_000 + at},${1 + (at % 99)},1,yes`),
  ].join('\n');

function importing(text: string, options: TestImportOptions = {}): Promise<ImportReport> {
  const file = join(folder, 'trades.csv');
  writeFileSync(file, text);
  const writer = new BakedWriter(join(folder, 'out.arrow'));
  const importer = must(importerNamed('trades-csv'), 'a format');
  return importer.run({ files: [file], writer, wire: captureWire, venue: 'service', ...options });
}

describe('an import', () => {
  it('tells how far it has come, in both of its passes', async () => {
    const told: ImportProgress[] = [];
    await importing(rows(100_000), { onProgress: (progress) => told.push(progress) });
    for (const phase of ['survey', 'rows'] as const) {
      const ofPhase = told.filter((progress) => progress.phase === phase);
      const last = must(ofPhase.at(-1), 'progress');
      expect(ofPhase.length).toBeGreaterThan(2);
      expect(last.bytes).toBe(last.bytesTotal);
    }
  });

  it('that is stopped ends with the reason, and leaves nothing behind', async () => {
    const stop = new AbortController();
    const report = importing(rows(100_000), {
      signal: stop.signal,
      onProgress: ({ phase }) => {
        if (phase === 'rows') stop.abort(new Error('enough'));
      },
    });
    await expect(report).rejects.toThrow('enough');
    expect(readdirSync(folder)).toEqual(['trades.csv']);
  });

  it('that fails leaves nothing behind', async () => {
    await expect(importing('ticker,ts\nM-1,1767348000')).rejects.toThrow('expected a column');
    expect(readdirSync(folder)).toEqual(['trades.csv']);
  });

  it('of nothing is a tape of nothing', async () => {
    const report = await importing('ticker,ts,yes_price,count,taker_side\n');
    expect(report).toMatchObject({ read: 0, markets: 0, findings: [], facts: { rows: 0 } });
    expect(existsSync(join(folder, 'out.arrow'))).toBe(true);
  });

  it('gives the same tape for the same files', async () => {
    const [first, second] = [await importing(rows(50)), await importing(rows(50))];
    expect(second).toEqual(first);
    expect(first.facts.sourceHash).toMatch(/^[0-9a-f]{64}$/);
    expect((await importing(rows(51))).facts.sourceHash).not.toBe(first.facts.sourceHash);
  });

  it('of a folder is refused', async () => {
    const importer = must(importerNamed('trades-csv'), 'a format');
    const writer = new BakedWriter(join(folder, 'out.arrow'));
    const report = importer.run({ files: [folder], writer, wire: captureWire, venue: 'service' });
    await expect(report).rejects.toThrow('expected a file, found a folder');
  });

  it('knows its formats by name', () => {
    const names = IMPORTERS.map(({ name }) => name);
    expect(names).toEqual(['feed-jsonl', 'trades-csv', 'trades-parquet', 'quotes-csv', 'candles-json']);
    expect(names.map((name) => importerNamed(name)?.name)).toEqual(names);
    expect(importerNamed('xml')).toBeUndefined();
  });
});
