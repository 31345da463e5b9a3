// Finds sessions whose process died, before the next session's beginning shows it in the journal. Must never write, nor
// call a session dead that may live in a container or on another machine.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { segmentsOf } from '../../tape/format/segment-files.ts';
import { fileStorage } from '../../tape/journal/file-storage.ts';
import { isLocked } from '../../tape/journal/folder-lock.ts';
import type { SessionRow } from './history-queries.ts';

/**
 * Time without an entry after which a journal counts as left. A lock names a process of its own machine, so a shared
 * folder may be in use although no such process is found. A session writes each few seconds. Milliseconds.
 */
const LEFT_AFTER_MS = 30_000;

/** Replaces `open` by `crashed` in the rows of sessions whose process no longer lives. */
export function markDeadSessions(dataFolder: string, rows: readonly SessionRow[]): SessionRow[] {
  const isLeft = new Map<string, boolean>();
  return rows.map((row) => {
    if (row.how !== 'open') return row;
    const isDead = isLeft.get(row.journal) ?? isLeftAlone(join(dataFolder, row.journal));
    isLeft.set(row.journal, isDead);
    return isDead ? { ...row, how: 'crashed' } : row;
  });
}

/** True when no process holds a journal, and none has written to it lately. */
function isLeftAlone(folder: string): boolean {
  if (isLocked(folder)) return false;
  const name = segmentsOf(fileStorage(folder)).at(-1)?.name;
  const stat = name === undefined ? undefined : statSync(join(folder, name), { throwIfNoEntry: false });
  return stat !== undefined && Date.now() - stat.mtimeMs >= LEFT_AFTER_MS;
}
