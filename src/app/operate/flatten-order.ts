// Flattens through the running bot, which halts the account, cancels every order and closes every position. Also reads
// what a flatten would send. Must never report a flat account that the bot has not reported.
import { sendControlRequest } from '../../runtime/operator/control-client.ts';
import type { FlattenPlan, OrderReply } from '../../runtime/operator/control-messages.ts';
import { controlPath } from '../../runtime/operator/control-path.ts';
import {
  ACKNOWLEDGED_MS,
  type OperatorContext,
  botTroubleText,
  lateOrderTroubleText,
  sendOrderToBot,
} from './operator-context.ts';

const PREVIEW_MS = 2000;

export interface FlattenRequest {
  readonly reason: string;
  readonly who?: string;
  readonly withinMs: number;
}

/** The result of a flatten. */
export interface FlattenOutcome {
  readonly isFlat: boolean;
  readonly report: OrderReply | null;
  /** Why there is no report. */
  readonly trouble: string | null;
  readonly isAbsent: boolean;
  /** The account is halted: the bot has reported so, or a halt of it is saved. */
  readonly isHalted: boolean;
}

/** Flattens the account. */
export async function flattenBot(
  context: OperatorContext,
  { reason, who, withinMs }: FlattenRequest,
): Promise<FlattenOutcome> {
  context.log.warn({ reason, who: who ?? context.who }, 'flatten ordered');
  context.log.flush();
  const order = { type: 'flatten', reason, ...(who !== undefined && { who }) } as const;
  const answer = await sendOrderToBot(context, order, withinMs);
  const report = answer.type === 'answered' && answer.reply.type === 'done' ? answer.reply.report : null;
  const isFlat = report !== null && report.isDone && report.remarks.length === 0;
  const trouble = report === null ? lateOrderTroubleText(answer) : null;
  const isHalted = report !== null || isAccountHalted(context);
  return { isFlat, report, trouble, isAbsent: answer.type === 'absent', isHalted };
}

const isAccountHalted = ({ latch }: Pick<OperatorContext, 'latch'>): boolean =>
  latch.readHalts().some(({ scope }) => scope.type === 'account');

/** Reads the orders that a flatten would send now. Without a plan from the bot, returns the reason as text. */
export async function readFlattenPlan({
  dataFolder,
}: Pick<OperatorContext, 'dataFolder'>): Promise<FlattenPlan | string> {
  const answer = await sendControlRequest(
    controlPath(dataFolder, 'control'),
    { type: 'preview-flatten' },
    { acknowledgedWithinMs: ACKNOWLEDGED_MS, doneWithinMs: PREVIEW_MS },
  );
  if (answer.type === 'answered' && answer.reply.type === 'flatten-plan') return answer.reply.plan;
  return botTroubleText(answer);
}
