// Closes resources one after another. A resource that cannot be closed is reported, and the others are closed all the
// same. Must never throw: the result of the session has to be printed in any case.
import type { Logger } from '../log.ts';

/** A resource's name in messages, and the function that closes it. */
export type NamedClose = readonly [name: string, close: () => unknown];

/** Closes the resources one after another. Returns true when all could be closed. */
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
