// Shows the progress of a certification on stderr. A terminal gets one line that is replaced, any other output a line
// for each check.
import type { WorkerMessage } from '../../certify/certify-job.ts';

/** The part of standard error that is used. */
export interface ProgressOutput {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Shows progress. */
export interface CertifyProgress {
  readonly onMessage: (message: WorkerMessage) => void;
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
      onMessage: (message) => void (message.type === 'check' && output.write(`${CLEAR}checking ${message.name}…`)),
      close: () => void output.write(CLEAR),
    };
  }
  let started = 0;
  return {
    onMessage: (message) => {
      if (message.type === 'check') output.write(`checking ${message.name} (${(started += 1)} of ${count})\n`);
      if (message.type !== 'verdict') return;
      const { check, isPassed } = message.verdict;
      output.write(`${check}: ${isPassed ? 'passed' : 'FAILED'} in ${(message.elapsedMs / 1000).toFixed(1)} s\n`);
    },
    close: () => undefined,
  };
}
