// What stands around a running session: its data folder held for it alone, the latch, the operator's door, the watchdog.
// Must never let two bots run on one data folder, and never say goodbye to the watchdog while something may rest.
import { openSync } from 'node:fs';
import { join } from 'node:path';
import type { BotConfig } from '../../config/bot-config.ts';
import { type RestoredState, NOTHING_UNRESOLVED, type UnresolvedState } from '../../domain/operator-order.ts';
import type { Notice } from '../../execution/engine-notice.ts';
import type { Logger } from '../../log.ts';
import type { SessionSnapshot } from '../../report/account/session-snapshot.ts';
import type { Clock } from '../../runtime/session/system-clock.ts';
import { ControlServer } from '../../runtime/operator/control-server.ts';
import { controlPath } from '../../runtime/operator/control-path.ts';
import { FolderGuard, JOURNAL_FOLDER, refuseWritableFolder } from '../../runtime/saved/data-folder.ts';
import { Latch } from '../../runtime/saved/latch.ts';
import type { SessionEnd, LiveSession } from '../../runtime/session/live-session.ts';
import { OperatorService } from '../../runtime/operator/operator-service.ts';
import { SAVED_FOLDER, readSavedState } from '../../runtime/saved/saved-state.ts';
import { WatchdogLink } from '../../runtime/watchdog/watchdog-link.ts';
import type { BoundStrategy } from '../../strategy/strategy-definition.ts';
import { fileStorage } from '../../tape/journal/file-storage.ts';
import { lockOf } from '../../tape/journal/folder-lock.ts';
import type { Storage } from '../../tape/journal/storage.ts';
import { systemScheduler } from '../../transport/scheduler.ts';
import { onHaltSignal } from '../halt-signals.ts';
import { ACCOUNT_SCOPE } from '../operate/operator-context.ts';
import { PROGRAM_FILE } from '../../cli/program-file.ts';
import { statusOf } from './status-record.ts';
import { UsageError } from '../usage-error.ts';

export interface SupervisionOptions {
  readonly config: BotConfig;
  /** The config's file, for the watchdog to read. */
  readonly file: string;
  readonly log: Logger;
  readonly clock: Clock;
}

/** Around one session. */
export class Supervision {
  readonly latch: Latch;
  /** Where strategies keep what outlives a session. */
  readonly savedFolder: Storage;
  readonly #options: SupervisionOptions & { readonly dataFolder: string };
  readonly #door: ControlServer;
  #service: OperatorService | null = null;
  #link: WatchdogLink | null = null;
  #signals: ReturnType<typeof onHaltSignal> | null = null;
  /** While a session runs. */
  #hold: FolderGuard | null = null;

  private constructor(options: SupervisionOptions & { dataFolder: string }, door: ControlServer) {
    this.#options = options;
    this.#door = door;
    const check = (): void => this.#hold?.checkUnchanged();
    this.savedFolder = fileStorage(join(options.dataFolder, SAVED_FOLDER), check);
    this.latch = new Latch(fileStorage(options.dataFolder, check), () => options.clock.now());
  }

  /**
   * Takes the data folder; `null` when the config names none, which it may as long as nothing trades.
   * @throws {ControlFault} when another bot has it.
   * @throws {StorageFault} when others may write in it.
   */
  static async openDataFolder(options: SupervisionOptions): Promise<Supervision | null> {
    const { dataFolder } = options.config;
    if (dataFolder === undefined) return null;
    refuseWritableFolder(dataFolder);
    let supervision: Supervision | null = null;
    const door = await ControlServer.openSocket({
      path: controlPath(dataFolder, 'control'),
      role: 'presage run',
      answerRequest: (question) =>
        supervision?.answerRequest(question) ?? Promise.resolve({ type: 'refused', why: 'the session has not begun yet' }),
    });
    supervision = new Supervision({ ...options, dataFolder }, door);
    return supervision;
  }

