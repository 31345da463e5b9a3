// Stores the facts of one session in a small database: a file, or memory for one answer. Must never be the only place
// of a fact: everything in it can be made again from the journal.
import { isAnyArrayBuffer } from 'node:util/types';
import Database from 'libsql';
import { z } from 'zod';
import { AskMinute, minuteOf, unpackAsks } from './ask-log.ts';
import {
  type AnyFact,
  type Asked,
  FACT_SCHEMAS,
  type Fact,
  type FactData,
  type FactKind,
  type FactSubject,
  type NewFact,
  type SessionFacts,
  sessionFactsSchema,
} from './why-facts.ts';

/** Version of the tables. A file with another version is made again. */
export const FACTS_VERSION = 3;

const TABLES = `
CREATE TABLE fact (id INTEGER PRIMARY KEY, kind TEXT, strategy TEXT, ticker TEXT, "order" TEXT, at INTEGER, seq INTEGER, data TEXT) STRICT;
CREATE TABLE ask (strategy TEXT, ticker TEXT, minute INTEGER, bytes BLOB, PRIMARY KEY (strategy, ticker, minute)) STRICT, WITHOUT ROWID;
CREATE TABLE session (id INTEGER PRIMARY KEY, data TEXT) STRICT;
CREATE INDEX fact_subject ON fact(kind, strategy, ticker, at, id);
CREATE INDEX fact_order ON fact("order", at, id) WHERE "order" <> '';
PRAGMA user_version = ${FACTS_VERSION};
`;

const rowSchema = z.object({
  at: z.int(),
  seq: z.int(),
  strategy: z.string(),
  ticker: z.string(),
  order: z.string(),
  kind: z.string(),
  data: z.string(),
});
/** The driver gives bytes as a view, or as the buffer itself. */
const bytesSchema = z
  .custom<Uint8Array | ArrayBuffer>((value) => ArrayBuffer.isView(value) || isAnyArrayBuffer(value))
  .transform((bytes) => (ArrayBuffer.isView(bytes) ? bytes : new Uint8Array(bytes)));
const askRowSchema = z.object({ minute: z.int(), bytes: bytesSchema });
const textRowSchema = z.object({ text: z.string() });
const versionSchema = z.object({ user_version: z.int() });

const COLUMNS = 'at, seq, strategy, ticker, "order", kind, data';
/** The second condition lets the database use the index of orders. */
const OF_ORDER = '"order" = ? AND "order" <> \'\'';
const OF_SUBJECT = 'FROM fact WHERE kind = ? AND strategy = ? AND ticker = ?';

type Statement = Database.Statement;

/** A reader waits this long for another process. Milliseconds. */
const BUSY_MS = 2000;

/** The facts of one session. */
export class FactStore {
  readonly #db: InstanceType<typeof Database>;
  readonly #statements = new Map<string, Statement>();
  /**
   * Calls of the minute that is being recorded, by strategy and market. Added with a call; removed when the next minute
   * begins.
   */
  readonly #openMinutes = new Map<string, OpenMinute>();

  #lastId = 0;

  private constructor(db: InstanceType<typeof Database>) {
    this.#db = db;
  }

  /**
   * Creates an empty store.
   * @param file path of the store. @default in memory.
   * @param isShared true when others read the store while it grows. Each batch then appears to them as a whole.
   */
  static createStore(file = ':memory:', isShared = false): FactStore {
    const db = new Database(file, { timeout: BUSY_MS });
    const mode = isShared
      ? 'journal_mode = WAL; PRAGMA synchronous = NORMAL'
      : 'journal_mode = OFF; PRAGMA synchronous = OFF';
    db.exec(`PRAGMA ${mode}; PRAGMA cache_size = -32768;`);
    db.exec(TABLES);
    return new FactStore(db);
  }

  /**
   * Opens a store to read its present state. Returns `null` for a file of another version, and for a file without
   * facts.
   */
  static openStore(file: string): FactStore | null {
    let db: InstanceType<typeof Database> | null = null;
    try {
      db = new Database(file, { readonly: true, fileMustExist: true, timeout: BUSY_MS });
      db.exec(`PRAGMA busy_timeout = ${BUSY_MS}; PRAGMA query_only = ON; PRAGMA wal_autocheckpoint = 0`);
      // One transaction reads one state of a growing store.
      db.exec('BEGIN');
      const { user_version } = versionSchema.parse(db.prepare('PRAGMA user_version').get());
      const store = new FactStore(db);
      if (user_version === FACTS_VERSION && store.sessionFacts() !== null) return store;
    } catch {
      // The file is no database, was cut, or has just been renamed.
    }
    db?.close();
    return null;
  }

