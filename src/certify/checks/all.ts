// Every check, in running order.
import type { Check } from '../check.ts';
import { blindnessCheck } from './blindness.ts';
import { determinismCheck } from './determinism.ts';
import { isolationCheck, judgedCheck } from './judged.ts';
import { loadsCheck } from './loads.ts';
import { marketsCheck } from './markets.ts';
import { memoryCheck } from './memory.ts';
import { restartCheck } from './restart.ts';
import { timeCheck } from './time.ts';

export const CHECKS: readonly Check[] = [
  loadsCheck,
  isolationCheck,
  judgedCheck('throws'),
  judgedCheck('numbers'),
  judgedCheck('limits'),
  judgedCheck('denials'),
  judgedCheck('gaps'),
  judgedCheck('settlement'),
  determinismCheck,
  blindnessCheck,
  restartCheck,
  marketsCheck,
  timeCheck,
  memoryCheck,
];
