// An error that a strategy threw in its own code outside of its handlers. Must never name a place in this program.
import { describeThrown } from '../../strategy/fault-place.ts';

/** Thrown for an error in a strategy's setup, `save` or `restore`. */
export class OwnCodeFault extends Error {
  override readonly name = 'OwnCodeFault';

  constructor(what: string, fault: unknown) {
    super(`${what} threw ${describeThrown(fault)}`, { cause: fault });
  }
}
