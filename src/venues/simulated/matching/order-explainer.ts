// Explains each order, one sentence per step: why it filled, or did not. Must never change anything.
import { centsText, contractsText } from '../../../domain/amounts.ts';
import type { Price, Qty } from '../../../domain/units.ts';
import { AHEAD_UNKNOWN, type ExplanationStep } from '../simulator-interfaces.ts';
import type { Side } from '../../../domain/orders/order.ts';

const size = (qty: number): string => (qty >= AHEAD_UNKNOWN ? 'an unknown quantity' : contractsText(qty as Qty));
const movedText = (aheadBefore: number, ahead: number): string =>
  aheadBefore === ahead ? `${size(ahead)} ahead, unchanged` : `ahead ${size(aheadBefore)} -> ${size(ahead)}`;

interface ExplainedOrder {
  readonly id: string;
  readonly side: Side;
  readonly price: Price;
  readonly ahead: number;
  readonly leaves: number;
}

export class OrderExplainer {
  readonly #emit: (line: Omit<ExplanationStep, 'at'>) => void;

  constructor(emit: (line: Omit<ExplanationStep, 'at'>) => void) {
    this.#emit = emit;
  }

  #emitStep(order: Pick<ExplainedOrder, 'id' | 'ahead' | 'leaves'>, what: string): void {
    this.#emit({ orderId: order.id, what, ahead: order.ahead, leaves: order.leaves });
  }

  explainJoin(order: ExplainedOrder, level: { recorded: number | null; spent: number }): void {
    const { recorded, spent } = level;
    const where = `${order.side === 'buy' ? 'bid' : 'ask'} at ${centsText(order.price)}`;
    const less = spent > 0 ? `, of which we took ${size(spent)} before` : '';
    const what =
      recorded === null
        ? `joined the ${where} while the book was unknown: behind everything that the next snapshot shows`
        : `joined the ${where} behind ${size(order.ahead)} (the tape shows ${size(recorded)}${less})`;
    this.#emitStep(order, what);
  }

  explainClamp(order: ExplainedOrder, aheadBefore: number): void {
    const what = `the level holds at most ${size(order.ahead)}: ${movedText(aheadBefore, order.ahead)}`;
    this.#emitStep(order, what);
  }

  /** Reports a cancellation that the queue model puts behind the order. */
  explainUnmoved(order: ExplainedOrder, cut: number, before: number): void {
    this.#emitStep(
      order,
      `${size(cut)} of ${size(before)} canceled, behind it by the queue model: ${movedText(order.ahead, order.ahead)}`,
    );
  }

  explainCancellation(order: ExplainedOrder, change: { aheadBefore: number; cut: number; before: number }): void {
    const what = `${size(change.cut)} of ${size(change.before)} canceled: ${movedText(change.aheadBefore, order.ahead)}`;
    this.#emitStep(order, what);
  }

  explainTake(id: string, level: Price, trade: { qty: number; left: number }): void {
    this.explainStep({ id, ahead: 0, leaves: trade.left }, `took ${size(trade.qty)} at ${centsText(level)}`);
  }

  /** Reports a print, after the queue moved and before the order trades. */
  explainPrint(order: ExplainedOrder, print: { aheadBefore: number; printed: number; returned: number }): void {
    const returned =
      print.returned > 0 ? ` (it explains a decrease that had moved it up by ${size(print.returned)})` : '';
    this.#emitStep(
      order,
      `print of ${size(print.printed)} at its price${returned}: ${movedText(print.aheadBefore, order.ahead)}`,
    );
  }

  explainPrintThrough(order: ExplainedOrder, print: { aheadBefore: number; printed: number }): void {
    const what = `print of ${size(print.printed)} through its price: ${movedText(print.aheadBefore, 0)}`;
    this.#emitStep(order, what);
  }

  explainCross(order: ExplainedOrder, offered: number): void {
    this.#emitStep(order, `the recorded book crosses it with ${size(offered)}`);
  }

  explainFill(order: ExplainedOrder, qty: number, evidence: string): void {
    this.#emitStep(order, `filled ${size(qty)} at ${centsText(order.price)} (${evidence}), ${size(order.leaves)} left`);
  }

  explainStep(order: Pick<ExplainedOrder, 'id' | 'ahead' | 'leaves'>, what: string): void {
    this.#emitStep(order, what);
  }
}
