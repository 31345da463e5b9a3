// The tables of a study as files: its trials, and their results by event group. Must never leave out a trial.
import { type HistoryColumn, column } from '../../history/export/history-columns.ts';
import { FIGURE_NAMES, TRIAL_FIGURES, isFigureName, objectiveFigures } from '../trial/trial-figures.ts';
import type { GroupResult } from '../trial/study-trial.ts';
import { readTrialGroups } from '../study/group-files.ts';
import type { StudyState } from '../study/study-state.ts';
import type { EndLine } from '../study/trial-lines.ts';
import type { TrialRow } from '../study/trial-schedule.ts';
import { GROUP_COLUMNS, TableFolder } from './run-tables.ts';

/** A trial with its end. */
interface TableRow {
  readonly row: TrialRow;
  readonly line: EndLine | null;
}

/** A result by event group, with the number of its trial. */
type NumberedGroup = GroupResult & { readonly n: number };

/**
 * Writes `trials` and `groups` to a folder, as Parquet and CSV.
 * @returns the numbers of rows by table.
 * @throws {UsageError} when a file cannot be written.
 */
export async function writeStudyTables(
  to: string,
  { state, folder }: { readonly state: StudyState; readonly folder: string },
): Promise<Readonly<Record<string, number>>> {
  const { rows } = state.schedule;
  const tables = new TableFolder(to);
  tables.addTable(
    'trials',
    trialColumns(state),
    rows.map((row): TableRow => ({ row, line: state.endOf(row) })),
  );
  const groups: NumberedGroup[] = [];
  for (const { n, hash, of } of rows)
    if (of === null) for (const group of await readTrialGroups(folder, hash)) groups.push({ ...group, n });
  tables.addTable('groups', [column<NumberedGroup>('n', 'count', ({ n }) => n), ...GROUP_COLUMNS], groups);
  return tables.counts;
}

function trialColumns({ schedule, head }: StudyState): HistoryColumn<TableRow>[] {
  const names = [...new Set(schedule.rows.flatMap(({ params }) => Object.keys(params)))].sort();
  const params = names.map((name) => {
    const isNumber = schedule.rows.every((each) => ['number', 'undefined'].includes(typeof each.params[name]));
    return column<TableRow>(`param_${name}`, isNumber ? 'number' : 'text', ({ row }) => cellOf(row.params[name]));
  });
  const values = head.objectives.map(({ figure }, index) =>
    column<TableRow>(`objective_${figure}`, isFigureName(figure) ? TRIAL_FIGURES[figure].unit : 'number', ({ line }) =>
      line?.kind === 'finished' ? (objectiveFigures(head.objectives, line.values)[index] ?? null) : null,
    ),
  );
  const figures = FIGURE_NAMES.map((name) =>
    column<TableRow>(name, TRIAL_FIGURES[name].unit, ({ line }) =>
      line?.kind === 'finished' ? (line.figures[name] ?? null) : null,
    ),
  );
  return [
    column('n', 'count', ({ row }) => row.n),
    column('trial', 'text', ({ row }) => row.hash),
    column('state', 'text', ({ row, line }) => line?.kind ?? row.state),
    column('same_as', 'count', ({ row }) => row.of),
    column('error', 'text', ({ line }) => (line?.kind === 'failed' ? line.error : null)),
    ...params,
    ...values,
    ...figures,
  ];
}

const cellOf = (value: string | number | boolean | undefined): string | number | null =>
  value === undefined ? null : typeof value === 'boolean' ? String(value) : value;
