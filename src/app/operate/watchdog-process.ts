// The process of a watchdog. It reads the bot's heartbeats from standard input, and cancels the bot's orders when the
// bot dies or hangs. Must outlive its parent and the terminal. Must never place an order.
import { existsSync } from 'node:fs';
import { type BotConfig, readBotConfig } from '../../config/bot-config.ts';
import { isMintedBySession } from '../../domain/orders/client-order-id.ts';
import type { OrderReport } from '../../domain/event.ts';
import type { HaltedBy } from '../../domain/operator-order.ts';
import type { Micros } from '../../domain/units.ts';
import { openLog, reopenLog } from '../../log.ts';
import type { ControlReply } from '../../runtime/operator/control-messages.ts';
import { controlPath } from '../../runtime/operator/control-path.ts';
import { ControlServer, type ProcessRequest } from '../../runtime/operator/control-server.ts';
import type { CancelSweepOptions, CancelSweepResult } from '../../runtime/session/cancel-sweep.ts';
import { BotWatchdog, type StrikeCause } from '../../runtime/watchdog/bot-watchdog.ts';
import {
  HEARTBEAT_ANSWER,
  type Heartbeat,
  parseBotMessage,
  parseConfigLine,
} from '../../runtime/watchdog/watchdog-messages.ts';
import { systemScheduler } from '../../transport/scheduler.ts';
import { onHaltSignal } from '../halt-signals.ts';
import { UsageError } from '../usage-error.ts';
import { BotLines } from './bot-lines.ts';
import { DirectCancel } from './direct-cancel.ts';
import { StrikeAlerts } from './strike-alerts.ts';
import { ACCOUNT_SCOPE, type OperatorContext, operatorContextOf } from './operator-context.ts';

/** Options of a watchdog. */
export interface WatchdogOptions {
  /** The bot's config file. */
  readonly file: string;
  /** Uses the config that the session runs with, from the first line of the bot, in place of the file as it is now. */
  readonly isSessionConfig: boolean;
}

/**
 * Turns this process into the watchdog of a config's bot. It exits when the bot has ended.
 * @throws {ConfigError} when the config cannot be used.
 * @throws {UsageError} when the config has no key, its exchange is embedded in the bot's process, or its data folder
 *   does not exist.
 * @throws {KeyFault} when the key cannot be used.
 */
export async function startWatchdog({ file, isSessionConfig }: WatchdogOptions): Promise<void> {
  const lines = new BotLines(process.stdin);
  const config = isSessionConfig ? sessionConfig(await lines.takeFirst()) : readBotConfig(file);
  refuseMissingFolder(config);
  const context = operatorContextOf({ file, config, isPaper: false });
  const log = openLog({ level: 'info', file: logFileOf(context) });
  const alerts = StrikeAlerts.open({ ...context, log });
  const direct = await DirectCancel.connect({ ...context, log });
  if (direct === null) throw new UsageError(`${file}: a watchdog needs venue.key, and a venue outside the bot`);
  new WatchdogProcess({ ...context, log }, direct, alerts).start(lines);
}

/** @throws {UsageError} when the line holds no config. */
function sessionConfig(line: string | null): BotConfig {
  const config = line === null ? null : parseConfigLine(line);
  if (config !== null) return config;
  const found = line === null ? 'the end of the input' : 'another line';
  throw new UsageError(`--session-config: expected the session’s config on standard input, found ${found}`);
}

/**
 * The bot creates its data folder before it starts its watchdog, so a missing folder was removed. A log of the watchdog
 * would create it again, and hide from the bot that it was removed.
 */
function refuseMissingFolder({ dataFolder }: BotConfig): void {
  if (dataFolder === undefined || existsSync(dataFolder)) return;
  throw new UsageError(`${dataFolder}: expected the data folder of a running bot, found nothing`);
}

const logFileOf = ({ dataFolder }: Pick<OperatorContext, 'dataFolder'>): string => `${dataFolder}/watchdog.log`;

const SOCKET_RETRY_MS = 500;

class WatchdogProcess {
  readonly #context: OperatorContext;
  readonly #direct: DirectCancel;
  readonly #watchdog: BotWatchdog;
  readonly #alerts: StrikeAlerts | null;
  #server: ControlServer | null = null;

