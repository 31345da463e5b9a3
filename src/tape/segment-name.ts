// The files of a tape: numbered, `.tape` while they grow, `.tape.gz` when closed and packed, `.part` while being packed.
import type { Storage } from './storage.ts';

/** One file of a tape. */
export interface Segment {
  readonly number: number;
  readonly name: string;
  readonly isPacked: boolean;
}

/** The name a file has while it grows. */
export const plainName = (number: number): string => `${String(number).padStart(8, '0')}.tape`;
export const packedName = (number: number): string => `${plainName(number)}.gz`;

/** Reads a file's name; `null` when it is none of a tape's. */
function segmentOf(name: string): Segment | null {
  const match = /^(\d{8,})\.tape(\.gz)?$/.exec(name);
  return match && { number: Number(match[1]), name, isPacked: match[2] !== undefined };
}

/** The tape's files in order; of one that is there twice, the packed: it is given its name only when it is whole. */
export function segmentsOf(storage: Storage): Segment[] {
  const byNumber = new Map<number, Segment>();
  for (const name of storage.list()) {
    const segment = segmentOf(name);
    if (segment && byNumber.get(segment.number)?.isPacked !== true) byNumber.set(segment.number, segment);
  }
  return [...byNumber.values()].sort((a, b) => a.number - b.number);
}
