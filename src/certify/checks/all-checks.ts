// Every check, in running order.
import type { StrategyCheck } from '../strategy-check.ts';
import { blindnessCheck } from './blindness-check.ts';
import { determinismCheck } from './determinism-check.ts';
import { isolationCheck, judgedCheck } from './judged-checks.ts';
import { loadsCheck } from './loads-check.ts';
import { marketsCheck } from './markets-check.ts';
import { memoryCheck } from './memory-check.ts';
import { restartCheck } from './restart-check.ts';
import { timeCheck } from './time-check.ts';
import { writesCheck } from './writes-check.ts';

export const CHECKS: readonly StrategyCheck[] = [
  loadsCheck,
  isolationCheck,
  writesCheck,
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
