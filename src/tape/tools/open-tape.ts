// Opens a tape for replay: a baked file directly, a folder through its baked copy. The copy is in the tape's folder,
// unless another path is given. It is baked again when the tape or the baker has changed.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type BakeOptions, bakeTape } from './bake-tape.ts';
import { BakedFault } from '../baked/baked-fault.ts';
import { BAKER_VERSION } from '../baked/baked-format.ts';
import { openBakedFile } from '../baked/baked-reader.ts';
import { removeAbandoned } from '../baked/new-file.ts';
import type { RowSource } from '../baked/tape-rows.ts';
import { verifyBakedFile } from '../baked/verify-baked.ts';
import { fileStorage } from '../journal/file-storage.ts';
import { sourceHashOf } from '../journal/source-hash.ts';

/** Name of the baked copy in a tape's folder. */
export const BAKED_NAME = 'baked.arrow';
const REMEDY = '; remove it: it is a copy of the tape, and is baked again';

export interface OpenTapeOptions extends Omit<BakeOptions, 'storage' | 'to' | 'blockRows'> {
  /** Path of the baked copy, for a tape whose own folder cannot be written. */
  readonly bakedFile?: string;
}

/**
 * Opens a tape for replay, and bakes it first if necessary.
 * @param place A baked file, or the folder of a recording or journal.
 * @throws {TapeFault} when the tape is damaged.
 * @throws {BakedFault} when a baked file is damaged or cannot be written, or `place` does not exist.
 * @throws {StorageFault} when a file cannot be read.
 * @throws errors of `options.onProgress` and `options.normalizerOf`.
 */
export function openTape(place: string, options: OpenTapeOptions): RowSource {
  const found = statSync(place, { throwIfNoEntry: false });
  if (found === undefined) throw new BakedFault(place, 'is not there: expected a baked file or the folder of a tape');
  if (found.isFile()) return openBakedFile(place);
  const storage = fileStorage(place);
  const to = options.bakedFile ?? join(place, BAKED_NAME);
  const fresh = openFresh(to, sourceHashOf(storage));
  if (fresh !== null) return fresh;
  removeAbandoned(to);
  bakeTape({ ...options, storage, to });
  return openBakedFile(to, REMEDY);
}

/**
 * Returns the fault of the baked copy in a tape's folder that would end a replay. Returns `null` when the copy is
 * sound, missing, or due to be baked again.
 * @throws {StorageFault} when a file of the tape cannot be read.
 */
export function bakedCopyFault(folder: string): BakedFault | null {
  const path = join(folder, BAKED_NAME);
  const fresh = openFresh(path, sourceHashOf(fileStorage(folder)));
  if (fresh === null) return null;
  fresh.close();
  try {
    verifyBakedFile(path);
    return null;
  } catch (fault) {
    if (fault instanceof BakedFault) return new BakedFault(path, `${fault.problem}${REMEDY}`, { cause: fault });
    throw fault;
  }
}

/** Opens the baked copy. Returns `null` when it is missing, damaged, or of another tape or baker version. */
function openFresh(path: string, sourceHash: string): RowSource | null {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return null;
  const source = tryOpen(path);
  if (source === null) return null;
  const { facts } = source;
  if (facts.sourceHash === sourceHash && facts.bakerVersion === BAKER_VERSION) return source;
  source.close();
  return null;
}

function tryOpen(path: string): RowSource | null {
  try {
    return openBakedFile(path, REMEDY);
  } catch (fault) {
    if (fault instanceof BakedFault) return null;
    throw fault;
  }
}
