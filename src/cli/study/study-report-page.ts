// The pages of `presage study report --html`.
import { resolve } from 'node:path';
import { firstStopSignal } from '../../app/process-events.ts';
import { checkPage } from '../../app/report-page.ts';
import type { StudyFile } from '../../research/study/study-file.ts';
import type { StudyJudgement } from '../../research/study/study-judgement.ts';
import { writeStudyPage, writeTrialPages } from '../../research/study/study-page-file.ts';
import type { StudyState } from '../../research/study/study-state.ts';
import { progressBar } from '../output/progress-bar.ts';

/** The study, and the pages to write. */
export interface ReportPageOptions {
  /** The study's file as given. */
  readonly file: string;
  readonly study: StudyFile;
  readonly state: StudyState;
  readonly judgement: StudyJudgement | null;
  readonly html: string;
  /** Number of the best trials whose own reports are written. */
  readonly trials: number;
}

/**
 * Writes the pages. Ctrl-C ends the reports of trials early; the study's page then links those written.
 * @returns the number of the trials' own reports.
 */
export async function writeReportPages({ file, html, trials, ...of }: ReportPageOptions): Promise<number> {
  const out = resolve(html);
  checkPage(out);
  const hrefs = trials === 0 ? new Map<number, string>() : await trialPages({ ...of, out, trials });
  const { study, state, judgement } = of;
  await writeStudyPage({ study, state, judgement, file, out, hrefs });
  return hrefs.size;
}

async function trialPages({
  study,
  state,
  out,
  trials: top,
}: Pick<ReportPageOptions, 'study' | 'state' | 'trials'> & { readonly out: string }): Promise<Map<number, string>> {
  const { signal, release } = firstStopSignal();
  const abort = new AbortController();
  void signal.then(() => abort.abort());
  const bar = progressBar('reports of trials');
  try {
    const onTrial = (done: number, total: number): void => bar.update(done, total);
    return await writeTrialPages({ study, state, out, top, signal: abort.signal, onTrial });
  } finally {
    bar.close();
    release();
  }
}
