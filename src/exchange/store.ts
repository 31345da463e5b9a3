// The exchange's memory: an append-only file of inputs, one JSON line each, written before the answer leaves. When it has
// grown long it begins anew with an image of the exchange, written aside and renamed into place.
// A torn last line is cut; a broken line before the last is an error, never skipped.
import {
  closeSync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { ExchangeImage } from './image.ts';
import type { Input } from './input.ts';
import { linesOf } from './store-lines.ts';

/** Where inputs are written down. */
export interface Store {
  /** Returns when the input would survive the death of this process. */
  append(input: Input): void;
  /** Whether so much was written that an image of the exchange should take its place. */
  readonly isLong: boolean;
  /** Puts an image of the exchange, as it is after the last input, in place of everything written so far. */
  compact(image: ExchangeImage): void;
  close(): void;
}

/** What a replay found. */
export interface Replayed {
  readonly inputs: number;
  /** Bytes of a torn last line that were cut. */
  readonly cutBytes: number;
}

/** Hears what a store holds, in order. */
export interface Replay {
  /** Called first, and once, where the log begins with an image. */
  readonly restore: (image: ExchangeImage) => void;
  readonly take: (input: Input) => void;
}

/** A store that may hold inputs from before. */
export interface OpenedStore extends Store {
  /** Makes ids of this exchange differ from any other's. */
  readonly salt: number;
  /**
   * Hands over all that was written before, in order, and cuts a torn last line. To be called once, before appending.
   * @throws {StoreError} when a line before the last is broken.
   */
  replay(into: Replay): Replayed;
}

/** The log cannot be read or written. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly path: string;

  constructor(path: string, message: string, options?: ErrorOptions) {
    super(`${path}: ${message}`, options);
    this.path = path;
  }
}

/** How a log is kept. */
export interface StoreOptions {
  /** Whether each input must survive the death of the machine, and not of this process only. Slow. */
  readonly syncs?: boolean;
  /** No image is written before the inputs since the last are so many bytes, nor before they are twice its own. */
  readonly compactAboveBytes?: number;
}

/** The version of the log's form. */
const FORM = 2;
const LOG_NAME = 'inputs.jsonl';
const COMPACT_ABOVE_BYTES = 64_000_000;
const COMPACT_ABOVE_INPUTS = 100_000;
const IMAGE_TIMES = 2;

/** A store that forgets. */
export const forgetfulStore = (salt: number): OpenedStore => ({
  salt,
  isLong: false,
  replay: () => ({ inputs: 0, cutBytes: 0 }),
  append: () => undefined,
  compact: () => undefined,
  close: () => undefined,
});

/** A store in memory that remembers: an exchange opened on it again goes on where the last one stopped. */
export function memoryStore(salt: number, compactAboveInputs = COMPACT_ABOVE_INPUTS): OpenedStore {
  let image: string | null = null;
  let inputs: Input[] = [];
  return {
    salt,
    get isLong() {
      return inputs.length >= compactAboveInputs;
    },
    replay: ({ restore, take }) => {
      // tidy: as — this very store wrote the text.
      if (image !== null) restore(JSON.parse(image) as ExchangeImage);
      for (const input of inputs) take(input);
      return { inputs: inputs.length, cutBytes: 0 };
    },
    append: (input) => void inputs.push(input),
    compact: (next) => {
      image = JSON.stringify(next);
      inputs = [];
    },
    close: () => undefined,
  };
}

/**
 * Opens the log of a folder, making both when they are not there; `salt` is for a new log only.
 * @throws {StoreError} when it cannot be read, or is of another form.
 */
export const openStore = (folder: string, salt: number, options: StoreOptions = {}): OpenedStore =>
  new FileStore(folder, salt, options);

class FileStore implements OpenedStore {
  readonly salt: number;
  readonly #folder: string;
  readonly #path: string;
  readonly #options: StoreOptions;
  #fd: number;
  /** Once a write has failed nothing more is written: a line after half a line would make a hole that nobody sees. */
  #failure: unknown = null;
  #inputBytes = 0;
  #imageBytes = 0;

  constructor(folder: string, salt: number, options: StoreOptions) {
    this.#folder = folder;
    this.#path = join(folder, LOG_NAME);
    this.#options = options;
    this.#fd = openLog(folder, this.#path);
    // Left by a death before its image was whole.
    rmSync(this.#asidePath, { force: true });
    const [header] = linesOf(this.#fd);
    this.salt = header === undefined ? salt : saltOf(this.#path, header.text);
    if (header !== undefined) return;
    // A header torn by a death at the very start says nothing: begin anew.
    ftruncateSync(this.#fd, 0);
    this.#write(this.#fd, headerOf(salt));
  }

  get isLong(): boolean {
    const least = this.#options.compactAboveBytes ?? COMPACT_ABOVE_BYTES;
    return this.#inputBytes > Math.max(least, IMAGE_TIMES * this.#imageBytes);
  }

  get #asidePath(): string {
    return `${this.#path}.new`;
  }

  replay({ restore, take }: Replay): Replayed {
    let number = 0;
    let inputs = 0;
    let end = 0;
    for (const line of linesOf(this.#fd)) {
      number++;
      const bytes = line.end - end;
      end = line.end;
      if (number === 1) continue;
      const record = readRecord(this.#path, line.text, number);
      if ('image' in record) {
        this.#imageBytes = bytes;
        restore(record.image);
      } else {
        inputs++;
        this.#inputBytes += bytes;
        take(record);
      }
    }
    const { size } = fstatSync(this.#fd);
    // Appending goes to the end wherever that is, so cutting is all that a torn line needs.
    if (size > end) ftruncateSync(this.#fd, end);
    return { inputs, cutBytes: size - end };
  }

  append(input: Input): void {
    this.#guard(() => {
      this.#inputBytes += this.#write(this.#fd, input);
      if (this.#options.syncs === true) fdatasyncSync(this.#fd);
    });
  }

  compact(image: ExchangeImage): void {
    this.#guard(() => {
      const aside = openSync(this.#asidePath, 'a');
      this.#write(aside, headerOf(this.salt));
      this.#imageBytes = this.#write(aside, { image });
      fsyncSync(aside);
      renameSync(this.#asidePath, this.#path);
      syncFolder(this.#folder);
      closeSync(this.#fd);
      this.#fd = aside;
      this.#inputBytes = 0;
    });
  }

  close(): void {
    closeSync(this.#fd);
  }

  #guard(act: () => void): void {
    if (this.#failure !== null)
      throw new StoreError(this.#path, 'is closed after a failed write', { cause: this.#failure });
    try {
      act();
    } catch (error) {
      this.#failure = error;
      if (error instanceof StoreError) throw error;
      throw new StoreError(this.#path, `cannot be written${codeOf(error)}`, { cause: error });
    }
  }

  /** Bytes written. */
  #write(fd: number, value: unknown): number {
    const line = Buffer.from(`${JSON.stringify(value)}\n`);
    try {
      for (let done = 0; done < line.length;) done += writeSync(fd, line, done);
    } catch (error) {
      throw new StoreError(this.#path, `cannot be written${codeOf(error)}`, { cause: error });
    }
    return line.length;
  }
}

const headerOf = (salt: number) => ({ presageExchange: FORM, salt });

function openLog(folder: string, path: string): number {
  try {
    mkdirSync(folder, { recursive: true });
    return openSync(path, 'a+');
  } catch (error) {
    throw new StoreError(path, `cannot be opened for appending`, { cause: error });
  }
}

/** A renamed file is there after the death of the machine only when its folder says so. */
function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** The system's word for what went wrong, in brackets: a full disk, a folder that is gone. */
const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? ` (${error.code})` : '';

function saltOf(path: string, line: string): number {
  const header = parse(path, line, 1);
  const isOurs = typeof header === 'object' && header !== null && 'presageExchange' in header && 'salt' in header;
  if (!isOurs || header.presageExchange !== FORM || typeof header.salt !== 'number')
    throw new StoreError(
      path,
      `line 1: expected the header of an exchange log of form ${FORM}, found ${line.slice(0, 80)}`,
    );
  return header.salt;
}

function readRecord(path: string, line: string, number: number): Input | { readonly image: ExchangeImage } {
  const value = parse(path, line, number);
  const isObject = typeof value === 'object' && value !== null;
  // Only the line after the header may be an image: a later one would stand against what was asked before it.
  // tidy: as — this very program wrote the line; its shape was checked when it was made.
  if (isObject && 'image' in value && number === 2) return value as { readonly image: ExchangeImage };
  if (!isObject || !('at' in value) || !('op' in value))
    throw new StoreError(path, `line ${number}: expected an input with at and op, found ${line.slice(0, 80)}`);
  // tidy: as — as above.
  return value as Input;
}

function parse(path: string, line: string, number: number): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new StoreError(path, `line ${number}: expected JSON, found ${line.slice(0, 80)}`, { cause: error });
  }
}
