// What is to be certified, and what the process that does it tells of it: plain values that travel between processes.
import type { CheckName, Effort, Verdict } from './finding.ts';
import type { Seen } from './survey.ts';

/** A strategy to be certified. */
export interface Job {
  /** Its file, or its package as the loader reads places; absolute. */
  readonly place: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** What parameters name is read from it. */
  readonly folder: string;
  readonly seed: number;
  readonly effort: Effort['name'];
  readonly only: readonly CheckName[];
}

/** What is told of it while it goes on, and at its end. */
export type Told =
  | { readonly type: 'check'; readonly name: CheckName }
  | { readonly type: 'verdict'; readonly verdict: Verdict; readonly elapsedMs: number }
  | { readonly type: 'done'; readonly strategy: string; readonly seen: Seen | null }
  /** It could not be begun: whose fault, and in what words. */
  | { readonly type: 'refused'; readonly isUsers: boolean; readonly message: string };
