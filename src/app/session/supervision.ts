// Supervision of a running session: the lock on its data folder, the saved halts, the control socket, the watchdog.
// Must never let two bots run on one data folder. Must never say goodbye to the watchdog while an order may rest.
import { openSync } from 'node:fs';
import { join } from 'node:path';
import type { BotConfig } from '../../config/bot-config.ts';
import {
  type HaltScope,
  NOTHING_UNRESOLVED,
  type RestoredState,
  type UnresolvedState,
} from '../../domain/operator-order.ts';
import type { Notice } from '../../execution/engine-notice.ts';
import { type Logger, reopenLog } from '../../log.ts';
import type { BotFigures } from '../../metrics/bot-figures.ts';
import type { SessionSnapshot } from '../../report/account/session-snapshot.ts';
import type { RestingOrder } from '../../runtime/operator/control-messages.ts';
import type { FollowFacts, FollowSource } from '../../runtime/follow/follow-source.ts';
import { LivePublisher } from '../../runtime/follow/live-publisher.ts';
import { controlPath } from '../../runtime/operator/control-path.ts';
import type { ControlReply } from '../../runtime/operator/control-messages.ts';
import { ControlServer, type ProcessRequest } from '../../runtime/operator/control-server.ts';
import { OperatorService } from '../../runtime/operator/operator-service.ts';
import { type FolderAccount, recordAccount, refuseOtherAccount } from '../../runtime/saved/folder-account.ts';
import { FolderGuard, JOURNAL_FOLDER, refuseWritableFolder } from '../../runtime/saved/data-folder.ts';
import { Latch } from '../../runtime/saved/latch.ts';
import { SAVED_FOLDER, readSavedState } from '../../runtime/saved/saved-state.ts';
import type { LiveSession, SessionEnd } from '../../runtime/session/live-session.ts';
import type { Clock } from '../../runtime/session/system-clock.ts';
import { configLine } from '../../runtime/watchdog/watchdog-messages.ts';
import { WatchdogLink } from '../../runtime/watchdog/watchdog-link.ts';
import type { BoundStrategy } from '../../strategy/strategy-definition.ts';
import { fileStorage } from '../../tape/journal/file-storage.ts';
import { lockOf } from '../../tape/journal/folder-lock.ts';
import type { Storage } from '../../tape/journal/storage.ts';
import { systemScheduler } from '../../transport/scheduler.ts';
import { onHaltSignal } from '../halt-signals.ts';
import { DirectCancel, ordersInScope } from '../operate/direct-cancel.ts';
import { ACCOUNT_SCOPE } from '../operate/operator-context.ts';
import { version } from '../package-version.ts';
import { UsageError } from '../usage-error.ts';
import type { OpenedVenue } from '../venue/open-venue.ts';
import { botOfFolder } from './paper-folder.ts';
import { SessionMetrics, type SessionMetricsOptions } from './session-metrics.ts';
import { statusOf } from './status-record.ts';

export interface SupervisionOptions {
  readonly config: BotConfig;
  /** The config's file, for messages. The watchdog gets the config itself: the file may change while the session runs. */
  readonly file: string;
  readonly log: Logger;
  readonly clock: Clock;
  /** Command that starts a watchdog. `--config FILE --session-config` is appended. Without a command, there is no watchdog. */
  readonly watchdogCommand?: readonly [program: string, ...args: string[]] | undefined;
  /** Opens a second connection to an embedded exchange. `null` for any other venue, and for a simulated account. */
  readonly openSecond: OpenedVenue['openSecond'];
  /** The account that trades; `null` for a simulated one, and when nothing trades. */
  readonly account: FolderAccount | null;
  /** The session trades on paper. @default false */
  readonly isPaper?: boolean;
  /** The account begins again with each session: a simulated one, or one of an embedded exchange. @default false */
  readonly isAccountNew?: boolean;
}

const LIST_MS = 2000;
/** Facts and figures for the followers of a session, besides its engine. */
export interface FollowedSession extends Pick<FollowSource, 'journalBytes'> {
  readonly facts: Omit<FollowFacts, 'bot' | 'program'>;
  readonly readAlerts?: SessionMetricsOptions['readAlerts'];
}

const NOT_STARTED = 'the session has not started yet';

type FolderOptions = SupervisionOptions & { readonly dataFolder: string };

