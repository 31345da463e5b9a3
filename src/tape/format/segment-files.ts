// Names of a tape's files. They are numbered: `.tape` while they grow, `.part` while they are packed, and `.tape.gz`
// when packed.
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

function segmentOf(name: string): Segment | null {
  const match = /^(\d{8,})\.tape(\.gz)?$/.exec(name);
  return match && { number: Number(match[1]), name, isPacked: match[2] !== undefined };
}

/**
 * Returns the tape's files by number. A packed copy takes the place of its plain file: a packed copy gets its name only
 * when complete.
 */
export function segmentsOf(storage: Storage): Segment[] {
  const byNumber = new Map<number, Segment>();
  for (const name of storage.listFiles()) {
    const segment = segmentOf(name);
    if (segment && byNumber.get(segment.number)?.isPacked !== true) byNumber.set(segment.number, segment);
  }
  return [...byNumber.values()].sort((a, b) => a.number - b.number);
}
