// Gives a finished file its name.
import { closeSync, fdatasyncSync, openSync, renameSync } from 'node:fs';

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
