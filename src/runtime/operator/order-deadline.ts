// The latest moment at which a process may begin an operator's instruction. Both processes read the machine's own
// monotonic clock, which a change of the wall clock does not move. Must never hold back a halt or a cancel.
import type { OperatorOrder } from '../../domain/operator-order.ts';

/** Time since the machine started, milliseconds. Every process of the machine reads the same time. */
export const machineNowMs = (): number => Number(process.hrtime.bigint() / 1_000_000n);

/**
 * True for an instruction that must not come late: it can make trades. Its sender has reported a failure by then, and
 * may have acted on that. A halt or a cancel lowers the risk whenever it comes.
 */
export const mustNotComeLate = ({ type }: OperatorOrder): boolean =>
  type === 'resume' || type === 'override' || type === 'flatten';
