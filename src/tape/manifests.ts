// The manifests that a tape's files begin with. Reads first lines alone, and believes them only as far as they are whole.
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
