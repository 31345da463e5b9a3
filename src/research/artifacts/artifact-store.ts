// A place that several machines read and write: tapes and code by the hash of their content. Must never give a file under
// another hash than its own.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

/** Files by the SHA-256 of their content. */
export interface ArtifactStore {
  /** The place, without credentials. */
  readonly place: string;
  has(sha256: string): Promise<boolean>;
  /**
   * Adds a file. Adding it again is harmless, and replaces one of another size: a machine that went down may have left half a file.
   * @throws {StoreFault} when the store cannot be written.
   */
  addFile(sha256: string, file: string): Promise<void>;
  /**
   * Writes a file's bytes to a path, without a check of the hash: the cache checks.
   * @throws {StoreFault} when the store does not have the file or cannot be read.
   */
  fetchFile(sha256: string, to: string): Promise<void>;
}

/** A store that could not be used, or a copy of one of its files that could not be written, with the place and the reason. */
export class StoreFault extends Error {
  override readonly name = 'StoreFault';
}

/** Says that a store does not have a file. */
export const absentText = (sha256: string): string =>
  `does not have ${sha256.slice(0, 16)}…; expected the store of the study, which adds it`;

/** Name of a file in a store: its hash, in folders of a 256th each. */
export const artifactName = (sha256: string): string => `sha256/${sha256.slice(0, 2)}/${sha256}`;

/** Returns the SHA-256 of a file, in hexadecimal. */
export async function fileHash(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
