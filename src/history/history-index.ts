// Brings the history of a data folder up to date with its journals. Must never be the only place of a fact: everything
// in it can be read from the journals again.
import { join } from 'node:path';
import { type Dirent, readdirSync } from 'node:fs';
import { fileStorage } from '../tape/journal/file-storage.ts';
import { segmentsOf } from '../tape/format/segment-files.ts';
import { TapeFault } from '../tape/format/tape-fault.ts';
import { type Storage, StorageFault } from '../tape/journal/storage.ts';
import { TapeReader } from '../tape/journal/tape-reader.ts';
import { readHeader } from '../tape/format/segment-header.ts';
import { DerivedTables } from './account/derived-tables.ts';
import { FactTables } from './facts/fact-tables.ts';
import { JournalReading, type ReadTo, bytesFrom } from './facts/journal-reading.ts';
import { INDEXES, TABLES, UNCOUNTED } from './store/history-schema.ts';
import type { HistoryStore, OpenStore } from './store/history-store.ts';
import { type WritableHistory, openForWriting } from './store/history-file.ts';
import { openLibsqlStore } from './store/libsql-store.ts';

/** One journal of a data folder. */
export interface JournalSource {
  readonly name: string;
  readonly storage: Storage;
}

/** How far the work is. */
export interface HistoryProgress {
  readonly journal: string;
  readonly doneBytes: number;
  readonly totalBytes: number;
}

export interface UpdateOptions {
  readonly dataFolder: string;
  /** True to make the history from nothing. Default: only new entries are read. */
  readonly isRemade?: boolean;
  /** Journals to read. Default: every folder with a tape in the data folder. */
  readonly sources?: readonly JournalSource[];
  readonly openStore?: OpenStore;
  readonly onProgress?: (progress: HistoryProgress) => void;
}

/** The result of an update. */
export interface UpdateResult {
  readonly entries: number;
  /** Reason why the history was made from nothing; `null` when it was continued. */
  readonly remade: string | null;
  /** Damage at which the reading of a journal ended. */
  readonly faults: readonly string[];
}

interface SourceRow {
  readonly journal: string;
  readonly segment: number;
  readonly chain: number;
  readonly read_to: number;
  readonly last_us: number;
  readonly resume: string;
}

/** In place of a market's number: an entry was read, which may begin a day. */
const ANY_ENTRY = 0;
/** Entries read between two turns of the event loop, and between two commits. */
const ENTRIES_PER_TURN = 5000;
const ENTRIES_PER_COMMIT = 500_000;

/**
 * The journals of a data folder, by the time of their first entries. Every folder with a tape is a journal.
 * @throws {StorageFault} when the folder cannot be listed.
 */
export function journalSources(dataFolder: string): JournalSource[] {
  const found = foldersIn(dataFolder).flatMap((name) => {
    const storage = fileStorage(join(dataFolder, name));
    const at = firstTime(storage);
    return at === null ? [] : [{ name, storage, at }];
  });
  return found.toSorted((a, b) => a.at - b.at || (a.name < b.name ? -1 : 1));
}

function foldersIn(dataFolder: string): string[] {
  let entries: Dirent[];
  try {
    entries = readdirSync(dataFolder, { withFileTypes: true });
  } catch (cause) {
    throw new StorageFault(dataFolder, 'expected a data folder, found none that can be listed', { cause });
  }
  return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort();
}

/** Time of a tape's first entry; `null` for an empty or damaged tape. */
function firstTime(storage: Storage): number | null {
  if (segmentsOf(storage).length === 0) return null;
  try {
    const [first] = new TapeReader(storage).entries();
    return first?.at ?? null;
  } catch (fault) {
    if (fault instanceof TapeFault) return null;
    throw fault;
  }
}

/**
 * Brings the history up to date. Yields to the event loop between batches of entries.
 * @throws {StorageFault} when another process updates the history, or a journal cannot be read.
 * @throws {HistoryFault} when the history cannot be kept in this place.
 */
export async function updateHistory(options: UpdateOptions): Promise<UpdateResult> {
  const { dataFolder, openStore = openLibsqlStore, isRemade = false } = options;
  const sources = options.sources ?? journalSources(dataFolder);
  const history = openForWriting(dataFolder, openStore, { isRemade });
  try {
    const result = await new HistoryUpdate(history, sources, options.onProgress).run();
    if (result !== null) return { ...result, remade: history.remade };
  } finally {
    history.close();
  }
  const remade = 'the journals are not those that the history was made from';
  return { ...(await updateHistory({ ...options, isRemade: true })), remade };
}

class HistoryUpdate {
  readonly #store: HistoryStore;
  readonly #isNew: boolean;
  readonly #sources: readonly JournalSource[];
  readonly #onProgress: (progress: HistoryProgress) => void;
  #entries = 0;

  constructor(
    { store, isNew }: WritableHistory,
    sources: readonly JournalSource[],
    onProgress: UpdateOptions['onProgress'] = () => undefined,
  ) {
    this.#store = store;
    this.#isNew = isNew;
    this.#sources = sources;
    this.#onProgress = onProgress;
  }

