// The file of an alert queue, one change a line: a restart continues where the process ended. Must never block the
// event loop after it was opened, and never fail its caller. On a full disk the queue goes on in memory, and the file is
// written again once there is room.
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { appendFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from '../../log/make-folder.ts';
import { type QueueChange, type QueueState, changesOf, parseChange, stateAfter } from '../queue/queue-changes.ts';

/** After this many appended characters, the file is written again without finished records. */
const COMPACT_AFTER = 2_000_000;
/** A larger file was not written by us, and is not read. Bytes. */
const FILE_BYTES_MAX = 50_000_000;
/** Time after which a file that could not be written is tried again. Milliseconds. */
const RETRY_AFTER_MS = 30_000;
const FILE_MODE = 0o600;

/** Options of an alert file. */
export interface AlertFileOptions {
  /** `null` keeps nothing. */
  readonly file: string | null;
  /** Called when the file cannot be written, and not again until it could be. */
  readonly onLost: (reason: string) => void;
  /** Called when the file could be written again after `onLost`. */
  readonly onRegained?: () => void;
}

/** The saved changes of one queue. */
export class AlertFile {
  /** The state of an earlier process. */
  readonly state: QueueState;
  readonly #options: AlertFileOptions;
  #written: Promise<void> = Promise.resolve();
  #unwritten: string[] = [];
  #appended = 0;
  #isLost = false;
  /** Time of the last try to write a lost file; `null` before the first `maintain` after the loss. */
  #triedMs: number | null = null;
  /** Number of the file on its disk. A different number shows that a later process has written the file again. */
  #inode: number | null;

  /** Opens the file, and writes it again without finished records. */
  constructor(options: AlertFileOptions) {
    this.#options = options;
    this.state = stateAfter(readChanges(options.file));
    this.#trySync(() => rewriteSync(options.file, this.state));
    this.#inode = inodeOf(options.file);
  }

  /** True when a later process has opened the file and sends the waiting records. */
  isTakenOver(): boolean {
    return this.#inode !== null && inodeOf(this.#options.file) !== this.#inode;
  }

  appendChange(change: QueueChange): void {
    if (this.#options.file === null || this.#isLost) return;
    this.#unwritten.push(`${JSON.stringify(change)}\n`);
    if (this.#unwritten.length === 1) this.#written = this.#written.then(() => this.#write());
  }

  /**
   * Writes the file again, once enough was appended, or when it was lost and the last try is a while ago.
   * @param changes gives the fewest changes that add up to the present state.
   */
  maintain(changes: () => readonly QueueChange[], nowMs: number): void {
    const { file } = this.#options;
    if (file === null || !(this.#isLost ? this.#isRetryDue(nowMs) : this.#appended >= COMPACT_AFTER)) return;
    this.#appended = 0;
    this.#written = this.#written.then(() => this.#try(() => this.#replace(file, changes)));
  }

  /** A later process that has opened the file saves what waits. */
  #isRetryDue(nowMs: number): boolean {
    this.#triedMs ??= nowMs;
    if (nowMs - this.#triedMs < RETRY_AFTER_MS) return false;
    this.#triedMs = nowMs;
    const inode = inodeOf(this.#options.file);
    return inode === null || inode === this.#inode;
  }

  async flush(): Promise<void> {
    while (this.#unwritten.length > 0) await this.#written;
    await this.#written;
  }

  /** The state is read when its write begins: an earlier write may take changes that come until then. */
  async #replace(file: string, changes: () => readonly QueueChange[]): Promise<void> {
    const text = linesOf(changes());
    this.#unwritten = [];
    await replaceFile(file, text);
    this.#inode = inodeOf(file);
    if (!this.#isLost) return;
    this.#isLost = false;
    this.#triedMs = null;
    this.#options.onRegained?.();
  }

  async #write(): Promise<void> {
    const { file } = this.#options;
    const text = this.#unwritten.join('');
    this.#unwritten = [];
    this.#appended += text.length;
    if (file !== null && text !== '') await this.#try(() => appendFile(file, text, { mode: FILE_MODE }));
  }

  async #try(write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (fault) {
      this.#reportLoss(fault);
    }
  }

  #trySync(write: () => void): void {
    try {
      write();
    } catch (fault) {
      this.#reportLoss(fault);
    }
  }

  #reportLoss(fault: unknown): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#unwritten = [];
    this.#options.onLost(fault instanceof Error && 'code' in fault ? String(fault.code) : String(fault));
  }
}

function readChanges(file: string | null): QueueChange[] {
  if (file === null) return [];
  try {
    const text = readFileSync(file, 'utf8');
    if (text.length > FILE_BYTES_MAX) return [];
    return text.split('\n').flatMap((line) => parseChange(line) ?? []);
  } catch {
    // The first start has no file. An unreadable file is replaced.
    return [];
  }
}

const inodeOf = (file: string | null): number | null =>
  file === null ? null : (statSync(file, { throwIfNoEntry: false })?.ino ?? null);

const linesOf = (changes: readonly QueueChange[]): string =>
  changes.map((change) => `${JSON.stringify(change)}\n`).join('');

function rewriteSync(file: string | null, state: QueueState): void {
  if (file === null) return;
  makeFolder(dirname(file), 0o700);
  const temporary = `${file}.new`;
  rmSync(temporary, { force: true });
  writeFileSync(temporary, linesOf(changesOf(state)), { mode: FILE_MODE, flag: 'wx' });
  renameSync(temporary, file);
}

async function replaceFile(file: string, text: string): Promise<void> {
  const temporary = `${file}.new`;
  await rm(temporary, { force: true });
  await writeFile(temporary, text, { mode: FILE_MODE, flag: 'wx' });
  await rename(temporary, file);
}
