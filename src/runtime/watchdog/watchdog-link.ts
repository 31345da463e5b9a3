// The bot's connection to its watchdog: starts the watchdog, sends heartbeats, replaces a lost watchdog, and reports
// repeated losses. Must never block the bot: a watchdog that does not read is replaced.
import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import type { Logger } from '../../log.ts';
import type { Scheduler, Timer } from '../../transport/scheduler.ts';
import { type Heartbeat, HEARTBEAT_ANSWER, type BotMessage } from './watchdog-messages.ts';

export interface WatchdogLinkOptions {
  readonly command: readonly [program: string, ...args: string[]];
  /** The open file that receives the watchdog's standard error. */
  readonly errors: number;
  readonly scheduler: Scheduler;
  readonly log: Logger;
  readonly deadlineMs: number;
  /** Sent to each new watchdog before the heartbeats, without its newline. */
  readonly firstLine: string;
  readonly heartbeatContent: () => Omit<Heartbeat, 'type' | 'beats'>;
  /** Called when no watchdog can be kept running. If the bot then dies, its orders are not canceled. */
  readonly onLost: (why: string) => void;
}

const HEARTBEATS = 20;
const HEARTBEAT_MS_MAX = 250;
/** More losses than this within a minute are reported. */
const LOSSES_MAX = 3;
const LOSSES_WITHIN_MS = 60_000;
/** Longest wait for the first answer of a new process. Milliseconds. */
const FIRST_ANSWER_MS = 15_000;
const GOODBYE_WITHIN_MS = 2000;
/** Pause before the first replacement within a minute. Each further one waits `PAUSE_FACTOR` times as long. Milliseconds. */
const PAUSE_FIRST_MS = 100;
const PAUSE_FACTOR = 4;

/** A connection to a watchdog process, and to its replacements. */
export class WatchdogLink {
  readonly #options: WatchdogLinkOptions;
  readonly #heartbeatMs: number;
  #child: ChildProcess | null = null;
  #timer: Timer | null = null;
  #replacement: Timer | null = null;
  #heartbeats = 0;
  /**
   * Heartbeats since the watchdog's last answer. They are counted, not timed: a bot that hung has not read answers
   * either.
   */
  #unanswered = 0;
  #hasAnswered = false;
  #losses: number[] = [];
  #isEnded = false;
  /** True after too many losses, until `startAgain` or the end. */
  #isGivenUp = false;

  constructor(options: WatchdogLinkOptions) {
    this.#options = options;
    this.#heartbeatMs = Math.max(1, Math.min(HEARTBEAT_MS_MAX, Math.floor(options.deadlineMs / HEARTBEATS)));
  }

  start(): void {
    this.#spawn();
    this.#scheduleHeartbeat();
  }

  /** Starts a watchdog again that was given up. Called when a person lets the bot trade again. */
  startAgain(): void {
    if (!this.#isGivenUp) return;
    this.#isGivenUp = false;
    this.#isEnded = false;
    this.#losses = [];
    this.start();
  }

  /** Sends a heartbeat now: the watchdog must know of a change before the bot can die. */
  sendHeartbeat(): void {
    this.#heartbeats += 1;
    this.#send({ type: 'beat', ...this.#options.heartbeatContent(), beats: this.#heartbeats });
  }

  /** Ends the watchdog, because no order rests. Resolves when it has ended, or after a short wait. */
  async sayGoodbye(): Promise<void> {
    this.#stop();
    const child = this.#child;
    if (!child || child.exitCode !== null) return;
    const exited = new Promise<void>((resolve) => void child.once('exit', () => resolve()));
    this.#send({ type: 'bye' });
    child.stdin?.end();
    const { scheduler } = this.#options;
    const timedOut = new Promise<void>((resolve) => void scheduler.after(GOODBYE_WITHIN_MS, resolve));
    await Promise.race([exited, timedOut]);
  }

  /**
   * Closes the connection without a goodbye: orders may rest, and the watchdog must cancel them. The watchdog may try
   * for an hour, and its open answers must not keep the bot's process alive meanwhile.
   */
  closeWithoutGoodbye(): void {
    this.#stop();
    this.#child?.stdin?.end();
    const answers = this.#child?.stdout;
    if (answers instanceof Socket) answers.unref();
  }

  #stop(): void {
    this.#isEnded = true;
    this.#isGivenUp = false;
    for (const timer of [this.#timer, this.#replacement]) if (timer) this.#options.scheduler.cancel(timer);
    this.#timer = null;
    this.#replacement = null;
  }

  #spawn(): void {
    const [program, ...args] = this.#options.command;
    // The watchdog gets a process group of its own, so that Ctrl-C stops only the bot.
    const child = spawn(program, args, { detached: true, stdio: ['pipe', 'pipe', this.#options.errors] });
    this.#child = child;
    this.#unanswered = 0;
    this.#hasAnswered = false;
    child.on('error', (fault) => this.#onLoss(child, fault.message));
    child.on('exit', (code, signal) => this.#onLoss(child, `it ended (${signal ?? code})`));
    child.stdin?.on('error', () => undefined);
    child.stdout?.on('error', () => undefined).setEncoding('utf8');
    child.stdout?.on('data', (text: string) => this.#onAnswer(text));
    this.#options.log.info({ pid: child.pid }, 'the watchdog runs');
    child.unref();
    child.stdin?.write(`${this.#options.firstLine}\n`);
    this.sendHeartbeat();
  }

  #onAnswer(text: string): void {
    if (!text.includes(HEARTBEAT_ANSWER)) return;
    this.#hasAnswered = true;
    this.#unanswered = 0;
  }

  #scheduleHeartbeat(): void {
    this.#timer = this.#options.scheduler.after(this.#heartbeatMs, () => {
      this.#scheduleHeartbeat();
      this.sendHeartbeat();
      this.#replaceIfSilent();
    });
  }

  #send(message: BotMessage): void {
    this.#unanswered += 1;
    const stdin = this.#child?.stdin;
    // Messages that the watchdog does not read must not pile up here.
    if (!stdin || stdin.writableNeedDrain) return;
    stdin.write(`${JSON.stringify(message)}\n`);
  }

  #replaceIfSilent(): void {
    const child = this.#child;
    if (!child) return;
    const waitMs = this.#hasAnswered
      ? 2 * this.#options.deadlineMs
      : Math.max(FIRST_ANSWER_MS, this.#options.deadlineMs);
    if (this.#unanswered * this.#heartbeatMs < waitMs) return;
    child.kill('SIGKILL');
    this.#onLoss(child, 'it does not answer');
  }

  #onLoss(child: ChildProcess, why: string): void {
    if (this.#isEnded || child !== this.#child) return;
    this.#child = null;
    const { scheduler, log, onLost } = this.#options;
    const now = scheduler.now();
    this.#losses = [...this.#losses.filter((at) => now - at < LOSSES_WITHIN_MS), now];
    const losses = this.#losses.length;
    if (losses > LOSSES_MAX) {
      log.error({ why, losses }, 'the watchdog is lost');
      this.#stop();
      this.#isGivenUp = true;
      return onLost(`no watchdog can be kept running: ${why}`);
    }
    const pauseMs = PAUSE_FIRST_MS * PAUSE_FACTOR ** (losses - 1);
    log.error({ why, losses, pauseMs }, 'the watchdog is lost; a new one starts after the pause');
    this.#replacement = scheduler.after(pauseMs, () => this.#spawn());
  }
}
