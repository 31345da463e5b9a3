// Writes the report of a study as one HTML page, and the own reports of its best trials beside it. Must never leave half a page
// under its name, nor run a trial over a sealed part.
import { watchedLoad } from '../../app/strategy/watched-load.ts';
import { writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pageAssets, writePage } from '../../app/report-page.ts';
import { UsageError } from '../../app/usage-error.ts';
import { makeFolder } from '../../log/make-folder.ts';
import { syncAndRename } from '../../history/export/sync-and-rename.ts';
import { renderStudy } from '../page/study-page.ts';
import { type StudyReport, type StudyReportParts, studyReport } from '../page/study-report.ts';
import { TrialRunner } from '../workers/trial-run.ts';
import { readTrialGroups } from './group-files.ts';
import type { StudyFile } from './study-file.ts';
import { planStudy } from './study-plan.ts';
import { StudyState } from './study-state.ts';
import { readTrialLines } from './trial-log.ts';

/** A study whose page is written. */
export interface StudyPageOptions extends Omit<StudyReportParts, 'results' | 'space'> {
  readonly study: StudyFile;
  /** File of the page. */
  readonly out: string;
}

/**
 * Writes a study's page.
 * @throws {UsageError} when it cannot be written.
 */
export async function writeStudyPage({ study, out, ...parts }: StudyPageOptions): Promise<StudyReport> {
  const { state } = parts;
  const finished = state.schedule.rows.filter((row) => row.of === null && state.endOf(row)?.kind === 'finished');
  const results = await Promise.all(finished.map(({ hash }) => readTrialGroups(study.folder, hash)));
  const report = studyReport({ ...parts, space: study.space, results });
  try {
    makeFolder(dirname(out));
    writeFileSync(`${out}.part`, renderStudy(report, pageAssets()));
    syncAndRename(`${out}.part`, out);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(`${out}: the page cannot be written: ${reason}`, { cause });
  }
  return report;
}

/** The best trials of a study, whose own reports are written. */
export interface TrialPagesOptions {
  readonly study: StudyFile;
  readonly state: StudyState;
  /** File of the study's page: the reports are in a folder beside it. */
  readonly out: string;
  /** Number of trials. */
  readonly top: number;
  readonly signal: AbortSignal;
  readonly onTrial: (done: number, total: number) => void;
}

/**
 * Runs the best trials again and writes the report of each. A report of several runs (tapes, or parts of one) has a page
 * for each run; the first is linked.
 * @returns the address of each report, relative to the page, by the number of its trial.
 * @throws {UsageError} when the study's file, strategy or tapes have changed since its trials.
 */
export async function writeTrialPages(options: TrialPagesOptions): Promise<Map<number, string>> {
  const { study, state, out, top, signal, onTrial } = options;
  const plan = await watchedLoad(() => planStudy(study));
  StudyState.openFrom(readTrialLines(study.folder), plan);
  const runner = new TrialRunner(plan.setup);
  const best = state.bestRows().slice(0, top);
  const folder = `${out.replace(/\.html?$/, '')}-trials`;
  const hrefs = new Map<number, string>();
  try {
    for (const { row } of best) {
      if (signal.aborted) break;
      const reports = await runner.reportsOf(row.params);
      reports.forEach((report, run) => {
        const name = `trial-${row.n}${run === 0 ? '' : `-run-${run + 1}`}.html`;
        writePage(join(folder, name), report);
        if (run === 0) hrefs.set(row.n, encodeURI(`${basename(folder)}/${name}`));
      });
      onTrial(hrefs.size, best.length);
    }
    return hrefs;
  } finally {
    runner.close();
  }
}
