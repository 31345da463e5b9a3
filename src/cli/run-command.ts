// `presage run`: one live session, from its config to the account at its end.
import { Command } from '@commander-js/extra-typings';
import { type BotConfig, readBotConfig } from '../config/bot-config.ts';
import { type RestoredState, NOTHING_RESTORED, NOTHING_UNRESOLVED } from '../domain/operator-order.ts';
import type { Notice } from '../execution/engine-notice.ts';
import { type Logger, openLog } from '../log.ts';
import { accountSummary } from '../report/account/account-summary.ts';
import { type LedgerDifference, compareWithLedger } from '../report/account/ledger-comparison.ts';
import { sessionSnapshot } from '../report/account/session-snapshot.ts';
import { type SessionEnd, LiveSession } from '../runtime/session/live-session.ts';
import { bindStrategies, paramsFromConfig } from '../runtime/plugins/strategy-binding.ts';
import type { BoundStrategy } from '../strategy/strategy-definition.ts';
import { boundedWrite } from './output/bounded-output.ts';
import { durationArgument, seedArgument, sessionArgument } from './arguments/argument-parsers.ts';
import { type NamedClose, closeEach } from '../app/close-each.ts';
import { ExitCode } from './output/exit-code.ts';
import { type DisplayMode, makeDisplay } from './show/session-display.ts';
import { type SessionResult, endingRecord, hasStrategyFailed, renderEnding } from './show/session-ending.ts';
import { type StagePosition, requireEarlierStages, recordStep, sessionOutcome, stagePositionOf } from '../app/stages/stage-gate.ts';
import { type OpenVenueOptions, type OpenedVenue, knownProfile, openVenue } from '../app/venue/open-venue.ts';
import { recordingFolder } from '../app/session/recording-folder.ts';
import { type SessionJournal, openSessionJournal } from '../app/session/session-journal.ts';
import { SessionReport } from '../app/session/session-report.ts';
import { rawStream } from './output/terminal-escapes.ts';
import { Supervision } from '../app/session/supervision.ts';
import { runUntilStopped } from '../app/session/until-stopped.ts';
import { UsageError } from '../app/usage-error.ts';

/** Options of the command line. */
export interface RunOptions {
  readonly config: string;
  readonly for?: number;
  readonly json?: true;
  readonly lines?: true;
  readonly seed?: number;
  readonly record?: string | true;
  readonly report?: string;
  readonly profile?: string;
  readonly takeOver?: string;
}

/** A command that runs a session, with what every such command can be told. */
export const sessionCommand = (name: string) =>
  new Command(name)
    .requiredOption('--config <file>', 'the bot’s config: venue, markets, strategies, limits')
    .option('--for <duration>', 'end after so long, such as 30s or 2h', durationArgument)
    .option('--json', 'print JSON lines: snapshots, what happens, and the account at the end')
    .option('--lines', 'print plain lines even on a terminal')
    .option('--profile <name>', 'the wire that the embedded exchange speaks, in place of the config’s')
    .option('--seed <number>', 'the embedded exchange’s seed, in place of its config’s', seedArgument)
    .option(
      '--record [folder]',
      'write the whole session down here too; without a folder, in recordings/<date and time>',
    )
    .option('--report <file>', 'write the report at the end, as one page that opens without a network');

/** The command. */
export function runCommand() {
  return sessionCommand('run')
    .option(
      '--take-over <session>',
      'cancel the orders of this session, which is dead and whose data folder is lost',
      sessionArgument,
    )
    .description('Trade: run the strategies of a config until stopped. Without a key, only watch.')
    .addHelpText(
      'after',
      `
Ctrl-C (or SIGTERM, or a terminal or pipe that is closed) withdraws every order, waits for the answers, compares the
account with the exchange and prints it. A second Ctrl-C ends at once, with 130: what then rests is left to the watchdog,
where the config has one.

While it runs: \`presage status\`, \`halt\`, \`cancel-all\`, \`flatten\`, \`override\`, each with the same --config. A strategy that
throws is halted, over restarts too, until \`presage resume --scope strategy=NAME\`.

One bot at a time trades on an account: where orders of another session of Presage rest that did not run on this data
folder, the start is refused with the name of that session.

Exit code: 0 all well; 1 the session ended badly (a fault, also of a strategy, a difference, orders left); 2 a config, key or
file is wrong.

Examples:
  presage run --config config/demo.yaml --for 30s  the demo, on the exchange inside
  presage run --config config/local.yaml --json    against \`presage exchange\`
  presage run --config config/demo.yaml --record   the session on a tape`,
    )
    .action(async (options) => {
      process.exitCode = await runSession(options);
    });
}

