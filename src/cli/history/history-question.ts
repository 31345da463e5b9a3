// Parts that the history commands share: options, data folder, progress, and output of rows.
import { Command, Option } from '@commander-js/extra-typings';
import { resolve } from 'node:path';
import { readBotConfig } from '../../config/bot-config.ts';
import type { Micros } from '../../domain/units.ts';
import { type HistoryColumn, cellText } from '../../history/export/history-columns.ts';
import { csvLines, jsonRecord, writeParquet } from '../../history/export/history-files.ts';
import { askHistory } from '../../history/history-reader.ts';
import type { HistoryProgress, UpdateResult } from '../../history/history-index.ts';
import { listStrategies } from '../../history/queries/history-queries.ts';
import type { HistoryFilter } from '../../history/queries/history-filter.ts';
import type { HistoryStore } from '../../history/store/history-store.ts';
import { isoMicros } from '../../tape/format/iso-time.ts';
import { paperHint } from '../../app/session/paper-folder.ts';
import { UsageError } from '../../app/usage-error.ts';
import { momentArgument } from '../arguments/moment-argument.ts';
import { ExitCode } from '../output/exit-code.ts';
import { fittedTable } from '../output/fitted-table.ts';
import { printLines } from '../output/print-lines.ts';
import { type Progress, progressBar } from '../output/progress-bar.ts';
import { terminalWidth } from '../output/terminal-size.ts';

/** The bot that a question is about. */
export interface FolderOptions {
  readonly config?: string;
  readonly data?: string;
}

/** Options of every question. */
export interface QuestionFlags extends FolderOptions {
  readonly from?: Micros;
  readonly to?: Micros;
  readonly strategy?: string;
  readonly market?: string;
  readonly limit?: string;
  readonly csv?: true;
  readonly json?: true;
  readonly parquet?: string;
  readonly wide?: true;
}

export const configOption = () => new Option('--config <file>', 'the bot’s config');
export const dataOption = () => new Option('--data <folder>', 'the bot’s data folder').conflicts('config');
const fromOption = () =>
  new Option('--from <moment>', 'only from then on, such as 2026-11-21T07:45:00Z').argParser(momentArgument);
const toOption = () => new Option('--to <moment>', 'only before then').argParser(momentArgument);
export const strategyOption = () => new Option('--strategy <name>', 'only this strategy');
export const marketOption = () => new Option('--market <ticker>', 'only this market');
export const limitOption = () => new Option('--limit <count>', 'only the newest rows of this number');
const csvOption = () => new Option('--csv', 'print CSV').conflicts('json');
const jsonOption = () => new Option('--json', 'print JSON lines');
const wideOption = () => new Option('--wide', 'print every column, also where the terminal is too narrow for all');
const parquetOption = () => new Option('--parquet <file>', 'write a Parquet file').conflicts(['csv', 'json']);

/** Creates a command for a question about a span of time, with the options of every such question. */
export const questionCommand = (name: string) => rowsCommand(name).addOption(fromOption()).addOption(toOption());

/** Creates a command for a question, with the options of every question. */
export const rowsCommand = (name: string) =>
  new Command(name)
    .addOption(configOption())
    .addOption(dataOption())
    .addOption(wideOption())
    .addOption(csvOption())
    .addOption(jsonOption())
    .addOption(parquetOption());

/**
 * Returns the data folder that the options name.
 * @throws {UsageError} when they name none.
 */
export function dataFolderOf({ config, data }: FolderOptions): string {
  if (data !== undefined) return resolve(data);
  if (config === undefined) throw new UsageError('expected --config FILE or --data FOLDER, found neither');
  const { dataFolder } = readBotConfig(config);
  if (dataFolder !== undefined) return dataFolder;
  throw new UsageError(`${config}: expected dataFolder, where a bot’s journal is kept, found none`);
}

export const filterOf = ({ from, to, strategy, market }: QuestionFlags): HistoryFilter => ({
  ...(from !== undefined && { fromUs: from }),
  ...(to !== undefined && { toUs: to }),
  ...(strategy !== undefined && { strategy }),
  ...(market !== undefined && { market }),
});

/** @throws {UsageError} when `--to` is not after `--from`: the answer would be empty or, rounded to days, a whole day. */
function refuseEmptySpan({ from, to }: QuestionFlags): void {
  if (from === undefined || to === undefined || from < to) return;
  throw new UsageError(`--to: expected a moment after --from ${isoMicros(from)}, found ${isoMicros(to)}`);
}

