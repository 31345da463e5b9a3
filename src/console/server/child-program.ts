// This program as a child process of the console: how it is started, and how it ended. Must never keep more of its words
// than a few lines.
import type { ChildProcess } from 'node:child_process';
import { constants, setPriority } from 'node:os';

/** A command that starts this program. */
export type ProgramCommand = readonly [program: string, ...args: string[]];

/** The end of a child process. */
export interface ChildEnd {
  /** `null` when it could not be started, or a signal ended it. */
  readonly code: number | null;
  /** The last lines of its error output, or the reason why it could not be started. */
  readonly words: string;
}

const WORDS_MAX = 4096;

/** Lowers the priority of a child: a bot on the same machine comes first. A child that has ended already has none. */
export function lowerPriority({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // The process has ended.
  }
}

/** Resolves when a child has ended. Its error output must be a pipe. */
export function childEnd(child: ChildProcess): Promise<ChildEnd> {
  let words = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    words = (words + text).slice(-WORDS_MAX);
  });
  return new Promise((resolve) => {
    child.on('error', (fault) => resolve({ code: null, words: fault.message }));
    child.on('close', (code) => resolve({ code, words }));
  });
}
