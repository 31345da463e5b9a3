// The signals that halt, SIGUSR1 and SIGUSR2. Left to itself, Node opens a debugger at SIGUSR1 that anybody on the machine
// may use. Must be loaded before anything else is, and never leave either signal to Node.

/** Its name. */
export type HaltSignal = 'SIGUSR1' | 'SIGUSR2';

/** Where nothing is halted the process ends, as SIGTERM would end it: in order where its command sees to that. */
const END = (): void => void process.kill(process.pid, 'SIGTERM');

let take: (signal: HaltSignal) => void = END;

// Windows knows neither.
if (process.platform !== 'win32')
  for (const signal of ['SIGUSR1', 'SIGUSR2'] as const) process.on(signal, () => take(signal));

/** Registers a handler of the signals that can halt; returns what unregisters it. */
export function onHaltSignal(taker: (signal: HaltSignal) => void): { readonly release: () => void } {
  take = taker;
  return { release: () => void (take = END) };
}
