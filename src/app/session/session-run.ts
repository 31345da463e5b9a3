// A live session from its config to its result: locks the data folder, opens venue and journal, runs the strategies,
// records the go-live stage. Must never print.
import { secretVariables } from '../../config/alerts-config.ts';
import { type BotConfig, readBotConfig } from '../../config/bot-config.ts';
import type { TickerTable } from '../../domain/ids.ts';
import type { Micros } from '../../domain/units.ts';
import { NOTHING_RESTORED, NOTHING_UNRESOLVED, type RestoredState } from '../../domain/operator-order.ts';
import type { Notice } from '../../execution/engine-notice.ts';
import { type Logger, openLog } from '../../log.ts';
import { accountSummary } from '../../report/account/account-summary.ts';
import { type LedgerDifference, compareWithLedger } from '../../report/account/ledger-comparison.ts';
import { type SessionSnapshot, sessionSnapshot } from '../../report/account/session-snapshot.ts';
import { paramsFromConfig } from '../../runtime/plugins/config-params.ts';
import { bindStrategies } from '../../runtime/plugins/strategy-binding.ts';
import { accountOf } from '../../runtime/saved/folder-account.ts';
import { LiveSession } from '../../runtime/session/live-session.ts';
import type { BoundStrategy } from '../../strategy/strategy-definition.ts';
import { type NamedClose, closeEach } from '../close-each.ts';
import {
  type StagePosition,
  recordStep,
  requireEarlierStages,
  sessionOutcome,
  stagePositionOf,
} from '../stages/stage-gate.ts';
import { watchedLoad } from '../strategy/watched-load.ts';
import { UsageError } from '../usage-error.ts';
import { withConfigLines } from '../../config/yaml.ts';
import { knownProfile } from '../venue/known-profile.ts';
import { type OpenVenueOptions, type OpenedVenue, openVenue } from '../venue/open-venue.ts';
import { ConsoleProcess, type ConsoleProcessOptions } from './console-process.ts';
import type { MetricsServer } from '../../metrics/metrics-server.ts';
import { openMetricsPort } from './metrics-port.ts';
import { recordingFolder } from './recording-folder.ts';
import { SessionAlerts } from './session-alerts.ts';
import { SessionCode } from './session-code.ts';
import { type SessionJournal, openSessionJournal } from './session-journal.ts';
import { SessionReport } from './session-report.ts';
import { type SessionResult, isGoodResult } from './session-result.ts';
import { type FollowedSession, Supervision } from './supervision.ts';
import { runUntilStopped } from './until-stopped.ts';

/** Shows a session while it runs. */
export interface SessionDisplay {
  showNotice(notice: Notice): void;
  /** Called twice a second, and at each new phase. */
  showSnapshot(snapshot: SessionSnapshot): void;
  close(): void;
}

/** The differences between live and paper sessions. */
export interface SessionMode {
  readonly readConfig: (file: string) => BotConfig;
  /** Returns the session's go-live stage, if it has one. */
  readonly stagePosition: (config: BotConfig) => StagePosition | null;
  readonly openVenue: (options: OpenVenueOptions & { readonly config: BotConfig }) => Promise<OpenedVenue>;
}

/** Live sessions: orders go to the venue. */
export const LIVE_MODE: SessionMode = { readConfig: readBotConfig, stagePosition: stagePositionOf, openVenue };

/** Options of a session. */
export interface SessionRunOptions {
  readonly file: string;
  /** @default `LIVE_MODE` */
  readonly mode?: SessionMode;
  /** Duration, milliseconds. @default until a signal or a fault. */
  readonly forMs?: number | undefined;
  /** Seed of the embedded exchange (a local exchange inside this process). @default its config's seed. */
  readonly seed?: number | undefined;
  /** Profile of the embedded exchange. @default the config's. */
  readonly profile?: string | undefined;
  /** Folder of a recording of the session. `true`: a folder named by the time. */
  readonly record?: string | true | undefined;
  /** File of the HTML report, written at the end. */
  readonly report?: string | undefined;
  /** Name of a dead session whose data folder is lost. Its orders are canceled. */
  readonly takeOver?: string | undefined;
  /** Command that starts a watchdog. `--config FILE` is appended. Without a command, there is no watchdog. */
  readonly watchdogCommand?: readonly [program: string, ...args: string[]] | undefined;
  /** A console that is started beside the session, and ended with it. @default none */
  readonly console?: Omit<ConsoleProcessOptions, 'bot' | 'variables'> | undefined;
  /** Address and port at which metrics are served, in place of the config's. @default the config's. */
  readonly metrics?: string | undefined;
  /** Creates the display once the venue is open. `now` is the session's time. @default no display. */
  readonly makeDisplay?: (tickers: TickerTable, now: () => Micros) => SessionDisplay;
  /** Called with the result before the stage is recorded and the venue is closed. */
  readonly onResult?: (result: SessionResult) => void;
}

