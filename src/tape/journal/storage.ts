// One folder of append-only files, as a port: a real disk, or memory that fails when a test asks it to. Bytes survive
// the death of the process once `appendBytes` has returned. They survive a crash of the machine once `syncFile` has
// returned. Must never know the format of a tape.

/** One flat folder of files. Every method may throw a `StorageFault`. */
export interface Storage {
  /** Path of the folder, for messages. */
  readonly path: string;
  /** Returns the names of the plain files in the folder, sorted; empty when the folder does not exist. */
  listFiles(): string[];
  /** Returns the names of all entries, sorted: files, folders and links, even broken links. */
  listNames(): string[];
  /** Returns when an entry was last added, renamed or removed, in milliseconds; `null` when unknown. */
  changedAtMs(): number | null;
  /** Returns the size of a file in bytes. */
  sizeOf(name: string): number;
  /** Returns bytes of a file from an offset on; fewer than `count` at its end. The caller owns them. */
  readBytes(name: string, from: number, count: number): Uint8Array;
  /**
   * Reads bytes of a file from an offset on into `memory`. Returns the number of bytes, which is smaller at the file's
   * end.
   */
  readInto(name: string, from: number, memory: Uint8Array): number;
  /** Appends bytes to a file, and creates it if necessary. A failed call may have appended some of them. */
  appendBytes(name: string, bytes: Uint8Array): void;
  truncateFile(name: string, size: number): void;
  /** Renames a file atomically, and replaces a file of the new name. */
  renameFile(from: string, to: string): void;
  /** Writes a whole file atomically. On a failure, the old file stays. */
  replaceFile(name: string, bytes: Uint8Array): void;
  /** Removes a file, link or empty folder. Does nothing when the name does not exist. */
  removeEntry(name: string): void;
  /** Blocks until a file is synced to disk. */
  syncFile(name: string): void;
  /** Syncs a file in the background. Rejects with a `StorageFault`. */
  syncInBackground(name: string): Promise<void>;
  /**
   * Locks the folder for this process until `close`.
   * @throws {StorageFault} when another living process holds the lock.
   */
  lockFolder(): void;
  close(): void;
}

/** Thrown when a file or folder cannot be used. */
export class StorageFault extends Error {
  override readonly name = 'StorageFault';
  readonly path: string;
  /** The system's error code, such as `ENOSPC`, or `null`. */
  readonly code: string | null;

  constructor(path: string, problem: string, options?: ErrorOptions & { readonly code?: string }) {
    super(`${path}: ${problem}`, options);
    this.path = path;
    this.code = options?.code ?? null;
  }
}

/** Returns the system's error code of a fault, or `null`. */
export const codeOf = (fault: unknown): string | null =>
  fault instanceof Error && 'code' in fault && typeof fault.code === 'string' ? fault.code : null;
