// Prepares a tape for writing: repairs what a crash left, and finds the tape's end. A torn last line is cut and
// reported. Any other damage in the last file is a fault. Must never cut a whole line.
import { TapeReader } from './tape-reader.ts';
import { type Segment, plainName, segmentsOf } from '../format/segment-files.ts';
import type { Storage } from './storage.ts';

/** A change of a tape's files, or a failed change. */
export type TapeNotice =
  /** A crash in the middle of a write left an incomplete line, which was cut. */
  | { readonly type: 'cut'; readonly file: string; readonly bytes: number }
  | { readonly type: 'packed'; readonly file: string; readonly fromBytes: number; readonly toBytes: number }
  /** The file stays unpacked. */
  | { readonly type: 'not-packed'; readonly file: string; readonly reason: string }
  /** The tape exceeded its maximum size or age. */
  | { readonly type: 'removed'; readonly file: string; readonly bytes: number }
  | { readonly type: 'not-removed'; readonly file: string; readonly reason: string };

/** The end of a tape. */
export interface TapeEnd {
  readonly nextSegment: number;
  /** Number of the last entry, or 0. `chain` is its checksum, or 0. */
  readonly seq: number;
  readonly chain: number;
  /** Closed files that are not packed yet, oldest first. */
  readonly unpacked: readonly string[];
}

/**
 * Repairs a tape and finds its end.
 * @throws {TapeFault} when its last file is damaged.
 * @throws {StorageFault} when a file cannot be read or changed.
 */
export function recoverTape(storage: Storage, onNotice: (note: TapeNotice) => void): TapeEnd {
  removeLeftovers(storage);
  for (;;) {
    const segments = segmentsOf(storage);
    const last = segments.at(-1);
    if (last === undefined) return { nextSegment: 1, seq: 0, chain: 0, unpacked: [] };
    const reader = new TapeReader(storage, { firstSegment: last.number });
    // Reading the whole file verifies it.
    for (const _ of reader.entries());
    const { tornTail, position } = reader;
    if (tornTail) onNotice({ type: 'cut', file: tornTail.file, bytes: tornTail.tornBytes });
    if (position !== null) {
      if (tornTail) storage.truncateFile(tornTail.file, tornTail.wholeBytes);
      const unpacked = segments.filter(({ isPacked }) => !isPacked).map(({ name }) => name);
      return { nextSegment: last.number + 1, ...position, unpacked };
    }
    // Its header is incomplete, so the file has no entry.
    storage.removeEntry(last.name);
  }
}

/** Removes half-packed files, and plain files whose packed copy is complete. */
function removeLeftovers(storage: Storage): void {
  for (const name of storage.listFiles()) if (name.endsWith('.tape.gz.part')) storage.removeEntry(name);
  const packed = segmentsOf(storage).filter((segment: Segment) => segment.isPacked);
  for (const { number } of packed) storage.removeEntry(plainName(number));
}