  /** Runs the update. Returns `null` when the journals do not continue what was read. */
  async run(): Promise<Omit<UpdateResult, 'remade'> | null> {
    if (this.#isNew) this.#store.exec(TABLES);
    this.#store.exec(UNCOUNTED);
    const read = new Map(this.#store.all<SourceRow>('SELECT * FROM source').map((row) => [row.journal, row]));
    if (!this.#continues(read)) return null;
    const tables = new FactTables(this.#store, this.#isNew);
    const faults: string[] = [];
    for (const source of this.#sources) {
      const fault = await this.#readSource(source, tables, read.get(source.name));
      if (fault !== null) faults.push(`${source.storage.path}: ${fault}`);
    }
    this.#store.exec(INDEXES);
    this.#store.inTransaction(() => this.#countMoney(tables));
    return { entries: this.#entries, faults };
  }

  /** Derives rows from what this update, and one that died, has read. */
  #countMoney(tables: FactTables): void {
    const markets = this.#store.all<{ id: number }>('SELECT market_id AS id FROM uncounted').map(({ id }) => id);
    if (markets.length === 0) return;
    tables.dropOldQuotes(this.#lastUs());
    new DerivedTables(this.#store).deriveMarkets(new Set(markets));
    this.#store.run('DELETE FROM uncounted', []);
  }

  #lastUs(): number {
    return this.#store.all<{ at: number | null }>('SELECT max(last_us) AS at FROM session')[0]?.at ?? 0;
  }

  /** True when every journal read goes on, and every new journal begins later. */
  #continues(read: ReadonlyMap<string, SourceRow>): boolean {
    const names = this.#sources.map(({ name }) => name);
    const known = names.findLastIndex((name) => read.has(name));
    if (names.slice(0, known + 1).some((name) => !read.has(name))) return false;
    if ([...read.keys()].some((name) => !names.includes(name))) return false;
    return this.#sources.every((source) => isSameJournal(source.storage, read.get(source.name)));
  }

  async #readSource(source: JournalSource, tables: FactTables, row: SourceRow | undefined): Promise<string | null> {
    const from = row === undefined ? null : readToOf(row);
    const { storage, name: journal } = source;
    const reading = new JournalReading({ tables, storage, journal, from });
    const totalBytes = bytesFrom(storage, from?.segment ?? 0);
    const entries = reading.readEntries();
    for (let isOver = false; !isOver;) {
      isOver = await this.#readBatch(
        entries,
        () => {
          this.#onProgress({ journal, doneBytes: reading.bytesRead, totalBytes });
        },
        () => this.#save(source, reading, tables),
      );
    }
    return reading.fault;
  }

  /** Reads entries in one transaction. Returns true at the end of the journal. */
  async #readBatch(entries: Generator<void>, onTurn: () => void, save: () => void): Promise<boolean> {
    this.#store.exec('BEGIN IMMEDIATE');
    try {
      let isOver = false;
      for (let count = 0; !isOver && count < ENTRIES_PER_COMMIT; count += ENTRIES_PER_TURN) {
        isOver = this.#readTurn(entries);
        onTurn();
        await new Promise(setImmediate);
      }
      save();
      this.#store.exec('COMMIT');
      return isOver;
    } catch (fault) {
      this.#store.rollBack();
      throw fault;
    }
  }

  #readTurn(entries: Generator<void>): boolean {
    for (let count = 0; count < ENTRIES_PER_TURN; count++) {
      if (entries.next().done === true) return true;
      this.#entries += 1;
    }
    return false;
  }

  #save({ name, storage }: JournalSource, reading: JournalReading, tables: FactTables): void {
    reading.writeChanges();
    const { segment, chain, seq, lastUs, resume } = reading.readTo;
    const markets = [...tables.takeTouched(), ...(reading.isAhead ? [ANY_ENTRY] : [])];
    for (const market of markets) this.#store.run('INSERT OR IGNORE INTO uncounted VALUES (?)', [market]);
    const values = [name, segment, chain, seq, bytesFrom(storage, 0), lastUs];
    this.#store.run('INSERT OR REPLACE INTO source VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)', [
      ...values,
      reading.isClosed ? 1 : 0,
      reading.fault,
      resume,
    ]);
  }
}

const readToOf = ({ segment, chain, read_to: seq, last_us: lastUs, resume }: SourceRow): ReadTo => ({
  segment,
  chain,
  seq,
  lastUs,
  resume,
});

/** True when a journal still has the last file read, unchanged, or has only later files. */
function isSameJournal(storage: Storage, row: SourceRow | undefined): boolean {
  if (row === undefined || row.segment === 0) return true;
  const numbers = segmentsOf(storage).map(({ number }) => number);
  if ((numbers.at(-1) ?? 0) < row.segment) return false;
  if (!numbers.includes(row.segment)) return true;
  try {
    const [first] = new TapeReader(storage, { firstSegment: row.segment }).entries();
    const header = first === undefined ? null : readHeader(first.payload);
    return header !== null && typeof header !== 'string' && header.chain === row.chain;
  } catch (fault) {
    if (fault instanceof TapeFault) return true;
    throw fault;
  }
}
