// The job of a process that certifies a strategy, and the messages that this process sends. Both are plain values,
// because they travel between processes.
import type { CheckName, Effort, CheckVerdict } from './check-verdict.ts';
import type { RunTotals } from './runs/judged-runs.ts';

/** A strategy to certify, with its parameters and the checks to run. */
export interface CertifyJob {
  /** Its file or package, in the form that the loader accepts; absolute. */
  readonly place: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Folder from which files named by parameters are read. */
  readonly folder: string;
  readonly seed: number;
  readonly effort: Effort['name'];
  readonly only: readonly CheckName[];
}

/** A message about the progress of a job or its end. */
export type WorkerMessage =
  | { readonly type: 'check'; readonly name: CheckName }
  | { readonly type: 'verdict'; readonly verdict: CheckVerdict; readonly elapsedMs: number }
  | { readonly type: 'done'; readonly strategy: string; readonly seen: RunTotals | null }
  /** The job could not start; `isUsers` is true when the user's input is at fault. */
  | { readonly type: 'refused'; readonly isUsers: boolean; readonly message: string };
