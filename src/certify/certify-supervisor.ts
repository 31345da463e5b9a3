// Waits for the process that certifies a strategy. A process that hangs is killed: a strategy that never returns or
// uses up all memory has failed. Must never run the strategy itself.
import { type ChildProcess, spawn } from 'node:child_process';
import { CHECK_NAMES, type CheckName, type CheckVerdict } from './check-verdict.ts';
import type { CertifyJob, WorkerMessage } from './certify-job.ts';

/** The result of a certification. */
export interface CertifyEnd {
  readonly verdicts: readonly CheckVerdict[];
  readonly elapsedMs: ReadonlyMap<CheckName, number>;
  readonly done: Extract<WorkerMessage, { type: 'done' }> | null;
  readonly refused: Extract<WorkerMessage, { type: 'refused' }> | null;
}

export interface SuperviseOptions {
  readonly job: CertifyJob;
  /** The program and its arguments. It receives the job as its first message. */
  readonly command: readonly [string, ...string[]];
  /** Longest time between two messages of the process. Milliseconds. */
  readonly checkMsMax: number;
  readonly onMessage?: (message: WorkerMessage) => void;
  readonly signal?: AbortSignal;
}

/** Runs a job in a process of its own. */
export function superviseJob(options: SuperviseOptions): Promise<CertifyEnd> {
  return new Promise((resolve) => {
    new Supervisor(options, resolve).start();
  });
}

/**
 * Maximum number of processes that end without a result. A strategy that hangs everywhere is not tried in every check.
 */
const LOST_MAX = 2;

class Supervisor {
  readonly #options: SuperviseOptions;
  readonly #resolve: (end: CertifyEnd) => void;
  readonly #verdicts: CheckVerdict[] = [];
  readonly #elapsedMs = new Map<CheckName, number>();
  #done: CertifyEnd['done'] = null;
  #refused: CertifyEnd['refused'] = null;
  #running: CheckName = 'loads';
  #hasStarted = false;
  #lostCount = 0;
  #timeout: NodeJS.Timeout | undefined;
  #isHung = false;

  constructor(options: SuperviseOptions, resolve: (end: CertifyEnd) => void) {
    this.#options = options;
    this.#resolve = resolve;
  }

  start(job = this.#options.job): void {
    const [program, ...args] = this.#options.command;
    this.#isHung = false;
    this.#hasStarted = false;
    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    child.on('message', (message: WorkerMessage) => this.#onMessage(message, child));
    child.on('error', (fault) => this.#refuse(fault.message));
    child.on('close', (code, signal) => this.#onExit(code, signal));
    this.#options.signal?.addEventListener('abort', () => child.kill('SIGKILL'));
    child.send(job, (fault) => fault !== null && this.#refuse(fault.message));
    this.#restartTimeout(child);
  }

  #restartTimeout(child: ChildProcess): void {
    clearTimeout(this.#timeout);
    this.#timeout = setTimeout(() => {
      this.#isHung = true;
      child.kill('SIGKILL');
    }, this.#options.checkMsMax);
  }

  #onMessage(message: WorkerMessage, child: ChildProcess): void {
    this.#restartTimeout(child);
    if (message.type === 'check') this.#onCheckStart(message.name);
    if (message.type === 'verdict') {
      this.#verdicts.push(message.verdict);
      this.#elapsedMs.set(message.verdict.check, message.elapsedMs);
    }
    if (message.type === 'done') this.#done = message;
    if (message.type === 'refused') this.#refused = message;
    this.#options.onMessage?.(message);
  }

  #onCheckStart(name: CheckName): void {
    this.#running = name;
    this.#hasStarted = true;
  }

  #refuse(message: string): void {
    this.#refused ??= { type: 'refused', isUsers: false, message };
  }

  #onExit(code: number | null, signal: NodeJS.Signals | null): void {
    clearTimeout(this.#timeout);
    if (this.#done === null && this.#refused === null) {
      this.#verdicts.push(this.#lostVerdict(signal ?? `code ${code}`));
      this.#lostCount += 1;
      if (this.#startNext()) return;
    }
    this.#resolve({
      verdicts: this.#verdicts,
      elapsedMs: this.#elapsedMs,
      done: this.#done,
      refused: this.#refused,
    });
  }

  /** Starts another process for the remaining checks. Returns false when no process was started. */
  #startNext(): boolean {
    const { job, signal } = this.#options;
    const only = CHECK_NAMES.slice(CHECK_NAMES.indexOf(this.#running) + 1).filter((name) => job.only.includes(name));
    if (!this.#hasStarted || this.#lostCount >= LOST_MAX || only.length === 0 || signal?.aborted === true) return false;
    this.start({ ...job, only });
    return true;
  }

  #lostVerdict(exit: string): CheckVerdict {
    const seconds = this.#options.checkMsMax / 1000;
    const words = this.#isHung
      ? `it did not return within ${seconds} s: an endless loop, perhaps`
      : `its process ended by itself (${exit}): all memory used up, perhaps`;
    const remedy = 'run this check alone with --check, and look for what grows or never ends';
    return { check: this.#running, isPassed: false, words, remedy, stream: null };
  }
}
