// The live loop: takes one raw input at a time, normalizes it, steps the engine, and executes the commands. It stops at
// the first fault. Must never let two inputs overlap: an input that arrives while another is handled waits.
import type { EngineEvent } from '../../domain/event.ts';
import type { Command } from '../../domain/venue-command.ts';
import type { Micros } from '../../domain/units.ts';
import type { Engine } from '../../engine.ts';
import type { TapedNotice } from '../../tape/format/input-lines.ts';
import type { Journal } from '../../tape/journal/journal-port.ts';
import { type Scheduler, type Timer, systemScheduler } from '../../transport/scheduler.ts';
import type { Answer, Input, Normalizer } from '../../venue.ts';
import { AwakeLoop } from './awake-loop.ts';
import type { Clock } from './system-clock.ts';
import type { CommandExecutor } from './command-executor.ts';
import type { SessionMeter } from './session-meter.ts';

export interface LiveLoopOptions {
  readonly engine: Engine;
  readonly normalizer: Normalizer;
  readonly clock: Clock;
  readonly scheduler?: Scheduler;
  /** Records inputs before they are handled, and commands before they are executed. */
  readonly journal?: Journal;
  readonly meter?: SessionMeter;
  /** Milliseconds after each message of the feed in which the event loop does not sleep. Default: none. */
  readonly awakeMs?: number;
  /** Called when an input could not be handled. Trading must stop; the loop has stopped already. */
  readonly onFault: (fault: unknown) => void;
}

/** Longer waits are cut to this, because Node fires timers above 2^31 ms at once. */
const SLEEP_MS_MAX = 60_000;

/** Drives one engine from one venue. */
export class LiveLoop {
  readonly #options: LiveLoopOptions;
  #executor: CommandExecutor | null = null;
  readonly #scheduler: Scheduler;
  readonly #awake: AwakeLoop | null;
  readonly #inbox: Input[] = [];
  /** Notices of the step that is running. Added by the session; removed when the step is over. */
  readonly #notices: TapedNotice[] = [];
  /** Commands that the answers to a batch have released so far; `null` while no batch is being handled. */
  #held: Command[] | null = null;
  #isBusy = false;
  #isStopped = false;
  #timer: Timer | null = null;
  #isWakeScheduled = false;
  #timerRuns = 0;
  readonly #step = (event: EngineEvent): void => {
    const commands = this.#options.engine.step(event);
    if (this.#notices.length > 0) this.#writeNotices(event);
    if (commands.length === 0) return;
    const { journal, meter, clock } = this.#options;
    meter?.onDecided(commands, event.at, clock.now());
    if (journal !== undefined) {
      journal.writeCommands(commands);
      meter?.onJournaled(clock.now());
    }
    if (this.#held === null) this.#executor?.executeCommands(commands);
    else this.#held.push(...commands);
  };

  constructor(options: LiveLoopOptions) {
    this.#options = options;
    this.#scheduler = options.scheduler ?? systemScheduler;
    this.#awake = options.awakeMs === undefined ? null : new AwakeLoop(this.#scheduler, options.awakeMs);
  }

  /** Writes the notices of a step. The journal has a halt that was ordered as the order itself. */
  #writeNotices({ kind }: EngineEvent): void {
    const notices = this.#notices.splice(0);
    const unsaid = kind === 'operator' ? notices.filter(({ type }) => type !== 'halt') : notices;
    this.#options.journal?.writeNotices(unsaid);
  }

  /** Keeps a notice for the journal until the end of its step. */
  noteForJournal(notice: TapedNotice): void {
    this.#notices.push(notice);
  }

  /** Sets the executor of the commands. */
  setExecutor(executor: CommandExecutor): void {
    this.#executor = executor;
  }

  /** Handles an input, at once or after the current input. */
  readonly acceptInput = (input: Input): void => {
    if (this.#isStopped) return;
    if (this.#isBusy) {
      // The bytes are copied, because a frame's memory may be reused.
      this.#inbox.push(input.type === 'frame' ? { ...input, bytes: new Uint8Array(input.bytes) } : input);
      return;
    }
    this.#isBusy = true;
    try {
      for (let next: Input | undefined = input; next && !this.#isStopped; next = this.#inbox.shift())
        this.#handle(next);
    } catch (fault) {
      this.stop();
      this.#options.onFault(fault);
    } finally {
      this.#isBusy = false;
    }
    this.#scheduleWake();
    if (input.type === 'frame') this.#awake?.noteMessage();
  };

  /**
   * Handles the answers to one request. The commands that they release are executed together, so that orders which follow
   * a batch may make a batch, too.
   */
  acceptAnswers(answers: readonly Answer[]): void {
    const held: Command[] = [];
    if (answers.length > 1) this.#held = held;
    answers.forEach(this.acceptInput);
    this.#held = null;
    // After a fault, nothing more may leave.
    if (held.length > 0 && !this.#isStopped) this.#executor?.executeCommands(held);
  }

  #handle(input: Input): void {
    this.#options.meter?.onInput(input);
    this.#options.journal?.writeInput(input);
    if (input.type === 'event') this.#step(input.event);
    else this.#options.normalizer.normalize(input, this.#step);
  }

  /** Asks the engine for its next wake time, at most once in each turn of the event loop. */
  #scheduleWake(): void {
    if (this.#isWakeScheduled) return;
    this.#isWakeScheduled = true;
    this.#scheduler.soon(() => {
      this.#isWakeScheduled = false;
      if (!this.#isStopped) this.#sleepUntil(this.#options.engine.wakeAt());
    });
  }

  #sleepUntil(at: Micros | null): void {
    if (this.#timer) this.#scheduler.cancel(this.#timer);
    this.#timer = null;
    if (at === null) return;
    const waitMs = Math.min(SLEEP_MS_MAX, Math.max(0, Math.ceil((at - this.#options.clock.now()) / 1000)));
    this.#timer = this.#scheduler.after(waitMs, () => this.#wake());
  }

  /** Number of times that the loop's own timer ran. It stops growing when the loop hangs. */
  get timerRuns(): number {
    return this.#timerRuns;
  }

  #wake(): void {
    this.#timerRuns += 1;
    this.acceptInput({ type: 'event', event: { kind: 'timer', at: this.#options.clock.now() } });
  }

  /** True: no further input is handled. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Stops the loop and drops the waiting inputs. */
  stop(): void {
    this.#isStopped = true;
    this.#awake?.stop();
    this.#inbox.length = 0;
    if (this.#timer) this.#scheduler.cancel(this.#timer);
    this.#timer = null;
  }
}
