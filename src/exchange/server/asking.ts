// Asks the exchange for one operation on behalf of a call, and knows what kind of answer goes with it.
// Must never touch the exchange but through its session.
import { AssertionFault } from '../../domain/assert.ts';
import type { AccountOp } from '../input.ts';
import type { Answer } from '../output.ts';
import type { Call } from './call.ts';
import { refusedBy } from './refusals.ts';

type Wanted<Type extends Answer['type']> = Extract<Answer, { type: Type }>;

/**
 * Asks the exchange, whose answer is of the type that goes with the operation, or a refusal.
 * @throws {RequestFault} when it refuses.
 */
export function ask<Type extends Answer['type']>(call: Call, op: AccountOp, type: Type): Wanted<Type> {
  const { answer } = call.session.submit(op);
  if (answer.type === 'refused') throw refusedBy(call, answer.refusal);
  if (answer.type !== type) throw new AssertionFault(`the exchange answered ${op.type} with ${answer.type}`);
  // tidy: as — its type was just checked.
  return answer as Wanted<Type>;
}