  constructor(context: OperatorContext, direct: DirectCancel, alerts: StrikeAlerts | null) {
    this.#context = context;
    this.#direct = direct;
    this.#alerts = alerts;
    this.#watchdog = new BotWatchdog({
      scheduler: systemScheduler,
      deadlineMs: Math.ceil(this.#config.deadline / 1000),
      strike: (cause, last) => this.#strike(cause, last),
      onReturn: () => this.#alerts?.onReturn(this.#watchdog.lastHeartbeat?.session ?? ''),
      onEnd: (why) => void this.#exit(why),
    });
  }

  get #config(): BotConfig['watchdog'] {
    return this.#context.config.watchdog;
  }

  start(lines: BotLines): void {
    // Stop signals are for the bot: the watchdog ends when the bot has ended.
    for (const signal of ['SIGINT', 'SIGHUP', 'SIGTERM'] as const) process.on(signal, () => undefined);
    onHaltSignal((signal) => this.#haltAccount('operator', `the signal ${signal} to the watchdog`));
    process.stdout.on('error', () => undefined);
    lines.handleWith({ onLine: (line) => this.#onLine(line), onEnd: () => this.#watchdog.onDisconnect() });
    void this.#openServer();
    this.#context.log.info({ deadlineMs: this.#config.deadline / 1000 }, 'watching');
  }

  #onLine(line: string): void {
    const message = parseBotMessage(line);
    if (message === null) return;
    process.stdout.write(`${HEARTBEAT_ANSWER}\n`);
    this.#watchdog.onMessage(message);
  }

  /**
   * Retries while the watchdog of an earlier session still holds the socket. Gives up when the folder was removed, and
   * never creates it again.
   */
  async #openServer(): Promise<void> {
    if (!existsSync(this.#context.dataFolder)) return;
    const path = controlPath(this.#context.dataFolder, 'watchdog');
    const answerRequest = (request: ProcessRequest): Promise<ControlReply> => this.#answerRequest(request);
    try {
      const options = { path, role: 'presage watchdog', isFolderMade: true, answerRequest };
      this.#server = await ControlServer.openSocket(options);
    } catch {
      setTimeout(() => void this.#openServer(), SOCKET_RETRY_MS).unref();
    }
  }

  async #strike(cause: StrikeCause, last: Heartbeat | null): Promise<void> {
    const { log } = this.#context;
    log.error({ cause, last }, cause === 'died' ? 'the bot died: canceling' : 'the bot hangs: canceling');
    // A bot that comes back must not trade before a person has looked.
    if (cause === 'hung')
      this.#haltAccount('watchdog', `the bot gave no sign of life for ${Math.round(this.#watchdog.silentMs)} ms`);
    const canceling = this.#cancelOrders(last, this.#config.giveUpAfter / 1000);
    const strike = { cause, session: last?.session ?? '', silentMs: this.#watchdog.silentMs };
    this.#alerts?.reportStrike(strike, canceling);
    const result = await canceling;
    log[result.isDone ? 'warn' : 'fatal'](
      { ...result },
      result.isDone ? 'nothing of it rests' : 'gave up: orders MAY STILL REST',
    );
  }

  /** A running bot sees the saved halt within a moment, and cancels. */
  #haltAccount(by: HaltedBy, reason: string): void {
    const { latch, clock, log } = this.#context;
    log.warn({ by, reason }, 'halting the account');
    try {
      latch.writeHalt({ scope: ACCOUNT_SCOPE, by, reason, since: clock.now() });
    } catch (fault) {
      log.fatal({ err: fault }, 'the halt could not be written');
    }
  }

  #cancelOrders(last: Heartbeat | null, withinMs: number): Promise<CancelSweepResult> {
    const graceMs = this.#context.config.orders.grace / 1000;
    return this.#direct.cancelOrders({ isOurs: this.#isOurs(last), graceMs, withinMs });
  }

  /** A later session cancels its own orders: they are left alone. */
  #isOurs(last: Heartbeat | null): CancelSweepOptions['isOurs'] {
    const { config, clock } = this.#context;
    const session = last?.session ?? '';
    const until = (clock.now() + config.orders.grace) as Micros;
    if (this.#config.cancels === 'account')
      return ({ createdAt }: OrderReport) => createdAt === null || createdAt <= until;
    return ({ clientOrderId }) => session !== '' && isMintedBySession(session, clientOrderId);
  }

  async #answerRequest(request: ProcessRequest): Promise<ControlReply> {
    const { lastHeartbeat, silentMs } = this.#watchdog;
    if (request.type === 'status') return { type: 'status', status: { watching: lastHeartbeat, silentMs } };
    if (request.type === 'preview-flatten')
      return { type: 'refused', why: 'a watchdog cancels orders, and closes no position' };
    if (request.type === 'log-reopen') return this.#reopenLog();
    if (request.type === 'metrics')
      return { type: 'refused', why: 'a watchdog has no metrics: the bot answers for both' };
    const { order, withinMs } = request;
    if (order.type !== 'halt' && order.type !== 'cancel-all')
      return { type: 'refused', why: 'a watchdog cancels orders, and does nothing else' };
    this.#context.log.warn({ order }, 'canceling on an operator’s request');
    const { isDone, canceled, left, trouble } = await this.#cancelOrders(lastHeartbeat, withinMs);
    const remarks = trouble === null ? [] : [`the watchdog met: ${trouble}`];
    const resting = (left ?? []).map((each) => ({ ...each, state: 'working' }));
    return { type: 'done', report: { isDone, withdrawn: canceled, left: resting, halts: [], remarks } };
  }

  #reopenLog(): ControlReply {
    const fault = reopenLog(this.#context.log);
    return fault === null ? { type: 'reopened', file: logFileOf(this.#context) } : { type: 'refused', why: fault };
  }

  async #exit(why: 'bye' | 'died'): Promise<void> {
    this.#context.log.info({ why }, 'the watch is over');
    await Promise.all([this.#server?.close(), this.#direct.close()]);
    await this.#alerts?.close(why === 'died' ? this.#config.giveUpAfter / 1000 : 0);
    this.#context.log.flush();
    process.exit(0);
  }
}
