// The ledger of trials, `ledger.jsonl`: every trial of every study, also of studies whose folder was deleted. Statistics
// need the number of trials that were really tried. Must never lose or change a line.
import { setTimeout } from 'node:timers/promises';
import { resolve } from 'node:path';
import { UsageError } from '../../app/usage-error.ts';
import { fileStorage } from '../../tape/journal/file-storage.ts';
import { type Storage, StorageFault } from '../../tape/journal/storage.ts';
import {
  type LedgerEntry,
  type LedgerLine,
  type LedgerTrial,
  NO_LINE,
  ledgerLineText,
  lineHash,
  readLedgerLine,
} from './ledger-lines.ts';

const FILE = 'ledger.jsonl';
const NEWLINE = 10;
/** Another study holds the lock for as long as it appends lines. Milliseconds. */
const LOCK_WAIT_MS = 30_000;
const LOCK_RETRY_MS = 20;

/** The folder of the ledger, beside the folder of all studies. */
export const ledgerFolder = (): string => resolve('var/research');

/** The ledger, read to its end, and open for more. Several processes may append to it. */
export class TrialLedger {
  readonly folder: string;
  readonly #nowMs: () => number;
  readonly #lines: LedgerLine[] = [];
  /** Names of the studies, their trials and their looks that are in the ledger. */
  readonly #known = new Set<string>();
  /** Bytes of the lines that were read. */
  #size = 0;
  #lastHash = NO_LINE;

  /**
   * Reads the ledger of a folder.
   * @param nowMs Wall clock, for the time of new lines.
   * @throws {UsageError} when a line is damaged, was changed, or does not follow the line before it.
   */
  constructor(folder: string, nowMs: () => number = Date.now) {
    this.folder = folder;
    this.#nowMs = nowMs;
    const storage = fileStorage(folder);
    this.#readFurther(storage);
    storage.close();
  }

  get lines(): readonly LedgerLine[] {
    return this.#lines;
  }

  /** True when the ledger has the study, or the trial of a study. */
  has(entry: LedgerEntry): boolean {
    return this.#known.has(keyOf(entry));
  }

  /**
   * Appends entries that are not in the ledger yet. They survive a crash of the machine when this resolves.
   * @throws {UsageError} when the ledger is damaged, or another process holds it for too long.
   * @throws {StorageFault} when the ledger cannot be written.
   */
  async append(entries: readonly LedgerEntry[]): Promise<void> {
    if (entries.every((entry) => this.has(entry))) return;
    const storage = await lockedStorage(this.folder);
    try {
      const torn = this.#readFurther(storage);
      if (torn > 0) storage.truncateFile(FILE, this.#size);
      const atMs = this.#nowMs();
      const fresh = new Map(entries.filter((entry) => !this.has(entry)).map((entry) => [keyOf(entry), entry]));
      let prev = this.#lastHash;
      let text = '';
      for (const entry of fresh.values()) {
        const line = ledgerLineText(entry, { prev, atMs });
        prev = lineHash(line);
        text += `${line}\n`;
      }
      if (text === '') return;
      storage.appendBytes(FILE, Buffer.from(text));
      storage.syncFile(FILE);
      this.#readFurther(storage);
    } finally {
      storage.close();
    }
  }

  /**
   * The trials of all studies whose tapes share a cluster of event groups with these, each once. A trial of several
   * studies is the line of the first.
   */
  trialsOn(clusters: Iterable<string>): LedgerTrial[] {
    const wanted = new Set(clusters);
    const studies = new Set<string>();
    for (const line of this.#lines)
      if (line.kind === 'study' && line.clusters.some((cluster) => wanted.has(cluster))) studies.add(line.study);
    const found = new Map<string, LedgerTrial>();
    for (const line of this.#lines)
      if (line.kind === 'trial' && studies.has(line.study) && !found.has(line.trial)) found.set(line.trial, line);
    return [...found.values()];
  }

  /** Number of looks at a sealed test that has one of these clusters of event groups, of all studies. */
  looksAt(clusters: Iterable<string>): number {
    const wanted = new Set(clusters);
    return this.#lines.filter((line) => line.kind === 'look' && line.clusters.some((cluster) => wanted.has(cluster)))
      .length;
  }

  /** Reads the lines after those that were read. Returns the number of bytes of a torn last line. */
  #readFurther(storage: Storage): number {
    const size = storage.listFiles().includes(FILE) ? storage.sizeOf(FILE) : 0;
    if (size < this.#size) throw this.#fault('at least as many bytes as before, found fewer');
    if (size === this.#size) return 0;
    const bytes = Buffer.from(storage.readBytes(FILE, this.#size, size - this.#size));
    const whole = bytes.lastIndexOf(NEWLINE) + 1;
    const texts = whole === 0 ? [] : bytes.toString('utf8', 0, whole - 1).split('\n');
    for (const text of texts) this.#addLine(text);
    this.#size += whole;
    return bytes.length - whole;
  }

  #addLine(text: string): void {
    const line = readLedgerLine(text, this.#lastHash);
    if (line === null) throw this.#fault('a line that follows the line before, found damage or a change');
    this.#lines.push(line);
    this.#known.add(keyOf(line));
    this.#lastHash = lineHash(text);
  }

  #fault(problem: string): UsageError {
    return new UsageError(`${this.folder}/${FILE}:${this.#lines.length + 1}: expected ${problem}`);
  }
}

function keyOf(entry: LedgerEntry): string {
  switch (entry.kind) {
    case 'study':
      return entry.study;
    case 'trial':
      return `${entry.study} ${entry.trial}`;
    case 'look':
      return entry.id;
  }
}

/** Opens the ledger's folder under its lock, as soon as no other process holds it. */
async function lockedStorage(folder: string): Promise<Storage> {
  const storage = fileStorage(folder);
  const until = performance.now() + LOCK_WAIT_MS;
  for (;;) {
    try {
      storage.lockFolder();
      return storage;
    } catch (fault) {
      if (!(fault instanceof StorageFault) || fault.code !== null) throw fault;
      if (performance.now() > until) throw new UsageError(`ledger of trials: ${fault.message}`, { cause: fault });
    }
    await setTimeout(LOCK_RETRY_MS);
  }
}
