// Every check, in the order in which they are made.
import type { Check } from '../check.ts';
import { determinismCheck } from './determinism.ts';
import { isolationCheck, judgedCheck } from './judged.ts';
import { loadsCheck } from './loads.ts';

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
];
