// Opens tapes for commands: with a progress bar, and with messages for damaged tapes.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { openTapeAt } from '../../app/tape-place.ts';
import { UsageError } from '../../app/usage-error.ts';
import { BakedFault } from '../../tape/baked/baked-fault.ts';
import type { RowSource } from '../../tape/baked/tape-rows.ts';
import { TapeFault } from '../../tape/format/tape-fault.ts';
import { ExportFault } from '../../tape/tools/export-fault.ts';
import { MergeFault } from '../../tape/tools/merge-tapes.ts';
import { SliceFault } from '../../tape/tools/slice-tape.ts';
import { ExitCode } from '../output/exit-code.ts';
import { progressBar } from '../output/progress-bar.ts';
import { Stopped } from './stoppable-work.ts';

export const TAPE_EXIT_CODES =
  '\nExit code: 0 all well; 1 a tape is damaged, a file could not be written, or a signal stopped it; 2 the command or a file is wrong.\n';

/**
 * Opens a tape as rows. A progress bar shows the baking.
 * @throws {UsageError} when there is no tape.
 * @throws {TapeFault} or {BakedFault} when the tape is damaged.
 */
export function openShowingProgress(place: string, options: { readonly bakedFile?: string } = {}): RowSource {
  const bar = progressBar(`baking ${place}`);
  try {
    return openTapeAt(place, { ...options, onProgress: ({ bytes, bytesTotal }) => bar.update(bytes, bytesTotal) });
  } finally {
    bar.close();
  }
}

/** Opens tapes for an action, and closes them in any case. */
export async function withTapes<T>(
  places: readonly string[],
  act: (sources: readonly RowSource[]) => Promise<T>,
): Promise<T> {
  const sources: RowSource[] = [];
  try {
    for (const place of places) sources.push(openShowingProgress(place));
    return await act(sources);
  } finally {
    for (const source of sources) source.close();
  }
}

/**
 * Runs an action. A damaged tape, an output that cannot be written, or a stop is printed and becomes an exit code.
 * @throws {UsageError} when a slice or merge is not possible.
 */
export async function reportingTapeFaults(act: () => number | Promise<number>): Promise<number> {
  try {
    return await act();
  } catch (fault) {
    if (fault instanceof SliceFault || fault instanceof MergeFault)
      throw new UsageError(fault.message, { cause: fault });
    const isKnown = [TapeFault, BakedFault, ExportFault, Stopped].some((kind) => fault instanceof kind);
    if (!(fault instanceof Error) || !isKnown) throw fault;
    process.stderr.write(`presage: ${fault instanceof TapeFault ? 'the tape is damaged: ' : ''}${fault.message}\n`);
    return ExitCode.session;
  }
}

/**
 * Returns the absolute path of a new file.
 * @throws {UsageError} when the file exists.
 */
export function newFilePath(out: string): string {
  const path = resolve(out);
  if (existsSync(path)) throw new UsageError(`--out: expected the name of a new file, found one there: ${out}`);
  return path;
}
