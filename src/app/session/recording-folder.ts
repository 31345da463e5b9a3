// Where a recording goes, and whether it may go there. Must never mix two venues in one tape.
import { resolve } from 'node:path';
import type { Micros } from '../../domain/units.ts';
import { fileStorage } from '../../tape/journal/file-storage.ts';
import { lastManifest } from '../../tape/journal/session-headers.ts';
import { UsageError } from '../usage-error.ts';

/** The folder that was asked for, or one of its own by the time; `null` when none was asked for. */
export function recordingFolder(asked: string | true | undefined, now: Micros): string | null {
  if (asked === undefined) return null;
  return resolve(asked === true ? `recordings/${stamp(now)}` : asked);
}

/** `2026-11-21T074500Z`: a name that every file system takes. */
const stamp = (at: Micros): string => `${new Date(at / 1000).toISOString().slice(0, 19).replaceAll(':', '')}Z`;

/**
 * A tape that is there is gone on with, if it is of the same venue.
 * @throws {UsageError} when it is of another.
 */
export function refuseOtherVenue(folder: string, profile: string): void {
  const before = lastManifest(fileStorage(folder));
  if (before === null || before.profile === profile) return;
  throw new UsageError(
    `${folder}: expected a tape of profile ${profile} to go on with, or no tape; found one of profile ${before.profile}`,
  );
}