/** How a session comes to its config and its venue: in earnest, or on paper. */
export interface SessionMode {
  readonly read: (file: string) => BotConfig;
  /** Where on the ladder the session stands; `null` where on none. */
  readonly standing: (config: BotConfig) => StagePosition | null;
  readonly open: (options: OpenVenueOptions & { readonly config: BotConfig }) => Promise<OpenedVenue>;
}

const IN_EARNEST: SessionMode = { read: readBotConfig, standing: stagePositionOf, open: openVenue };

/** Runs a session to its end, and tells how it was. */
export async function runSession(
  options: RunOptions,
  { read, standing: stand, open }: SessionMode = IN_EARNEST,
): Promise<number> {
  const asked = spoken(read(options.config), options.profile);
  const standing = stand(asked);
  if (standing !== null) await requireEarlierStages(asked, standing);
  const ready = await bindStrategies(asked.strategies, paramsFromConfig(options.config));
  // From here on parameters hold what their files do: so will the journal.
  const config = { ...asked, strategies: ready.map(({ use }) => use) };
  const strategies = ready.map(({ bound }) => bound);
  const log = openLog(config.log);
  const opened = await open({ config, log, ...(options.seed === undefined ? {} : { seed: options.seed }) });
  try {
    return await supervised({ options, config, standing, strategies, log, opened });
  } finally {
    await opened.close();
    log.flush();
  }
}

/** Another dialect for an exchange that is ours; what stands at an address speaks what it speaks. */
function spoken(config: BotConfig, profile: string | undefined): BotConfig {
  if (profile === undefined) return config;
  if (config.venue.embedded === undefined)
    throw new UsageError('--profile: only with an embedded exchange; elsewhere the config’s venue.profile says it');
  return { ...config, venue: { ...config.venue, profile: knownProfile(profile, '--profile').name } };
}

interface Opened {
  readonly options: RunOptions;
  readonly config: BotConfig;
  readonly standing: StagePosition | null;
  readonly strategies: readonly BoundStrategy[];
  readonly log: Logger;
  readonly opened: OpenedVenue;
}

/** Trades with the data folder held and the journal open, both of which are given back whatever happens. */
async function supervised(opening: Opened): Promise<number> {
  const { options, config, log, opened } = opening;
  const supervision = await Supervision.openDataFolder({ config, file: options.config, log, clock: opened.clock });
  let written: SessionJournal | null = null;
  let traded: Traded | null = null;
  let isWritten = true;
  let isClosed = true;
  try {
    // Before anything is begun: what does not fit ends the start, and loses nothing.
    const saved = supervision?.readSavedState(opening.strategies) ?? {};
    const record = recordingFolder(options.record, opened.clock.now());
    written = await openSessionJournal({ config, opened, log, ...(record !== null && { record }) });
    traded = await trade({ ...opening, supervision, written, saved });
  } finally {
    isWritten = (await written?.close(traded?.end.type ?? 'fault')) ?? true;
    isClosed = await closeEach([['the data folder', () => supervision?.close(traded?.end ?? null)]], log);
  }
  const { end, differences } = traded;
  const places = { journal: written?.folder ?? null, recording: written?.recording ?? null };
  const ending = { ...traded, logFile: config.log.file, ...places };
  const text = options.json
    ? JSON.stringify(endingRecord(ending))
    : renderEnding(ending, process.stdout.columns).join('\n');
  process.stdout.write(`${text}\n`);
  if (end.type === 'refused') return ExitCode.usage;
  if (opening.standing !== null) await recordStep(config, opening.standing, sessionOutcome(ending, isWritten));
  const areAllClosed = isWritten && isClosed && traded.isClosed;
  const isWell = isGood(end) && (differences ?? []).length === 0 && !hasStrategyFailed(traded.snapshot);
  return isWell && areAllClosed ? ExitCode.ok : ExitCode.session;
}

interface Trading extends Opened {
  readonly supervision: Supervision | null;
  readonly written: SessionJournal | null;
  /** What strategies kept, by their names. */
  readonly saved: Readonly<Record<string, unknown>>;
}

