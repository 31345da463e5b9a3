// Words for the work of a watchdog after its bot died.
import type { BotRow } from '../../api/api-schemas.ts';
import { formatCount } from './figures.ts';

/** Says what a watchdog had done. The text follows "By", and the time. */
export function strikeText({ isDone, canceled }: NonNullable<BotRow['process']['strike']>): string {
  if (!isDone) return 'the watchdog had given up: orders MAY STILL REST';
  if (canceled === 0) return 'the watchdog had found that no order rests';
  const orders = canceled === 1 ? 'one order' : `${formatCount(canceled)} orders`;
  return `the watchdog had canceled ${orders}, and none rests any more`;
}
