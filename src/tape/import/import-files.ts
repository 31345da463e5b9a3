// Checks the files of an import before any is read. Must refuse what would be read as something else.
import { type Stats, closeSync, openSync, readSync, statSync } from 'node:fs';
import { type ForeignKind, foreignKindOf } from '../../base/foreign-file.ts';
import { ImportFault } from './import-fault.ts';
import type { HashedFile } from './rows/file-hash.ts';

/** Bytes by which a file of another kind is recognized. */
const START_BYTES = 64;

/** The remedy for a file of another kind, where there is one. */
const REMEDIES: Partial<Record<ForeignKind, string>> = {
  'a packed file (gzip)': 'let its name end in .gz',
  'a Parquet file': 'import it by a format for Parquet',
  'text in UTF-16': 'convert it to UTF-8',
};

/**
 * Returns the files with their sizes.
 * @param accepts endings of file names that the format accepts.
 * @throws {ImportFault} for a file that cannot be read, that is of another kind, or that is named twice.
 */
export function checkedFiles(files: readonly string[], accepts: readonly string[]): readonly HashedFile[] {
  const isParquet = accepts.includes('.parquet');
  const named = new Map<string, string>();
  return files.map((file) => {
    const { size, dev, ino } = statsOf(file);
    const other = named.get(`${dev} ${ino}`);
    if (other !== undefined)
      throw new ImportFault({ file, line: null }, `expected each file once, found it a second time, after ${other}`);
    named.set(`${dev} ${ino}`, file);
    if (isParquet) refuseUnlessParquet(file);
    else refuseUnlessText(file);
    return { file, bytes: size };
  });
}

/** A pipe is refused, because it cannot be read a second time for the hash. */
function statsOf(file: string): Stats {
  const stats = tried(file, () => statSync(file));
  if (stats.isFile()) return stats;
  const found = stats.isDirectory() ? 'a folder' : 'what cannot be read twice';
  throw new ImportFault({ file, line: null }, `expected a file, found ${found}`);
}

function refuseUnlessParquet(file: string): void {
  const found = foreignKindOf(tried(file, () => firstBytes(file))) ?? 'text';
  if (found !== 'a Parquet file')
    throw new ImportFault({ file, line: null }, `expected a Parquet file, found ${found}`);
}

function refuseUnlessText(file: string): void {
  if (file.endsWith('.gz')) return;
  const found = foreignKindOf(tried(file, () => firstBytes(file)));
  if (found === null) return;
  const remedy = REMEDIES[found];
  const what = `expected text in UTF-8, found ${found}${remedy === undefined ? '' : `: ${remedy}`}`;
  throw new ImportFault({ file, line: null }, what);
}

function firstBytes(file: string): Buffer {
  const fd = openSync(file, 'r');
  try {
    const start = Buffer.alloc(START_BYTES);
    return start.subarray(0, readSync(fd, start));
  } finally {
    closeSync(fd);
  }
}

function tried<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new ImportFault({ file, line: null }, `expected a file that can be read, found ${codeOf(cause)}`, { cause });
  }
}

const codeOf = (cause: unknown): string => (cause instanceof Error && 'code' in cause ? String(cause.code) : 'none');
