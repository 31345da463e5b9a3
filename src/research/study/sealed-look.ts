// A look at the sealed test: one trial runs over the part that no other trial sees. Must never run before the ledger has the
// look: a look that is broken off counts too.
import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import { assert } from '../../base/assert.ts';
import { UsageError } from '../../app/usage-error.ts';
import { writeParquet } from '../../history/export/history-files.ts';
import { GROUP_COLUMNS } from '../export/run-tables.ts';
import type { TrialLedger } from '../ledger/trial-ledger.ts';
import type { TrialPlace } from '../workers/trial-pool.ts';
import type { GroupResult } from '../trial/study-trial.ts';
import { sealedFile } from './group-files.ts';
import { makeStudyFolder } from './study-folder.ts';
import { lookEntry } from './ledger-entries.ts';
import type { StudyPlan } from './study-plan.ts';
import type { TrialRow } from './trial-schedule.ts';

/** How to look. */
export interface SealedLookOptions {
  readonly plan: StudyPlan;
  readonly row: Pick<TrialRow, 'n' | 'hash' | 'params'>;
  readonly ledger: TrialLedger;
  /** Runs trials over the sealed part. */
  readonly place: TrialPlace;
  /** The person who looks. */
  readonly by: string;
  readonly signal: AbortSignal;
}

/** The result of a look. */
export interface SealedLook {
  readonly groups: readonly GroupResult[];
  readonly figures: Readonly<Record<string, number | null>>;
  /** Number of looks at these event groups so far, of all studies. */
  readonly looks: number;
}

/**
 * Runs a trial over the sealed part of a study, and keeps its results in the study's folder.
 * @throws {UsageError} when the strategy fails there, or the look is broken off.
 */
export async function lookAtSealed({ plan, row, ledger, place, by, signal }: SealedLookOptions): Promise<SealedLook> {
  const entry = lookEntry(plan, { trial: row.hash, by, id: randomUUID() });
  await ledger.append([entry]);
  const outcome = await place.runTrial(row, signal);
  if (outcome.type !== 'result')
    throw new UsageError(`trial #${row.n}: expected a result in the sealed test, found none (${outcome.type})`);
  const { result } = outcome;
  if (result.end === 'failed') throw new UsageError(`trial #${row.n}: failed in the sealed test: ${result.error}`);
  assert(result.end === 'finished', 'a trial without limits is never pruned');
  const file = sealedFile(plan.study.folder, row.hash);
  makeStudyFolder(dirname(file));
  writeParquet(file, GROUP_COLUMNS, result.groups);
  const looks = ledger.looksAt(entry.kind === 'look' ? entry.clusters : []);
  return { groups: result.groups, figures: result.figures, looks };
}
