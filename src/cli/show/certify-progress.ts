// How far a certification has come, on standard error: one line that is replaced on a terminal, a line for each check in a
// pipe or a file: a certification takes minutes, and the first line comes at once.
import type { WorkerMessage } from '../../certify/certify-job.ts';

/** As much of standard error as is needed. */
export interface ProgressOutput {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Shows progress. */
export interface CertifyProgress {
  readonly onMessage: (told: WorkerMessage) => void;
  /** Clears what is to be replaced. */
  readonly close: () => void;
}

const CLEAR = '\r\u001B[K';

/**
 * Shows the progress of a number of checks.
 * @param count how many checks are made.
 */
export function certifyProgress(output: ProgressOutput, count: number): CertifyProgress {
  if (output.isTTY === true) {
    return {
      onMessage: (told) => void (told.type === 'check' && output.write(`${CLEAR}checking ${told.name}…`)),
      close: () => void output.write(CLEAR),
    };
  }
  let begun = 0;
  return {
    onMessage: (told) => {
      if (told.type === 'check') output.write(`checking ${told.name} (${(begun += 1)} of ${count})\n`);
      if (told.type !== 'verdict') return;
      const { check, isPassed } = told.verdict;
      output.write(`${check}: ${isPassed ? 'passed' : 'FAILED'} in ${(told.elapsedMs / 1000).toFixed(1)} s\n`);
    },
    close: () => undefined,
  };
}
