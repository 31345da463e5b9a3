// Runs one trial over the sealed test of a study, and prints the result.
import { watchedLoad } from '../../app/strategy/watched-load.ts';
import { firstStopSignal } from '../../app/process-events.ts';
import { userName } from '../../app/operate/operator-context.ts';
import { UsageError } from '../../app/usage-error.ts';
import { countedNoun, exactDollars } from '../../report/text/figure-text.ts';
import { TrialLedger, ledgerFolder } from '../../research/ledger/trial-ledger.ts';
import { lookAtSealed } from '../../research/study/sealed-look.ts';
import type { StudyFile } from '../../research/study/study-file.ts';
import { planStudy, sealedSetup } from '../../research/study/study-plan.ts';
import { StudyState } from '../../research/study/study-state.ts';
import { readTrialLines } from '../../research/study/trial-log.ts';
import type { TrialRow } from '../../research/study/trial-schedule.ts';
import { TrialPool } from '../../research/workers/trial-pool.ts';
import { printRecord } from '../output/print-lines.ts';

/** A study and the trial that looks. */
export interface UnsealOptions {
  readonly study: StudyFile;
  readonly state: StudyState;
  /** Number of the trial; `null` for the best. */
  readonly n: number | null;
  readonly isJson: true | undefined;
}

/**
 * Looks at the sealed test once.
 * @throws {UsageError} when the study has no sealed part, or no such trial has finished.
 */
export async function unsealStudy({ study, state, n, isJson }: UnsealOptions): Promise<void> {
  const row = finishedRow(state, n);
  const plan = await watchedLoad(() => planStudy(study));
  // Refuses a study whose file, strategy or tapes have changed since the trial.
  StudyState.openFrom(readTrialLines(study.folder), plan);
  const setup = sealedSetup(plan);
  if (setup === null) throw new UsageError(`${study.file}: expected a sealed part, found none`);
  const place = new TrialPool({ setup, workers: 1, trialMs: study.trialTime / 1000 });
  const { signal, release } = firstStopSignal();
  const abort = new AbortController();
  void signal.then(() => abort.abort());
  try {
    const ledger = new TrialLedger(ledgerFolder());
    const { groups, figures, looks } = await lookAtSealed({
      plan,
      row,
      ledger,
      place,
      by: userName(),
      signal: abort.signal,
    });
    const settled = groups.filter(({ known }) => known !== null).length;
    const profit = exactDollars(Math.round(figures['profit'] ?? 0));
    const record = { type: 'sealed-look', n: row.n, trial: row.hash, looks, groups: settled, figures };
    printRecord(isJson, record, [
      `Trial #${row.n} made ${profit} in the sealed test, over ${countedNoun(settled, 'event group')}.`,
      looks === 1
        ? 'This was the first look at these event groups.'
        : `These event groups were looked at ${looks} times: every probability is multiplied by that.`,
      '`presage study report` has the verdict.',
    ]);
  } finally {
    release();
    await place.close();
  }
}

function finishedRow(state: StudyState, n: number | null): TrialRow {
  const row = n === null ? state.bestRows()[0]?.row : state.schedule.rows[n];
  if (row !== undefined && state.endOf(row)?.kind === 'finished') return row;
  const wanted = n === null ? 'a trial within the constraints' : `a finished trial #${n}`;
  throw new UsageError(`study ${state.head.name}: expected ${wanted}, found none`);
}
