// A disk in memory that behaves like a disk under kill -9: bytes are on it once `append` has returned. It can be full,
// lose its process in the middle of a write or between two operations, and be opened again with its content.
import { type Storage, StorageFault } from '../../../src/tape/journal/storage.ts';

/** The process is dead. Thrown by the call in which the process dies, and by every later call. */
export class DiskDeath extends Error {
  override readonly name = 'DiskDeath';
}

/** Defines how and when a disk fails. */
export interface DiskFaults {
  /** Capacity in bytes. An append that does not fit writes the bytes that fit, and throws ENOSPC. */
  capacityBytes?: number;
  /** Bytes that can still be appended before the process dies, usually in the middle of a write. */
  dieAfterBytes?: number;
  /** Number of further changing operations before the process dies. At 0 the next operation does not happen. */
  dieBeforeOperation?: number;
}

/** A file whose memory grows by doubling. */
class GrowingFile {
  #bytes: Uint8Array;
  length: number;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.length = bytes.length;
  }

  append(bytes: Uint8Array): void {
    const length = this.length + bytes.length;
    if (length > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(length, 2 * this.#bytes.length, 1024));
      grown.set(this.content());
      this.#bytes = grown;
    }
    this.#bytes.set(bytes, this.length);
    this.length = length;
  }

  content(): Uint8Array {
    return this.#bytes.subarray(0, this.length);
  }
}

/** Content of a disk. It survives the processes that open it one after the other. */
export class MemoryDisk {
  faults: DiskFaults = {};
  /** Number of changing operations so far. */
  operations = 0;
  readonly #files = new Map<string, GrowingFile>();
  /** Number of the live process. Every earlier process is dead. */
  #process = 0;
  #last: { readonly name: string; readonly from: number } | null = null;

  /**
   * Opens the disk for a new process. The earlier process is dead, and its faults are cleared, except for the capacity.
   */
  open(): Storage {
    const { capacityBytes } = this.faults;
    this.faults = capacityBytes === undefined ? {} : { capacityBytes };
    this.killProcess();
    return new MemoryStorage(this, this.#process);
  }

  /** Kills the current process: the disk refuses all its further calls. */
  killProcess(): void {
    this.#process += 1;
  }

  isAlive(process: number): boolean {
    return process === this.#process;
  }

  get usedBytes(): number {
    let sum = 0;
    for (const file of this.#files.values()) sum += file.length;
    return sum;
  }

  fileNames(): string[] {
    return [...this.#files.keys()].sort();
  }

  /** Returns a copy of a file's bytes. */
  read(name: string): Uint8Array {
    return this.fileNamed(name).content().slice();
  }

  write(name: string, bytes: Uint8Array): void {
    this.#files.set(name, new GrowingFile(bytes.slice()));
  }

  delete(name: string): void {
    this.#files.delete(name);
  }

  fileNamed(name: string): GrowingFile {
    const file = this.#files.get(name);
    if (!file) throw new StorageFault(name, 'does not exist', { code: 'ENOENT' });
    return file;
  }

  /** Shortens the last append to its first `keepBytes` bytes, as if the process had died in the middle of it. */
  tearLastWrite(keepBytes: number): void {
    if (this.#last) this.write(this.#last.name, this.read(this.#last.name).subarray(0, this.#last.from + keepBytes));
  }

  /** Flips one bit. */
  flipBit(name: string, bit: number): void {
    const bytes = this.read(name);
    const at = bit >> 3;
    bytes[at] = (bytes[at] ?? 0) ^ (1 << (bit & 7));
    this.write(name, bytes);
  }

  /** Counts a changing operation, or kills the process in its place when `dieBeforeOperation` has run out. */
  countOperation(): void {
    this.operations += 1;
    const left = this.faults.dieBeforeOperation;
    if (left === undefined) return;
    this.faults.dieBeforeOperation = left - 1;
    if (left <= 0) this.#dieLoudly();
  }

  #dieLoudly(): never {
    this.killProcess();
    throw new DiskDeath('the process dies');
  }

  /** Appends the bytes that fit; throws when some did not fit. */
  append(name: string, bytes: Uint8Array): void {
    const { capacityBytes = Infinity, dieAfterBytes = Infinity } = this.faults;
    const room = Math.max(0, capacityBytes - this.usedBytes);
    const count = Math.min(bytes.length, room, dieAfterBytes);
    const file = this.#files.get(name) ?? new GrowingFile(new Uint8Array());
    this.#files.set(name, file);
    this.#last = { name, from: file.length };
    file.append(bytes.subarray(0, count));
    if (dieAfterBytes !== Infinity) this.faults.dieAfterBytes = dieAfterBytes - count;
    if (count === bytes.length) return;
    if (count === dieAfterBytes) this.#dieLoudly();
    throw new StorageFault(name, 'cannot be written: ENOSPC', { code: 'ENOSPC' });
  }
}

/** Opens the storage of a new disk that only this storage uses. */
export const memoryStorage = (): Storage => new MemoryDisk().open();

/** A disk as one process has it open. */
class MemoryStorage implements Storage {
  readonly path = 'memory';
  readonly #shared: MemoryDisk;
  readonly #process: number;

  constructor(disk: MemoryDisk, process: number) {
    this.#shared = disk;
    this.#process = process;
  }

  get #disk(): MemoryDisk {
    if (this.#shared.isAlive(this.#process)) return this.#shared;
    throw new DiskDeath('the process is dead');
  }

  /** Returns the disk for a changing operation, which is counted. */
  get #changing(): MemoryDisk {
    this.#disk.countOperation();
    return this.#disk;
  }

  listFiles(): string[] {
    return this.#disk.fileNames();
  }

  listNames(): string[] {
    return this.listFiles();
  }

  changedAtMs(): number | null {
    return null;
  }

  sizeOf(name: string): number {
    return this.#disk.fileNamed(name).length;
  }

  readBytes(name: string, from: number, count: number): Uint8Array {
    return this.#disk
      .fileNamed(name)
      .content()
      .slice(from, from + count);
  }

  readInto(name: string, from: number, memory: Uint8Array): number {
    const bytes = this.readBytes(name, from, memory.length);
    memory.set(bytes);
    return bytes.length;
  }

  appendBytes(name: string, bytes: Uint8Array): void {
    this.#changing.append(name, bytes);
  }

  truncateFile(name: string, size: number): void {
    const disk = this.#changing;
    disk.write(name, disk.read(name).subarray(0, size));
  }

  renameFile(from: string, to: string): void {
    const disk = this.#changing;
    disk.write(to, disk.read(from));
    disk.delete(from);
  }

  replaceFile(name: string, bytes: Uint8Array): void {
    this.#changing.write(name, bytes);
  }

  removeEntry(name: string): void {
    this.#changing.delete(name);
  }

  syncFile(name: string): void {
    this.#disk.fileNamed(name);
  }

  syncInBackground(name: string): Promise<void> {
    this.syncFile(name);
    return Promise.resolve();
  }

  lockFolder(): void {
    this.#disk.fileNames();
  }

  close(): void {
    // Holds nothing open.
  }
}
