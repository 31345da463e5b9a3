// Handles what the code of a strategy does to the whole process: it throws in a callback, or calls `process.exit`. Must
// never change what the program's own code does.
import { isByAuthor, thrownAt } from '../strategy/fault-place.ts';
import { describeFault } from '../strategy/fault-text.ts';

/** Ends the process, also in the middle of a strategy's code. */
export const exitProcess: (code: number) => never = process.exit.bind(process);

/**
 * Refuses `process.exit` to the code of strategies: it throws there, as any other fault of a strategy does. A command
 * that a strategy ends would end without its report, and with the strategy's exit code.
 */
export function refuseExitToStrategies(): void {
  const exit = process.exit.bind(process);
  // An argument that is there counts, even `undefined`: it would set `process.exitCode` back to 0.
  process.exit = (...code) => {
    const fault = new Error('process.exit was called: a strategy must not end the process');
    if (isByAuthor(fault)) throw fault;
    return exit(...code);
  };
}

/**
 * Calls a function with the text of an error that nothing caught, unless a session handles it: then that has a
 * listener of its own.
 */
export function onStrayFault(handler: (text: string) => void): void {
  process.on('uncaughtException', (fault: unknown) => {
    if (process.listenerCount('uncaughtException') > 1) return;
    handler(strayFaultText(fault));
  });
}

/** Describes an error that nothing caught. One of a package has its stack: it may be a package of this program. */
export function strayFaultText(fault: unknown): string {
  const ended = 'an error outside of every handler ended the command:';
  const place = thrownAt(fault);
  if (isByAuthor(fault)) return `${ended} ${describeFault(fault)}${place}`;
  const stack = fault instanceof Error ? (fault.stack ?? fault.message) : describeFault(fault);
  const isUnknown = place !== '' || !(fault instanceof Error);
  return isUnknown ? `${ended}\n${stack}` : `a fault in the program itself, please report it:\n${stack}`;
}
