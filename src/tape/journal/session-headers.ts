// Reads the headers at the beginning of a tape's files. Reads and checks only the first lines.
import type { Micros } from '../../domain/units.ts';
import { type Manifest, type SegmentHeader, readHeader } from '../format/segment-header.ts';
import { TapeReader } from './tape-reader.ts';
import { type Segment, segmentsOf } from '../format/segment-files.ts';
import type { Storage } from './storage.ts';

/**
 * Reads the headers of a tape's files, the last first. Files without a whole line are left out.
 * @throws {TapeFault} when a header is damaged.
 * @throws {StorageFault} when a file cannot be read.
 */
export function* headersFromEnd(storage: Storage): Generator<SegmentHeader> {
  for (const segment of segmentsOf(storage).reverse()) {
    const header = headerOf(storage, segment);
    if (header !== null) yield header;
  }
}

function headerOf(storage: Storage, { number }: Segment): SegmentHeader | null {
  const [first] = new TapeReader(storage, { firstSegment: number }).entries();
  const header = first === undefined ? null : readHeader(first.payload);
  return typeof header === 'string' ? null : header;
}

/**
 * Returns the manifest of the last session whose first file is on the tape, or `null`.
 * @throws {TapeFault} when a header is damaged.
 * @throws {StorageFault} when a file cannot be read.
 */
export function lastManifest(storage: Storage): Manifest | null {
  for (const { manifest } of headersFromEnd(storage)) if (manifest !== undefined) return manifest;
  return null;
}

/** A session as its first header describes it. */
export interface SessionHeader {
  readonly session: string;
  readonly of: SegmentHeader['of'];
  /** Number of the oldest file of the session that is still there. */
  readonly segment: number;
  /** Time of the first entry in that file. */
  readonly from: Micros;
  /**
   * Name of the wire profile. This member, `version` and `strategies` are `null` when the session's first file has been
   * removed.
   */
  readonly profile: string | null;
  readonly version: string | null;
  readonly hash: string | null;
  readonly strategies: readonly string[] | null;
}

/**
 * Returns the sessions of a tape, oldest first.
 * @throws {TapeFault} when a header is damaged.
 * @throws {StorageFault} when a file cannot be read.
 */
export function sessionHeaders(storage: Storage): readonly SessionHeader[] {
  const segments = segmentsOf(storage);
  const firsts: (SessionHeader | undefined)[] = segments.map(() => undefined);
  const readAt = (place: number): SessionHeader | null => {
    const segment = segments[place];
    if (segment === undefined) return null;
    const header = firsts[place] ?? sessionHeaderOf(storage, segment);
    if (header !== null) firsts[place] = header;
    return header;
  };
  readBetween(readAt, 0, segments.length - 1);
  const found = firsts.filter((header) => header !== undefined);
  return found.filter(({ session }, place) => session !== found[place - 1]?.session);
}

/** Reads the headers of a range of files in which sessions may begin. */
function readBetween(readAt: (place: number) => SessionHeader | null, from: number, to: number): void {
  const [first, last] = [readAt(from), readAt(to)];
  // A file without a whole line says nothing of the files before it.
  if (to - from < 2 || (first !== null && first.session === last?.session)) return;
  const middle = (from + to) >> 1;
  readBetween(readAt, from, middle);
  readBetween(readAt, middle, to);
}

function sessionHeaderOf(storage: Storage, { number: segment }: Segment): SessionHeader | null {
  const [first] = new TapeReader(storage, { firstSegment: segment }).entries();
  const header = first === undefined ? null : readHeader(first.payload);
  if (first === undefined || header === null || typeof header === 'string') return null;
  const { session, of, manifest } = header;
  const strategies = manifest?.strategies.map(({ name }) => name) ?? null;
  const { profile = null, version = null, hash = null } = manifest ?? {};
  return { session, of, segment, from: first.at, profile, version, hash, strategies };
}
