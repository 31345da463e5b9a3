// The job of a process that certifies a strategy, and the messages from this process. Both travel between processes:
// they are plain values.
import type { CheckName, Effort, CheckVerdict } from './check-verdict.ts';
import type { RunTotals } from './runs/judged-runs.ts';

/** A strategy to certify, with its parameters and the checks to run. */
export interface CertifyJob {
  /** The strategy's file or package; absolute. */
  readonly place: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Folder of the files that parameters name. */
  readonly folder: string;
  readonly seed: number;
  readonly effort: Effort['name'];
  readonly only: readonly CheckName[];
}

/** A message about the progress or the end of a job. */
export type WorkerMessage =
  | { readonly type: 'check'; readonly name: CheckName }
  /** The running check has run the strategy once more: a check of many runs is slow, but does not hang. */
  | { readonly type: 'run' }
  | { readonly type: 'verdict'; readonly verdict: CheckVerdict; readonly elapsedMs: number }
  | { readonly type: 'done'; readonly strategy: string; readonly seen: RunTotals | null }
  /** The job could not start. `isUsers`: the user's input is at fault. */
  | { readonly type: 'refused'; readonly isUsers: boolean; readonly message: string };
