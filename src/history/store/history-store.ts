// The port to the embedded database that holds the history. Six calls, so that another driver can replace this one.
// Must never know of trading.

/** A value that a statement binds. */
export type StoreValue = string | number | null;
/** A row of a query: its columns by name. */
export type StoreRow = Readonly<Record<string, StoreValue>>;

/** An open database. */
export interface HistoryStore {
  /** Runs statements without parameters. */
  exec(sql: string): void;
  /** Runs a statement that changes rows; returns the number of rows changed. */
  run(sql: string, values: readonly StoreValue[]): number;
  /** Returns all rows of a query. The caller names the columns of its own SQL. */
  all<Row extends object = StoreRow>(sql: string, values?: readonly StoreValue[]): Row[];
  /** Runs work in one transaction: all of its changes are kept, or none. */
  inTransaction<T>(work: () => T): T;
  close(): void;
}

/** Opens a database. */
export type OpenStore = (path: string, options: { readonly isReadOnly: boolean }) => HistoryStore;

/** A history that cannot be used. Its message names the file, the problem and the remedy. */
export class HistoryFault extends Error {
  override readonly name = 'HistoryFault';
}
