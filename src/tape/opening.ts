// Opens a tape to go on writing it: mends what a death in the middle of a step left, and finds where the tape stands.
// A torn last line is cut, and told; anything else that does not fit is a fault, and nothing is changed.
import { TapeReader } from './reader.ts';
import { type Segment, plainName, segmentsOf } from './segment-name.ts';
import type { Storage } from './storage.ts';

/** What happens to a tape's files. */
export type TapeNote =
  /** A death in the middle of a write left a line that is not whole: it was cut. */
  | { readonly type: 'cut'; readonly file: string; readonly bytes: number }
  | { readonly type: 'packed'; readonly file: string; readonly fromBytes: number; readonly toBytes: number }
  /** It stays as it was. */
  | { readonly type: 'not-packed'; readonly file: string; readonly reason: string }
  /** The tape was longer or older than is kept. */
  | { readonly type: 'removed'; readonly file: string; readonly bytes: number }
  | { readonly type: 'not-removed'; readonly file: string; readonly reason: string };

/** Where a tape stands. */
export interface TapeEnd {
  /** The number the next file gets. */
  readonly nextSegment: number;
  /** The last entry's number and checksum; zeros when there is none. */
  readonly seq: number;
  readonly chain: number;
  /** Files that are closed and not yet packed, oldest first. */
  readonly unpacked: readonly string[];
}

/**
 * Mends a tape and finds its end.
 * @throws {TapeFault} when its last file cannot be believed.
 * @throws {StorageFault} when a file cannot be read or changed.
 */
export function openTape(storage: Storage, tell: (note: TapeNote) => void): TapeEnd {
  removeLeavings(storage);
  for (;;) {
    const segments = segmentsOf(storage);
    const last = segments.at(-1);
    if (last === undefined) return { nextSegment: 1, seq: 0, chain: 0, unpacked: [] };
    const reader = new TapeReader(storage, { from: last.number });
    // Reading it whole is what proves it.
    for (const _ of reader.entries());
    const { torn, position } = reader;
    if (torn) tell({ type: 'cut', file: torn.file, bytes: torn.tornBytes });
    if (position !== null) {
      if (torn) storage.truncate(torn.file, torn.wholeBytes);
      const unpacked = segments.filter(({ isPacked }) => !isPacked).map(({ name }) => name);
      return { nextSegment: last.number + 1, ...position, unpacked };
    }
    // Not even its header was whole: it was never begun.
    storage.remove(last.name);
  }
}

/** What was being packed, and files that had been packed but not removed. */
function removeLeavings(storage: Storage): void {
  for (const name of storage.list()) if (name.endsWith('.tape.gz.part')) storage.remove(name);
  const packed = segmentsOf(storage).filter((segment: Segment) => segment.isPacked);
  for (const { number } of packed) storage.remove(plainName(number));
}
