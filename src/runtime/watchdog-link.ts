// The bot's end of the line to its watchdog: starts it, gives signs of life, starts it again when it is gone, and says so
// when that does not help. Must never hold up the bot: a watchdog that does not read is replaced.
import { type ChildProcess, spawn } from 'node:child_process';
import type { Logger } from '../log.ts';
import type { Scheduler, Timer } from '../transport/scheduler.ts';
import { type Beat, HEARD, type Sign } from './watchdog-messages.ts';

export interface WatchdogLinkOptions {
  /** The program and its arguments. */
  readonly command: readonly [program: string, ...args: string[]];
  /** Where what it says on standard error goes: an open file. */
  readonly errors: number;
  readonly scheduler: Scheduler;
  readonly log: Logger;
  readonly deadlineMs: number;
  /** What the session has to say of itself. */
  readonly life: () => Omit<Beat, 'type' | 'beats'>;
  /** No watchdog can be kept running: nobody would withdraw the orders of a bot that dies. */
  readonly onLost: (why: string) => void;
}

/** Beats a deadline has. */
const BEATS = 20;
const BEAT_MS_MAX = 250;
/** Watchdogs that may be lost within a minute. */
const LOSSES_MAX = 3;
const LOSSES_WITHIN_MS = 60_000;
/** The first answer takes a new process longer than all others. */
const FIRST_WORD_MS = 15_000;
const BYE_WITHIN_MS = 2000;

/** A line to one watchdog after the other. */
export class WatchdogLink {
  readonly #options: WatchdogLinkOptions;
  readonly #beatMs: number;
  #child: ChildProcess | null = null;
  #timer: Timer | null = null;
  #beats = 0;
  /** Beats since the watchdog's last answer: counted, not timed, for a bot that hung has not listened either. */
  #unanswered = 0;
  #hasSpoken = false;
  #losses: number[] = [];
  #isOver = false;

  constructor(options: WatchdogLinkOptions) {
    this.#options = options;
    this.#beatMs = Math.max(1, Math.min(BEAT_MS_MAX, Math.floor(options.deadlineMs / BEATS)));
  }

  /** Starts the watchdog and the signs of life. */
  start(): void {
    this.#spawn();
    this.#beatLater();
  }

  /** Gives a sign of life now: what has just begun must not be unknown when the bot dies. */
  beat(): void {
    this.#beats += 1;
    this.#say({ type: 'beat', ...this.#options.life(), beats: this.#beats });
  }

  /** Says goodbye: nothing rests. Resolves when the watchdog is gone, or is left to itself. */
  async bye(): Promise<void> {
    this.#stop();
    const child = this.#child;
    if (!child || child.exitCode !== null) return;
    const gone = new Promise<void>((resolve) => void child.once('exit', () => resolve()));
    this.#say({ type: 'bye' });
    child.stdin?.end();
    const { scheduler } = this.#options;
    const late = new Promise<void>((resolve) => void scheduler.after(BYE_WITHIN_MS, resolve));
    await Promise.race([gone, late]);
  }

  /** Leaves without goodbye: something may rest, and the watchdog is to see to it. */
  leave(): void {
    this.#stop();
    this.#child?.stdin?.end();
  }

  #stop(): void {
    this.#isOver = true;
    if (this.#timer) this.#options.scheduler.cancel(this.#timer);
    this.#timer = null;
  }

  #spawn(): void {
    const [program, ...args] = this.#options.command;
    // A group of its own: Ctrl-C is for the bot.
    const child = spawn(program, args, { detached: true, stdio: ['pipe', 'pipe', this.#options.errors] });
    this.#child = child;
    this.#unanswered = 0;
    this.#hasSpoken = false;
    child.on('error', (fault) => this.#lost(child, fault.message));
    child.on('exit', (code, signal) => this.#lost(child, `it ended (${signal ?? code})`));
    child.stdin?.on('error', () => undefined);
    child.stdout?.on('error', () => undefined).setEncoding('utf8');
    child.stdout?.on('data', (text: string) => this.#heard(text));
    this.#options.log.info({ pid: child.pid }, 'the watchdog runs');
    child.unref();
    this.beat();
  }

  #heard(text: string): void {
    if (!text.includes(HEARD)) return;
    this.#hasSpoken = true;
    this.#unanswered = 0;
  }

  #beatLater(): void {
    this.#timer = this.#options.scheduler.after(this.#beatMs, () => {
      this.#beatLater();
      this.beat();
      this.#replaceIfDeaf();
    });
  }

  #say(sign: Sign): void {
    this.#unanswered += 1;
    const stdin = this.#child?.stdin;
    // What it does not read must not pile up here.
    if (!stdin || stdin.writableNeedDrain) return;
    stdin.write(`${JSON.stringify(sign)}\n`);
  }

  #replaceIfDeaf(): void {
    const child = this.#child;
    if (!child) return;
    const waitMs = this.#hasSpoken ? 2 * this.#options.deadlineMs : Math.max(FIRST_WORD_MS, this.#options.deadlineMs);
    if (this.#unanswered * this.#beatMs < waitMs) return;
    child.kill('SIGKILL');
    this.#lost(child, 'it does not answer');
  }

  #lost(child: ChildProcess, why: string): void {
    if (this.#isOver || child !== this.#child) return;
    this.#child = null;
    const { scheduler, log, onLost } = this.#options;
    const now = scheduler.now();
    this.#losses = [...this.#losses.filter((at) => now - at < LOSSES_WITHIN_MS), now];
    log.error({ why, losses: this.#losses.length }, 'the watchdog is lost');
    if (this.#losses.length > LOSSES_MAX) {
      this.#stop();
      return onLost(`no watchdog can be kept running: ${why}`);
    }
    this.#spawn();
  }
}
