// Submits one operation of a call and checks the type of the answer. Must never touch the exchange except through the
// call's session.
import { AssertionFault } from '../../base/assert.ts';
import type { AccountOp } from '../machine/exchange-input.ts';
import type { Answer } from '../machine/exchange-output.ts';
import type { EndpointCall } from '../api/endpoint-call.ts';
import { refusalFault } from '../api/api-errors.ts';

type Wanted<Type extends Answer['type']> = Extract<Answer, { type: Type }>;

/**
 * Submits an operation and returns its answer.
 * @throws {RequestFault} when the exchange refuses.
 */
export function submitFor<Type extends Answer['type']>(call: EndpointCall, op: AccountOp, type: Type): Wanted<Type> {
  const { answer } = call.session.submit(op);
  if (answer.type === 'refused') throw refusalFault(call, answer.refusal);
  if (answer.type !== type) throw new AssertionFault(`the exchange answered ${op.type} with ${answer.type}`);
  // tidy: as — its type was just checked.
  return answer as Wanted<Type>;
}
