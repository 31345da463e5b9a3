// Names of a tape's files: numbered, `.tape` while they grow, `.tape.gz` when closed and packed, `.part` while being
// packed.
import type { Storage } from '../journal/storage.ts';

/** One file of a tape. */
export interface Segment {
  readonly number: number;
  readonly name: string;
  readonly isPacked: boolean;
}

/** Name of a file while it grows. */
export const plainName = (number: number): string => `${String(number).padStart(8, '0')}.tape`;
export const packedName = (number: number): string => `${plainName(number)}.gz`;

/** Parses a file's name; `null` when the file is not part of a tape. */
function segmentOf(name: string): Segment | null {
  const match = /^(\d{8,})\.tape(\.gz)?$/.exec(name);
  return match && { number: Number(match[1]), name, isPacked: match[2] !== undefined };
}

/**
 * The tape's files, by number. When a file is there twice, the packed copy counts: it gets its name only when it is
 * complete.
 */
export function segmentsOf(storage: Storage): Segment[] {
  const byNumber = new Map<number, Segment>();
  for (const name of storage.listFiles()) {
    const segment = segmentOf(name);
    if (segment && byNumber.get(segment.number)?.isPacked !== true) byNumber.set(segment.number, segment);
  }
  return [...byNumber.values()].sort((a, b) => a.number - b.number);
}