  /** Closes the store. An unfinished batch is dropped. */
  close(): void {
    this.#statements.clear();
    // The driver closes a database only once its statements are collected. A reader must not hold up a writer until
    // then.
    if (this.#db.inTransaction) this.#db.exec('ROLLBACK');
    this.#db.close();
  }

  /** Copies a complete store to another file, which has no log of changes beside it. */
  copyTo(file: string): void {
    this.#prepared('VACUUM INTO ?').run(file);
  }

  #prepared(sql: string): Statement {
    const known = this.#statements.get(sql);
    if (known) return known;
    const made = this.#db.prepare(sql);
    this.#statements.set(sql, made);
    return made;
  }

  /** Begins a batch of writes, which is much faster than single writes. */
  beginBatch(): void {
    this.#db.exec('BEGIN');
  }

  endBatch(): void {
    this.#db.exec('COMMIT');
  }

  /** Adds a fact. Returns its number for `changeFact`. */
  addFact({ kind, strategy = '', ticker = '', order = '', atUs, seq, data }: NewFact): number {
    const id = (this.#lastId += 1);
    this.#prepared(
      'INSERT INTO fact (id, kind, strategy, ticker, "order", at, seq, data) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    ).run(id, kind, strategy, ticker, order, atUs, seq, JSON.stringify(data));
    return id;
  }

  /** Changes the data of a fact that this store added. */
  changeFact<Kind extends FactKind>(id: number, _kind: Kind, data: FactData<Kind>): void {
    this.#prepared('UPDATE fact SET data = ? WHERE id = ?').run(JSON.stringify(data), id);
  }

  /** Adds a call of a strategy. Without a ticker, the call is about no market. */
  addCall({ strategy, ticker = '' }: AskSubject, call: Asked): void {
    const key = `${strategy}\n${ticker}`;
    const minute = minuteOf(call.atUs);
    let open = this.#openMinutes.get(key);
    if (open?.minute.minute !== minute) {
      if (open) this.#writeMinute(open);
      open = { subject: { strategy, ticker }, minute: new AskMinute(minute), isWritten: false };
      this.#openMinutes.set(key, open);
    }
    open.minute.addCall(call);
    open.isWritten = false;
  }

  #writeMinute(open: OpenMinute): void {
    if (open.isWritten) return;
    open.isWritten = true;
    const { subject, minute } = open;
    this.#prepared('INSERT OR REPLACE INTO ask VALUES (?, ?, ?, ?)').run(
      subject.strategy,
      subject.ticker,
      minute.minute,
      minute.toBytes(),
    );
  }

  /** Writes the calls of unfinished minutes. More calls can be added to these minutes. */
  flushCalls(): void {
    for (const open of this.#openMinutes.values()) this.#writeMinute(open);
  }

  setSession(facts: SessionFacts): void {
    this.#prepared('INSERT OR REPLACE INTO session VALUES (1, ?)').run(JSON.stringify(facts));
  }

  /** Facts of the session; `null` before they are written. */
  sessionFacts(): SessionFacts | null {
    const row = this.#prepared('SELECT data AS text FROM session').get();
    return row === undefined ? null : sessionFactsSchema.parse(JSON.parse(textRowSchema.parse(row).text));
  }

  /** The last fact of a subject at or before a time. */
  latestFact<Kind extends FactKind>(kind: Kind, subject: FactSubject, atUs: number): Fact<Kind> | null {
    return this.#firstOf(kind, subject, { where: 'at <= ? ORDER BY at DESC, id DESC', atUs });
  }

  /** The first fact of a subject after a time. */
  nextFact<Kind extends FactKind>(kind: Kind, subject: FactSubject, atUs: number): Fact<Kind> | null {
    return this.#firstOf(kind, subject, { where: 'at > ? ORDER BY at, id', atUs });
  }

  #firstOf<Kind extends FactKind>(
    kind: Kind,
    { strategy = '', ticker = '' }: FactSubject,
    { where, atUs }: { readonly where: string; readonly atUs: number },
  ): Fact<Kind> | null {
    const sql = `SELECT ${COLUMNS} ${OF_SUBJECT} AND ${where} LIMIT 1`;
    const row = this.#prepared(sql).get(kind, strategy, ticker, atUs);
    return row === undefined ? null : factOf(kind, row);
  }

  /** Facts of a subject between two times, both included, the last first. */
  *factsBackwards<Kind extends FactKind>(
    kind: Kind,
    { strategy = '', ticker = '' }: FactSubject,
    { fromUs = 0, toUs }: { readonly fromUs?: number; readonly toUs: number },
  ): Generator<Fact<Kind>> {
    const sql = `SELECT ${COLUMNS} ${OF_SUBJECT} AND at <= ? AND at >= ? ORDER BY at DESC, id DESC LIMIT ? OFFSET ?`;
    for (const row of this.#pages(sql, [kind, strategy, ticker, toUs, fromUs])) yield factOf(kind, row);
  }

  /** Facts of a subject after a time, the earliest first. */
  *factsForwards<Kind extends FactKind>(
    kind: Kind,
    { strategy = '', ticker = '' }: FactSubject,
    afterUs: number,
  ): Generator<Fact<Kind>> {
    const sql = `SELECT ${COLUMNS} ${OF_SUBJECT} AND at > ? ORDER BY at, id LIMIT ? OFFSET ?`;
    for (const row of this.#pages(sql, [kind, strategy, ticker, afterUs])) yield factOf(kind, row);
  }

  /** Reads the rows a few at a time: most readers stop at the first row. */
  *#pages(sql: string, values: readonly (string | number)[]): Generator {
    for (let [from, count] = [0, FIRST_ROWS]; from < RUN_MAX; [from, count] = [from + count, count * 4]) {
      const rows = this.#prepared(sql).all(...values, count, from);
      yield* rows;
      if (rows.length < count) return;
    }
  }

  /** Every fact of one order, the earliest first. */
  factsOfOrder(order: string): readonly AnyFact[] {
    return this.#prepared(`SELECT ${COLUMNS} FROM fact WHERE ${OF_ORDER} ORDER BY at, id`)
      .all(order)
      .map((row) => {
        const kind = z.enum(KINDS).parse(rowSchema.parse(row).kind);
        // tidy: as (the data was parsed by the schema of this kind)
        return { kind, ...factOf(kind, row) } as AnyFact;
      });
  }

  /** Facts of one kind about one order up to a time, the earliest first. */
  orderFacts<Kind extends FactKind>(kind: Kind, order: string, toUs: number): Fact<Kind>[] {
    return this.#prepared(`SELECT ${COLUMNS} FROM fact WHERE ${OF_ORDER} AND kind = ? AND at <= ? ORDER BY at, id`)
      .all(order, kind, toUs)
      .map((row) => factOf(kind, row));
  }

  /** Client order ids of the session, for a message about a wrong one. */
  orderIds(): readonly string[] {
    return this.#prepared('SELECT DISTINCT "order" AS text FROM fact WHERE "order" <> \'\' LIMIT 5000')
      .all()
      .map((row) => textRowSchema.parse(row).text);
  }

  /** Tickers of all markets of the session. */
  tickers(): readonly string[] {
    return this.#prepared("SELECT DISTINCT ticker AS text FROM fact WHERE kind = 'market'")
      .all()
      .map((row) => textRowSchema.parse(row).text);
  }

  /** The last call of a strategy at or before a time. Without `ticker`: the last call about no market. */
  latestCall({ strategy, ticker = '' }: AskSubject, atUs: number): Asked | null {
    for (const call of this.callsBackwards({ strategy, ticker }, atUs)) return call;
    return null;
  }

  /** Calls of a strategy at or before a time, the last first. */
  *callsBackwards({ strategy, ticker = '' }: AskSubject, atUs: number): Generator<Asked> {
    const sql =
      'SELECT minute, bytes FROM ask WHERE strategy = ? AND ticker = ? AND minute <= ? ORDER BY minute DESC LIMIT ? OFFSET ?';
    for (const row of this.#pages(sql, [strategy, ticker, minuteOf(atUs)])) {
      const { minute, bytes } = askRowSchema.parse(row);
      for (const call of unpackAsks(minute, bytes).reverse()) if (call.atUs <= atUs) yield call;
    }
  }
}

interface OpenMinute {
  readonly subject: Required<AskSubject>;
  readonly minute: AskMinute;
  /** True while the stored row has every call. */
  isWritten: boolean;
}

/** Strategy and market of a call. */
export interface AskSubject {
  readonly strategy: string;
  readonly ticker?: string;
}

/** A search backwards from a moment ends after this many rows. */
const RUN_MAX = 2000;
/** Number of rows in the first page. */
const FIRST_ROWS = 2;

// tidy: as (keys of a table of constants)
const KINDS = Object.keys(FACT_SCHEMAS) as [FactKind, ...FactKind[]];

function factOf<Kind extends FactKind>(kind: Kind, row: unknown): Fact<Kind> {
  const { at, seq, strategy, ticker, order, data } = rowSchema.parse(row);
  // tidy: as (the schema of this very kind has parsed it)
  const parsed = FACT_SCHEMAS[kind].parse(JSON.parse(data)) as FactData<Kind>;
  return { atUs: at, seq, strategy, ticker, order, data: parsed };
}
