// What the `presage tape` commands share: a tape is found where it was said to be, opened, and what is wrong with it told.
import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { BakedFault } from '../tape/baked/baked-fault.ts';
import type { RowSource } from '../tape/baked/tape-rows.ts';
import { ExportFault } from '../tape/tools/export-fault.ts';
import { TapeFault } from '../tape/format/tape-fault.ts';
import { fileStorage } from '../tape/journal/file-storage.ts';
import { MergeFault } from '../tape/tools/merge-tapes.ts';
import { type OpenTapeOptions, openTape } from '../tape/tools/open-tape.ts';
import { segmentsOf } from '../tape/format/segment-files.ts';
import { SliceFault } from '../tape/tools/slice-tape.ts';
import type { Storage } from '../tape/journal/storage.ts';
import { tradeApiReplayParts } from '../venues/trade-api/trade-api-venue.ts';
import { ExitCode, UsageError } from '../cli/output/exit-code.ts';
import { knownProfile } from './venue/open-venue.ts';
import { progressBar } from '../cli/output/progress-bar.ts';

export const TAPE_EXIT_CODES =
  '\nExit code: 0 all well; 1 a tape is damaged, or a file could not be written; 2 the command or a file is wrong.\n';
export const TAPE_ARGUMENT = 'the folder of a recording or journal, or a baked .arrow file';

/** What a place holds. */
export type TapePlace =
  | { readonly type: 'baked'; readonly path: string }
  | { readonly type: 'raw'; readonly path: string; readonly storage: Storage };

/**
 * Looks what is there.
 * @throws {UsageError} when there is no tape.
 */
export function tapeAt(place: string): TapePlace {
  const path = resolve(place);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw new UsageError(`${place}: expected ${TAPE_ARGUMENT}, found nothing`);
  if (found.isFile()) return { type: 'baked', path };
  const storage = fileStorage(path);
  if (segmentsOf(storage).length > 0) return { type: 'raw', path, storage };
  throw new UsageError(`${place}: expected a folder with a tape, found no file named like 00000001.tape in it`);
}

/** What reads a tape's frames and answers, by its profile. */
export const tapeNormalizer: OpenTapeOptions['normalizerOf'] = (profile, tickers) =>
  tradeApiReplayParts({ profile: knownProfile(profile), tickers }).normalizer;

/**
 * Opens a tape as rows; a raw one is baked first where that was not done before.
 * @throws {UsageError} when there is none; {TapeFault} or {BakedFault} when it cannot be believed.
 */
export function openTapeAt(place: string, options: Pick<OpenTapeOptions, 'bakedFile'> = {}): RowSource {
  const { path } = tapeAt(place);
  const bar = progressBar(`baking ${place}`);
  try {
    const onProgress: OpenTapeOptions['onProgress'] = ({ bytes, bytesTotal }) => bar.update(bytes, bytesTotal);
    return openTape(path, { ...options, normalizerOf: tapeNormalizer, onProgress });
  } catch (fault) {
    // Where nothing may be written, its baked copy has to go elsewhere.
    if (!(fault instanceof BakedFault) || options.bakedFile !== undefined || !/EROFS|EACCES|EPERM/.test(fault.problem))
      throw fault;
    const remedy = `\`presage tape bake ${place} --out FILE.arrow\`, then use that file`;
    throw new UsageError(`${fault.message}; nothing may be written there: ${remedy}`, { cause: fault });
  } finally {
    bar.close();
  }
}

/** Opens tapes, and closes them whatever happens. */
export function withTapes<T>(places: readonly string[], act: (sources: readonly RowSource[]) => T): T {
  const sources: RowSource[] = [];
  try {
    for (const place of places) sources.push(openTapeAt(place));
    return act(sources);
  } finally {
    for (const source of sources) source.close();
  }
}

/** A damaged tape is neither the user's mistake nor the program's; nor is a disk that takes no more. */
export async function reportingTapeFaults(act: () => number | Promise<number>): Promise<number> {
  try {
    return await act();
  } catch (fault) {
    if (fault instanceof SliceFault || fault instanceof MergeFault)
      throw new UsageError(fault.message, { cause: fault });
    if (!(fault instanceof TapeFault || fault instanceof BakedFault || fault instanceof ExportFault)) throw fault;
    process.stderr.write(`presage: ${fault instanceof TapeFault ? 'the tape is damaged: ' : ''}${fault.message}\n`);
    return ExitCode.session;
  }
}

/**
 * Where a new file goes: never over one that is there.
 * @throws {UsageError} when there is one.
 */
export function newFilePath(out: string): string {
  const path = resolve(out);
  if (existsSync(path)) throw new UsageError(`--out: expected the name of a new file, found one there: ${out}`);
  return path;
}

export const printLines = (lines: readonly string[]): void =>
  void process.stdout.write(lines.map((line) => `${line}\n`).join(''));
