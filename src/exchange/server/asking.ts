// Submits one operation of a call and checks the type of the answer. Must never touch the exchange except through its
// session.
import { AssertionFault } from '../../domain/assert.ts';
import type { AccountOp } from '../input.ts';
import type { Answer } from '../output.ts';
import type { Call } from './call.ts';
import { refusedBy } from './refusals.ts';

type Wanted<Type extends Answer['type']> = Extract<Answer, { type: Type }>;

/**
 * Submits an operation and returns its answer.
 * @throws {RequestFault} when the exchange refuses.
 */
export function ask<Type extends Answer['type']>(call: Call, op: AccountOp, type: Type): Wanted<Type> {
  const { answer } = call.session.submit(op);
  if (answer.type === 'refused') throw refusedBy(call, answer.refusal);
  if (answer.type !== type) throw new AssertionFault(`the exchange answered ${op.type} with ${answer.type}`);
  // tidy: as — its type was just checked.
  return answer as Wanted<Type>;
}
