// What every command shares: exit codes, clear endings, waits.
import { ConfigError } from '../../config/yaml.ts';
import { TIMER_MS_MAX } from '../../runtime/session/system-clock.ts';
import { StrategyFileError } from '../../runtime/plugins/strategy-file-error.ts';

/** What the shell is told. */
export const ExitCode = {
  /** All went well. */
  ok: 0,
  /** The session ended badly: a fault, a drift, orders that may still rest. */
  session: 1,
  /** The command, a config, a key or a file is wrong: nothing was begun. */
  usage: 2,
} as const;

/** A wrong input that ends a command with its message alone. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Whether an error is the user's to mend, so that its message says all and a stack would only bury it. */
export function isUserError(fault: unknown): fault is Error {
  if (!(fault instanceof Error)) return false;
  return (
    fault instanceof UsageError ||
    fault instanceof ConfigError ||
    fault instanceof StrategyFileError ||
    KNOWN.has(fault.name)
  );
}

/** Errors of rooms that the command line does not otherwise import. */
const KNOWN: ReadonlySet<string> = new Set([
  'ControlFault',
  'LogFault',
  'StorageFault',
  'KeyFault',
  'KeyringError',
  'StoreError',
  'ListingError',
  'ListenError',
  'UntellableError',
  'FeedKeyError',
  'ManifestFault',
  'BudgetError',
  'LadderFault',
  'SavedStateFault',
]);

/** What asks a process to end: Ctrl-C, a service that is stopped, a terminal that is closed. */
const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Resolves at the first signal that asks for the end, with its name; a second one ends the process at once. But a
 * terminal that is closed may say so twice.
 */
export function firstStopSignal(): { readonly signal: Promise<NodeJS.Signals>; readonly release: () => void } {
  let release = (): void => undefined;
  const signal = new Promise<NodeJS.Signals>((resolve) => {
    let isAsked = false;
    const onSignal = (name: NodeJS.Signals): void => {
      if (isAsked && name !== 'SIGHUP') process.exit(130);
      isAsked = true;
      resolve(name);
    };
    for (const name of ENDING) process.on(name, onSignal);
    release = () => {
      for (const name of ENDING) process.off(name, onSignal);
    };
  });
  return { signal, release };
}

const goneByStream = new WeakMap<NodeJS.WritableStream, Promise<'nobody reads what it prints'>>();

/**
 * Resolves when the reader of a stream has gone: a pipe was closed, or a terminal. From the first call on, a stream whose
 * reader has gone no longer ends the process. Every call for one stream returns the same promise, so that a process which
 * runs many sessions listens once.
 */
export function outputClosed(stream: NodeJS.WritableStream): Promise<'nobody reads what it prints'> {
  const known = goneByStream.get(stream);
  if (known) return known;
  const gone = new Promise<'nobody reads what it prints'>((resolve) => {
    stream.on('error', () => resolve('nobody reads what it prints'));
  });
  goneByStream.set(stream, gone);
  return gone;
}

/** Has whatever nobody caught taken, in place of the death of the process, until it is released. */
export function onUncaughtFault(take: (fault: unknown) => void): { readonly release: () => void } {
  const onFault = (fault: unknown): void => take(fault);
  process.on('uncaughtException', onFault).on('unhandledRejection', onFault);
  return {
    release: () => void process.off('uncaughtException', onFault).off('unhandledRejection', onFault),
  };
}

/** Resolves after so long, or never when no time is given. */
export function timeLimit(durationMs: number | undefined): {
  readonly passed: Promise<'time'>;
  readonly release: () => void;
} {
  let timer: NodeJS.Timeout | undefined;
  const passed = new Promise<'time'>((resolve) => {
    const wait = (leftMs: number): void => {
      const partMs = Math.min(leftMs, TIMER_MS_MAX);
      timer = setTimeout(() => (leftMs > partMs ? wait(leftMs - partMs) : resolve('time')), partMs);
    };
    if (durationMs !== undefined) wait(durationMs);
  });
  return { passed, release: () => clearTimeout(timer) };
}

/** Whether a fault is that nobody reads any more, as with `| head`, or a terminal that is closed: an ordinary end. */
export const isReaderGone = (fault: unknown): boolean =>
  fault instanceof Error &&
  'code' in fault &&
  (fault.code === 'EPIPE' ||
    (fault.code === 'EIO' && 'syscall' in fault && fault.syscall === 'write' && process.stdout.isTTY));

/**
 * Sees that output which cannot be written never ends in a stack: a reader that is gone is nothing to speak of; anything
 * else, such as a full disk, is told once, and the process ends with 1 whatever its command says.
 */
export function guardOutput(stream: NodeJS.WritableStream): void {
  let isTold = false;
  stream.on('error', (fault: Error) => {
    if (isTold || isReaderGone(fault)) return;
    isTold = true;
    process.stderr.write(`presage: the output cannot be written: ${fault.message}\n`);
    process.once('exit', () => void (process.exitCode = ExitCode.session));
  });
}
