// `presage watchdog`: started by `presage run` beside itself, with a connection and key of its own; withdraws what rests
// when the bot dies or hangs. Must outlive its parent and the terminal, and never place an order.
import { Command } from '@commander-js/extra-typings';
import { createInterface } from 'node:readline';
import { type BotConfig } from '../config/bot-config.ts';
import { isMintedBySession } from '../domain/client-order-id.ts';
import type { OrderReport } from '../domain/event.ts';
import type { HaltedBy } from '../domain/operator-order.ts';
import type { Micros } from '../domain/units.ts';
import { openLog } from '../log.ts';
import type { ControlReply } from '../runtime/operator/control-messages.ts';
import { ControlServer, type ProcessRequest } from '../runtime/operator/control-server.ts';
import { controlPath } from '../runtime/operator/control-path.ts';
import type { CancelSweepResult, CancelSweepOptions } from '../runtime/session/cancel-sweep.ts';
import { type StrikeCause, BotWatchdog } from '../runtime/watchdog/bot-watchdog.ts';
import { type Heartbeat, HEARTBEAT_ANSWER, parseBotMessage } from '../runtime/watchdog/watchdog-messages.ts';
import { systemScheduler } from '../transport/scheduler.ts';
import { onHaltSignal } from '../app/halt-signals.ts';
import { ACCOUNT_SCOPE, type OperatorContext, openOperatorContext } from '../app/operate/operator-context.ts';
import { DirectCancel } from '../app/operate/direct-cancel.ts';
import { UsageError } from '../app/usage-error.ts';

/** The command. */
export function watchdogCommand() {
  return new Command('watchdog')
    .description('Watch the bot at the other end of standard input. `presage run` starts it by itself.')
    .requiredOption('--config <file>', 'the bot’s config')
    .action(async ({ config }) => {
      const operation = openOperatorContext(config);
      const log = openLog({ level: 'info', file: `${operation.dataFolder}/watchdog.log` });
      const hands = await DirectCancel.connect(operation.config, log);
      if (hands === null) throw new UsageError(`${config}: a watchdog needs venue.key, and a venue outside the bot`);
      new Kennel({ ...operation, log }, hands).open();
    });
}

const DOOR_EVERY_MS = 500;

/** The process around one watchdog. */
class Kennel {
  readonly #operation: OperatorContext;
  readonly #hands: DirectCancel;
  readonly #dog: BotWatchdog;
  #door: ControlServer | null = null;

  constructor(operation: OperatorContext, hands: DirectCancel) {
    this.#operation = operation;
    this.#hands = hands;
    this.#dog = new BotWatchdog({
      scheduler: systemScheduler,
      deadlineMs: Math.ceil(this.#watchdog.deadline / 1000),
      strike: (cause, last) => this.#strike(cause, last),
      onEnd: (why) => void this.#end(why),
    });
  }

  get #watchdog(): BotConfig['watchdog'] {
    return this.#operation.config.watchdog;
  }

  open(): void {
    // Ctrl-C, a closed terminal and a service that is stopped are for the bot: this ends when that has.
    for (const signal of ['SIGINT', 'SIGHUP', 'SIGTERM'] as const) process.on(signal, () => undefined);
    onHaltSignal((signal) => this.#latch('operator', `the signal ${signal} to the watchdog`));
    process.stdout.on('error', () => undefined);
    const lines = createInterface({ input: process.stdin });
    lines.on('line', (line) => this.#hear(line));
    lines.on('close', () => this.#dog.onDisconnect());
    void this.#openDoor();
    this.#operation.log.info({ deadlineMs: this.#watchdog.deadline / 1000 }, 'watching');
  }

  #hear(line: string): void {
    const sign = parseBotMessage(line);
    if (sign === null) return;
    process.stdout.write(`${HEARTBEAT_ANSWER}\n`);
    this.#dog.onMessage(sign);
  }

  /** The one of a session that died may still be at its work, and have the door. */
  async #openDoor(): Promise<void> {
    const path = controlPath(this.#operation.dataFolder, 'watchdog');
    const answer = (question: ProcessRequest): Promise<ControlReply> => this.#answer(question);
    try {
      this.#door = await ControlServer.openSocket({ path, role: 'presage watchdog', answerRequest: answer });
    } catch {
      setTimeout(() => void this.#openDoor(), DOOR_EVERY_MS).unref();
    }
  }

  async #strike(cause: StrikeCause, last: Heartbeat | null): Promise<void> {
    const { log } = this.#operation;
    log.error({ cause, last }, cause === 'died' ? 'the bot died: withdrawing' : 'the bot hangs: withdrawing');
    // A bot that hung and comes back must not go on as if nothing had been: a person looks first.
    if (cause === 'hung')
      this.#latch('watchdog', `the bot gave no sign of life for ${Math.round(this.#dog.silentMs)} ms`);
    const end = await this.#withdraw(last, this.#watchdog.giveUpAfter / 1000);
    log[end.isDone ? 'warn' : 'fatal'](
      { ...end },
      end.isDone ? 'nothing of it rests' : 'gave up: orders MAY STILL REST',
    );
  }

  /** Halts the account; a bot that runs sees it within a moment, and cancels what rests. */
  #latch(by: HaltedBy, reason: string): void {
    const { latch, clock, log } = this.#operation;
    log.warn({ by, reason }, 'halting the account');
    try {
      latch.writeHalt({ scope: ACCOUNT_SCOPE, by, reason, since: clock.now() });
    } catch (fault) {
      log.fatal({ err: fault }, 'the halt could not be written');
    }
  }

  #withdraw(last: Heartbeat | null, withinMs: number): Promise<CancelSweepResult> {
    const { config } = this.#operation;
    return this.#hands.cancelOrders({ isOurs: this.#isOurs(last), graceMs: config.orders.grace / 1000, withinMs });
  }

  /** A session that began since is none of its business: it withdraws what it finds by itself. */
  #isOurs(last: Heartbeat | null): CancelSweepOptions['isOurs'] {
    const { config, clock } = this.#operation;
    const session = last?.session ?? '';
    const until = (clock.now() + config.orders.grace) as Micros;
    if (this.#watchdog.cancels === 'account')
      return ({ createdAt }: OrderReport) => createdAt === null || createdAt <= until;
    return ({ clientOrderId }) => session !== '' && isMintedBySession(session, clientOrderId);
  }

  async #answer(question: ProcessRequest): Promise<ControlReply> {
    const { lastHeartbeat: last, silentMs } = this.#dog;
    if (question.type === 'status') return { type: 'status', status: { watching: last, silentMs } };
    const { order, withinMs } = question;
    if (order.type !== 'halt' && order.type !== 'cancel-all')
      return { type: 'refused', why: 'a watchdog withdraws, and does nothing else' };
    this.#operation.log.warn({ order }, 'withdrawing because an operator asks');
    const end = await this.#withdraw(last, withinMs);
    const left = (end.left ?? []).map((one) => ({ ...one, state: 'working' }));
    const remarks = end.trouble === null ? [] : [`the watchdog met: ${end.trouble}`];
    return { type: 'done', report: { isDone: end.isDone, withdrawn: end.canceled, left, halts: [], remarks } };
  }

  async #end(why: 'bye' | 'died'): Promise<void> {
    this.#operation.log.info({ why }, 'the watch is over');
    await Promise.all([this.#door?.close(), this.#hands.close()]);
    this.#operation.log.flush();
    process.exit(0);
  }
}
