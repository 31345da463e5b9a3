// Closes resources one after another. A failure is reported, and the rest are still closed. Must never throw: the
// result of the session must be printed in any case.
import type { Logger } from '../log.ts';

/** A resource's name in messages, and the function that closes the resource. */
export type NamedClose = readonly [name: string, close: () => unknown];

/** Returns true when all resources could be closed. */
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
