// The history's database by libsql, a form of SQLite that installs without a compiler. Must never use memory-mapped
// files, nor let a reader checkpoint.
import Database from 'libsql';
import { HistoryFault, type HistoryStore, type StoreValue } from './history-store.ts';

/** A statement waits this long for another process's transaction. Milliseconds. */
const BUSY_MS = 10_000;
/** Size of the page cache, 64 MiB. A negative number is in KiB. */
const CACHE_KIB = -65_536;

/** Trouble of the disk, of the folder, or with another process, not of the database: the first words of SQLite's codes. */
const PLACE_TROUBLES: ReadonlySet<string> = new Set(['FULL', 'IOERR', 'READONLY', 'CANTOPEN', 'PERM', 'BUSY']);

/**
 * Opens a database. A reader neither creates nor changes it.
 * @throws {HistoryFault} when its disk is full, or its folder cannot be read or written.
 * @throws {Error} when the file is no database.
 */
export function openLibsqlStore(path: string, { isReadOnly }: { readonly isReadOnly: boolean }): HistoryStore {
  return namingPlace(path, () => {
    const database = new Database(path, { readonly: isReadOnly, fileMustExist: isReadOnly, timeout: BUSY_MS });
    try {
      database.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
      // The driver's own `readonly` lets `exec` write, so the database itself must refuse changes.
      if (isReadOnly) database.exec('PRAGMA query_only = ON; PRAGMA wal_autocheckpoint = 0');
      else database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = ${CACHE_KIB}`);
    } catch (fault) {
      database.close();
      throw fault;
    }
    return new LibsqlStore(database, path, isReadOnly);
  });
}

/** Does work with a database. Trouble of its disk or folder becomes a `HistoryFault`. */
function namingPlace<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (fault) {
    if (!isPlaceTrouble(fault)) throw fault;
    throw new HistoryFault(
      `${path}: the history cannot be used, and was left as it is: ${fault.message}; ${remedyOf(fault)}`,
      { cause: fault },
    );
  }
}

/** The first word of SQLite's code after `SQLITE_`, or an empty text. */
const troubleOf = (fault: Error): string =>
  'code' in fault && typeof fault.code === 'string' ? (fault.code.split('_')[1] ?? '') : '';

const remedyOf = (fault: Error): string =>
  troubleOf(fault) === 'BUSY'
    ? 'another process works with it: try again'
    : 'make room on its disk, or give it a folder that can be written';

/** The driver's error for a file that cannot be opened has SQLite's number 14 in its text, and no code. */
function isPlaceTrouble(fault: unknown): fault is Error {
  if (!(fault instanceof Error)) return false;
  return PLACE_TROUBLES.has(troubleOf(fault)) || /^ConnectionFailed\(.*: 14"\)$/.test(fault.message);
}

class LibsqlStore implements HistoryStore {
  readonly #database: Database.Database;
  readonly #path: string;
  readonly #isReadOnly: boolean;
  /** Prepared statements by text. Added at the first use; never removed: the texts are few. */
  readonly #statements = new Map<string, Database.Statement>();

  constructor(database: Database.Database, path: string, isReadOnly: boolean) {
    this.#database = database;
    this.#path = path;
    this.#isReadOnly = isReadOnly;
  }

  exec(sql: string): void {
    namingPlace(this.#path, () => this.#database.exec(sql));
  }

  run(sql: string, values: readonly StoreValue[]): number {
    return namingPlace(this.#path, () => this.#statementOf(sql).run(values).changes);
  }

  all<Row extends object>(sql: string, values: readonly StoreValue[] = []): Row[] {
    // tidy: as (the caller names the columns in its own SQL, and the tables are STRICT)
    return namingPlace(this.#path, () => this.#statementOf(sql).all(values) as Row[]);
  }

  inTransaction<T>(work: () => T): T {
    this.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.exec('COMMIT');
      return result;
    } catch (fault) {
      this.rollBack();
      throw fault;
    }
  }

  rollBack(): void {
    // A full disk ends the transaction by itself.
    if (this.#database.inTransaction) this.exec('ROLLBACK');
  }

  close(): void {
    this.#statements.clear();
    // Otherwise the driver leaves all changes in the log beside the file.
    try {
      if (!this.#isReadOnly && !this.#database.inTransaction) this.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } finally {
      this.#database.close();
    }
  }

  #statementOf(sql: string): Database.Statement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}
