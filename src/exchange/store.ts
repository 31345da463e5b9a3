// The exchange's memory: an append-only file of inputs, one JSON line each, written before the answer leaves.
// A torn last line is cut; a broken line before the last is an error, never skipped.
import { closeSync, fstatSync, ftruncateSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Input } from './input.ts';

/** Where inputs are written down. */
export interface Store {
  /** Returns when the input would survive the death of this process. */
  append(input: Input): void;
  close(): void;
}

/** What a replay found. */
export interface Replayed {
  readonly inputs: number;
  /** Bytes of a torn last line that were cut. */
  readonly cutBytes: number;
}

/** A store that may hold inputs from before. */
export interface OpenedStore extends Store {
  /** Makes ids of this exchange differ from any other's. */
  readonly salt: number;
  /**
   * Hands over every input written before, in order, and cuts a torn last line. To be called once, before appending.
   * @throws {StoreError} when a line before the last is broken.
   */
  replay(take: (input: Input) => void): Replayed;
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

/** The version of the log's form. */
const FORM = 1;
const LOG_NAME = 'inputs.jsonl';

/** A store that forgets. */
export const forgetfulStore = (salt: number): OpenedStore => ({
  salt,
  replay: () => ({ inputs: 0, cutBytes: 0 }),
  append: () => undefined,
  close: () => undefined,
});

/** A store in memory that remembers: an exchange opened on it again goes on where the last one stopped. */
export function memoryStore(salt: number): OpenedStore {
  const inputs: Input[] = [];
  return {
    salt,
    replay: (take) => {
      for (const input of inputs) take(input);
      return { inputs: inputs.length, cutBytes: 0 };
    },
    append: (input) => void inputs.push(input),
    close: () => undefined,
  };
}

/**
 * Opens the log of a folder, making both when they are not there; `salt` is for a new log only.
 * @throws {StoreError} when it cannot be read, or is of another form.
 */
export function openStore(folder: string, salt: number): OpenedStore {
  const path = join(folder, LOG_NAME);
  const fd = openLog(folder, path);
  const [header] = linesOf(fd);
  if (header === undefined) {
    // A header torn by a death at the very start says nothing: begin anew.
    ftruncateSync(fd, 0);
    write(fd, path, { presageExchange: FORM, salt });
  }
  return {
    salt: header === undefined ? salt : saltOf(path, header.text),
    replay: (take) => replay(fd, path, take),
    append: appender(fd, path),
    close: () => closeSync(fd),
  };
}

/** Once a write has failed nothing more is written: a line after half a line would make a hole that nobody sees. */
function appender(fd: number, path: string): (input: Input) => void {
  let failure: unknown = null;
  return (input) => {
    if (failure !== null) throw new StoreError(path, 'is closed after a failed write', { cause: failure });
    try {
      write(fd, path, input);
    } catch (error) {
      failure = error;
      throw error;
    }
  };
}

function replay(fd: number, path: string, take: (input: Input) => void): Replayed {
  let number = 0;
  let end = 0;
  for (const line of linesOf(fd)) {
    number++;
    end = line.end;
    if (number > 1) take(readInput(path, line.text, number));
  }
  const { size } = fstatSync(fd);
  // Appending goes to the end wherever that is, so cutting is all that a torn line needs.
  if (size > end) ftruncateSync(fd, end);
  return { inputs: number - 1, cutBytes: size - end };
}

interface Line {
  readonly text: string;
  /** Where the next one begins. */
  readonly end: number;
}

const CHUNK_BYTES = 1 << 20;
const NEWLINE = 10;

/** Whole lines, a chunk at a time: a log may be larger than memory. */
function* linesOf(fd: number): Generator<Line> {
  let rest = Buffer.alloc(0);
  let start = 0;
  for (;;) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const count = readSync(fd, chunk, 0, CHUNK_BYTES, start + rest.length);
    if (count === 0) return;
    rest = Buffer.concat([rest, chunk.subarray(0, count)]);
    let from = 0;
    for (let at = rest.indexOf(NEWLINE); at >= 0; at = rest.indexOf(NEWLINE, from)) {
      yield { text: rest.toString('utf8', from, at), end: start + at + 1 };
      from = at + 1;
    }
    rest = rest.subarray(from);
    start += from;
  }
}

function openLog(folder: string, path: string): number {
  try {
    mkdirSync(folder, { recursive: true });
    return openSync(path, 'a+');
  } catch (error) {
    throw new StoreError(path, `cannot be opened for appending`, { cause: error });
  }
}

function write(fd: number, path: string, value: unknown): void {
  const line = Buffer.from(`${JSON.stringify(value)}\n`);
  try {
    for (let done = 0; done < line.length;) done += writeSync(fd, line, done);
  } catch (error) {
    throw new StoreError(path, `cannot be written${codeOf(error)}`, { cause: error });
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

function readInput(path: string, line: string, number: number): Input {
  const value = parse(path, line, number);
  const isInput = typeof value === 'object' && value !== null && 'at' in value && 'op' in value;
  if (!isInput)
    throw new StoreError(path, `line ${number}: expected an input with at and op, found ${line.slice(0, 80)}`);
  // tidy: as — this very program wrote the line; its shape was checked when it was made.
  return value as Input;
}

function parse(path: string, line: string, number: number): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new StoreError(path, `line ${number}: expected JSON, found ${line.slice(0, 80)}`, { cause: error });
  }
}
