// Opens what is to be replayed, wherever it stands: a baked file as it is; a tape through its baked copy, which lies in its
// folder and is made anew when the tape, or what bakes it, is another than it was.
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type BakeOptions, bake } from './bake.ts';
import { BakedFault } from './baked/fault.ts';
import { BAKER_VERSION } from './baked/form.ts';
import { openBaked } from './baked/reader.ts';
import type { RowSource } from './baked/rows.ts';
import { verifyBaked } from './baked/verify.ts';
import { fileStorage } from './file-storage.ts';
import { sourceHashOf } from './source-hash.ts';

/** The baked copy in a tape's folder. */
export const BAKED_NAME = 'baked.arrow';
const REMEDY = '; it is a copy of the tape, and made anew when it was removed';

export interface OpenTapeOptions extends Pick<BakeOptions, 'reading' | 'onProgress' | 'profile'> {
  /** Where the baked copy goes, where the tape's own folder cannot be written. */
  readonly bakedFile?: string;
}

/**
 * Opens a tape for replay, baking it first when that is needed.
 * @param place A baked file, or the folder of a recording or journal.
 * @throws {TapeFault} when the tape cannot be believed; {BakedFault} when a baked file cannot; {StorageFault} when a file
 * cannot be read; whatever `options.reading` throws.
 */
export function openTape(place: string, options: OpenTapeOptions): RowSource {
  const found = statSync(place, { throwIfNoEntry: false });
  if (found === undefined) throw new BakedFault(place, 'is not there: expected a baked file or the folder of a tape');
  if (found.isFile()) return openBaked(place);
  const storage = fileStorage(place);
  const to = options.bakedFile ?? join(place, BAKED_NAME);
  const fresh = openFresh(to, sourceHashOf(storage));
  if (fresh !== null) return fresh;
  if (options.bakedFile === undefined) removeLeavings(place);
  bake({ ...options, storage, to });
  return openBaked(to, REMEDY);
}

/**
 * What is wrong with the baked copy in a tape's folder, so that a replay would end in it; `null` where nothing is, where
 * there is none, and where it would be made anew.
 * @throws {StorageFault} when a file of the tape cannot be read.
 */
export function faultOfCopy(folder: string): BakedFault | null {
  const path = join(folder, BAKED_NAME);
  const fresh = openFresh(path, sourceHashOf(fileStorage(folder)));
  if (fresh === null) return null;
  fresh.close();
  try {
    verifyBaked(path);
    return null;
  } catch (fault) {
    if (fault instanceof BakedFault) return new BakedFault(path, `${fault.what}${REMEDY}`, { cause: fault });
    throw fault;
  }
}

/** The baked copy; `null` when it is not there, of another tape or baker, or damaged. */
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
    return openBaked(path, REMEDY);
  } catch (fault) {
    // It can be made anew.
    if (fault instanceof BakedFault) return null;
    throw fault;
  }
}

/** What a death in the middle of baking left. */
function removeLeavings(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = /^baked\.arrow\.(\d+)\.new$/.exec(name)?.[1];
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(join(folder, name), { force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (fault) {
    // One that may not be signaled runs too.
    return fault instanceof Error && 'code' in fault && fault.code === 'EPERM';
  }
}