/** A session that has ended. */
export interface EndedSession {
  readonly result: SessionResult;
  /** The result is good, and everything could be written and closed. */
  readonly isGood: boolean;
}

const NO_DISPLAY: SessionDisplay = {
  showNotice: () => undefined,
  showSnapshot: () => undefined,
  close: () => undefined,
};

/**
 * Runs a session to its end.
 * @throws {UsageError} when the options do not fit the config, or an earlier go-live stage is missing.
 * @throws {ConfigError} when the config or a strategy's parameters cannot be used.
 * @throws {StrategyFileError} when a strategy cannot be loaded.
 */
export async function runSession(options: SessionRunOptions): Promise<EndedSession> {
  const { file, mode = LIVE_MODE } = options;
  const given = withProfile(mode.readConfig(file), options.profile);
  return withConfigLines(file, () => runConfigured(options, given));
}

async function runConfigured(options: SessionRunOptions, given: BotConfig): Promise<EndedSession> {
  const { file, mode = LIVE_MODE, seed } = options;
  const position = mode.stagePosition(given);
  const code = new SessionCode();
  if (position !== null) {
    await code.readHashes(given);
    requireEarlierStages({ ...position, strategies: code.hash });
  }
  const ready = await watchedLoad(() => bindStrategies(given.strategies, paramsFromConfig(file), code.load));
  // A parameter with the name of a file now holds the file's text, in the session and in its journal.
  const config = { ...given, strategies: ready.map(({ use }) => use) };
  const strategies = ready.map(({ bound }) => bound);
  const log = openLog(config.log);
  const opened = await mode.openVenue({ config, log, isForSession: true, ...(seed === undefined ? {} : { seed }) });
  try {
    return await runSupervised({ options, config, position, code, strategies, log, opened });
  } finally {
    await opened.close();
    log.flush();
  }
}

function withProfile(config: BotConfig, profile: string | undefined): BotConfig {
  if (profile === undefined) return config;
  if (config.venue.embedded === undefined)
    throw new UsageError('--profile: only with an embedded exchange; elsewhere the config’s venue.profile says it');
  return { ...config, venue: { ...config.venue, profile: knownProfile(profile, '--profile').name } };
}

interface OpenedSession {
  readonly options: SessionRunOptions;
  readonly config: BotConfig;
  readonly position: StagePosition | null;
  readonly code: SessionCode;
  readonly strategies: readonly BoundStrategy[];
  readonly log: Logger;
  readonly opened: OpenedVenue;
}

/** Releases data folder and journal in any case. */
async function runSupervised(session: OpenedSession): Promise<EndedSession> {
  const { options, config, position, code, log, opened } = session;
  const { file, watchdogCommand } = options;
  const { isPaper = false } = opened;
  const alerts = SessionAlerts.open({ config, file, log, isPaper });
  const { clock, openSecond } = opened;
  const account = isPaper ? null : accountOf(config.venue, knownProfile(config.venue.profile));
  const isAccountNew = isPaper || config.venue.embedded !== undefined;
  const supervised = { config, file, log, clock, watchdogCommand, openSecond, account, isPaper, isAccountNew };
  const supervision = await Supervision.openDataFolder(supervised);
  let metrics: MetricsServer | null = null;
  let journal: SessionJournal | null = null;
  let traded: TradedSession | null = null;
  let isWritten = true;
  let isClosed = true;
  let beside: ConsoleProcess | null = null;
  try {
    alerts?.start();
    metrics = await openMetricsPort({ address: options.metrics, config: config.metrics, supervision, log });
    beside = startConsole(session, supervision);
    // Saved state is read before anything starts: state that does not fit keeps the session from starting, and nothing
    // is lost.
    const saved = supervision?.readSavedState(session.strategies) ?? {};
    const record = recordingFolder(options.record, opened.clock.now());
    journal = await openSessionJournal({
      config,
      opened,
      log,
      codeHashes: code.hashes,
      ...(record !== null && { record }),
    });
    traded = await trade({ ...session, supervision, journal, saved, alerts });
  } finally {
    isWritten = (await journal?.close(traded?.result.end.type ?? 'fault')) ?? true;
    await alerts?.close(traded?.result.end ?? null);
    const closings: readonly NamedClose[] = [
      ['the metrics', () => metrics?.close()],
      ['the data folder', () => supervision?.close(traded?.result.end ?? null)],
      ['the console', () => beside?.end()],
    ];
    isClosed = await closeEach(closings, log);
  }
  const folders = { journal: journal?.folder ?? null, recording: journal?.recording ?? null };
  const result: SessionResult = { ...traded.result, logFile: config.log.file, ...folders };
  options.onResult?.(result);
  if (position !== null && result.end.type !== 'refused')
    recordStep(config, { ...position, strategies: code.hash }, sessionOutcome(result, isWritten));
  return { result, isGood: isGoodResult(result) && isWritten && isClosed && traded.isClosed };
}

