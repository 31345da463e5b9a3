// Waits for the process that certifies a strategy, and ends it when it hangs: a strategy that never comes back, or that
// eats all memory, has failed, and whoever asked is told so. Must never run the strategy itself.
import { type ChildProcess, spawn } from 'node:child_process';
import { CHECK_NAMES, type CheckName, type Verdict } from './finding.ts';
import type { Job, Told } from './job.ts';

/** How it ended. */
export interface CertifyEnd {
  readonly verdicts: readonly Verdict[];
  readonly elapsedMs: ReadonlyMap<CheckName, number>;
  readonly done: Extract<Told, { type: 'done' }> | null;
  readonly refused: Extract<Told, { type: 'refused' }> | null;
}

export interface SuperviseOptions {
  readonly job: Job;
  /** The process to start: a program and its arguments. It takes the job as its first message. */
  readonly command: readonly [string, ...string[]];
  /** How long one check may take, milliseconds. */
  readonly checkMsMax: number;
  readonly onTold?: (told: Told) => void;
  readonly signal?: AbortSignal;
}

/** Has a job done by a process of its own. */
export function supervise(options: SuperviseOptions): Promise<CertifyEnd> {
  return new Promise((resolve) => {
    new Supervisor(options, resolve).start();
  });
}

/** So many processes may be lost: whoever hangs everywhere need not hang in every check. */
const LOST_MAX = 2;

class Supervisor {
  readonly #options: SuperviseOptions;
  readonly #resolve: (end: CertifyEnd) => void;
  readonly #verdicts: Verdict[] = [];
  readonly #elapsedMs = new Map<CheckName, number>();
  #done: CertifyEnd['done'] = null;
  #refused: CertifyEnd['refused'] = null;
  #running: CheckName = 'loads';
  /** Whether the process came to a check at all. */
  #isBegun = false;
  #lost = 0;
  #hung: NodeJS.Timeout | undefined;
  #isHung = false;

  constructor(options: SuperviseOptions, resolve: (end: CertifyEnd) => void) {
    this.#options = options;
    this.#resolve = resolve;
  }

  start(job = this.#options.job): void {
    const [program, ...args] = this.#options.command;
    this.#isHung = false;
    this.#isBegun = false;
    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    child.on('message', (told: Told) => this.#hear(told, child));
    child.on('error', (fault) => this.#refuse(fault.message));
    child.on('close', (code, signal) => this.#ended(code, signal));
    this.#options.signal?.addEventListener('abort', () => child.kill('SIGKILL'));
    child.send(job, (fault) => fault !== null && this.#refuse(fault.message));
    this.#wait(child);
  }

  #wait(child: ChildProcess): void {
    clearTimeout(this.#hung);
    this.#hung = setTimeout(() => {
      this.#isHung = true;
      child.kill('SIGKILL');
    }, this.#options.checkMsMax);
  }

  #hear(told: Told, child: ChildProcess): void {
    this.#wait(child);
    if (told.type === 'check') this.#begin(told.name);
    if (told.type === 'verdict') {
      this.#verdicts.push(told.verdict);
      this.#elapsedMs.set(told.verdict.check, told.elapsedMs);
    }
    if (told.type === 'done') this.#done = told;
    if (told.type === 'refused') this.#refused = told;
    this.#options.onTold?.(told);
  }

  #begin(name: CheckName): void {
    this.#running = name;
    this.#isBegun = true;
  }

  #refuse(message: string): void {
    this.#refused ??= { type: 'refused', isUsers: false, message };
  }

  #ended(code: number | null, signal: NodeJS.Signals | null): void {
    clearTimeout(this.#hung);
    if (this.#done === null && this.#refused === null) {
      this.#verdicts.push(this.#lostVerdict(signal ?? `code ${code}`));
      this.#lost += 1;
      if (this.#goesOn()) return;
    }
    this.#resolve({
      verdicts: this.#verdicts,
      elapsedMs: this.#elapsedMs,
      done: this.#done,
      refused: this.#refused,
    });
  }

  /** Has another process make the checks that the lost one did not come to; where that is lost too, it is enough. */
  #goesOn(): boolean {
    const { job, signal } = this.#options;
    const only = CHECK_NAMES.slice(CHECK_NAMES.indexOf(this.#running) + 1).filter((name) => job.only.includes(name));
    if (!this.#isBegun || this.#lost >= LOST_MAX || only.length === 0 || signal?.aborted === true) return false;
    this.start({ ...job, only });
    return true;
  }

  /** The process is gone without a word: what it was doing failed. */
  #lostVerdict(how: string): Verdict {
    const seconds = this.#options.checkMsMax / 1000;
    const words = this.#isHung
      ? `it did not come back within ${seconds} s: a loop without an end, perhaps`
      : `its process ended by itself (${how}): all memory used up, perhaps`;
    const remedy = 'run this check alone with --check, and look for what grows or does not end';
    return { check: this.#running, isPassed: false, words, remedy, stream: null };
  }
}
