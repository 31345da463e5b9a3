// One folder of append-only files, as a port: a real disk, or one made of memory that fails when a test wants it to.
// What `append` has returned from outlives the process; what `sync` has returned from outlives the machine.
// Must never know what a tape looks like.

/** One flat folder of files. Every method may throw a `StorageFault`. */
export interface Storage {
  /** Where it is, for messages. */
  readonly place: string;
  /** The names of its plain files, sorted; none when there is no such folder. */
  list(): string[];
  /** Every name in it, sorted, whatever bears it: also folders, and links, even those that lead nowhere. */
  names(): string[];
  /** When a file was last added, renamed or removed here, in milliseconds; `null` where that is not known. */
  changedAtMs(): number | null;
  /** Bytes of a file. */
  size(name: string): number;
  /** Bytes of a file from a place on; fewer than asked for at its end. The caller owns them. */
  read(name: string, from: number, count: number): Uint8Array;
  /** Puts bytes of a file from a place on into memory; says how many: fewer than there is room for at its end. */
  fill(name: string, from: number, memory: Uint8Array): number;
  /** Adds bytes to the end of a file, making it when it is not there. A failed call may have added some of them. */
  append(name: string, bytes: Uint8Array): void;
  /** Cuts a file. */
  truncate(name: string, size: number): void;
  /** Gives a file another name, in one step; what had that name is gone. */
  rename(from: string, to: string): void;
  /** Puts a file there whole, or leaves what was: never half of it. */
  replace(name: string, bytes: Uint8Array): void;
  /** Removes what bears a name, unless it is a folder that is not empty; nothing happens when there is nothing. */
  remove(name: string): void;
  /** Waits until a file is on the platter. */
  sync(name: string): void;
  /** The same, without holding anyone up. Rejects with a `StorageFault`. */
  settle(name: string): Promise<void>;
  /**
   * Makes the folder one's own until `close`.
   * @throws {StorageFault} when another living process has it.
   */
  claim(): void;
  close(): void;
}

/** A file or folder that cannot be used. */
export class StorageFault extends Error {
  override readonly name = 'StorageFault';
  /** The file or folder. */
  readonly path: string;
  /** The system's word for it, such as `ENOSPC`; `null` when there is none. */
  readonly code: string | null;

  constructor(path: string, problem: string, options?: ErrorOptions & { readonly code?: string }) {
    super(`${path}: ${problem}`, options);
    this.path = path;
    this.code = options?.code ?? null;
  }
}

/** The system's word for a fault; `null` when it has none. */
export const codeOf = (fault: unknown): string | null =>
  fault instanceof Error && 'code' in fault && typeof fault.code === 'string' ? fault.code : null;
