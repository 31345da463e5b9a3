// The folder of a study, and the strategy's code in it. Must never leave half a file, nor end a command with a stack trace
// because a disk is full or a folder may not be written.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { UsageError } from '../../app/usage-error.ts';
import { syncAndRename } from '../../history/export/sync-and-rename.ts';

/**
 * Makes a folder of a study, which its owner alone may read.
 * @throws {UsageError} when it cannot be made.
 */
export function makeStudyFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new UsageError(`${folder}: cannot be made: ${reasonOf(cause)}`, { cause });
  }
}

/**
 * Writes the code of a strategy's bundle once: its name is its hash. A study that is only read writes nothing.
 * @throws {UsageError} when it cannot be written.
 */
export function writeStrategyCode(file: string, code: string): void {
  if (textOf(file) === code) return;
  makeStudyFolder(dirname(file));
  const part = join(dirname(file), `.${basename(file, extname(file))}-${process.pid}.part`);
  try {
    writeFileSync(part, code);
    syncAndRename(part, file);
  } catch (cause) {
    rmSync(part, { force: true });
    throw new UsageError(`${file}: cannot be written: ${reasonOf(cause)}`, { cause });
  }
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));