/** @throws {UsageError} without a data folder, in which the console finds the bot. */
function startConsole(
  { options: { console: beside, file }, config, opened }: OpenedSession,
  supervision: Supervision | null,
): ConsoleProcess | null {
  if (beside === undefined) return null;
  if (supervision === null || config.dataFolder === undefined)
    throw new UsageError(`--console: needs a dataFolder in ${file}, in which the console finds the bot`);
  const bot = ['--config', file, ...(opened.isPaper === true ? ['--paper'] : [])];
  // The console sends test alerts.
  const variables = config.alerts === undefined ? [] : secretVariables(config.alerts);
  return new ConsoleProcess({ ...beside, bot, variables });
}

interface TradingSession extends OpenedSession {
  readonly supervision: Supervision | null;
  readonly journal: SessionJournal | null;
  readonly alerts: SessionAlerts | null;
  readonly saved: Readonly<Record<string, unknown>>;
}

interface TradedSession {
  readonly result: Pick<SessionResult, 'snapshot' | 'tally' | 'end' | 'differences'>;
  /** Display and report could be closed. */
  readonly isClosed: boolean;
}

const SHOW_EVERY_MS = 500;

async function trade(trading: TradingSession): Promise<TradedSession> {
  const { options, config, strategies, log, opened, supervision, journal, saved, alerts } = trading;
  const { venue, hasKey, clock } = opened;
  let report: SessionReport | null = null;
  let differences: LedgerDifference[] | null = null;
  const observe = (notice: Notice): void => {
    report?.onNotice(notice);
    display.showNotice(notice);
    supervision?.onNotice(notice);
    alerts?.submitNotice(notice);
    if (notice.type !== 'phase') return;
    // Shown at the moment of the new phase, so that the opening figures are exactly the venue's.
    display.showSnapshot(snapshotNow());
    // The ledger is compared at once: the exchange runs on and may settle a market.
    if (notice.phase !== 'stopped' || !opened.ledger) return;
    const { state } = session.engine;
    if (state.portfolio.isOpen) differences = compareWithLedger(accountSummary(state), opened.ledger());
  };
  const restoredState = { ...restoredStateOf(trading), saved };
  const session = new LiveSession({
    config,
    venue,
    strategies,
    hasKey,
    log,
    clock,
    observe,
    stopwatch: () => performance.now(),
    restoredState,
    ...(supervision && { latch: supervision.latch, savedState: supervision.savedFolder }),
    ...(journal && { journal: journal.journal }),
    ...(config.venue.stayAwake !== undefined && { awakeMs: config.venue.stayAwake / 1000 }),
  });
  if (options.report !== undefined) report = reportOf(session, trading);
  const startedAt = session.clock.now();
  const snapshotNow = (): SessionSnapshot =>
    sessionSnapshot(session.engine, session.tally, { now: session.clock.now(), startedAt });
  const display = options.makeDisplay?.(venue.tickers, () => session.clock.now()) ?? NO_DISPLAY;
  const showing = setInterval(() => display.showSnapshot(snapshotNow()), SHOW_EVERY_MS);
  const withinMs = Math.ceil(config.orders.stopWithin / 1000);
  const closings: readonly NamedClose[] = [
    ['the snapshots', () => clearInterval(showing)],
    ['the display', () => display.close()],
    ['the report', () => report?.close()],
  ];
  try {
    supervision?.attachSession(session, snapshotNow, followedSession(trading, startedAt));
    alerts?.attachSession(session, restoredState.halts);
    const onStarted = (): void => supervision?.onSessionStarted();
    const end = await runUntilStopped(session, { forMs: options.forMs, withinMs, onStarted });
    const result = { snapshot: snapshotNow(), tally: session.tally, end, differences };
    return { result, isClosed: await closeEach(closings, log) };
  } catch (fault) {
    await closeEach(closings, log);
    throw fault;
  }
}

function followedSession({ config, opened, journal, alerts }: TradingSession, startedAt: Micros): FollowedSession {
  const params = Object.fromEntries(config.strategies.map((strategy) => [strategy.name, strategy.params]));
  const { isPaper = false, hasKey } = opened;
  return {
    facts: { profile: config.venue.profile, isPaper, hasKey, startedAt, params },
    journalBytes: () => journal?.bytesWritten() ?? null,
    readAlerts: () => alerts?.figures ?? null,
  };
}

/** Without a data folder, the session inherits only the session that it takes over. */
function restoredStateOf({ supervision, journal, options: { takeOver } }: TradingSession): RestoredState {
  const restored = supervision?.restoredState(journal?.unresolved ?? NOTHING_UNRESOLVED) ?? NOTHING_RESTORED;
  return { ...restored, sessions: [...(restored.sessions ?? []), ...(takeOver === undefined ? [] : [takeOver])] };
}

function reportOf({ engine, clock }: LiveSession, { config, options, opened }: OpenedSession): SessionReport {
  const { report: file = '', seed = 0 } = options;
  return new SessionReport({ file, engine, config, isPaper: opened.isPaper ?? false, seed, now: () => clock.now() });
}
