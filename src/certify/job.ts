// The job of a certifying process and the messages that it sends. Plain values that travel between processes.
import type { CheckName, Effort, Verdict } from './finding.ts';
import type { Seen } from './survey.ts';

/** A strategy to certify. */
export interface Job {
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
export type Told =
  | { readonly type: 'check'; readonly name: CheckName }
  | { readonly type: 'verdict'; readonly verdict: Verdict; readonly elapsedMs: number }
  | { readonly type: 'done'; readonly strategy: string; readonly seen: Seen | null }
  /** The job could not start: `isUsers` is true when the user's input is at fault. */
  | { readonly type: 'refused'; readonly isUsers: boolean; readonly message: string };
