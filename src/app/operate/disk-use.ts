// The disk that a bot uses, read from its data folder without the bot. Must never fail: an unreadable folder counts as
// empty.
import { readdirSync, statSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { JOURNAL_FOLDER } from '../../runtime/saved/data-folder.ts';

/** The disk that a bot uses. */
export interface DiskUse {
  readonly journalBytes: number;
  /** Growth in bytes per day, by the files changed in the last 24 hours. `null` for a young journal. */
  readonly journalBytesPerDay: number | null;
  readonly freeBytes: number | null;
}

interface JournalFile {
  readonly bytes: number;
  readonly beganMs: number;
  readonly changedMs: number;
}

const DAY_MS = 86_400_000;
/** A younger journal gives no rate. */
const AGE_MIN_MS = 60_000;

/** Measures the disk that a bot uses. */
export function diskUse(dataFolder: string, nowMs: number = Date.now()): DiskUse {
  const files = journalFiles(join(dataFolder, JOURNAL_FOLDER));
  const journalBytes = files.reduce((sum, { bytes }) => sum + bytes, 0);
  return { journalBytes, journalBytesPerDay: bytesPerDay(files, nowMs), freeBytes: freeBytes(dataFolder) };
}

function journalFiles(folder: string): JournalFile[] {
  try {
    return readdirSync(folder).flatMap((name): JournalFile[] => {
      const stat = statSync(join(folder, name), { throwIfNoEntry: false });
      return stat?.isFile() === true ? [{ bytes: stat.size, beganMs: stat.birthtimeMs, changedMs: stat.mtimeMs }] : [];
    });
  } catch {
    return [];
  }
}

/**
 * The time is counted from the last change before the last 24 hours, or else from the first file. A file counts whole
 * on the day of its last change.
 */
function bytesPerDay(files: readonly JournalFile[], nowMs: number): number | null {
  const sinceMs = nowMs - DAY_MS;
  const recent = files.filter(({ changedMs }) => changedMs >= sinceMs);
  const before = files.filter(({ changedMs }) => changedMs < sinceMs);
  const beganMs =
    before.length === 0
      ? Math.min(...recent.map((file) => Math.min(file.beganMs, file.changedMs)))
      : Math.max(...before.map(({ changedMs }) => changedMs));
  const spanMs = nowMs - beganMs;
  if (recent.length === 0 || spanMs < AGE_MIN_MS) return null;
  const bytes = recent.reduce((sum, file) => sum + file.bytes, 0);
  return Math.round((bytes * DAY_MS) / spanMs);
}

function freeBytes(folder: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return null;
  }
}
