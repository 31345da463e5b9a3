// Runs seeds in child processes, several at once, and passes on each outcome as it arrives. Must never leave a child
// process behind.
import { type ChildProcess, fork } from 'node:child_process';
import type { RunRequest } from './child.ts';
import { USUAL_DIALECT } from '../dialect.ts';
import type { SimulationResult } from '../simulation.ts';

export interface PoolOptions {
  /** The file that the children run. */
  readonly file: string;
  readonly jobs: number;
  /** Dialect of the simulations: the default one when absent. */
  readonly dialect?: string;
  readonly isVerbose?: boolean;
  /** One seed in this many is run twice and compared. */
  readonly twiceEvery?: number;
  /** Receives an outcome; `false` ends the run. */
  readonly take: (outcome: SimulationResult) => boolean;
}

/** A simulation makes much that lives for a moment: with more room for it, collecting it takes less time. */
const EXEC_ARGV = ['--enable-source-maps', '--max-semi-space-size=64'];
/** Longest time that one simulation may take. */
const PATIENCE_MS = 120_000;

/** Runs seeds until there are no more, or the caller ends the run. */
export async function runSeeds(seeds: Iterable<number>, options: PoolOptions): Promise<void> {
  const { dialect = USUAL_DIALECT, isVerbose = false } = options;
  const queue = seeds[Symbol.iterator]();
  let isOver = false;
  const next = (): number | undefined => {
    const found = isOver ? null : queue.next();
    return found === null || found.done === true ? undefined : found.value;
  };
  const runner = async (): Promise<void> => {
    const child = fork(options.file, { execArgv: EXEC_ARGV });
    try {
      for (let seed = next(); seed !== undefined; seed = next()) {
        const isTwice = options.twiceEvery !== undefined && seed % options.twiceEvery === 0;
        const outcome = await ask(child, { seed, dialect, isTwice, isVerbose });
        if (!isOver && !options.take(outcome)) isOver = true;
      }
    } finally {
      child.kill();
    }
  };
  await Promise.all(Array.from({ length: options.jobs }, () => runner()));
}

function ask(child: ChildProcess, order: RunRequest): Promise<SimulationResult> {
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => reject(new Error(`seed ${order.seed}: the process ${why}`));
    const timer = setTimeout(() => fail(`sent nothing for ${PATIENCE_MS / 1000} s`), PATIENCE_MS);
    const onExit = (code: number | null): void => fail(`ended with ${code}`);
    child.once('exit', onExit);
    child.once('message', (message) => {
      clearTimeout(timer);
      child.off('exit', onExit);
      // tidy: as — only our own child sends messages here.
      resolve(message as SimulationResult);
    });
    child.send(order);
  });
}
