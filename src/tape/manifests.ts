// The manifests that a tape's files begin with. Reads first lines alone, and believes them only as far as they are whole.
import type { Micros } from '../domain/units.ts';
import { type Manifest, type SegmentHeader, readHeader } from './header.ts';
import { TapeReader } from './reader.ts';
import { type Segment, segmentsOf } from './segment-name.ts';
import type { Storage } from './storage.ts';

/**
 * The headers of a tape's files, the last first.
 * @throws {TapeFault} when one cannot be believed.
 * @throws {StorageFault} when a file cannot be read.
 */
export function* headersFromEnd(storage: Storage): Generator<SegmentHeader> {
  for (const segment of segmentsOf(storage).reverse()) {
    const header = headerOf(storage, segment);
    if (header !== null) yield header;
  }
}

function headerOf(storage: Storage, { number }: Segment): SegmentHeader | null {
  const [first] = new TapeReader(storage, { from: number }).entries();
  const header = first === undefined ? null : readHeader(first.payload);
  return typeof header === 'string' ? null : header;
}

/**
 * What the last session of a tape was made of; `null` when there is no tape, or its beginning is no longer kept.
 * @throws {TapeFault} when a header cannot be believed.
 * @throws {StorageFault} when a file cannot be read.
 */
export function lastManifest(storage: Storage): Manifest | null {
  for (const { manifest } of headersFromEnd(storage)) if (manifest !== undefined) return manifest;
  return null;
}

/** A session as its first line tells of it. */
export interface RawSession {
  readonly session: string;
  readonly of: SegmentHeader['of'];
  /** When it began; when the oldest file of it that is kept did. */
  readonly from: Micros;
  /** Of what is known only from its beginning; `null` when that is no longer kept. */
  readonly profile: string | null;
  readonly version: string | null;
  readonly strategies: readonly string[] | null;
}

/**
 * The sessions of a tape, oldest first.
 * @throws {TapeFault} when a header cannot be believed.
 * @throws {StorageFault} when a file cannot be read.
 */
export function rawSessions(storage: Storage): readonly RawSession[] {
  const sessions: RawSession[] = [];
  for (const segment of segmentsOf(storage)) {
    const [first] = new TapeReader(storage, { from: segment.number }).entries();
    const header = first === undefined ? null : readHeader(first.payload);
    if (first === undefined || header === null || typeof header === 'string') continue;
    const { session, of, manifest } = header;
    if (sessions.at(-1)?.session === session) continue;
    const strategies = manifest?.strategies.map(({ name }) => name) ?? null;
    const { profile = null, version = null } = manifest ?? {};
    sessions.push({ session, of, from: first.at, profile, version, strategies });
  }
  return sessions;
}