  /** Answers what is asked over the door; `undefined` before there is a session to ask. */
  answerRequest(
    question: Parameters<OperatorService['answerRequest']>[0],
  ): ReturnType<OperatorService['answerRequest']> | undefined {
    return this.#service?.answerRequest(question);
  }

  /**
   * What the new session must know, with the orders that a dead one left. An exchange inside this process died with it:
   * no order rests there, and its account begins anew.
   */
  restoredState(remains: UnresolvedState): RestoredState {
    const { books, ...carried } = this.latch.readRestoredState(remains);
    if (this.#options.config.venue.embedded !== undefined) return { ...carried, ...NOTHING_UNRESOLVED, losses: null };
    return { ...carried, ...(books && { books }) };
  }

  /**
   * What the strategies kept.
   * @throws {SavedStateFault} when it does not fit one of them.
   */
  readSavedState(strategies: readonly BoundStrategy[]): Record<string, unknown> {
    return readSavedState(this.savedFolder, strategies);
  }

  /** Sees what the session tells. */
  onNotice(notice: Notice): void {
    this.#service?.onNotice(notice);
  }

  /** Has the session watched and ready for the operator, before it sends anything. */
  attachSession(session: LiveSession, look: () => SessionSnapshot): void {
    this.#hold = new FolderGuard(heldPaths(this.#options.dataFolder));
    const status = (): Record<string, unknown> => statusOf(session, look());
    this.#service = new OperatorService({ session, scheduler: systemScheduler, statusReport: status });
    this.#signals = onHaltSignal((signal) =>
      session.submitOperatorOrder({ type: 'halt', scope: ACCOUNT_SCOPE, by: 'operator', reason: `the signal ${signal}` }),
    );
    this.#link = this.#makeLink(session);
    this.#link?.start();
  }

  /** Nobody else could withdraw what an exchange inside this very process holds. */
  #makeLink(session: LiveSession): WatchdogLink | null {
    const { config, file, log, dataFolder } = this.#options;
    const { venue, watchdog, strategies } = config;
    if (!watchdog.enabled || venue.embedded !== undefined || venue.key === undefined || strategies.length === 0)
      return null;
    return new WatchdogLink({
      command: [process.execPath, ...process.execArgv, PROGRAM_FILE, 'watchdog', '--config', file],
      errors: openErrors(join(dataFolder, 'watchdog.log')),
      scheduler: systemScheduler,
      log,
      deadlineMs: Math.ceil(watchdog.deadline / 1000),
      heartbeatContent: () => ({ session: session.sessionName, resting: session.engine.state.orders.openCount }),
      onLost: (reason) => session.submitOperatorOrder({ type: 'halt', scope: ACCOUNT_SCOPE, by: 'watchdog', reason }),
    });
  }

  /** The session has a name now: the watchdog must know it before its first order. */
  onSessionStarted(): void {
    this.#link?.sendHeartbeat();
  }

  /** The session has ended, so or so. What may rest is left to the watchdog. */
  async close(end: SessionEnd | null): Promise<void> {
    this.#signals?.release();
    if (end !== null && isClean(end)) await this.#link?.sayGoodbye();
    else this.#link?.closeWithoutGoodbye();
    await this.#door.close();
    this.#hold?.closeFiles();
  }
}

/** What is a session's alone while it runs: looked at with the latch. */
function heldPaths(dataFolder: string): string[] {
  const journal = join(dataFolder, JOURNAL_FOLDER);
  const { file, isFile } = controlPath(dataFolder, 'control');
  return [dataFolder, journal, lockOf(journal), ...(isFile ? [file] : [])];
}

function openErrors(file: string): number {
  try {
    return openSync(file, 'a', 0o600);
  } catch (fault) {
    throw new UsageError(`${file}: cannot be opened: ${String(fault)}`, { cause: fault });
  }
}

/** Whether nothing of the session can rest any more. */
function isClean(end: SessionEnd): boolean {
  return end.type === 'stopped' || end.type === 'refused' || end.ordersLeft === 0;
}
