// Halts a scope: saves the halt, then cancels the orders. Must never report success while an order may rest.
import type { Halt, HaltScope } from '../../domain/operator-order.ts';
import { scopeKey } from '../../execution/operator/halts.ts';
import { type CancelReport, cancelScope } from './cancel-escalation.ts';
import { type HaltContext, refuseUnknownStrategy } from './operator-context.ts';

export interface HaltRequest {
  readonly scope: HaltScope;
  readonly reason: string;
  readonly who?: string;
  readonly withinMs: number;
}

/** The result of a halt. */
export interface HaltOutcome {
  /** Why the halt is not saved. */
  readonly latchFault: string | null;
  readonly report: CancelReport;
}

/**
 * Halts a scope.
 * @throws {UsageError} when the scope names an unknown strategy.
 */
export async function haltBot(context: HaltContext, request: HaltRequest): Promise<HaltOutcome> {
  const { scope, reason, who, withinMs } = request;
  refuseUnknownStrategy(context, scope);
  const latchFault = saveHalt(context, { scope, by: 'operator', reason, since: context.clock.now() });
  context.log.warn({ scope, reason, who: who ?? context.who }, 'halt ordered');
  const order = { type: 'halt', scope, by: 'operator', reason, ...(who !== undefined && { who }) } as const;
  const report = await cancelScope(context, order, withinMs);
  context.log.warn({ ...report }, 'halt carried out');
  context.log.flush();
  return { latchFault, report };
}

/** Saves the halt and reads it back. Returns the problem, or `null`. */
export function saveHalt({ latch }: Pick<HaltContext, 'latch'>, halt: Halt): string | null {
  try {
    if (halt.scope.type === 'account') latch.writeHaltFile(halt.reason);
    // The file HALT does not hold the time.
    latch.writeHalt(halt);
    const isSaved = latch.readHalts().some(({ scope }) => scopeKey(scope) === scopeKey(halt.scope));
    return isSaved ? null : notSaved('it was written, and is not there');
  } catch (fault) {
    return notSaved(fault instanceof Error ? fault.message : String(fault));
  }
}

const notSaved = (why: string): string => `THE HALT IS NOT SAVED and a restart will not know of it: ${why}`;
