// Exit codes, and the handling of failed output.

/** Exit codes of the program. */
export const ExitCode = {
  /** All went well. */
  ok: 0,
  /** The command ran and ended badly: a fault, a difference, a damaged tape, orders that may still rest. */
  session: 1,
  /** The command, a config, a key or a file is wrong. */
  usage: 2,
} as const;

/** Codes of faults that the machine is to blame for, such as a full disk: no argument, config or file is wrong. */
const MACHINE_FAULTS: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EMFILE', 'ENFILE', 'ENOMEM']);

/** Returns the exit code of a fault whose message says all: that of a failure where the machine is to blame. */
export function exitCodeOfFault(fault: unknown): number {
  for (let cause = fault; cause instanceof Error; { cause } = cause)
    if ('code' in cause && MACHINE_FAULTS.has(cause.code)) return ExitCode.session;
  return ExitCode.usage;
}

/** The write failed because the reader has gone, as with `| head` or a closed terminal. */
export const isReaderGone = (fault: unknown): boolean =>
  fault instanceof Error &&
  'code' in fault &&
  (fault.code === 'EPIPE' ||
    (fault.code === 'EIO' && 'syscall' in fault && fault.syscall === 'write' && process.stdout.isTTY));

/**
 * Keeps a failed write from ending in a stack. A reader that has gone is ignored. Any other failure is reported once on
 * stderr, and the process exits with 1.
 */
export function guardOutput(stream: NodeJS.WritableStream): void {
  let isReported = false;
  stream.on('error', (fault: Error) => {
    if (isReported || isReaderGone(fault)) return;
    isReported = true;
    process.stderr.write(`presage: the output cannot be written: ${fault.message}\n`);
    process.once('exit', () => void (process.exitCode = ExitCode.session));
  });
}
