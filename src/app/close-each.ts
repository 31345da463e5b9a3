// Closes what a command opened, one thing after another. What cannot be closed is reported, and hides nothing else.
// Must never throw: the account at the end is printed whatever happens here.
import type { Logger } from '../log.ts';

/** Something to close, and its name in a message. */
export type NamedClose = readonly [name: string, close: () => unknown];

/** Closes each, in order; whether all of them could be closed. */
export async function closeEach(closings: readonly NamedClose[], log: Logger): Promise<boolean> {
  let areClosed = true;
  for (const [name, close] of closings) {
    try {
      await close();
    } catch (fault) {
      areClosed = false;
      log.error({ err: fault }, `closing ${name} failed`);
      process.stderr.write(`presage: closing ${name} failed: ${String(fault)}\n`);
    }
  }
  return areClosed;
}
