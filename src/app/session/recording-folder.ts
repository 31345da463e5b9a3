// The folder of a recording. Must never continue a tape of another profile.
import { resolve } from 'node:path';
import type { Micros } from '../../domain/units.ts';
import { fileStorage } from '../../tape/journal/file-storage.ts';
import { lastManifest } from '../../tape/journal/session-headers.ts';
import { UsageError } from '../usage-error.ts';

/** Returns the requested folder, or a folder named by the time. Returns `null` when no recording is requested. */
export function recordingFolder(requested: string | true | undefined, now: Micros): string | null {
  if (requested === undefined) return null;
  return resolve(requested === true ? `recordings/${timeName(now)}` : requested);
}

/** Formats a moment as `2026-11-21T074500Z`: every file system accepts this name. */
const timeName = (at: Micros): string => `${new Date(at / 1000).toISOString().slice(0, 19).replaceAll(':', '')}Z`;

/**
 * Refuses a folder with a tape of another profile: an existing tape would be continued.
 * @throws {UsageError} for a tape of another profile.
 */
export function refuseOtherVenue(folder: string, profile: string): void {
  const last = lastManifest(fileStorage(folder));
  if (last === null || last.profile === profile) return;
  throw new UsageError(
    `${folder}: expected a tape of profile ${profile} to continue, or no tape; found one of profile ${last.profile}`,
  );
}
