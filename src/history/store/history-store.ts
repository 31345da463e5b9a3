// The port to the embedded database of the history. It is small, so that the driver can be replaced. Must never know of
// trading.

/** A value bound in a statement. */
export type StoreValue = string | number | null;
/** A row's values by column name. */
export type StoreRow = Readonly<Record<string, StoreValue>>;

/** An open database. */
export interface HistoryStore {
  /** Runs statements without parameters. */
  exec(sql: string): void;
  /** Runs a statement that changes rows. Returns the number of changed rows. */
  run(sql: string, values: readonly StoreValue[]): number;
  /** Returns all rows of a query. The caller's SQL names the columns. */
  all<Row extends object = StoreRow>(sql: string, values?: readonly StoreValue[]): Row[];
  /** Does work in one transaction: all changes are kept, or none. */
  inTransaction<T>(work: () => T): T;
  /** Undoes the changes of an unfinished transaction. A full disk may have done it already. */
  rollBack(): void;
  close(): void;
}

/** Opens a database. */
export type OpenStore = (path: string, options: { readonly isReadOnly: boolean }) => HistoryStore;

/** Thrown when a history cannot be used. The message names the file, the problem and the remedy. */
export class HistoryFault extends Error {
  override readonly name = 'HistoryFault';
}

/** Thrown for a cursor that no page of the list has. */
export class CursorFault extends HistoryFault {
  constructor(cursor: string) {
    super(`cursor: expected that of a page, found ${JSON.stringify(cursor)}`);
  }
}
