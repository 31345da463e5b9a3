// Alerts of a running session: notices, end, disk and heartbeat. Must never throw into the session. Must never delay
// the session, except briefly at its end.
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { AlertService, type AlertServiceFigures } from '../../alerts/delivery/alert-service.ts';
import { type HeartbeatState, SessionHeartbeat } from '../../alerts/delivery/heartbeat.ts';
import type { AlertAct } from '../../alerts/record/alert-record.ts';
import { type AccountFigures, type AlertSource, alertsOfNotice } from '../../alerts/record/notice-alerts.ts';
import { draftOnPaper } from '../../alerts/record/paper-drafts.ts';
import { draftOfDisk, draftOfEnd } from '../../alerts/record/session-drafts.ts';
import type { AlertsConfig } from '../../config/alerts-config.ts';
import type { BotConfig } from '../../config/bot-config.ts';
import type { Halt } from '../../domain/operator-order.ts';
import { formatMoney } from '../../domain/units.ts';
import type { Notice } from '../../execution/engine-notice.ts';
import { scopeKey } from '../../execution/operator/halts.ts';
import type { Logger } from '../../log.ts';
import { accountSummary } from '../../report/account/account-summary.ts';
import type { LiveSession, SessionEnd } from '../../runtime/session/live-session.ts';
import { systemScheduler } from '../../transport/scheduler.ts';
import { botNameOf, heartbeatAddress, openTargets } from '../alerts/open-alerts.ts';
import { paperName } from './paper-folder.ts';

/** Name of the file with the waiting alerts, in the data folder. */
export const ALERTS_FILE = 'alerts.jsonl';

/** Time for the last deliveries of a session. The next start sends the rest. */
const CLOSE_MS_MAX = 5000;
const DISK_CHECK_MS = 60_000;
const BYTES_PER_MEGABYTE = 1_000_000;

export interface SessionAlertsOptions {
  readonly config: Pick<BotConfig, 'alerts' | 'dataFolder'>;
  readonly file: string;
  readonly log: Logger;
  /** A paper session has no heartbeat: its beats would hide a dead live session. */
  readonly isPaper: boolean;
}

/** The alerts of one session. */
export class SessionAlerts {
  readonly #options: SessionAlertsOptions;
  readonly #alerts: AlertsConfig;
  readonly #bot: string;
  readonly #heartbeat: SessionHeartbeat | null;
  #service: AlertService | null = null;
  #session: LiveSession | null = null;
  #source: AlertSource | null = null;
  #diskTimer: NodeJS.Timeout | null = null;

  private constructor(options: SessionAlertsOptions, alerts: AlertsConfig) {
    this.#options = options;
    this.#alerts = alerts;
    const name = botNameOf(options.file);
    this.#bot = options.isPaper ? paperName(name) : name;
    this.#heartbeat = this.#makeHeartbeat();
  }

  /**
   * Reads the section `alerts` and its secrets. Returns `null` when the config has no such section.
   * @throws {UsageError} when a secret cannot be used.
   */
  static open(options: SessionAlertsOptions): SessionAlerts | null {
    const { alerts } = options.config;
    if (alerts === undefined) return null;
    // Wrong secrets are found here, before the data folder is locked.
    openTargets(alerts);
    return new SessionAlerts(options, alerts);
  }

