// Checks the files of an import before any is read. Must refuse what would be read as something else.
import { type Stats, closeSync, openSync, readSync, statSync } from 'node:fs';
import { ImportFault } from './import-fault.ts';
import type { HashedFile } from './rows/file-hash.ts';

/** First bytes of files that no format can read, and what such a file is. */
const UNREADABLE: readonly (readonly [first: Buffer, found: string])[] = [
  [Buffer.from([0x1f, 0x8b]), 'a packed file: let its name end in .gz'],
  [Buffer.from([0xff, 0xfe]), 'text in UTF-16: convert it'],
  [Buffer.from([0xfe, 0xff]), 'text in UTF-16: convert it'],
];

/**
 * Returns the files with their sizes.
 * @throws {ImportFault} for a file that cannot be read, and for one that is named twice.
 */
export function checkedFiles(files: readonly string[]): readonly HashedFile[] {
  const named = new Map<string, string>();
  return files.map((file) => {
    const { size, dev, ino } = statsOf(file);
    const other = named.get(`${dev} ${ino}`);
    if (other !== undefined)
      throw new ImportFault({ file, line: null }, `expected each file once, found it a second time, after ${other}`);
    named.set(`${dev} ${ino}`, file);
    refuseUnreadable(file);
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

function refuseUnreadable(file: string): void {
  if (file.endsWith('.gz')) return;
  const start = tried(file, () => firstBytes(file));
  const [, found] = UNREADABLE.find(([first]) => start.equals(first)) ?? [];
  if (found !== undefined) throw new ImportFault({ file, line: null }, `expected text in UTF-8, found ${found}`);
}

function firstBytes(file: string): Buffer {
  const fd = openSync(file, 'r');
  try {
    const start = Buffer.alloc(2);
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
