// The exchange's memory: an append-only file of inputs, one JSON line each, written before the answer leaves.
// A torn last line is cut; a broken line before the last is an error, never skipped.
import { closeSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Input } from './input.ts';

/** Where inputs are written down. */
export interface Store {
  /** Returns when the input would survive the death of this process. */
  append(input: Input): void;
  close(): void;
}

/** What was found in a folder. */
export interface OpenedStore extends Store {
  /** Makes ids of this exchange differ from any other's. */
  readonly salt: number;
  /** Everything written before, in order. */
  readonly inputs: readonly Input[];
  /** Bytes of a torn last line that were cut. */
  readonly cutBytes: number;
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
export const memoryStore = (salt: number): OpenedStore => ({
  salt,
  inputs: [],
  cutBytes: 0,
  append: () => undefined,
  close: () => undefined,
});

/**
 * Opens the log of a folder, making both when they are not there; `salt` is for a new log only.
 * @throws {StoreError} when it cannot be read, is of another form, or a line before the last is broken.
 */
export function openStore(folder: string, salt: number): OpenedStore {
  const path = join(folder, LOG_NAME);
  const fd = openLog(folder, path);
  const bytes = readFileSync(path);
  const whole = bytes.lastIndexOf(10) + 1;
  // O_APPEND writes at the end whatever the position, so cutting is all that a torn line needs.
  if (whole < bytes.length) ftruncateSync(fd, whole);
  const lines = bytes.subarray(0, whole).toString('utf8').split('\n').slice(0, -1);
  const header = lines[0];
  if (header === undefined) write(fd, path, { presageExchange: FORM, salt });
  return {
    salt: header === undefined ? salt : saltOf(path, header),
    inputs: lines.slice(1).map((line, index) => readInput(path, line, index + 2)),
    cutBytes: bytes.length - whole,
    append: (input) => write(fd, path, input),
    close: () => closeSync(fd),
  };
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
    throw new StoreError(path, 'cannot be written', { cause: error });
  }
}

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
