// Puts the orders of one step into batches: several new orders, or several cancels, leave in one request. Pure: the same
// commands under the same rules make the same requests. Must never change which commands leave.
import type { BatchedCommand, Command, OrderBatch } from '../../domain/venue-command.ts';

/** The rules by which commands are put together. */
export interface BatchRules {
  /** The most orders of a batch; 1 for no batches. */
  readonly batchMax: number;
  /** True for a command that must leave by itself. Default: none. */
  readonly isAlone?: (command: Command) => boolean;
}

/**
 * The requests of one step's commands. New orders make batches of at most `batchMax`, and so do cancels; each batch stands
 * in the place of its first command. All other commands leave by themselves, and so does an order that no other one can
 * go with.
 */
export function batchOrders(
  commands: readonly Command[],
  { batchMax, isAlone = (): boolean => false }: BatchRules,
): readonly (Command | OrderBatch)[] {
  if (batchMax < 2 || commands.length < 2) return commands;
  const requests: (Command | OrderBatch)[] = [];
  const open: Record<BatchedCommand['type'], OpenBatch> = {
    place: { index: -1, commands: [] },
    cancel: { index: -1, commands: [] },
  };
  for (const command of commands) {
    if ((command.type !== 'place' && command.type !== 'cancel') || isAlone(command)) {
      requests.push(command);
      continue;
    }
    const batch = open[command.type];
    if (batch.commands.length > 0 && batch.commands.length < batchMax) {
      batch.commands.push(command);
      requests[batch.index] = { type: 'batch', commands: batch.commands };
    } else open[command.type] = { index: requests.push(command) - 1, commands: [command] };
  }
  return requests;
}

/** A batch that takes further orders, and its place among the requests. */
interface OpenBatch {
  readonly index: number;
  readonly commands: BatchedCommand[];
}
