// The file of a study, `trials.jsonl`: the only truth about its trials. One process appends to it, under the folder's lock.
// Must never cut a whole line, nor write an end before its line is on the disk.
import { UsageError } from '../../app/usage-error.ts';
import { fileStorage } from '../../tape/journal/file-storage.ts';
import { type Storage, StorageFault } from '../../tape/journal/storage.ts';
import { type TrialLine, readTrialLine, trialLineText } from './trial-lines.ts';

const FILE = 'trials.jsonl';
const NEWLINE = 10;

/** Reads the lines of a study without its lock: another process may be appending. */
export function readTrialLines(folder: string, storage: Storage = fileStorage(folder)): TrialLine[] {
  return storage.listFiles().includes(FILE) ? linesIn(storage).lines : [];
}

interface FoundLines {
  readonly lines: TrialLine[];
  /** Bytes of whole lines. */
  readonly whole: number;
}

/** @throws {UsageError} when a whole line is damaged, or one is missing or there twice. */
function linesIn(storage: Storage): FoundLines {
  const size = storage.sizeOf(FILE);
  const bytes = Buffer.from(storage.readBytes(FILE, 0, size));
  const whole = bytes.lastIndexOf(NEWLINE) + 1;
  const texts = whole === 0 ? [] : bytes.toString('utf8', 0, whole - 1).split('\n');
  const proposed: string[] = [];
  const lines = texts.map((text, index) => {
    const line = readTrialLine(text);
    const fault = line === null ? 'expected a line of a study, found damage' : sequenceFault(line, index, proposed);
    if (line === null || fault !== null) throw new UsageError(`${storage.path}/${FILE}:${index + 1}: ${fault}`);
    if (line.kind === 'proposed') proposed.push(line.hash);
    return line;
  });
  return { lines, whole };
}

/**
 * Says what is wrong with the place of a line; `null` when nothing is. Trials are numbered by their place: a line that is
 * missing or there twice would give each later trial the parameters of another.
 * @param proposed Hashes of the trials of the lines before.
 */
function sequenceFault(line: TrialLine, index: number, proposed: readonly string[]): string | null {
  if (line.kind === 'study') return index === 0 ? null : 'expected a trial, found the beginning of a study';
  if (line.kind === 'proposed')
    return line.n === proposed.length
      ? null
      : `expected the proposal of trial #${proposed.length}, found that of #${line.n}: a line is missing, or there twice`;
  return proposed[line.n] === line.hash
    ? null
    : `expected the end of a trial that is proposed above, found that of #${line.n}: a line is missing`;
}

/** A study's file, open for appending. */
export class TrialLog {
  readonly #storage: Storage;
  /** Lines that were there when it was opened. */
  readonly opened: readonly TrialLine[];
  /** Bytes of a torn last line that were cut. */
  readonly cutBytes: number;
  /** The fault of an append. A line after half a line would make the file unreadable, so none follows. */
  #fault: unknown = null;

  /**
   * Locks the folder and cuts off what a crash left of a last line.
   * @throws {UsageError} when a whole line is damaged, or another process runs the study.
   */
  constructor(folder: string, storage: Storage = fileStorage(folder)) {
    this.#storage = storage;
    try {
      storage.lockFolder();
    } catch (fault) {
      if (fault instanceof StorageFault) throw new UsageError(`study ${fault.message}`, { cause: fault });
      throw fault;
    }
    try {
      const isThere = storage.listFiles().includes(FILE);
      const { lines, whole } = isThere ? linesIn(storage) : { lines: [], whole: 0 };
      this.opened = lines;
      this.cutBytes = isThere ? storage.sizeOf(FILE) - whole : 0;
      if (this.cutBytes > 0) storage.truncateFile(FILE, whole);
    } catch (fault) {
      storage.close();
      throw fault;
    }
  }

  /**
   * Appends a line, which survives a crash of the machine when this returns, unless it only proposes a trial.
   * @throws {StorageFault} when it cannot be written, and for every line after that one.
   */
  append(line: TrialLine): void {
    if (this.#fault !== null) throw this.#fault;
    try {
      this.#storage.appendBytes(FILE, Buffer.from(trialLineText(line)));
      if (line.kind !== 'proposed') this.#storage.syncFile(FILE);
    } catch (fault) {
      this.#fault = fault;
      throw fault;
    }
  }

  close(): void {
    this.#storage.close();
  }
}
