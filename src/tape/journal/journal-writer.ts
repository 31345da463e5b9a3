// Writes a journal. An input and its commands are written together, before the commands are sent. Inputs without
// commands are written soon after. Once a write has failed, every further write throws, so that the journal has no
// hidden hole. Must never write a key, a signature or an HTTP header.
import { type Command, givesTerms } from '../../domain/venue-command.ts';
import { must } from '../../base/assert.ts';
import { EPOCH, type Micros } from '../../domain/units.ts';
import type { Input } from '../../venue.ts';
import { type BlockPacker, deflatePacker } from '../format/packed-block.ts';
import { TapeFault } from '../format/tape-fault.ts';
import { TAPE_FORMAT_VERSION, type Manifest, type SegmentHeader } from '../format/segment-header.ts';
import { type TapedNotice, addCommandsLine, addInputLine, addNoticesLine, timeOf } from '../format/input-lines.ts';
import type { Journal } from './journal-port.ts';
import { LineBuffer } from '../format/line-buffer.ts';
import { NEWLINE } from '../format/tape-line.ts';
import { type TapeEnd, type TapeNotice, recoverTape } from './tape-recovery.ts';
import { SegmentPacker, type Retention } from './segment-packer.ts';
import { plainName } from '../format/segment-files.ts';
import type { Storage } from './storage.ts';

/** One-shot timers, as a scheduler offers them. */
export interface OneShotTimers<Timer> {
  after(delayMs: number, operation: () => void): Timer;
  cancel(timer: Timer): void;
}

export interface JournalOptions {
  readonly storage: Storage;
  /** The session's manifest, written to its first file. */
  readonly manifest: Manifest;
  readonly timers: OneShotTimers<object>;
  readonly of?: SegmentHeader['of'];
  /**
   * Syncs to disk before an order or an amend is sent, and at the end of each file. The journal is then safe from a crash
   * of the machine, too. Default false.
   */
  readonly sync?: boolean;
  /**
   * Largest size of a file, in bytes. `segmentAgeMax` is its greatest age, in microseconds of the entries' own times.
   */
  readonly segmentBytesMax?: number;
  readonly segmentAgeMax?: number;
  readonly keep?: Retention;
  /** Packs closed files; `null` leaves them unpacked. */
  readonly packer?: BlockPacker | null;
  readonly onNotice?: (note: TapeNotice) => void;
}

const SEGMENT_BYTES_MAX = 32 * 1024 * 1024;
const SEGMENT_AGE_MAX = 3_600_000_000;
/** Inputs without commands are written when they reach this size, or after `GATHERED_MS_MAX`. */
const GATHERED_BYTES_MAX = 64 * 1024;
const GATHERED_MS_MAX = 50;

interface OpenSegment {
  readonly name: string;
  readonly begunAt: Micros;
  bytes: number;
}

/** A journal being written. */
export class JournalWriter implements Journal {
  readonly #options: JournalOptions;
  readonly #lines: LineBuffer;
  readonly #packing: SegmentPacker;
  #nextSegment: number;
  #segment: OpenSegment | null = null;
  #session: string | null = null;
  #isManifestWritten = false;
  #at: Micros = EPOCH;
  #timer: object | null = null;
  #failure: TapeFault | null = null;
  #isClosed = false;
  #bytesWritten = 0;

  /**
   * Locks the folder and repairs what a crash left. Writes no entry before the first input.
   * @throws {TapeFault} when the tape's last file is damaged.
   * @throws {StorageFault} when another process holds the folder, or a file cannot be read or written.
   */
  constructor(options: JournalOptions) {
    const { storage, packer = deflatePacker, keep = {}, onNotice = () => undefined } = options;
    this.#options = options;
    const end = lockStorage(storage, onNotice);
    this.#lines = new LineBuffer(end);
    this.#nextSegment = end.nextSegment;
    this.#packing = new SegmentPacker({ storage, packer, keep, onNotice });
    for (const name of end.unpacked) this.#packing.queueSegment(name);
  }

  get place(): string {
    return this.#options.storage.path;
  }

  /** The session's name, from its first input; `null` before it. */
  get session(): string | null {
    return this.#session;
  }

  /** Bytes written by this session so far. Closed files take less on disk, because they are packed. */
  get bytesWritten(): number {
    return this.#bytesWritten;
  }

  get seq(): number {
    return this.#lines.seq;
  }

