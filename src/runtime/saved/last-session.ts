// Reads how the last session of a journal ended. Must never call a session ended whose journal has no end.
import { z } from 'zod';
import type { Micros } from '../../domain/units.ts';
import { segmentsOf } from '../../tape/format/segment-files.ts';
import type { Storage } from '../../tape/journal/storage.ts';
import { TapeReader } from '../../tape/journal/tape-reader.ts';

/** The last session of a journal. */
export interface LastSession {
  readonly session: string;
  /** Kind of the session's end; `null` while it runs, and when its process died. */
  readonly end: string | null;
  /** Time of the last entry. */
  readonly at: Micros;
}

/** Kind of a proper end: all orders were canceled, and the figures were compared. */
export const ORDERLY_END = 'stopped';

const endSchema = z.object({ reason: z.string() });

/**
 * Returns the last session of a journal, or `null` for an empty one. Reads its last file.
 * @throws {TapeFault} when the file is damaged.
 * @throws {StorageFault} when the file cannot be read.
 */
export function readLastSession(storage: Storage): LastSession | null {
  for (const { number } of segmentsOf(storage).reverse()) {
    const found = lastOf(new TapeReader(storage, { firstSegment: number }));
    if (found !== null) return found;
    // A crash has left a file without a whole line.
  }
  return null;
}

function lastOf(reader: TapeReader): LastSession | null {
  let end: string | null = null;
  let at: Micros | null = null;
  reader.forEachEntry((entry) => {
    ({ at } = entry);
    end = entry.kind === 'end' ? endSchema.parse(JSON.parse(entry.payload.toString())).reason : null;
  });
  return at === null || reader.header === null ? null : { session: reader.header.session, end, at };
}

/** Describes the end of a session that ended by itself, after the word "stopped". */
export function endingText(end: string): string {
  switch (end) {
    case ORDERLY_END:
      return 'in order';
    case 'timed-out':
      return 'before its orders were confirmed canceled and its figures compared';
    case 'refused':
      return 'before it began to trade';
    case 'fault':
      return 'by a fault';
    default:
      return `by ${end}`;
  }
}
