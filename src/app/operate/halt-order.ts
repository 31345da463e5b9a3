// Halts a scope: saves the halt, and cancels the orders. The command line and the console do the same by this function.
// Must never report success while an order may rest.
import type { Halt, HaltScope } from '../../domain/operator-order.ts';
import { scopeKey } from '../../execution/operator/halts.ts';
import { type CancelReport, cancelScope } from './cancel-escalation.ts';
import { type OperatorContext, refuseUnknownStrategy } from './operator-context.ts';

export interface HaltRequest {
  readonly scope: HaltScope;
  readonly reason: string;
  /** The person who halts; absent when the command line does not know. */
  readonly who?: string;
  readonly withinMs: number;
}

/** The result of a halt. */
export interface HaltOutcome {
  /** Why the halt is not saved; `null` when it is. */
  readonly latchFault: string | null;
  readonly report: CancelReport;
}

/**
 * Halts a scope.
 * @throws {UsageError} when the scope names an unknown strategy.
 */
export async function haltBot(context: OperatorContext, request: HaltRequest): Promise<HaltOutcome> {
  const { scope, reason, who, withinMs } = request;
  refuseUnknownStrategy(context, scope);
  const latchFault = saveHalt(context, { scope, by: 'operator', reason, since: context.clock.now() });
  context.log.warn({ scope, reason, who }, 'halt ordered');
  const order = { type: 'halt', scope, by: 'operator', reason, ...(who !== undefined && { who }) } as const;
  const report = await cancelScope(context, order, withinMs);
  context.log.warn({ ...report }, 'halt carried out');
  context.log.flush();
  return { latchFault, report };
}

/**
 * Saves the halt and reads it back. Returns the problem when it is not saved; orders are canceled all the same.
 */
export function saveHalt({ latch }: Pick<OperatorContext, 'latch'>, halt: Halt): string | null {
  try {
    if (halt.scope.type === 'account') latch.writeHaltFile(halt.reason);
    else latch.writeHalt(halt);
    const isSaved = latch.readHalts().some(({ scope }) => scopeKey(scope) === scopeKey(halt.scope));
    return isSaved ? null : notSaved('it was written, and is not there');
  } catch (fault) {
    return notSaved(fault instanceof Error ? fault.message : String(fault));
  }
}

const notSaved = (why: string): string => `THE HALT IS NOT SAVED and a restart will not know of it: ${why}`;
