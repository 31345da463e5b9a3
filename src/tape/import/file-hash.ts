// SHA-256 over files, made of the bytes that are read from them anyway. Where not all of them were, or not in order, the
// files are read once more. Must never be of other bytes than the files'.
import { type Hash, createHash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';

const CHUNK_BYTES = 1 << 20;

/** A file, as it was before it was read. */
export interface HashedFile {
  readonly file: string;
  readonly bytes: number;
}

/** The hash of some files, in order. */
export class FileHash {
  readonly #files: readonly HashedFile[];
  readonly #hash: Hash = createHash('sha256');
  /** The file that is being heard of, and how many of its bytes were heard. */
  #at = 0;
  #heard = 0;
  #isWhole = true;

  constructor(files: readonly HashedFile[]) {
    this.#files = files;
  }

  /** Bytes that were read from a file. Files that nobody tells of cost no more than being read again. */
  hear(file: string, bytes: Uint8Array): void {
    if (!this.#isWhole) return;
    this.#passEnded();
    this.#isWhole = this.#files[this.#at]?.file === file;
    this.#heard += bytes.length;
    if (this.#isWhole) this.#hash.update(bytes);
  }

  /** Goes on to the next file when one is over, unless it has become longer. */
  #passEnded(): void {
    for (let now = this.#files[this.#at]; now?.bytes === this.#heard; now = this.#files[this.#at]) {
      this.#at += 1;
      this.#heard = 0;
    }
  }

  /** In hexadecimal. */
  digest(): string {
    this.#passEnded();
    if (this.#isWhole && this.#at === this.#files.length) return this.#hash.digest('hex');
    return hashOf(this.#files.map(({ file }) => file));
  }
}

function hashOf(files: readonly string[]): string {
  const hash = createHash('sha256');
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  for (const file of files) {
    const fd = openSync(file, 'r');
    try {
      for (let count = readSync(fd, chunk); count > 0; count = readSync(fd, chunk))
        hash.update(chunk.subarray(0, count));
    } finally {
      closeSync(fd);
    }
  }
  return hash.digest('hex');
}
