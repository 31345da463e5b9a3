// The signals that halt: SIGUSR1 and SIGUSR2. Must be loaded before anything else: without a handler, SIGUSR1 makes
// Node open a debugger to every user of the machine.

export type HaltSignal = 'SIGUSR1' | 'SIGUSR2';

/** Default handler, for a process with nothing to halt. SIGTERM lets a command stop properly. */
const END = (): void => void process.kill(process.pid, 'SIGTERM');

let current: (signal: HaltSignal) => void = END;

// Windows has neither signal.
if (process.platform !== 'win32')
  for (const signal of ['SIGUSR1', 'SIGUSR2'] as const) process.on(signal, () => current(signal));

/** Registers the handler of the signals that halt. Its `release` unregisters the handler. */
export function onHaltSignal(handler: (signal: HaltSignal) => void): { readonly release: () => void } {
  current = handler;
  return { release: () => void (current = END) };
}
