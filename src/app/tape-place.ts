// Opens the tape at a place: the folder of a recording or journal, or a baked file.
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { MAGIC } from '../tape/baked/baked-format.ts';
import { BakedFault } from '../tape/baked/baked-fault.ts';
import type { RowSource } from '../tape/baked/tape-rows.ts';
import { segmentsOf } from '../tape/format/segment-files.ts';
import { fileStorage } from '../tape/journal/file-storage.ts';
import type { Storage } from '../tape/journal/storage.ts';
import { type OpenTapeOptions, openTape } from '../tape/tools/open-tape.ts';
import { tradeApiReplayParts } from '../venues/trade-api/replay-parts.ts';
import { UsageError } from './usage-error.ts';
import { knownProfile } from './venue/known-profile.ts';

/** The places that hold a tape, in words. */
export const TAPE_ARGUMENT = 'the folder of a recording or journal, or a baked .arrow file';

/** A tape found at a place. */
export type TapePlace =
  | { readonly type: 'baked'; readonly path: string }
  | { readonly type: 'raw'; readonly path: string; readonly storage: Storage };

/**
 * Finds the tape at a place.
 * @throws {UsageError} when there is none.
 */
export function tapeAt(place: string): TapePlace {
  const path = resolve(place);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw new UsageError(`${place}: expected ${TAPE_ARGUMENT}, found nothing`);
  if (found.isFile()) {
    if (beginningOf(path) === MAGIC) return { type: 'baked', path };
    throw new UsageError(`${place}: expected ${TAPE_ARGUMENT}, found a file that is not Arrow`);
  }
  const storage = fileStorage(path);
  if (segmentsOf(storage).length > 0) return { type: 'raw', path, storage };
  throw new UsageError(`${place}: expected a folder with a tape, found no file named like 00000001.tape in it`);
}

/**
 * Returns the first characters of a file, as many as an Arrow file begins with.
 * @throws {UsageError} when the file cannot be read.
 */
function beginningOf(path: string): string {
  const bytes = Buffer.alloc(MAGIC.length);
  try {
    const fd = openSync(path, 'r');
    try {
      return bytes.toString('latin1', 0, readSync(fd, bytes));
    } finally {
      closeSync(fd);
    }
  } catch (cause) {
    throw new UsageError(`${path}: cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
}

/** Creates the normalizer for a tape, by the profile that the tape names. */
export const tapeNormalizer: OpenTapeOptions['normalizerOf'] = (profile, tickers) =>
  tradeApiReplayParts({ profile: knownProfile(profile), tickers }).normalizer;

/**
 * Opens a tape as rows. A raw tape is baked first when it has no baked copy.
 * @throws {UsageError} when there is no tape, or its baked copy cannot be written.
 * @throws {TapeFault} or {BakedFault} when the tape is damaged.
 */
export function openTapeAt(place: string, options: Pick<OpenTapeOptions, 'bakedFile' | 'onProgress'> = {}): RowSource {
  const { path } = tapeAt(place);
  try {
    return openTape(path, { ...options, normalizerOf: tapeNormalizer });
  } catch (fault) {
    // The message for a read-only folder says that the baked copy must go elsewhere. Other faults are thrown on.
    if (!(fault instanceof BakedFault) || options.bakedFile !== undefined || !/EROFS|EACCES|EPERM/.test(fault.problem))
      throw fault;
    const remedy = `\`presage tape bake ${place} --out FILE.arrow\`, then use that file`;
    throw new UsageError(`${fault.message}; nothing may be written there: ${remedy}`, { cause: fault });
  }
}
