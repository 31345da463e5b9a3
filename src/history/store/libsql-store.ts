// The history's database by libsql, a form of SQLite that installs without a compiler. Must never use memory-mapped
// files, nor let a reader checkpoint.
import Database from 'libsql';
import type { HistoryStore, StoreValue } from './history-store.ts';

/** A statement waits this long for another process's transaction. Milliseconds. */
const BUSY_MS = 10_000;
/** Size of the page cache, 64 MiB. A negative number is in KiB. */
const CACHE_KIB = -65_536;

/**
 * Opens a database. A reader neither creates nor changes it.
 * @throws {Error} when the file cannot be opened or is no database.
 */
export function openLibsqlStore(path: string, { isReadOnly }: { readonly isReadOnly: boolean }): HistoryStore {
  const database = new Database(path, { readonly: isReadOnly, fileMustExist: isReadOnly, timeout: BUSY_MS });
  database.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
  // The driver's own `readonly` lets `exec` write, so the database itself must refuse changes.
  if (isReadOnly) database.exec('PRAGMA query_only = ON; PRAGMA wal_autocheckpoint = 0');
  else database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = ${CACHE_KIB}`);
  return new LibsqlStore(database, isReadOnly);
}

class LibsqlStore implements HistoryStore {
  readonly #database: Database.Database;
  readonly #isReadOnly: boolean;
  /** Prepared statements by text. Added at the first use; never removed: the texts are few. */
  readonly #statements = new Map<string, Database.Statement>();

  constructor(database: Database.Database, isReadOnly: boolean) {
    this.#database = database;
    this.#isReadOnly = isReadOnly;
  }

  exec(sql: string): void {
    this.#database.exec(sql);
  }

  run(sql: string, values: readonly StoreValue[]): number {
    return this.#statementOf(sql).run(values).changes;
  }

  all<Row extends object>(sql: string, values: readonly StoreValue[] = []): Row[] {
    // tidy: as (the caller names the columns in its own SQL, and the tables are STRICT)
    return this.#statementOf(sql).all(values) as Row[];
  }

  inTransaction<T>(work: () => T): T {
    this.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.exec('COMMIT');
      return result;
    } catch (fault) {
      this.exec('ROLLBACK');
      throw fault;
    }
  }

  close(): void {
    this.#statements.clear();
    // Otherwise the driver leaves all changes in the log beside the file.
    if (!this.#isReadOnly && !this.#database.inTransaction) this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    this.#database.close();
  }

  #statementOf(sql: string): Database.Statement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}
