// `presage status`: the status of a running bot. When none answers: the saved halts, and the orders that rest at the
// venue.
import { Command } from '@commander-js/extra-typings';
import { statusLines } from './show/status-text.ts';
import type { OperatorOptions } from './arguments/operator-options.ts';
import { printRecord } from './output/print-lines.ts';
import { haltText } from '../app/operate/halt-text.ts';
import { sendControlRequest } from '../runtime/operator/control-client.ts';
import { controlPath } from '../runtime/operator/control-path.ts';
import type { CancelSweepResult } from '../runtime/session/cancel-sweep.ts';
import { ExitCode } from './output/exit-code.ts';
import {
  ACKNOWLEDGED_MS,
  type OperatorContext,
  openOperatorContext,
  botTroubleText,
} from '../app/operate/operator-context.ts';
import { DirectCancel } from '../app/operate/direct-cancel.ts';
import { parseStatus } from '../app/session/status-record.ts';

const LOOK_WITHIN_MS = 3000;

/** Creates the command. */
export function statusCommand() {
  return new Command('status')
    .description('Show the status of a bot: phase, halts, orders, feed, budgets, account, drift, alarms.')
    .requiredOption('--config <file>', 'the bot’s config')
    .option('--json', 'print one JSON record')
    .addHelpText(
      'after',
      `
When no bot answers, it shows the saved halts and, where the config has a key, the orders that rest at the exchange.

Exit code: 0 it runs, or none runs; 1 one runs and does not answer; 2 a config is wrong.

Example:
  presage status --config config/local.yaml`,
    )
    .action(async (options) => {
      process.exitCode = await showStatus(options);
    });
}

async function showStatus(options: OperatorOptions): Promise<number> {
  const context = openOperatorContext(options.config);
  const within = { acknowledgedWithinMs: ACKNOWLEDGED_MS, doneWithinMs: 2 * ACKNOWLEDGED_MS };
  const answer = await sendControlRequest(controlPath(context.dataFolder, 'control'), { type: 'status' }, within);
  const status = answer.type === 'answered' && answer.reply.type === 'status' ? parseStatus(answer.reply.status) : null;
  if (status) {
    printRecord(options.json, { type: 'status', isRunning: true, ...status }, statusLines(status));
    return ExitCode.ok;
  }
  const isRunning = answer.type !== 'absent';
  const halts = context.latch.readHalts();
  const resting = await listResting(context);
  const trouble = botTroubleText(answer);
  printRecord(options.json, { type: 'status', isRunning, trouble, halts, resting: resting?.left ?? null }, [
    trouble,
    ...(halts.length === 0 ? ['not halted'] : halts.map(haltText)),
    ...restingLines(resting),
  ]);
  return isRunning ? ExitCode.session : ExitCode.ok;
}

async function listResting({ config, log }: OperatorContext): Promise<CancelSweepResult | null> {
  const hands = await DirectCancel.connect(config, log);
  try {
    return (await hands?.listOrders({ isOurs: () => true, withinMs: LOOK_WITHIN_MS })) ?? null;
  } finally {
    await hands?.close();
  }
}

function restingLines(resting: CancelSweepResult | null): string[] {
  if (resting === null) return [];
  if (resting.left === null)
    return [`the exchange’s list of resting orders could not be read: ${resting.trouble ?? 'no answer'}`];
  const rows = resting.left.map(
    ({ ticker, clientOrderId, venueOrderId }) => `  ${ticker}  ${clientOrderId ?? venueOrderId}`,
  );
  return [`${rows.length} orders rest at the exchange`, ...rows];
}
