// Opens a side of a comparison by its place: the config of a backtest, which is run now; the tables of an exported run; or
// the journal of a session, which is replayed. Must never change what is there.
import { existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type RunHooks, openBacktest } from '../../app/backtest/backtest-runs.ts';
import { replayedRun } from '../../app/session/replayed-session.ts';
import { UsageError } from '../../app/usage-error.ts';
import { foreignKindAt } from '../../config/yaml.ts';
import { segmentsOf } from '../../tape/format/segment-files.ts';
import { fileStorage } from '../../tape/journal/file-storage.ts';
import { ROWS_MAX, runOpened } from '../runs/backtest-call.ts';
import { groupResults } from '../trial/group-results.ts';
import { type ComparedRun, comparedRun, spansOfSession } from './compared-run.ts';
import { readExportedRun } from './exported-run.ts';

/** Description of a place, for messages and help. */
export const COMPARED_PLACES =
  'the config of a backtest, the folder of `backtest --export`, or the journal or data folder of a session';

/** Options of sessions and runs. */
export interface CompareOptions {
  /** Folder of the strategies' files, for a session. @default the paths that the journal holds */
  readonly strategies?: string;
  /** Hooks of a run. @default none */
  readonly hooks?: RunHooks;
}

/**
 * Opens a side. A place of a session may name it: `var/bot/journal#NAME`; otherwise its last one counts.
 * @throws {UsageError} when the place has no run, a session cannot be replayed, or a run was stopped.
 * @throws {ConfigError} when the config cannot be used.
 * @throws {StrategyFileError} when a strategy cannot be used.
 */
export async function openComparedRun(
  place: string,
  { strategies, hooks = {} }: CompareOptions = {},
): Promise<ComparedRun> {
  const [path, session] = splitPlace(place);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw new UsageError(`${place}: expected ${COMPARED_PLACES}, found nothing`);
  if (found.isFile()) {
    refuseOtherFile(place, path);
    return runConfig(place, path, hooks);
  }
  if (existsSync(join(path, 'run.json'))) return readExportedRun(place, path);
  const journal = [path, join(path, 'journal')].find((folder) => segmentsOf(fileStorage(folder)).length > 0);
  if (journal === undefined) throw new UsageError(`${place}: expected ${COMPARED_PLACES}, found a folder with neither`);
  const { record, watched } = await replayedRun(fileStorage(journal), {
    folder: journal,
    session,
    rowsMax: ROWS_MAX,
    ...(strategies !== undefined && { strategies }),
  });
  const groups = groupResults(record, spansOfSession(record, watched));
  return comparedRun({ name: place, record, groups, denied: null });
}

/** @throws {UsageError} for a file that cannot be a config. */
function refuseOtherFile(place: string, path: string): void {
  const isOfRun = existsSync(join(dirname(path), 'run.json')) && /\.(?:json|parquet)$/.test(path);
  const kind = isOfRun ? 'a file of an exported run: name its folder' : foreignKindAt(path);
  if (kind !== null) throw new UsageError(`${place}: expected ${COMPARED_PLACES}, found ${kind}`);
}

/** A file name may hold the sign that names a session. */
function splitPlace(place: string): [path: string, session?: string] {
  const at = place.lastIndexOf('#');
  if (at <= 0 || existsSync(place)) return [resolve(place)];
  return [resolve(place.slice(0, at)), place.slice(at + 1)];
}

async function runConfig(name: string, file: string, hooks: RunHooks): Promise<ComparedRun> {
  const opened = openBacktest({ file });
  try {
    // The page that the config names belongs to its own run.
    const quiet = { ...opened, config: { ...opened.config, report: {} } };
    const { reported, groups } = await runOpened(quiet, { ...hooks, rowsMax: ROWS_MAX });
    if (!reported.run.isWhole) throw new UsageError(`${name}: the run was stopped before the end of the tape`);
    return comparedRun({ name, record: reported.record, groups, denied: reported.run.scores.deniedIntents });
  } finally {
    opened.close();
  }
}
