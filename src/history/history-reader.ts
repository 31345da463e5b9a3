// Answers a question to the history of a data folder, after bringing it up to date. Must never change a history that
// another process is writing.
import { StorageFault } from '../tape/journal/storage.ts';
import { type HistoryProgress, type UpdateResult, updateHistory } from './history-index.ts';
import { openForReading } from './store/history-file.ts';
import type { HistoryStore } from './store/history-store.ts';
import { openLibsqlStore } from './store/libsql-store.ts';

export interface QuestionOptions {
  readonly dataFolder: string;
  readonly onProgress?: (progress: HistoryProgress) => void;
}

/** An answer, and the update before it. */
export interface HistoryAnswer<T> {
  readonly answer: T;
  /** `null` when another process was updating the history. */
  readonly update: UpdateResult | null;
}

/**
 * Asks a question.
 * @throws {StorageFault} when the data folder or a journal cannot be read.
 * @throws {HistoryFault} when there is no history and none can be made.
 */
export async function askHistory<T>(
  { dataFolder, onProgress }: QuestionOptions,
  question: (store: HistoryStore) => T,
): Promise<HistoryAnswer<T>> {
  const update = await updateUnlessLocked({ dataFolder, ...(onProgress && { onProgress }) });
  const store = openForReading(dataFolder, openLibsqlStore);
  try {
    return { answer: question(store), update };
  } finally {
    store.close();
  }
}

/** Updates the history, unless another process is writing it. */
async function updateUnlessLocked(options: QuestionOptions): Promise<UpdateResult | null> {
  try {
    return await updateHistory(options);
  } catch (fault) {
    if (fault instanceof StorageFault && fault.message.includes('is in use by process')) return null;
    throw fault;
  }
}

/** State of a history. */
export interface HistoryStatus {
  readonly journals: readonly {
    readonly journal: string;
    /** Number of the last entry read. */
    readonly readTo: number;
    readonly lastUs: number;
    readonly bytes: number;
    /** Damage that ended the reading, or `null`. */
    readonly fault: string | null;
  }[];
  readonly sessions: number;
  readonly orders: number;
  readonly fills: number;
  /** Times and places of facts that the journals no longer hold. */
  readonly missing: readonly { readonly session: string; readonly text: string }[];
}

/** Reads the state of a history. */
export function readHistoryStatus(store: HistoryStore): HistoryStatus {
  const [counts] = store.all<{ sessions: number; orders: number; fills: number }>(
    `SELECT (SELECT count(*) FROM session) AS sessions, (SELECT count(*) FROM "order") AS orders,
      (SELECT count(*) FROM fill) AS fills`,
  );
  return {
    journals: store.all<HistoryStatus['journals'][number]>(
      'SELECT journal, read_to AS readTo, last_us AS lastUs, size AS bytes, fault FROM source ORDER BY journal',
    ),
    ...(counts ?? { sessions: 0, orders: 0, fills: 0 }),
    missing: store.all<HistoryStatus['missing'][number]>(
      `SELECT s.name AS session, e.text FROM event e JOIN session s ON s.id = e.session_id
        WHERE e.kind = 'journal' ORDER BY e.session_id, e.seq
      `,
    ),
  };
}