/** Supervises one session. */
export class Supervision {
  readonly latch: Latch;
  readonly savedFolder: Storage;
  readonly #options: FolderOptions;
  readonly #dataFolder: Storage;
  readonly #server: ControlServer;
  #service: OperatorService | null = null;
  #publisher: LivePublisher | null = null;
  #metrics: SessionMetrics | null = null;
  #watchdog: WatchdogLink | null = null;
  #signals: ReturnType<typeof onHaltSignal> | null = null;
  /** Set while a session runs. */
  #guard: FolderGuard | null = null;

  private constructor(options: FolderOptions, server: ControlServer) {
    this.#options = options;
    this.#server = server;
    const check = (): void => this.#guard?.checkUnchanged();
    this.savedFolder = fileStorage(join(options.dataFolder, SAVED_FOLDER), check);
    this.#dataFolder = fileStorage(options.dataFolder, check);
    this.latch = new Latch(this.#dataFolder, () => options.clock.now());
  }

  /**
   * Locks the data folder. Returns `null` without a data folder, which is allowed while nothing trades.
   * @throws {ControlFault} when another bot has locked the folder, or its control socket cannot be opened.
   * @throws {StorageFault} when other users may write to the folder, or sessions of another account have run in it.
   */
  static async openDataFolder(options: SupervisionOptions): Promise<Supervision | null> {
    const { dataFolder } = options.config;
    if (dataFolder === undefined) return null;
    refuseWritableFolder(dataFolder);
    let supervision: Supervision | null = null;
    const server = await ControlServer.openSocket({
      path: controlPath(dataFolder, 'control'),
      role: 'presage run',
      answerRequest: (request) =>
        supervision?.answerRequest(request) ?? Promise.resolve({ type: 'refused', why: NOT_STARTED }),
      acceptFollower: (socket, request, rest) =>
        supervision === null ? NOT_STARTED : supervision.acceptFollower(socket, request, rest),
    });
    supervision = new Supervision({ ...options, dataFolder }, server);
    try {
      if (options.account !== null) refuseOtherAccount(supervision.#dataFolder, options.account);
    } catch (fault) {
      await supervision.close(null);
      throw fault;
    }
    return supervision;
  }

  /** Returns `undefined` before a session is attached. */
  answerRequest(request: ProcessRequest): Promise<ControlReply> | undefined {
    if (request.type === 'log-reopen') return Promise.resolve(this.#reopenLog());
    if (request.type === 'metrics')
      return this.#metrics?.readFigures().then((figures) => ({ type: 'metrics', figures: { ...figures } }));
    return this.#service?.answerRequest(request);
  }

  #reopenLog(): ControlReply {
    const { log, config } = this.#options;
    const fault = reopenLog(log);
    return fault === null ? { type: 'reopened', file: config.log.file } : { type: 'refused', why: fault };
  }

  async readFigures(): Promise<BotFigures | null> {
    return (await this.#metrics?.readFigures()) ?? null;
  }

  /** Name of the bot: the name of its data folder, and of the live bot's with a mark for a paper session. */
  get botName(): string {
    return botOfFolder(this.#options.dataFolder, this.#options.isPaper === true);
  }

  /** Accepts a follower. Returns the reason when the follower is refused, `null` otherwise. */
  acceptFollower(...connection: Parameters<LivePublisher['acceptFollower']>): string | null {
    return this.#publisher === null ? NOT_STARTED : this.#publisher.acceptFollower(...connection);
  }

  /**
   * Returns the state that the new session restores. An account that begins again has no resting order, no position and
   * no earlier loss.
   */
  restoredState(unresolved: UnresolvedState): RestoredState {
    const { books, ...restored } = this.latch.readRestoredState(unresolved);
    if (this.#options.isAccountNew === true) return { ...restored, ...NOTHING_UNRESOLVED, losses: null };
    return { ...restored, ...(books && { books }) };
  }

  /** @throws {SavedStateFault} when the saved state does not fit its strategy. */
  readSavedState(strategies: readonly BoundStrategy[]): Record<string, unknown> {
    return readSavedState(this.savedFolder, strategies);
  }

  onNotice(notice: Notice): void {
    this.#service?.onNotice(notice);
    this.#publisher?.publishNotice(notice);
    this.#metrics?.countNotice(notice);
    // The engine is in the middle of a step.
    if (notice.type === 'resumed' && notice.scope.type === 'account')
      systemScheduler.soon(() => this.#watchdog?.startAgain());
  }

  /** Starts the supervision of a session. Called before the session sends anything. */
  attachSession(session: LiveSession, snapshotNow: () => SessionSnapshot, followed: FollowedSession): void {
    const { log } = this.#options;
    const { engine, tally, clock } = session;
    const facts = { ...followed.facts, bot: this.botName, program: version };
    const sessionName = (): string => session.sessionName;
    const remarks = () => session.remarks();
    const source = { ...followed, engine, tally, facts, sessionName, now: () => clock.now(), remarks };
    const publisher = new LivePublisher({ source, scheduler: systemScheduler, log });
    this.#publisher = publisher;
    this.#metrics = new SessionMetrics({
      readSession: () => publisher.readSession(),
      meter: session.meter,
      readAlerts: followed.readAlerts,
      folder: this.#options.dataFolder,
      gc: this.#options.config.metrics.gc,
    });
    this.#guard = new FolderGuard(guardedPaths(this.#options.dataFolder));
    const statusReport = (): Record<string, unknown> => statusOf(session, snapshotNow());
    const listAtVenue = this.#options.openSecond === null ? {} : { listAtVenue: this.#listAtVenue };
    this.#service = new OperatorService({ session, scheduler: systemScheduler, statusReport, ...listAtVenue });
    this.#signals = onHaltSignal((signal) =>
      session.submitOperatorOrder({
        type: 'halt',
        scope: ACCOUNT_SCOPE,
        by: 'operator',
        reason: `the signal ${signal}`,
      }),
    );
    this.#watchdog = this.#makeWatchdog(session);
    this.#watchdog?.start();
  }

  readonly #listAtVenue = async (scope: HaltScope): Promise<readonly RestingOrder[] | null> => {
    const { openSecond, log } = this.#options;
    const direct = openSecond === null ? null : DirectCancel.over(await openSecond(), log);
    try {
      const isOurs = ordersInScope(scope, this.latch.readSessions());
      const listed = await direct?.listOrders({ isOurs, withinMs: LIST_MS });
      return listed?.left?.map((order) => ({ ...order, state: 'working' })) ?? null;
    } finally {
      await direct?.close();
    }
  };

  /**
   * Returns `null` where a watchdog is turned off, has no command, or could cancel nothing. No other process can reach
   * an embedded exchange, and nothing trades without a key or strategies.
   */
  #makeWatchdog(session: LiveSession): WatchdogLink | null {
    const { config, file, log, dataFolder, watchdogCommand } = this.#options;
    const { venue, watchdog, strategies } = config;
    if (!watchdog.enabled || venue.embedded !== undefined || venue.key === undefined || strategies.length === 0)
      return null;
    if (watchdogCommand === undefined) {
      log.warn('no watchdog: this program was given no command that starts one');
      return null;
    }
    return new WatchdogLink({
      command: [...watchdogCommand, '--config', file, '--session-config'],
      firstLine: configLine(config),
      errors: openAppending(join(dataFolder, 'watchdog.log')),
      scheduler: systemScheduler,
      log,
      deadlineMs: Math.ceil(watchdog.deadline / 1000),
      heartbeatContent: () => ({ session: session.sessionName, resting: session.engine.state.orders.openCount }),
      onLost: (reason) => session.submitOperatorOrder({ type: 'halt', scope: ACCOUNT_SCOPE, by: 'watchdog', reason }),
    });
  }

  /** Called once the session has its name: the watchdog must know it before the first order. */
  onSessionStarted(): void {
    const { account } = this.#options;
    if (account !== null) recordAccount(this.#dataFolder, account);
    this.#watchdog?.sendHeartbeat();
  }

  /** Ends the supervision. Orders that may still rest are left to the watchdog. */
  async close(end: SessionEnd | null): Promise<void> {
    this.#signals?.release();
    this.#publisher?.close();
    this.#metrics?.close();
    if (end !== null && isClean(end)) await this.#watchdog?.sayGoodbye();
    else this.#watchdog?.closeWithoutGoodbye();
    await this.#server.close();
    this.#guard?.closeFiles();
  }
}

function guardedPaths(dataFolder: string): string[] {
  const journal = join(dataFolder, JOURNAL_FOLDER);
  const { file, isFile } = controlPath(dataFolder, 'control');
  return [dataFolder, journal, lockOf(journal), ...(isFile ? [file] : [])];
}

function openAppending(file: string): number {
  try {
    return openSync(file, 'a', 0o600);
  } catch (fault) {
    throw new UsageError(`${file}: cannot be opened: ${String(fault)}`, { cause: fault });
  }
}

/** No order of the session can rest any longer. */
function isClean(end: SessionEnd): boolean {
  return end.type === 'stopped' || end.type === 'refused' || end.ordersLeft === 0;
}
