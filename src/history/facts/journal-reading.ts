// Reads the new facts of a journal. Reading stops at the last whole line, or at a damaged line, which is reported. Must
// never read an entry twice, nor skip an entry without a row that says so.
import { z } from 'zod';
import { type SegmentHeader, readHeader } from '../../tape/format/segment-header.ts';
import { segmentsOf } from '../../tape/format/segment-files.ts';
import { TapeFault } from '../../tape/format/tape-fault.ts';
import type { Entry } from '../../tape/format/tape-line.ts';
import type { Storage } from '../../tape/journal/storage.ts';
import { TapeReader } from '../../tape/journal/tape-reader.ts';
import type { SessionFact } from './fact-rows.ts';
import type { FactTables } from './fact-tables.ts';
import { SessionFacts, newSessionState, sessionStateSchema } from './session-facts.ts';

const resumeSchema = z.object({
  /** Name of the session being read; `null` before the first. */
  session: z.nullable(z.string()),
  state: z.nullable(sessionStateSchema),
  /** Profile of the last session whose beginning was kept. A later session most likely has the same profile. */
  profile: z.nullable(z.string()),
  /** True while the session being read is skipped. */
  isSkipping: z.boolean(),
});

/** Place up to which a journal has been read. */
export interface ReadTo {
  /** Number of the file, checksum before its header, and number of the last entry read. */
  readonly segment: number;
  readonly chain: number;
  readonly seq: number;
  readonly lastUs: number;
  /** State of the reading, as JSON. */
  readonly resume: string;
}

export interface JournalReadingOptions {
  readonly tables: FactTables;
  readonly storage: Storage;
  /** Name of the journal in the history. */
  readonly journal: string;
  /** `null` for a journal that was never read. */
  readonly from: ReadTo | null;
}

const NOTHING_READ = JSON.stringify({ session: null, state: null, profile: null, isSkipping: false });

/** Reads one journal. */
export class JournalReading {
  readonly #options: JournalReadingOptions;
  readonly #reader: TapeReader;
  #current: SessionFacts | null = null;
  #profile: string | null;
  #isSkipping: boolean;
  #segment = 0;
  #chain = 0;
  #seq: number;
  #lastUs: number;
  /** Damage that ended the reading, or `null`. */
  fault: string | null = null;

  constructor(options: JournalReadingOptions) {
    const { from, storage, tables } = options;
    this.#options = options;
    this.#reader = new TapeReader(storage, { firstSegment: from?.segment ?? 0 });
    const { session, state, profile, isSkipping } = resumeSchema.parse(JSON.parse(from?.resume ?? NOTHING_READ));
    this.#profile = profile;
    this.#isSkipping = isSkipping;
    this.#seq = from?.seq ?? 0;
    this.#lastUs = from?.lastUs ?? 0;
    this.#segment = from?.segment ?? 0;
    this.#chain = from?.chain ?? 0;
    const known = session === null ? null : tables.sessionNamed(session);
    if (known !== null && state !== null) this.#current = new SessionFacts({ tables, session: known, state });
  }

  /** Bytes read so far. */
  get bytesRead(): number {
    return this.#reader.bytesRead;
  }

  get readTo(): ReadTo {
    const session = this.#current?.session.name ?? null;
    const state = this.#current?.state ?? null;
    const resume = JSON.stringify({ session, state, profile: this.#profile, isSkipping: this.#isSkipping });
    return { segment: this.#segment, chain: this.#chain, seq: this.#seq, lastUs: this.#lastUs, resume };
  }

  /** True once an entry was read that had not been read before. */
  get isAhead(): boolean {
    return this.#seq > (this.#options.from?.seq ?? 0);
  }

  /** True when the last session read has its end in the journal. */
  get isClosed(): boolean {
    return this.#current === null || this.#current.session.ended_us !== null;
  }

  /** Reads entries, and yields after each. A damaged line ends the reading and sets `fault`. */
  *readEntries(): Generator<void> {
    try {
      for (const entry of this.#reader.entries()) {
        if (entry.kind === 'segment') this.#enterSegment(entry);
        if (entry.seq > this.#seq) this.#readEntry(entry);
        yield;
      }
    } catch (fault) {
      if (!(fault instanceof TapeFault)) throw fault;
      this.fault = fault.message;
    }
  }

  /** Writes what is still in memory. */
  writeChanges(): void {
    this.#current?.writeChanges();
    this.#options.tables.writeChanges();
  }

  #enterSegment(entry: Entry): void {
    const header = readHeader(entry.payload);
    if (typeof header === 'string') return;
    this.#segment = header.segment;
    this.#chain = header.chain;
  }

  #readEntry(entry: Entry): void {
    const isAfterGap = this.#seq > 0 && entry.seq > this.#seq + 1;
    if (entry.kind === 'segment') this.#enterSession(entry);
    if (isAfterGap) this.#reportMissing(entry, `entries ${this.#seq + 1} to ${entry.seq - 1} are no longer kept`);
    if (!this.#isSkipping) this.#current?.readEntry(entry);
    this.#seq = entry.seq;
    this.#lastUs = entry.at;
  }

  /** Begins a session at the header of its first kept file. */
  #enterSession(entry: Entry): void {
    const header = readHeader(entry.payload);
    if (typeof header === 'string' || header.session === this.#current?.session.name) return;
    const { tables } = this.#options;
    if (this.#current !== null && this.#current.session.ended_us === null) this.#current.markCrashed(entry.seq);
    this.writeChanges();
    this.#profile = header.manifest?.profile ?? this.#profile;
    // A recording repeats its journal's facts. Another journal may hold the same session.
    this.#isSkipping = header.of === 'recording' || tables.sessionNamed(header.session) !== null;
    if (this.#isSkipping) return;
    const session = tables.addSession(this.#sessionOf(header, entry));
    const state = newSessionState(header.manifest?.tickers ?? []);
    this.#current = new SessionFacts({ tables, session, state });
    if (!header.manifest) this.#reportMissing(entry, 'the first files of this session are no longer kept');
  }

  #reportMissing({ seq, at }: Entry, what: string): void {
    if (this.#current === null) return;
    const text = `${what}: what they held is missing`;
    const gap = { kind: 'journal', code: 'missing', scope: '', who: '', text };
    this.#options.tables.addEvent({ sessionId: this.#current.session.id, seq, atUs: at }, gap);
  }

  #sessionOf({ session: name, manifest }: SegmentHeader, { at }: Entry): Omit<SessionFact, 'id'> {
    return {
      name,
      journal: this.#options.journal,
      profile: this.#profile,
      is_paper: manifest?.isPaper === true ? 1 : 0,
      started_us: at,
      last_us: at,
      ended_us: null,
      how: 'open',
      version: manifest?.version ?? null,
      config_hash: manifest?.hash ?? null,
      strategies: JSON.stringify(manifest?.strategies.map((strategy) => strategy.name) ?? []),
      is_whole: manifest ? 1 : 0,
      opened_us: null,
      opened_cash_micros: null,
    };
  }
}

/** Size on disk of a journal's files from a number on, in bytes. */
export const bytesFrom = (storage: Storage, segment: number): number =>
  segmentsOf(storage)
    .filter(({ number }) => number >= segment)
    .reduce((sum, { name }) => sum + sizeOrZero(storage, name), 0);

/** A file may be packed or removed after it was listed. */
function sizeOrZero(storage: Storage, name: string): number {
  try {
    return storage.sizeOf(name);
  } catch {
    return 0;
  }
}
