// The folder of a study, and the strategy's code in it. Must never leave half a file, nor end a command with a stack trace
// because a disk is full or a folder may not be written.
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from '../../log/make-folder.ts';
import { UsageError, asUsageError } from '../../app/usage-error.ts';
import { writeWhole } from '../../history/export/sync-and-rename.ts';

/**
 * Makes a folder of a study, which its owner alone may read.
 * @throws {UsageError} when it cannot be made.
 */
export function makeStudyFolder(folder: string): void {
  try {
    makeFolder(folder, 0o700);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(`${folder}: cannot be made: ${reason}`, { cause });
  }
}

/**
 * Writes the code of a strategy's bundle once: its name is its hash. A study that is only read writes nothing.
 * @throws {UsageError} when it cannot be written.
 */
export function writeStrategyCode(file: string, code: string): void {
  if (textOf(file) === code) return;
  makeStudyFolder(dirname(file));
  asUsageError(() => writeWhole(file, code));
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
