// What was thrown by a strategy's own code, and where in the author's own file. Must never name a place in this program.
import { describeFault } from '../strategy/fault-text.ts';

/** What was thrown by what the strategy is asked for beside its handlers: its setup, `save`, `restore`. */
export class OwnCodeFault extends Error {
  override readonly name = 'OwnCodeFault';

  constructor(what: string, fault: unknown) {
    super(`${what} threw ${thrownText(fault)}`, { cause: fault });
  }
}

/** What was thrown, and where. */
export const thrownText = (fault: unknown): string => `${describeFault(fault)}${placeOf(fault)}`;

/** Frames of this program and of the platform. */
const OURS = /node:|\/(?:src|dist\/src|dist\/backtest|backtest)\/|node_modules/;

/** As ` (file:line)`; empty where the stack does not say. */
export function placeOf(fault: unknown): string {
  if (!(fault instanceof Error) || fault.stack === undefined) return '';
  for (const line of fault.stack.split('\n').slice(1)) {
    const found = /([^/\\(\s]+\.[mc]?[jt]s):(\d+):\d+\)?$/.exec(line);
    if (found !== null && !OURS.test(line)) return ` (${found[1]}:${found[2]})`;
  }
  return '';
}