interface Traded extends Pick<SessionResult, 'snapshot' | 'tally' | 'end' | 'differences'> {
  /** Whether display and report could be closed. */
  readonly isClosed: boolean;
}

const SHOW_EVERY_MS = 500;

async function trade(trading: Trading): Promise<Traded> {
  const { options, config, strategies, log, opened, supervision, written, saved } = trading;
  const { venue, hasKey, clock } = opened;
  let report: SessionReport | null = null;
  const observe = (notice: Notice): void => {
    report?.onNotice(notice);
    display.showNotice(notice);
    supervision?.onNotice(notice);
    // How things stand at the very moment of a new phase: what a session opens with is what the venue said.
    if (notice.type === 'phase') display.showSnapshot(look());
    // At the very moment of the last comparison: the exchange goes on, and may settle a market the next.
    if (notice.type !== 'phase' || notice.phase !== 'stopped' || !opened.ledger) return;
    const { state } = session.engine;
    if (state.portfolio.isOpen) differences = compareWithLedger(accountSummary(state), opened.ledger());
  };
  let differences: LedgerDifference[] | null = null;
  const session = new LiveSession({
    config,
    venue,
    strategies,
    hasKey,
    log,
    clock,
    observe,
    stopwatch: () => performance.now(),
    restoredState: { ...carriedOver(trading), saved },
    ...(supervision && { latch: supervision.latch, savedState: supervision.savedFolder }),
    ...(written && { journal: written.journal }),
  });
  if (options.report !== undefined) report = reportOf(session, { config, options, isPaper: opened.isPaper ?? false });
  const startedAt = session.clock.now();
  const look = () => sessionSnapshot(session.engine, session.tally, { now: session.clock.now(), startedAt });
  const display = makeDisplay(modeOf(options), outputOf(process.stdout, modeOf(options)), venue.tickers);
  const showing = setInterval(() => display.showSnapshot(look()), SHOW_EVERY_MS);
  const withinMs = Math.ceil(config.orders.stopWithin / 1000);
  const closings: readonly NamedClose[] = [
    ['the snapshots', () => clearInterval(showing)],
    ['the display', () => display.close()],
    ['the report', () => report?.close()],
  ];
  try {
    supervision?.attachSession(session, look);
    const end = await runUntilStopped(session, { forMs: options.for, withinMs, begun: () => supervision?.onSessionStarted() });
    const snapshot = look();
    return { snapshot, tally: session.tally, end, differences, isClosed: await closeEach(closings, log) };
  } catch (fault) {
    await closeEach(closings, log);
    throw fault;
  }
}

/** What the session must know of those before it. One without a data folder knows of none. */
function carriedOver({ supervision, written, options }: Trading): RestoredState {
  const carried = supervision?.restoredState(written?.unresolved ?? NOTHING_UNRESOLVED) ?? NOTHING_RESTORED;
  const taken = options.takeOver === undefined ? [] : [options.takeOver];
  return { ...carried, sessions: [...(carried.sessions ?? []), ...taken] };
}

function reportOf(
  { engine, clock }: LiveSession,
  {
    config,
    options: { report: file = '', seed = 0 },
    isPaper,
  }: Pick<Opened, 'config' | 'options'> & { isPaper: boolean },
): SessionReport {
  return new SessionReport({ file, engine, config, isPaper, seed, now: () => clock.now() });
}

const isGood = (end: SessionEnd): boolean => end.type === 'stopped' && end.isReconciled;

function modeOf({ json, lines }: RunOptions): DisplayMode {
  if (json) return 'json';
  return process.stdout.isTTY && !lines ? 'page' : 'lines';
}

/** The terminal, or the pipe, as the display sees it. */
function outputOf(stream: NodeJS.WriteStream, mode: DisplayMode): Parameters<typeof makeDisplay>[1] {
  return {
    write: boundedWrite(mode === 'page' ? rawStream(stream) : stream, (dropped) =>
      mode === 'json' ? `${JSON.stringify({ type: 'gap', dropped })}\n` : `... ${dropped} lines that nobody read\n`,
    ),
    get isTTY() {
      return stream.isTTY;
    },
    get columns() {
      return stream.columns ?? 200;
    },
    get rows() {
      return stream.rows ?? 60;
    },
  };
}