/** @throws {UsageError} when the history has no strategy of the name: a misspelt name looked like one without rows. */
function refuseUnknownStrategy({ strategy }: QuestionFlags, store: HistoryStore): void {
  if (strategy === undefined) return;
  const known = listStrategies(store);
  if (known.includes(strategy)) return;
  const names = known.length === 0 ? 'the history has none yet' : `known: ${known.join(', ')}`;
  throw new UsageError(`--strategy: expected a strategy of this history, found ${JSON.stringify(strategy)} (${names})`);
}

/**
 * Returns the requested number of rows.
 * @throws {UsageError} when it is not a whole number from 1.
 */
export function limitOf({ limit }: QuestionFlags): { readonly limit?: number } {
  if (limit === undefined) return {};
  if (/^[1-9]\d{0,8}$/.test(limit)) return { limit: Number(limit) };
  throw new UsageError(`--limit: expected a whole number from 1, found ${JSON.stringify(limit)}`);
}

/** Runs work with a progress bar of the bytes read. */
export async function showingProgress<T>(
  work: (onProgress: (progress: HistoryProgress) => void) => Promise<T>,
): Promise<T> {
  let bar: Progress | null = null;
  try {
    return await work(({ doneBytes, totalBytes }) => {
      bar ??= progressBar('reading the journal');
      bar.update(Math.min(doneBytes, totalBytes), totalBytes);
    });
  } finally {
    // tidy: as (the callback above sets it, which the type check does not see)
    (bar as Progress | null)?.close();
  }
}

/** A question, and the columns of its answer. */
export interface Question<Row> {
  readonly columns: readonly HistoryColumn<Row>[];
  /** Names of the columns that a narrow terminal does without, the first to go at the head. Default: none. */
  readonly spare?: readonly string[];
  readonly ask: (store: HistoryStore) => readonly Row[];
  readonly whenEmpty: string;
}

/** Asks a question and prints its rows. Returns the exit code. */
export async function answerQuestion<Row>(flags: QuestionFlags, question: Question<Row>): Promise<number> {
  refuseEmptySpan(flags);
  const dataFolder = dataFolderOf(flags);
  const { answer, update } = await showingProgress((onProgress) =>
    askHistory({ dataFolder, onProgress }, (store) => {
      const rows = question.ask(store);
      if (rows.length === 0) refuseUnknownStrategy(flags, store);
      return rows;
    }),
  );
  if (flags.parquet !== undefined) {
    writeParquet(flags.parquet, question.columns, answer);
    process.stderr.write(`${answer.length} rows written to ${flags.parquet}\n`);
  } else if (answer.length === 0 && !flags.csv && !flags.json) printLines([question.whenEmpty + paperHint(dataFolder)]);
  else printRows(flags, question, answer);
  return reportUpdate(update);
}

function printRows<Row>(
  { csv, json, wide }: QuestionFlags,
  { columns, spare = [] }: Question<Row>,
  rows: readonly Row[],
): void {
  if (csv) return printLines([...csvLines(columns, rows)]);
  if (json) return printLines(rows.map((row) => JSON.stringify(jsonRecord(columns, row))));
  const table = {
    names: columns.map(({ name }) => name),
    rows: rows.map((row) => columns.map(({ kind, valueOf }) => cellText(kind, valueOf(row)))),
    texts: columns.flatMap(({ name, kind }, at) => (at === 0 || kind === 'text' ? [name] : [])),
    spare,
  };
  printLines(fittedTable(table, wide ? null : (terminalWidth(process.stdout) ?? null)));
}

/** Reports faults of the history or its journals on stderr. Returns the exit code. */
export function reportUpdate(update: UpdateResult | null): number {
  const notes =
    update === null ? ['another process keeps the history up to date; this answer is as of its last update'] : [];
  if (update !== null && update.remade !== null) notes.push(`${update.remade}: it was made again`);
  for (const fault of update?.faults ?? [])
    notes.push(`the journal is damaged, and later entries are missing: ${fault}`);
  for (const note of notes) process.stderr.write(`presage: ${note}\n`);
  return update !== null && update.faults.length > 0 ? ExitCode.session : ExitCode.ok;
}
