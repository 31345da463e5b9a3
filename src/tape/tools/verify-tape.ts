// Verifies a whole tape: summarizes its sessions and finds the first damaged entry. Must never fail on an unusual
// session: only damage is a fault.
import type { Micros } from '../../domain/units.ts';
import { TapeFault, type TapePlace } from '../format/tape-fault.ts';
import { type SegmentHeader, readHeader } from '../format/segment-header.ts';
import type { Entry, EntryKind } from '../format/tape-line.ts';
import { TapeReader, type TornTail } from '../journal/tape-reader.ts';
import { segmentsOf } from '../format/segment-files.ts';
import type { Storage } from '../journal/storage.ts';

/** One session of a tape. */
export interface SessionSummary {
  readonly session: string;
  readonly of: SegmentHeader['of'];
  readonly firstSeq: number;
  lastSeq: number;
  readonly from: Micros;
  to: Micros;
  readonly counts: Partial<Record<EntryKind, number>>;
  /** True when the session's first file is there. Without that file, the session cannot be replayed. */
  readonly isWhole: boolean;
  /** Hash of the session's manifest; `null` without the first file. */
  readonly hash: string | null;
  /** Version of the package that wrote the session; `null` without the first file. */
  readonly version: string | null;
  /** Reason why the session ended, as written; `null` when it crashed or is still running. */
  endedBy: string | null;
  /** Times when the feed was down, which a replay must not bridge. The last one may have no end. */
  readonly gaps: { readonly from: Micros; to: Micros | null }[];
}

/** A `TapeFault` as data. */
export interface FaultRecord extends TapePlace {
  readonly what: string;
}

export interface TapeSummary {
  readonly files: number;
  /** Bytes on disk of the files that were read. */
  readonly bytes: number;
  readonly entries: number;
  readonly sessions: readonly SessionSummary[];
  /** The incomplete line that a crash left at the end. The next session removes it. */
  readonly torn: TornTail | null;
  readonly fault: FaultRecord | null;
}

/**
 * Reads a tape to its end or its first fault.
 * @param onProgress Called at each file with the bytes read, that file included.
 * @throws {StorageFault} when a file cannot be read.
 */
export function verifyTape(storage: Storage, onProgress?: (bytes: number) => void): TapeSummary {
  const reader = new TapeReader(storage);
  const sessions: SessionSummary[] = [];
  let entries = 0;
  let fault: FaultRecord | null = null;
  try {
    for (const entry of reader.entries()) {
      entries += 1;
      addToSummary(sessions, entry);
      if (entry.kind === 'segment') onProgress?.(reader.bytesRead);
    }
  } catch (caught) {
    if (!(caught instanceof TapeFault)) throw caught;
    const { file, line, seq, problem } = caught;
    fault = { file, line, seq, what: problem };
  }
  return {
    files: segmentsOf(storage).length,
    bytes: reader.bytesRead,
    entries,
    sessions,
    torn: reader.tornTail,
    fault,
  };
}

function addToSummary(sessions: SessionSummary[], entry: Entry): void {
  const { kind, at, seq } = entry;
  if (kind === 'segment') beginSession(sessions, entry);
  const session = sessions.at(-1);
  if (session === undefined) return;
  session.counts[kind] = (session.counts[kind] ?? 0) + 1;
  session.lastSeq = seq;
  if (at > session.to) session.to = at;
  if (kind === 'feed-down') session.gaps.push({ from: at, to: null });
  const gap = session.gaps.at(-1);
  if (kind === 'feed-up' && gap?.to === null) gap.to = at;
  if (kind === 'end') session.endedBy = reasonOf(entry);
}

function beginSession(sessions: SessionSummary[], { payload, seq, at }: Entry): void {
  const header = readHeader(payload);
  if (typeof header === 'string' || sessions.at(-1)?.session === header.session) return;
  const { session, of, manifest } = header;
  sessions.push({
    session,
    of,
    firstSeq: seq,
    lastSeq: seq,
    from: at,
    to: at,
    counts: {},
    isWhole: manifest !== undefined,
    hash: manifest?.hash ?? null,
    version: manifest?.version ?? null,
    endedBy: null,
    gaps: [],
  });
}

/** @throws {TapeFault} when the entry holds no JSON. */
function reasonOf(entry: Entry): string {
  let value: unknown;
  try {
    value = JSON.parse(entry.payload.toString());
  } catch {
    throw new TapeFault(entry, 'expected the end of a session as JSON, found other text');
  }
  return typeof value === 'object' && value !== null && 'reason' in value ? String(value.reason) : '';
}
