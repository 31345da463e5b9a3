// Shows the progress of a certification on stderr: on a terminal one line that is replaced, elsewhere a line for each
// check. A certification takes minutes, so the first line comes at once.
import type { WorkerMessage } from '../../certify/certify-job.ts';

/** The part of standard error that is used. */
export interface ProgressOutput {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Shows progress. */
export interface CertifyProgress {
  readonly onMessage: (told: WorkerMessage) => void;
  /** Clears the replaced line. */
  readonly close: () => void;
}

const CLEAR = '\r\u001B[K';

/**
 * Creates the display.
 * @param count number of checks.
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
