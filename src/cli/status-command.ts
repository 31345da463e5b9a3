// `presage status`: the status of a running bot. When no bot answers, prints the saved halts and the resting orders.
import { join } from 'node:path';
import { countedNoun } from '../report/text/figure-text.ts';
import { Command, Option } from '@commander-js/extra-typings';
import { diskLine, statusLines } from './show/status-text.ts';
import { type DiskUse, diskUse } from '../app/operate/disk-use.ts';
import { type OperatorOptions, paperChoice, operatorContext } from './arguments/operator-options.ts';
import { printRecord } from './output/print-lines.ts';
import { haltText } from '../app/operate/halt-text.ts';
import { type ControlResult, sendControlRequest } from '../runtime/operator/control-client.ts';
import { controlPath } from '../runtime/operator/control-path.ts';
import { JOURNAL_FOLDER } from '../runtime/saved/data-folder.ts';
import { type LastSession, endingText, readLastSession } from '../runtime/saved/last-session.ts';
import { fileStorage } from '../tape/journal/file-storage.ts';
import type { CancelSweepResult } from '../runtime/session/cancel-sweep.ts';
import { ExitCode } from './output/exit-code.ts';
import { ACKNOWLEDGED_MS, type OperatorContext, botTroubleText } from '../app/operate/operator-context.ts';
import { DirectCancel } from '../app/operate/direct-cancel.ts';
import { isUserError } from '../app/usage-error.ts';
import { type StatusRecord, parseStatus } from '../app/session/status-record.ts';

const LOOK_WITHIN_MS = 3000;

/** Creates the command. */
export function statusCommand() {
  return new Command('status')
    .requiredOption('--config <file>', 'the bot’s config')
    .addOption(paperChoice())
    .option('--json', 'print one JSON record')
    .addOption(new Option('--quiet', 'print nothing: the exit code says it, as a health check needs').conflicts('json'))
    .addHelpText(
      'after',
      `
When no bot answers, it says how the last session ended, and shows the saved halts and, where the config has a key, the orders that rest at the exchange.

The line of the disk says how much the journal grew in the last day, and how much is left. \`journal.keepMegabytes\` bounds it.

Exit code: 0 it runs, or none runs; 1 one runs and does not answer; 2 a config is wrong, or its key, which is needed to list
orders.

Exit code with --quiet, the first that applies: 0 it trades and all is well; 2 a config is wrong; 3 no bot runs; 1 one runs and
does not answer; 4 a halt is in force; 5 it does not trade now: it starts, recovers or stops; 6 the feed is down, or a
difference from the exchange is unexplained.

Examples:
  presage status --config config/local.yaml
  presage status --config config/local.yaml --quiet || echo "look at it: $?"
  presage status --config config/paper.yaml --paper`,
    )
    .action(async (options) => {
      process.exitCode = await showStatus(options);
    });
}

type StatusOptions = OperatorOptions & { readonly quiet?: true };

async function showStatus(options: StatusOptions): Promise<number> {
  const context = operatorContext(options);
  const within = { acknowledgedWithinMs: ACKNOWLEDGED_MS, doneWithinMs: 2 * ACKNOWLEDGED_MS };
  const answer = await sendControlRequest(controlPath(context.dataFolder, 'control'), { type: 'status' }, within);
  const status = answer.type === 'answered' && answer.reply.type === 'status' ? parseStatus(answer.reply.status) : null;
  if (options.quiet) return status === null ? quietCodeWithout(answer) : quietCode(status);
  const disk = diskUse(context.dataFolder);
  if (status) {
    const record = { type: 'status', isRunning: true, ...status, disk };
    printRecord(options.json, record, [...statusLines(status), diskLine(disk)]);
    return ExitCode.ok;
  }
  return showWithout(context, answer, { ...options, disk });
}

/** Shows what is known without an answer of the bot. */
async function showWithout(
  context: OperatorContext,
  answer: ControlResult,
  { json, disk }: StatusOptions & { readonly disk: DiskUse },
): Promise<number> {
  const isRunning = answer.type !== 'absent';
  const halts = context.latch.readHalts();
  const { resting, keyFault } = await tryListResting(context);
  const trouble = botTroubleText(answer);
  const last = isRunning ? null : tryReadLastSession(context.dataFolder);
  const lastSession = last === null ? null : { ...last, at: new Date(last.at / 1000).toISOString() };
  const record = {
    type: 'status',
    isRunning,
    trouble,
    lastSession,
    halts,
    resting: resting?.left ?? null,
    keyFault,
    disk,
  };
  printRecord(json, record, [
    trouble,
    ...(lastSession === null ? [] : [lastSessionLine(lastSession)]),
    ...(halts.length === 0 ? ['not halted'] : halts.map(haltText)),
    ...restingLines(resting),
    ...(keyFault === null ? [] : [`what rests at the exchange is not known: ${keyFault}`]),
    diskLine(disk),
  ]);
  if (keyFault !== null) return ExitCode.usage;
  return isRunning ? ExitCode.session : ExitCode.ok;
}

/** An unreadable journal says nothing. `presage journal verify` says what is wrong with it. */
function tryReadLastSession(dataFolder: string): LastSession | null {
  try {
    return readLastSession(fileStorage(join(dataFolder, JOURNAL_FOLDER)));
  } catch {
    return null;
  }
}

const lastSessionLine = ({ session, end, at }: { session: string; end: string | null; at: string }): string =>
  end === null
    ? `session ${session} has no end in its journal: it died, or could not write; its last entry is of ${at}`
    : `session ${session} stopped ${endingText(end)} at ${at}`;

/** Exit codes of `status --quiet` besides 0. A wrong config gives 2, which is `ExitCode.usage`. */
export const QuietCode = { silent: 1, absent: 3, halted: 4, notTrading: 5, impaired: 6 } as const;

/** Returns the exit code for a bot that answers. */
export function quietCode({ halts, phase, feed, drift }: StatusRecord): number {
  if (halts.length > 0) return QuietCode.halted;
  if (phase !== 'trading') return QuietCode.notTrading;
  return feed.isUp && feed.fault === null && !drift.isDrift ? ExitCode.ok : QuietCode.impaired;
}

const quietCodeWithout = ({ type }: ControlResult): number => (type === 'absent' ? QuietCode.absent : QuietCode.silent);

interface Resting {
  readonly resting: CancelSweepResult | null;
  /** Why the config's key or venue cannot be used, or `null`. */
  readonly keyFault: string | null;
}

/** A key that cannot be used must not hide the halts. */
async function tryListResting(context: OperatorContext): Promise<Resting> {
  try {
    return { resting: await listResting(context), keyFault: null };
  } catch (fault) {
    if (!isUserError(fault)) throw fault;
    return { resting: null, keyFault: fault.message };
  }
}

async function listResting(context: OperatorContext): Promise<CancelSweepResult | null> {
  const hands = await DirectCancel.connect(context);
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
  return [`${countedNoun(rows.length, 'order')} ${rows.length === 1 ? 'rests' : 'rest'} at the exchange`, ...rows];
}
