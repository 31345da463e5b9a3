// Writes a journal: inputs are gathered and reach the disk with the commands they led to, before these leave; without
// commands, soon after. Once a write has failed every call throws: trading must stop, and no hole be left unseen.
// Must never write a key, a signature or a header: what it is given never holds them.
import type { Command } from '../domain/command.ts';
import { must } from '../domain/assert.ts';
import { EPOCH, type Micros } from '../domain/units.ts';
import type { Input } from '../venue.ts';
import { type Packer, deflatePacker } from './block.ts';
import { TapeFault } from './fault.ts';
import { FORM, type Manifest, type SegmentHeader } from './header.ts';
import { addCommands, addInput, timeOf } from './input-line.ts';
import type { Journal } from './journal.ts';
import { LineBuffer } from './line-buffer.ts';
import { NEWLINE } from './line.ts';
import { type TapeEnd, type TapeNote, openTape } from './opening.ts';
import { Packing, type Retention } from './packing.ts';
import { plainName } from './segment-name.ts';
import type { Storage } from './storage.ts';

/** One-shot timers: a scheduler's. */
export interface Timers<Timer> {
  after(delayMs: number, act: () => void): Timer;
  cancel(timer: Timer): void;
}

export interface JournalOptions {
  readonly storage: Storage;
  /** What the session is made of; its first file says so. */
  readonly manifest: Manifest;
  readonly timers: Timers<object>;
  readonly of?: SegmentHeader['of'];
  /** Waits for the platter before an order leaves, so that even the machine may die. Off: only the process may. */
  readonly sync?: boolean;
  /** A file is closed when it is so long, or so old by the entries' own times. Bytes, and microseconds. */
  readonly segmentBytesMax?: number;
  readonly segmentAgeMax?: number;
  readonly keep?: Retention;
  /** Packs closed files; `null` leaves them as they are. */
  readonly packer?: Packer | null;
  readonly tell?: (note: TapeNote) => void;
}

const SEGMENT_BYTES_MAX = 32 * 1024 * 1024;
const SEGMENT_AGE_MAX = 3_600_000_000;
/** Inputs that led to nothing are written when there are so many bytes of them, or after so long. */
const GATHERED_BYTES_MAX = 64 * 1024;
const GATHERED_MS_MAX = 50;

/** The file being written. */
interface OpenSegment {
  readonly name: string;
  readonly begunAt: Micros;
  bytes: number;
}

/** A journal being written. */
export class JournalWriter implements Journal {
  readonly #options: JournalOptions;
  readonly #lines: LineBuffer;
  readonly #packing: Packing;
  #nextSegment: number;
  #segment: OpenSegment | null = null;
  #session: string | null = null;
  #isManifestWritten = false;
  #at: Micros = EPOCH;
  #timer: object | null = null;
  #failure: TapeFault | null = null;
  #isClosed = false;

  /**
   * Makes the folder one's own and mends what a death left; nothing is written before the first input.
   * @throws {TapeFault} when the tape's last file cannot be believed.
   * @throws {StorageFault} when the folder is another's, or cannot be read or written.
   */
  constructor(options: JournalOptions) {
    const { storage, packer = deflatePacker, keep = {}, tell = () => undefined } = options;
    this.#options = options;
    const end = claim(storage, tell);
    this.#lines = new LineBuffer(end);
    this.#nextSegment = end.nextSegment;
    this.#packing = new Packing({ storage, packer, keep, tell });
    for (const name of end.unpacked) this.#packing.add(name);
  }

  /** Where it is. */
  get place(): string {
    return this.#options.storage.place;
  }

  /** The session's name, as its first event says; `null` before the first input. */
  get session(): string | null {
    return this.#session;
  }

  /** Number of the last entry. */
  get seq(): number {
    return this.#lines.seq;
  }

