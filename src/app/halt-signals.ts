// The signals that halt: SIGUSR1 and SIGUSR2. Without a handler, Node opens a debugger at SIGUSR1 that any user of the
// machine can use. Must be loaded before anything else, and never leave either signal to Node.

export type HaltSignal = 'SIGUSR1' | 'SIGUSR2';

/** Default handler, for when nothing can be halted. It raises SIGTERM, which a command may handle to stop properly. */
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