  writeInput(input: Input): void {
    this.#throwIfFailed();
    this.#at = timeOf(input);
    this.#session ??= sessionOf(input);
    this.#currentSegment();
    addInputLine(this.#lines, input);
    this.#flushSoon();
  }

  writeNotices(notices: readonly TapedNotice[]): void {
    this.#throwIfFailed();
    if (notices.length === 0) return;
    this.#currentSegment();
    addNoticesLine(this.#lines, this.#at, notices);
    this.#flushSoon();
  }

  #flushSoon(): void {
    if (this.#lines.length >= GATHERED_BYTES_MAX) this.flush();
    else this.#timer ??= this.#options.timers.after(GATHERED_MS_MAX, () => this.#flushFromTimer());
  }

  writeCommands(commands: readonly Command[]): void {
    this.#throwIfFailed();
    if (commands.length === 0) return;
    const { name } = this.#currentSegment();
    addCommandsLine(this.#lines, this.#at, commands);
    this.flush();
    // Repeating a cancel is harmless, so it does not wait for a sync.
    if (this.#options.sync === true && commands.some(givesTerms))
      this.#attempt(name, () => this.#options.storage.syncFile(name));
  }

  /** Runs in a timer without a caller, so a failure is kept for the next call. */
  #flushFromTimer(): void {
    this.#timer = null;
    if (this.#failure !== null || this.#isClosed) return;
    try {
      this.flush();
    } catch (fault) {
      if (!(fault instanceof TapeFault)) throw fault;
    }
  }

  #throwIfFailed(): void {
    if (this.#failure !== null) throw this.#failure;
    if (this.#isClosed) throw new TapeFault({ file: this.place, line: null, seq: null }, 'is closed');
  }

  /** Returns the file being written. Begins a file when there is none. */
  #currentSegment(): OpenSegment {
    if (this.#segment !== null) return this.#segment;
    const segment = this.#nextSegment;
    const { of = 'journal', manifest } = this.#options;
    const session = must(this.#session, 'the session of a journal');
    const header: SegmentHeader = { form: TAPE_FORMAT_VERSION, segment, session, of, chain: this.#lines.chain };
    const json = JSON.stringify(this.#isManifestWritten ? header : { ...header, manifest });
    this.#isManifestWritten = true;
    this.#nextSegment += 1;
    this.#lines.addLine('segment', this.#at, json);
    this.#segment = { name: plainName(segment), begunAt: this.#at, bytes: 0 };
    return this.#segment;
  }

  /**
   * Writes the gathered lines.
   * @throws {TapeFault} when they cannot be written.
   */
  flush(): void {
    this.#throwIfFailed();
    this.#disarm();
    const segment = this.#segment;
    if (segment === null || this.#lines.length === 0) return;
    const bytes = this.#lines.gatheredLines();
    this.#attempt(segment.name, () => this.#options.storage.appendBytes(segment.name, bytes));
    segment.bytes += bytes.length;
    this.#bytesWritten += bytes.length;
    this.#lines.clear();
    const { segmentBytesMax = SEGMENT_BYTES_MAX, segmentAgeMax = SEGMENT_AGE_MAX } = this.#options;
    if (segment.bytes >= segmentBytesMax || this.#at - segment.begunAt >= segmentAgeMax) this.#rotate(segment);
  }

  #disarm(): void {
    if (this.#timer !== null) this.#options.timers.cancel(this.#timer);
    this.#timer = null;
  }

  #rotate(segment: OpenSegment): void {
    const { sync, storage } = this.#options;
    // A crash of the machine must not leave a file without its end before one that was synced: no reader accepts that.
    if (sync === true) this.#attempt(segment.name, () => storage.syncFile(segment.name));
    this.#segment = null;
    this.#packing.queueSegment(segment.name);
    this.#packing.removeBeyondRetention(segment.name, this.#at);
  }

  #attempt(file: string, operation: () => void): void {
    try {
      operation();
    } catch (cause) {
      this.#disarm();
      const problem = cause instanceof Error ? cause.message : String(cause);
      this.#failure = new TapeFault({ file, line: null, seq: this.#lines.seq }, problem, { cause });
      this.#cutPartial();
      throw this.#failure;
    }
  }

  /** Cuts an incomplete line off the end, if the disk still allows it. Whole lines stay. */
  #cutPartial(): void {
    const { storage } = this.#options;
    if (this.#segment === null) return;
    const { name, bytes } = this.#segment;
    try {
      const written = storage.sizeOf(name) - bytes;
      if (written <= 0) return;
      const whole = this.#lines.gatheredLines().subarray(0, written).lastIndexOf(NEWLINE) + 1;
      storage.truncateFile(name, bytes + whole);
    } catch {
      // The torn line stays; the next session cuts it.
    }
  }

  /**
   * Ends the session: writes an `end` entry, packs closed files, and releases the folder.
   * @throws {TapeFault} when the last lines cannot be written and no earlier write failed.
   */
  async close(reason: string): Promise<void> {
    if (this.#isClosed) return;
    try {
      if (this.#failure === null) this.#writeEnd(reason);
      await this.#packing.whenIdle();
    } finally {
      this.#disarm();
      this.#isClosed = true;
      this.#options.storage.close();
    }
  }

  #writeEnd(reason: string): void {
    // A session without input has no `end` entry.
    if (this.#session === null) return;
    const segment = this.#currentSegment();
    this.#lines.addLine('end', this.#at, JSON.stringify({ reason }));
    this.flush();
    if (this.#segment === segment) this.#rotate(segment);
  }
}

function lockStorage(storage: Storage, onNotice: (note: TapeNotice) => void): TapeEnd {
  storage.lockFolder();
  try {
    return recoverTape(storage, onNotice);
  } catch (fault) {
    storage.close();
    throw fault;
  }
}

/**
 * A session is named by its start event. A recording has no such event, and is named by the time of its first input.
 */
const sessionOf = (input: Input): string =>
  input.type === 'event' && input.event.kind === 'start' ? input.event.session : timeOf(input).toString(36);