  input(input: Input): void {
    this.#check();
    this.#at = timeOf(input);
    this.#session ??= sessionOf(input);
    this.#begin();
    addInput(this.#lines, input);
    if (this.#lines.length >= GATHERED_BYTES_MAX) this.flush();
    else this.#timer ??= this.#options.timers.after(GATHERED_MS_MAX, () => this.#flushLate());
  }

  commands(commands: readonly Command[]): void {
    this.#check();
    if (commands.length === 0) return;
    const { name } = this.#begin();
    addCommands(this.#lines, this.#at, commands);
    this.flush();
    if (this.#options.sync === true && commands.some(addsRisk)) this.#try(name, () => this.#options.storage.sync(name));
  }

  /** Nobody waits for it: the failure is kept for the next call. */
  #flushLate(): void {
    this.#timer = null;
    if (this.#failure !== null || this.#isClosed) return;
    try {
      this.flush();
    } catch (fault) {
      if (!(fault instanceof TapeFault)) throw fault;
    }
  }

  #check(): void {
    if (this.#failure !== null) throw this.#failure;
    if (this.#isClosed) throw new TapeFault({ file: this.place, line: null, seq: null }, 'is closed');
  }

  /** The file being written, begun when there is none. */
  #begin(): OpenSegment {
    if (this.#segment !== null) return this.#segment;
    const segment = this.#nextSegment;
    const { of = 'journal', manifest } = this.#options;
    const session = must(this.#session, 'the session of a journal');
    const header: SegmentHeader = { form: FORM, segment, session, of, chain: this.#lines.chain };
    const json = JSON.stringify(this.#isManifestWritten ? header : { ...header, manifest });
    this.#isManifestWritten = true;
    this.#nextSegment += 1;
    this.#lines.add('segment', this.#at, json);
    this.#segment = { name: plainName(segment), begunAt: this.#at, bytes: 0 };
    return this.#segment;
  }

  /**
   * Writes what is gathered.
   * @throws {TapeFault} when it cannot be written.
   */
  flush(): void {
    this.#check();
    this.#disarm();
    const segment = this.#segment;
    if (segment === null || this.#lines.length === 0) return;
    const bytes = this.#lines.content();
    this.#try(segment.name, () => this.#options.storage.append(segment.name, bytes));
    segment.bytes += bytes.length;
    this.#lines.clear();
    const { segmentBytesMax = SEGMENT_BYTES_MAX, segmentAgeMax = SEGMENT_AGE_MAX } = this.#options;
    if (segment.bytes >= segmentBytesMax || this.#at - segment.begunAt >= segmentAgeMax) this.#rotate(segment);
  }

  #disarm(): void {
    if (this.#timer !== null) this.#options.timers.cancel(this.#timer);
    this.#timer = null;
  }

  /** The file is long enough: the next input begins another. */
  #rotate(segment: OpenSegment): void {
    this.#segment = null;
    this.#packing.add(segment.name);
    this.#packing.trim(segment.name, this.#at);
  }

  #try(file: string, act: () => void): void {
    try {
      act();
    } catch (cause) {
      this.#disarm();
      const problem = cause instanceof Error ? cause.message : String(cause);
      this.#failure = new TapeFault({ file, line: null, seq: this.#lines.seq }, problem, { cause });
      this.#cutPartial();
      throw this.#failure;
    }
  }

  /** Half a line at the end is cut where the disk still lets us: whole ones that fitted stay. */
  #cutPartial(): void {
    const { storage } = this.#options;
    if (this.#segment === null) return;
    const { name, bytes } = this.#segment;
    try {
      const written = storage.size(name) - bytes;
      if (written <= 0) return;
      const whole = this.#lines.content().subarray(0, written).lastIndexOf(NEWLINE) + 1;
      storage.truncate(name, bytes + whole);
    } catch {
      // What is torn stays; the next session cuts it.
    }
  }

  /**
   * Ends the session: says so in the tape, packs what is closed, and gives the folder back.
   * @throws {TapeFault} when the last lines cannot be written; not again when a write had failed before.
   */
  async close(reason: string): Promise<void> {
    if (this.#isClosed) return;
    try {
      if (this.#failure === null) this.#end(reason);
      await this.#packing.idle();
    } finally {
      this.#disarm();
      this.#isClosed = true;
      this.#options.storage.close();
    }
  }

  #end(reason: string): void {
    // A session that was never begun has no end.
    if (this.#session === null) return;
    const segment = this.#begin();
    this.#lines.add('end', this.#at, JSON.stringify({ reason }));
    this.flush();
    if (this.#segment === segment) this.#rotate(segment);
  }
}

/** Makes the folder one's own and finds where its tape stands. */
function claim(storage: Storage, tell: (note: TapeNote) => void): TapeEnd {
  storage.claim();
  try {
    return openTape(storage, tell);
  } catch (fault) {
    storage.close();
    throw fault;
  }
}

/** Whether a command may make us hold or owe more. To cancel twice does no harm, and must not wait for a disk. */
const addsRisk = (command: Command): boolean => command.type === 'place' || command.type === 'amend';

/** A session is named by its start; a recording, which has none, by when it began. */
const sessionOf = (input: Input): string =>
  input.type === 'event' && input.event.kind === 'start' ? input.event.session : timeOf(input).toString(36);
