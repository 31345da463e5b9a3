// The tables of a run as files, Parquet and CSV: fills, orders, equity, forecasts, denials, event groups. Must never leave
// half a file under its name.
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../../log/make-folder.ts';
import { UsageError, asUsageError } from '../../app/usage-error.ts';
import { describeDenial } from '../../domain/denial.ts';
import { PRICE_DECIMALS } from '../../domain/units.ts';
import { writeRunFacts } from './exported-facts.ts';
import { type HistoryColumn, column } from '../../history/export/history-columns.ts';
import { csvLines, writeParquet } from '../../history/export/history-files.ts';
import { writeWhole } from '../../history/export/sync-and-rename.ts';
import type { DeniedIntent } from '../../report/record/denied-intents.ts';
import type { EquityNote, FillNote, ForecastNote, OrderNote, RunRecord } from '../../report/record/run-record.ts';
import type { GroupResult } from '../trial/study-trial.ts';

/** A run's rows. */
export interface RunRows {
  readonly record: RunRecord;
  readonly groups: readonly GroupResult[];
  readonly denied: readonly DeniedIntent[];
}

/** Price units in a dollar: mids are ratios, so they are written as dollars in floating point. */
const PRICE_PER_DOLLAR = 10 ** PRICE_DECIMALS;
const dollarsOf = (mid: number | null): number | null => (mid === null ? null : mid / PRICE_PER_DOLLAR);

const FILLS: readonly HistoryColumn<FillNote>[] = [
  column('at', 'time', ({ at }) => at),
  column('strategy', 'text', ({ strategy }) => strategy),
  column('market', 'text', ({ ticker }) => ticker),
  column('side', 'text', ({ side }) => side),
  column('price', 'price', ({ price }) => price),
  column('qty', 'qty', ({ qty }) => qty),
  column('fee', 'money', ({ fee }) => fee),
  column('role', 'text', ({ liquidity }) => liquidity),
  column('mid', 'number', ({ mid }) => dollarsOf(mid)),
  column('mid_after_1s', 'number', ({ midAfter1s }) => dollarsOf(midAfter1s)),
  column('mid_after_1m', 'number', ({ midAfter1m }) => dollarsOf(midAfter1m)),
  column('order', 'text', ({ clientOrderId }) => clientOrderId),
];

const ORDERS: readonly HistoryColumn<OrderNote>[] = [
  column('created', 'time', ({ createdAt }) => createdAt),
  column('ended', 'time', ({ endedAt }) => endedAt),
  column('strategy', 'text', ({ strategy }) => strategy),
  column('market', 'text', ({ ticker }) => ticker),
  column('side', 'text', ({ side }) => side),
  column('price', 'price', ({ price }) => price),
  column('qty', 'qty', ({ qty }) => qty),
  column('filled', 'qty', ({ filledQty }) => filledQty),
  column('state', 'text', ({ state }) => state),
  column('reason', 'text', ({ reason }) => reason),
  column('order', 'text', ({ clientOrderId }) => clientOrderId),
];

const EQUITY: readonly HistoryColumn<EquityNote>[] = [
  column('at', 'time', ({ at }) => at),
  column('cash', 'money', ({ cash }) => cash),
  column('equity', 'money', ({ equity }) => equity),
  column('locked', 'money', ({ locked }) => locked),
];

const FORECASTS: readonly HistoryColumn<ForecastNote>[] = [
  column('at', 'time', ({ at }) => at),
  column('strategy', 'text', ({ strategy }) => strategy),
  column('market', 'text', ({ ticker }) => ticker),
  column('probability', 'number', ({ probability }) => probability),
  column('market_probability', 'number', ({ market }) => market),
];

const DENIALS: readonly HistoryColumn<DeniedIntent>[] = [
  column('at', 'time', ({ at }) => at),
  column('strategy', 'text', ({ strategy }) => strategy),
  column('market', 'text', ({ ticker }) => ticker),
  column('intent', 'text', ({ intent }) => intent),
  column('code', 'text', ({ denial }) => denial.code),
  column('why', 'text', ({ denial }) => describeDenial(denial)),
];

/** Columns of results by event group. */
export const GROUP_COLUMNS: readonly HistoryColumn<GroupResult>[] = [
  column('group', 'text', ({ group }) => group),
  column('cluster', 'text', ({ cluster }) => cluster),
  column('from', 'time', ({ from }) => from),
  column('known', 'time', ({ known }) => known),
  column('profit', 'money', ({ profit }) => profit),
  column('fees', 'money', ({ fees }) => fees),
  column('qty', 'qty', ({ qty }) => qty),
  column('fills', 'count', ({ fills }) => fills),
  column('locked_dollar_days', 'number', ({ lockedDollarDays }) => lockedDollarDays),
];

/**
 * Makes the folder of a run's tables before long work.
 * @throws {UsageError} when nothing can be written there.
 */
export function reserveRunTables(folder: string): void {
  try {
    makeFolder(folder);
    accessSync(folder, constants.W_OK);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(`${folder}: expected a folder for tables: ${reason}`, { cause });
  }
}

/**
 * Writes each table of a run twice, as Parquet and as CSV, and the facts of the run as `run.json`. Rows are sorted by time. Existing files are replaced.
 * @returns the names of the tables with their numbers of rows.
 * @throws {UsageError} when a file cannot be written.
 */
export function writeRunTables(folder: string, { record, groups, denied }: RunRows): Readonly<Record<string, number>> {
  const tables = new TableFolder(folder);
  tables.addTable('fills', FILLS, byTime(record.fills));
  tables.addTable(
    'orders',
    ORDERS,
    record.orders.toSorted((a, b) => a.createdAt - b.createdAt),
  );
  tables.addTable('equity', EQUITY, record.equity);
  tables.addTable('forecasts', FORECASTS, byTime(record.forecasts));
  tables.addTable('denials', DENIALS, byTime(denied));
  tables.addTable('groups', GROUP_COLUMNS, groups);
  writeRunFacts(folder, record);
  return tables.counts;
}

const byTime = <Row extends { readonly at: number }>(rows: readonly Row[]): Row[] =>
  rows.toSorted((a, b) => a.at - b.at);

/** Writes tables to a folder. */
export class TableFolder {
  readonly #folder: string;
  /** Number of rows of each table. */
  readonly counts: Record<string, number> = {};

  constructor(folder: string) {
    this.#folder = folder;
    reserveRunTables(folder);
  }

  /**
   * Writes a table as Parquet and as CSV.
   * @throws {UsageError} when a file cannot be written.
   */
  addTable<Row>(name: string, columns: readonly HistoryColumn<Row>[], rows: readonly Row[]): void {
    const path = join(this.#folder, name);
    asUsageError(() => {
      writeParquet(`${path}.parquet`, columns, rows);
      writeWhole(`${path}.csv`, [...csvLines(columns, rows), ''].join('\n'));
    });
    this.counts[name] = rows.length;
  }
}
