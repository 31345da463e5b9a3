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

/** @throws {UsageError} when a whole line is damaged. */
function linesIn(storage: Storage): FoundLines {
  const size = storage.sizeOf(FILE);
  const bytes = Buffer.from(storage.readBytes(FILE, 0, size));
  const whole = bytes.lastIndexOf(NEWLINE) + 1;
  const texts = whole === 0 ? [] : bytes.toString('utf8', 0, whole - 1).split('\n');
  const lines = texts.map((text, index) => {
    const line = readTrialLine(text);
    if (line !== null) return line;
    throw new UsageError(`${storage.path}/${FILE}:${index + 1}: expected a line of a study, found damage`);
  });
  return { lines, whole };
}

/** A study's file, open for appending. */
export class TrialLog {
  readonly #storage: Storage;
  /** Lines that were there when it was opened. */
  readonly opened: readonly TrialLine[];
  /** Bytes of a torn last line that were cut. */
  readonly cutBytes: number;

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

  /** Appends a line, which survives a crash of the machine when this returns, unless it only proposes a trial. */
  append(line: TrialLine): void {
    this.#storage.appendBytes(FILE, Buffer.from(trialLineText(line)));
    if (line.kind !== 'proposed') this.#storage.syncFile(FILE);
  }

  close(): void {
    this.#storage.close();
  }
}