  #makeHeartbeat(): SessionHeartbeat | null {
    const address = heartbeatAddress(this.#alerts);
    const { heartbeat: config } = this.#alerts;
    if (address === null || config === undefined || this.#options.isPaper) return null;
    const state = (): HeartbeatState => this.#heartbeatState();
    return new SessionHeartbeat({ config, address, log: this.#options.log, scheduler: systemScheduler, state });
  }

  /** Starts the deliveries. Called once this process has locked the data folder. */
  start(): void {
    const { log, config } = this.#options;
    const { dataFolder } = config;
    this.#service = new AlertService({
      bot: this.#bot,
      link: this.#alerts.link ?? null,
      targets: openTargets(this.#alerts),
      file: dataFolder === undefined ? null : join(dataFolder, ALERTS_FILE),
      log,
    });
    if (dataFolder === undefined) return;
    this.#diskTimer = setInterval(() => void this.#checkDisk(dataFolder), DISK_CHECK_MS);
    void this.#checkDisk(dataFolder);
  }

  /** Deliveries of this process. `null` before `start`. */
  get figures(): AlertServiceFigures | null {
    return this.#service?.figures ?? null;
  }

  /**
   * Attaches the session before its start.
   * @param halts the halts that the session takes over. Reported halts that are not among them were lifted meanwhile.
   */
  attachSession(session: LiveSession, halts: readonly Halt[]): void {
    this.#session = session;
    this.#submit([haltsLifted(halts)]);
    const { tickers } = session.engine.state;
    this.#source = {
      bot: this.#bot,
      configFile: this.#options.file,
      accountFigures: () => accountFiguresOf(session),
      tickerOf: (market) => tickers.tickerOf(market),
    };
    this.#heartbeat?.start();
  }

  /** Queues the alerts of a notice. Runs within the engine's step, so it sends nothing itself. */
  submitNotice(notice: Notice): void {
    if (this.#source === null) return;
    const acts = alertsOfNotice(notice, this.#source);
    if (acts.length === 0) return;
    this.#submit(acts);
    const isFailure = acts.some(
      (act) => act.type === 'firing' && act.draft.code === 'halt' && act.draft.severity === 'critical',
    );
    if (isFailure) this.#heartbeat?.signalFailure();
    if (notice.type === 'resumed') this.#heartbeat?.endFailure();
  }

  #heartbeatState(): HeartbeatState {
    const session = this.#session;
    if (session === null) return { phase: 'idle', equity: '', isFailing: false, timerRuns: 0 };
    const { state, halts, session: phases } = session.engine;
    return {
      phase: phases.phase,
      equity: state.portfolio.isOpen ? formatMoney(accountSummary(state).equity) : '',
      isFailing: halts.listHalts().some(({ scope, by }) => scope.type === 'account' && by !== 'operator'),
      timerRuns: session.timerRuns,
    };
  }

  async #checkDisk(folder: string): Promise<void> {
    try {
      const { bavail, bsize } = await statfs(folder);
      const freeMegabytes = Math.floor((bavail * bsize) / BYTES_PER_MEGABYTE);
      const draft = draftOfDisk({ freeMegabytes, minMegabytes: this.#alerts.diskMegabytesMin }, this.#bot);
      const happened = `${freeMegabytes} MB are free on the disk of the data folder.`;
      this.#submit([draft ? { type: 'firing', draft } : { type: 'over', code: 'disk', scope: '', happened }]);
    } catch (fault) {
      this.#options.log.debug({ err: fault }, 'the free space of the disk could not be read');
    }
  }

  /** Reports the end, and waits briefly for the last deliveries. `end` is `null` after a fault outside the session. */
  async close(end: SessionEnd | null): Promise<void> {
    if (this.#diskTimer) clearInterval(this.#diskTimer);
    if (this.#session !== null) this.#reportEnd(end ?? FAULT_OUTSIDE);
    const isGood = end?.type === 'stopped';
    await Promise.all([
      this.#service?.close(CLOSE_MS_MAX),
      this.#session === null ? null : this.#heartbeat?.close(isGood ? 0 : 1),
    ]);
  }

  #reportEnd(end: SessionEnd): void {
    const draft = draftOfEnd(end, { bot: this.#bot, configFile: this.#options.file });
    this.#submit([{ type: 'firing', draft }]);
  }

  #submit(acts: readonly AlertAct[]): void {
    const { isPaper, file } = this.#options;
    this.#service?.submitActs(isPaper ? acts.map((act) => actOnPaper(act, file)) : acts);
  }
}

const actOnPaper = (act: AlertAct, file: string): AlertAct =>
  act.type === 'firing' ? { ...act, draft: draftOnPaper(act.draft, file) } : act;

const FAULT_OUTSIDE: SessionEnd = { type: 'fault', fault: 'see the log', ordersLeft: null };

/** Without this, the next halt of the scope would count as a repetition, and would not be sent. */
const haltsLifted = (inForce: readonly Halt[]): AlertAct => ({
  type: 'over-except',
  code: 'halt',
  scopes: inForce.map(({ scope }) => scopeKey(scope)),
  happened: 'The halt was lifted while no session ran.',
});

function accountFiguresOf({ engine }: LiveSession): AccountFigures {
  const { state, risk } = engine;
  const { dayProfit } = risk;
  const account = accountSummary(state);
  return {
    orders: state.orders.openCount,
    positions: account.positions.filter(({ qty }) => qty !== 0).length,
    dayProfit: state.portfolio.isOpen ? dayProfit : null,
  };
}
