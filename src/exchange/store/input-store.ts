// The exchange's input log: an append-only file of inputs, one JSON line each. A log that has grown long is replaced by
// an image of the exchange. A last line without its newline is cut. Must never skip any other line that cannot be read, or
// that does not fit its checksum: it is an error.
import {
  closeSync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { makeFolder } from '../../log/make-folder.ts';
import type { ExchangeImage } from './exchange-image.ts';
import type { Input } from '../machine/exchange-input.ts';
import { linesOf } from './input-store-lines.ts';

/** The log that inputs are written to. */
export interface InputStore {
  /** Stores an input. A log file returns once the input would survive the death of this process. */
  appendInput(input: Input): void;
  /** True when an image of the exchange should replace the long log. */
  readonly isLong: boolean;
  /** Replaces everything written so far with an image of the exchange after the last input. */
  replaceWithImage(image: ExchangeImage): void;
  /** Closes the log file. A later write throws. */
  close(): void;
}

/** The result of a replay: inputs read, and bytes cut. */
export interface ReplaySummary {
  readonly inputs: number;
  /** Bytes of a last line without its newline, which were cut. */
  readonly cutBytes: number;
}

/** Receives the contents of a store, in sequence. */
export interface ReplayTarget {
  /** Called first, and only when the log begins with an image. */
  readonly restoreImage: (image: ExchangeImage) => void;
  readonly applyInput: (input: Input) => void;
}

/** A store that may hold inputs of an earlier run. */
export interface OpenedInputStore extends InputStore {
  /** Makes the ids of this exchange unlike the ids of other exchanges. */
  readonly salt: number;
  /**
   * Passes everything written earlier to `into`, in sequence, and cuts a last line without its newline. Must be called
   * once, before appending.
   * @throws {StoreError} when a complete line is unreadable.
   */
  replayInto(into: ReplayTarget): ReplaySummary;
}

/** The error of a log that cannot be read or written. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly path: string;

  constructor(path: string, message: string, options?: ErrorOptions) {
    super(`${path}: ${message}`, options);
    this.path = path;
  }
}

/** Options of a log. */
export interface InputStoreOptions {
  /** True when each input must survive the death of the machine, not only of this process. Slow. Default false. */
  readonly syncs?: boolean;
  /**
   * Bytes of inputs after which a new image is written. The inputs must also exceed twice the size of the last image.
   * Default 64,000,000.
   */
  readonly compactAboveBytes?: number;
}

/**
 * Version 3 has a checksum on every line. An earlier program does not write them, and must refuse such a log rather than
 * append to it.
 */
const FORMAT_VERSION = 3;
/** The version of the first release. Such a log keeps it until an image replaces it. */
const FIRST_FORMAT_VERSION = 2;
const LOG_NAME = 'inputs.jsonl';
const COMPACT_ABOVE_BYTES = 64_000_000;
const COMPACT_ABOVE_INPUTS = 100_000;
const IMAGE_SIZE_FACTOR = 2;

/** A store that keeps nothing. */
export const volatileStore = (salt: number): OpenedInputStore => ({
  salt,
  isLong: false,
  replayInto: () => ({ inputs: 0, cutBytes: 0 }),
  appendInput: () => undefined,
  replaceWithImage: () => undefined,
  close: () => undefined,
});

/** A store in memory: an exchange opened on it again continues where the last one stopped. */
export function memoryStore(salt: number, compactAboveInputs = COMPACT_ABOVE_INPUTS): OpenedInputStore {
  let image: string | null = null;
  let inputs: Input[] = [];
  return {
    salt,
    get isLong() {
      return inputs.length >= compactAboveInputs;
    },
    replayInto: ({ restoreImage, applyInput }) => {
      // tidy: as — this store wrote the text itself.
      if (image !== null) restoreImage(JSON.parse(image) as ExchangeImage);
      for (const input of inputs) applyInput(input);
      return { inputs: inputs.length, cutBytes: 0 };
    },
    appendInput: (input) => void inputs.push(input),
    replaceWithImage: (next) => {
      image = JSON.stringify(next);
      inputs = [];
    },
    close: () => undefined,
  };
}

/**
 * Opens the log of a folder, creating both when missing.
 * @param salt The salt of a new log. An existing log keeps its own.
 * @throws {StoreError} when the log cannot be opened, or does not begin with the header of this format version.
 */
export const openStore = (folder: string, salt: number, options: InputStoreOptions = {}): OpenedInputStore =>
  new FileStore(folder, salt, options);

class FileStore implements OpenedInputStore {
  readonly salt: number;
  readonly #folder: string;
  readonly #path: string;
  readonly #options: InputStoreOptions;
  #fd: number;
  /**
   * Set by the first failed write. Nothing is written afterwards: the next line would be joined to a half-written one.
   */
  #failure: unknown = null;
  /** Cleared by `close`. Another file may get the number of the closed one, so nothing may use it afterwards. */
  #isOpen = true;
  #inputBytes = 0;
  #imageBytes = 0;
  /** True when every line must have a checksum. A log that was begun by an earlier version has lines without one. */
  readonly #isSummed: boolean;

  constructor(folder: string, salt: number, options: InputStoreOptions) {
    this.#folder = folder;
    this.#path = join(folder, LOG_NAME);
    this.#options = options;
    this.#fd = openLog(folder, this.#path);
    // A process that died during a replacement has left a temporary file.
    rmSync(this.#temporaryPath, { force: true });
    const [header] = linesOf(this.#fd);
    this.#isSummed = header === undefined || SUM.test(header.text);
    this.salt = header === undefined ? salt : saltOf(this.#path, this.#checkedText(header.text, 1));
    if (header !== undefined) return;
    // The header is incomplete: a process died while it created the file.
    ftruncateSync(this.#fd, 0);
    this.#writeLine(this.#fd, headerOf(salt));
  }

  get isLong(): boolean {
    const bytesMin = this.#options.compactAboveBytes ?? COMPACT_ABOVE_BYTES;
    return this.#inputBytes > Math.max(bytesMin, IMAGE_SIZE_FACTOR * this.#imageBytes);
  }

  get #temporaryPath(): string {
    return `${this.#path}.new`;
  }

  replayInto({ restoreImage, applyInput }: ReplayTarget): ReplaySummary {
    let number = 0;
    let inputs = 0;
    let end = 0;
    for (const line of linesOf(this.#fd)) {
      number++;
      const bytes = line.end - end;
      end = line.end;
      if (number === 1) continue;
      const record = readRecord(this.#path, this.#checkedText(line.text, number), number);
      if ('image' in record) {
        this.#imageBytes = bytes;
        restoreImage(record.image);
      } else {
        inputs++;
        this.#inputBytes += bytes;
        applyInput(record);
      }
    }
    const { size } = fstatSync(this.#fd);
    // Appends always go to the end of the file, so cutting the file is enough.
    if (size > end) ftruncateSync(this.#fd, end);
    return { inputs, cutBytes: size - end };
  }

  /** Returns a line without its checksum. */
  #checkedText(line: string, number: number): string {
    const sum = SUM.exec(line)?.[1];
    if (sum === undefined && !this.#isSummed) return line;
    const text = sum === undefined ? line : `${line.slice(0, -SUM_LENGTH)}}`;
    if (sum === sumOf(text)) return text;
    const found = sum === undefined ? 'none' : sum;
    throw new StoreError(
      this.#path,
      `line ${number}: expected the checksum ${sumOf(text)}, found ${found}, in ${line.slice(0, 80)}`,
    );
  }

  appendInput(input: Input): void {
    this.#guardWrite(() => {
      this.#inputBytes += this.#writeLine(this.#fd, input);
      if (this.#options.syncs === true) fdatasyncSync(this.#fd);
    });
  }

  replaceWithImage(image: ExchangeImage): void {
    this.#guardWrite(() => {
      const temporary = openSync(this.#temporaryPath, 'a');
      this.#writeLine(temporary, headerOf(this.salt));
      this.#imageBytes = this.#writeLine(temporary, { image });
      fsyncSync(temporary);
      renameSync(this.#temporaryPath, this.#path);
      syncFolder(this.#folder);
      closeSync(this.#fd);
      this.#fd = temporary;
      this.#inputBytes = 0;
    });
  }

  close(): void {
    if (this.#isOpen) closeSync(this.#fd);
    this.#isOpen = false;
  }

  #guardWrite(write: () => void): void {
    if (!this.#isOpen) throw new StoreError(this.#path, 'is closed');
    if (this.#failure !== null)
      throw new StoreError(this.#path, 'is closed after a failed write', { cause: this.#failure });
    try {
      write();
    } catch (error) {
      this.#failure = error;
      if (error instanceof StoreError) throw error;
      throw new StoreError(this.#path, `cannot be written${codeOf(error)}`, { cause: error });
    }
  }

  #writeLine(fd: number, value: unknown): number {
    const text = JSON.stringify(value);
    const line = Buffer.from(`${text.slice(0, -1)},"sum":"${sumOf(text)}"}\n`);
    try {
      for (let written = 0; written < line.length;) written += writeSync(fd, line, written);
    } catch (error) {
      throw new StoreError(this.#path, `cannot be written${codeOf(error)}`, { cause: error });
    }
    return line.length;
  }
}

/** The checksum of a line, its last member. It covers the line without this member. */
const SUM = /,"sum":"([\da-f]{8})"\}$/;
const SUM_LENGTH = ',"sum":"00000000"}'.length;

const sumOf = (text: string): string => crc32(text).toString(16).padStart(8, '0');

const headerOf = (salt: number) => ({ presageExchange: FORMAT_VERSION, salt });

function openLog(folder: string, path: string): number {
  try {
    makeFolder(folder);
    return openSync(path, 'a+');
  } catch (error) {
    throw new StoreError(path, `cannot be opened for appending`, { cause: error });
  }
}

/** A rename survives the death of the machine only after its folder is synced. */
function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? ` (${error.code})` : '';

function saltOf(path: string, line: string): number {
  const header = parse(path, line, 1);
  const isRecord = typeof header === 'object' && header !== null && Object.keys(header).length === 2;
  const isOurs = isRecord && 'presageExchange' in header && 'salt' in header;
  const isKnown =
    isOurs && (header.presageExchange === FORMAT_VERSION || header.presageExchange === FIRST_FORMAT_VERSION);
  if (!isKnown || typeof header.salt !== 'number') {
    const formats = `${FIRST_FORMAT_VERSION} or ${FORMAT_VERSION}`;
    throw new StoreError(
      path,
      `line 1: expected the header of an exchange log of format ${formats}, found ${line.slice(0, 80)}`,
    );
  }
  return header.salt;
}

function readRecord(path: string, line: string, number: number): Input | { readonly image: ExchangeImage } {
  const value = parse(path, line, number);
  const isObject = typeof value === 'object' && value !== null;
  // Only the line after the header may be an image: a later one would contradict the inputs before it.
  // tidy: as — this program wrote the line; its shape was checked when it was made.
  if (isObject && 'image' in value && number === 2) return value as { readonly image: ExchangeImage };
  if (!isObject || !('at' in value) || !('op' in value))
    throw new StoreError(path, `line ${number}: expected an input with at and op, found ${line.slice(0, 80)}`);
  // tidy: as — this program wrote the line, as above.
  return value as Input;
}

function parse(path: string, line: string, number: number): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new StoreError(path, `line ${number}: expected JSON, found ${line.slice(0, 80)}`, { cause: error });
  }
}
