// Packs closed files in the background, one at a time, and removes the oldest files beyond the tape's retention. Each
// step leaves the tape complete. A packed file gets its name after it is synced to disk, and only then is the plain
// file removed. Must never touch the file being written, nor bring back a removed file.
import type { Micros } from '../../domain/units.ts';
import { BLOCK_BYTES_MAX, type BlockPacker } from '../format/packed-block.ts';
import { NEWLINE } from '../format/tape-line.ts';
import type { TapeNotice } from './tape-recovery.ts';
import { TapeReader } from './tape-reader.ts';
import { segmentsOf } from '../format/segment-files.ts';
import type { Storage } from './storage.ts';

/** Retention of a tape. An absent bound does not apply. */
export interface Retention {
  /** Bytes on disk, without the last file. */
  readonly bytesMax?: number;
  /** Microseconds since the file ended: a file ends when the next begins. */
  readonly ageMax?: number;
}

export interface SegmentPackerOptions {
  readonly storage: Storage;
  /** `null` leaves files unpacked. */
  readonly packer: BlockPacker | null;
  readonly keep: Retention;
  readonly onNotice: (note: TapeNotice) => void;
}

/** Usual size of a block before packing, in bytes. A reader unpacks a whole block at once. */
const BLOCK_BYTES = 1 << 20;

/** Packs and removes closed files. */
export class SegmentPacker {
  readonly #options: SegmentPackerOptions;
  /** The work queued so far. The next job waits for it. */
  #work: Promise<void> = Promise.resolve();

  constructor(options: SegmentPackerOptions) {
    this.#options = options;
  }

  /** Queues a closed file for packing. Does nothing without a packer. */
  queueSegment(name: string): void {
    const { packer } = this.#options;
    if (packer === null) return;
    this.#work = this.#work.then(() => this.#pack(name, packer));
  }

  /** Resolves when all files queued so far are packed, or have failed. */
  whenIdle(): Promise<void> {
    return this.#work;
  }

  async #pack(name: string, packer: BlockPacker): Promise<void> {
    const { storage, onNotice } = this.#options;
    const part = `${name}.gz.part`;
    if (!this.#isThere(name)) return;
    try {
      const fromBytes = storage.sizeOf(name);
      storage.removeEntry(part);
      for (let at = 0; at < fromBytes;) {
        const lines = linesFrom(storage, name, at);
        storage.appendBytes(part, await packer(lines));
        at += lines.length;
      }
      await storage.syncInBackground(part);
      if (!this.#isThere(name)) return this.#removePart(part);
      const toBytes = storage.sizeOf(part);
      storage.renameFile(part, `${name}.gz`);
      storage.removeEntry(name);
      onNotice({ type: 'packed', file: `${name}.gz`, fromBytes, toBytes });
    } catch (fault) {
      // The plain file is still valid. The half-packed file is removed now, or when the tape is next opened.
      if (this.#isThere(name)) onNotice({ type: 'not-packed', file: name, reason: reasonOf(fault) });
      this.#removePart(part);
    }
  }

  /** False once the retention has removed the file. True when the folder cannot be listed. */
  #isThere(name: string): boolean {
    try {
      return this.#options.storage.listFiles().includes(name);
    } catch {
      return true;
    }
  }

  #removePart(name: string): void {
    try {
      this.#options.storage.removeEntry(name);
    } catch (fault) {
      this.#options.onNotice({ type: 'not-removed', file: name, reason: reasonOf(fault) });
    }
  }

  /** Removes the oldest files beyond the retention. The last file, `current`, always stays. */
  removeBeyondRetention(current: string, now: Micros): void {
    const { storage, keep, onNotice } = this.#options;
    if (keep.bytesMax === undefined && keep.ageMax === undefined) return;
    try {
      const closed = segmentsOf(storage).filter(({ name }) => name !== current);
      let bytes = closed.reduce((sum, { name }) => sum + storage.sizeOf(name), 0);
      for (const { name, number } of closed) {
        if (bytes <= (keep.bytesMax ?? Infinity) && !this.#isOld(number, now)) return;
        const size = storage.sizeOf(name);
        storage.removeEntry(name);
        bytes -= size;
        onNotice({ type: 'removed', file: name, bytes: size });
      }
    } catch (fault) {
      onNotice({ type: 'not-removed', file: current, reason: reasonOf(fault) });
    }
  }

  /** A file ends when the next begins, so the next file's first entry is compared. */
  #isOld(number: number, now: Micros): boolean {
    const { storage, keep } = this.#options;
    if (keep.ageMax === undefined) return false;
    const [header] = new TapeReader(storage, { firstSegment: number + 1 }).entries();
    return header !== undefined && now - header.at > keep.ageMax;
  }
}

/**
 * Returns whole lines from an offset on: a block of lines, or one line that is longer than a block.
 * @throws {Error} when that line is longer than the largest block.
 */
function linesFrom(storage: Storage, name: string, at: number): Uint8Array {
  for (let count = BLOCK_BYTES; ; count *= 2) {
    const bytes = storage.readBytes(name, at, count);
    const end = count === BLOCK_BYTES ? bytes.lastIndexOf(NEWLINE) + 1 : bytes.indexOf(NEWLINE) + 1;
    const lines = end > 0 ? bytes.subarray(0, end) : bytes;
    if (lines.length > BLOCK_BYTES_MAX)
      throw new Error(`a line is longer than the ${BLOCK_BYTES_MAX} bytes of a block`);
    if (end > 0 || bytes.length < count) return lines;
  }
}

const reasonOf = (fault: unknown): string => (fault instanceof Error ? fault.message : String(fault));
