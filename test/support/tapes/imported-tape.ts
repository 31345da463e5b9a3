// Imports of small files that a test writes, and the imported rows as facts with the names of their markets.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { must } from '../../../src/base/assert.ts';
import { openBakedFile } from '../../../src/tape/baked/baked-reader.ts';
import type { RowSource } from '../../../src/tape/baked/tape-rows.ts';
import { BakedWriter } from '../../../src/tape/baked/baked-writer.ts';
import { type ImportOptions, type ImportReport, importerNamed } from '../../../src/tape/import/import-formats.ts';
import { type RowFact, rowFacts } from '../../../src/tape/tools/row-facts.ts';
import { captureWire } from '../../../src/venues/trade-api/captures/capture-dialects.ts';

/** Folder of recordings of the real exchange. It lies beside the repository and is never part of it. */
export const recordings = fileURLToPath(new URL('../../../../shared/data/', import.meta.url));
export const areRecordingsAbsent = !existsSync(recordings);
/** Suffix for the titles of tests that need the recordings. */
export const skipReason = areRecordingsAbsent ? ' (skipped: the recordings beside the repository are absent)' : '';

export type TestImportOptions = Partial<Omit<ImportOptions, 'files' | 'writer'>>;

export interface ImportResult {
  readonly report: ImportReport;
  readonly facts: readonly RowFact[];
  /** Returns the ticker of a market number. */
  readonly nameOf: (market: number) => string;
}

/** Imports existing files. */
export function importFiles(
  format: string,
  files: readonly string[],
  options: TestImportOptions = {},
): Promise<ImportResult> {
  return withImportedTape({ format, files, ...options }, (source, report) => {
    const facts = [...rowFacts(source)].map((fact) => structuredClone(fact));
    const names = source.tickers.tickersByIndex();
    return { report, facts, nameOf: (market) => String(names[market]) };
  });
}

/** Imports existing files and passes the tape to a function before it is deleted. */
export async function withImportedTape<T>(
  { format, ...options }: TestImportOptions & { readonly format: string; readonly files: readonly string[] },
  act: (source: RowSource, report: ImportReport) => T | Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'presage-import-'));
  try {
    const path = join(folder, 'out.arrow');
    const importer = must(importerNamed(format), format);
    const run = { writer: new BakedWriter(path), wire: captureWire, venue: 'service', ...options };
    const report = await importer.importFiles(run);
    const source = openBakedFile(path);
    try {
      return await act(source, report);
    } finally {
      source.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Writes texts to files with the given extension and imports them. */
export async function importTexts(
  format: string,
  texts: readonly (string | Uint8Array)[],
  { ending = '.csv', ...options }: TestImportOptions & { readonly ending?: string } = {},
): Promise<ImportResult> {
  const folder = mkdtempSync(join(tmpdir(), 'presage-import-'));
  try {
    const files = texts.map((text, at) => {
      const file = join(folder, `file-${at + 1}${ending}`);
      writeFileSync(file, text);
      return file;
    });
    return await importFiles(format, files, options);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the rows of books and prints without all other facts. */
export const marketRows = ({ facts }: ImportResult): readonly Exclude<RowFact, { kind: 'other' }>[] =>
  facts.filter((fact) => fact.kind !== 'other');

/** Returns the kind of each fact, in order. */
export const kindsOf = ({ facts }: ImportResult): readonly string[] =>
  facts.map((fact) => (fact.kind === 'other' ? fact.row.kind : fact.kind));

/** Returns the number of findings by kind. */
export const countsOf = ({ findings }: ImportReport): Record<string, number> =>
  Object.fromEntries(findings.map(({ kind, count }) => [kind, count]));
