// The process that started this one, named by an option: this one ends when that has gone. Must never signal it.
import { isProcessRunning } from '../../tape/journal/process-running.ts';
import { InvalidArgumentError } from 'commander';

/** Interval at which the parent process is looked for. */
const PARENT_CHECK_MS = 1000;

/** Reads the id of a process. */
export function pidArgument(text: string): number {
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Expected the id of a process.');
}

/** Resolves when a process no longer exists. Never resolves without one. */
export function parentGone(pid: number | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (pid === undefined) return;
    const timer = setInterval(() => {
      if (isProcessRunning(pid)) return;
      clearInterval(timer);
      resolve();
    }, PARENT_CHECK_MS);
    timer.unref();
  });
}
