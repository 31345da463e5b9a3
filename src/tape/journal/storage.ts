// One folder of append-only files, as a port: a real disk, or memory that fails when a test asks it to. Bytes survive
// the death of the process when `appendBytes` has returned, and a crash of the machine when `syncFile` has returned.
// Must never know the format of a tape.

/** One flat folder of files. Every method may throw a `StorageFault`. */
export interface Storage {
  /** Path of the folder, for messages. */
  readonly path: string;
  /** Names of the plain files in the folder, sorted; empty when there is no such folder. */
  listFiles(): string[];
  /** Names of all entries, sorted: files, folders and links, even broken ones. */
  listNames(): string[];
  /** Time when an entry was last added, renamed or removed, in milliseconds; `null` when it is not known. */
  changedAtMs(): number | null;
  /** Size of a file in bytes. */
  sizeOf(name: string): number;
  /** Bytes of a file from an offset on; fewer than `count` at its end. The caller owns them. */
  readBytes(name: string, from: number, count: number): Uint8Array;
  /**
   * Reads bytes of a file from an offset on into `memory`. Returns their count, which is less than the memory's size at
   * the file's end.
   */
  readInto(name: string, from: number, memory: Uint8Array): number;
  /** Appends bytes to a file, creating it if necessary. A failed call may have appended some of them. */
  appendBytes(name: string, bytes: Uint8Array): void;
  /** Cuts a file to a size. */
  truncateFile(name: string, size: number): void;
  /** Renames a file atomically, replacing a file of that name. */
  renameFile(from: string, to: string): void;
  /** Writes a whole file atomically: on failure the old file stays. */
  replaceFile(name: string, bytes: Uint8Array): void;
  /** Removes a file, link or empty folder; does nothing when the name does not exist. */
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

/** A file or folder that cannot be used. */
export class StorageFault extends Error {
  override readonly name = 'StorageFault';
  /** The file or folder. */
  readonly path: string;
  /** The system's error code, such as `ENOSPC`; `null` when there is none. */
  readonly code: string | null;

  constructor(path: string, problem: string, options?: ErrorOptions & { readonly code?: string }) {
    super(`${path}: ${problem}`, options);
    this.path = path;
    this.code = options?.code ?? null;
  }
}

/** The system's error code of a fault; `null` when it has none. */
export const codeOf = (fault: unknown): string | null =>
  fault instanceof Error && 'code' in fault && typeof fault.code === 'string' ? fault.code : null;
