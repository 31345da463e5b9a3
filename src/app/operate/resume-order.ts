// Lifts the halts of one scope: through the running bot, or on disk when no bot runs. Must never lift a halt on disk
// while a bot runs.
import type { Halt, HaltScope } from '../../domain/operator-order.ts';
import { scopeKey } from '../../execution/operator/halts.ts';
import {
  type OperatorContext,
  lateOrderTroubleText,
  refuseUnknownStrategy,
  sendOrderToBot,
} from './operator-context.ts';

const WITHIN_MS = 5000;

export interface ResumeRequest {
  readonly scope: HaltScope;
  readonly reason: string;
  readonly who?: string;
}

/** The result of a resume. */
export interface ResumeOutcome {
  /** No halt of exactly this scope is left. */
  readonly isLifted: boolean;
  readonly lifted: readonly Halt[] | null;
  /** A halt of exactly this scope was saved before. */
  readonly wasHalted: boolean;
  readonly halts: readonly Halt[];
  /** Why a halt is left. */
  readonly trouble: string | null;
}

/**
 * Lifts the halts of a scope.
 * @throws {UsageError} when the scope names an unknown strategy.
 */
export async function resumeBot(
  context: OperatorContext,
  { scope, reason, who }: ResumeRequest,
): Promise<ResumeOutcome> {
  refuseUnknownStrategy(context, scope);
  context.log.warn({ scope, reason, who: who ?? context.who }, 'resume ordered');
  context.log.flush();
  const order = { type: 'resume', scope, reason, ...(who !== undefined && { who }) } as const;
  const { latch } = context;
  const wasHalted = hasHaltOf(latch.readHalts(), scope);
  const answer = await sendOrderToBot(context, order, WITHIN_MS);
  if (answer.type === 'absent') {
    const lifted = latch.liftHalts(scope);
    return { isLifted: true, lifted, wasHalted, halts: latch.readHalts(), trouble: null };
  }
  const isDone = answer.type === 'answered' && answer.reply.type === 'done';
  // The saved halts decide, because a bot without an answer may still act.
  const halts = latch.readHalts();
  const isLifted = isDone && !hasHaltOf(halts, scope);
  return { isLifted, lifted: null, wasHalted, halts, trouble: isLifted ? null : lateOrderTroubleText(answer) };
}

const hasHaltOf = (halts: readonly Halt[], scope: HaltScope): boolean =>
  halts.some((halt) => scopeKey(halt.scope) === scopeKey(scope));
