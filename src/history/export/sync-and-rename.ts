// Gives a finished file its name. Must never leave half a file.
import { closeSync, fdatasyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** Renames a file once its bytes are on the disk: the name never stands for half a file, even after a crash. */
export function syncAndRename(part: string, filePath: string): void {
  const fd = openSync(part, 'r+');
  try {
    fdatasyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(part, filePath);
}

/**
 * Writes a text file under its name once it is complete.
 * @throws {Error} that names the file, when it cannot be written. No part of it stays.
 */
export function writeWhole(filePath: string, text: string): void {
  // Two processes may write one file at once.
  const part = `${filePath}.${process.pid}.part`;
  try {
    writeFileSync(part, text);
    syncAndRename(part, filePath);
  } catch (cause) {
    rmSync(part, { force: true });
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${filePath}: cannot be written: ${reason}`, { cause });
  }
}
