// Runs a study: proposes trials, hands them to threads, and writes each end before the next proposal may see it. Must never
// count a trial twice, and loses at most the trials under way when it dies.
import { join } from 'node:path';
import { setImmediate as untilNextTurn } from 'node:timers/promises';
import { UsageError } from '../../app/usage-error.ts';
import { durationText } from '../../report/text/figure-text.ts';
import { writeParquet } from '../../history/export/history-files.ts';
import { GROUP_COLUMNS } from '../export/run-tables.ts';
import type { TrialLedger } from '../ledger/trial-ledger.ts';
import type { Pruner, Sampler } from '../search/sampler.ts';
import { RunningClock } from '../workers/running-time.ts';
import type { TrialOutcome, TrialPlace } from '../workers/trial-pool.ts';
import type { TrialTask } from '../workers/trial-run.ts';
import type { GroupResult } from '../trial/study-trial.ts';
import { groupsFile } from './group-files.ts';
import { missingEntries, studyEntry, trialEntry } from './ledger-entries.ts';
import { StudyState, endLine } from './study-state.ts';
import { makeStudyFolder } from './study-folder.ts';
import type { StudyPlan } from './study-plan.ts';
import { prunerOf, samplerOf } from './study-samplers.ts';
import type { EndLine } from './trial-lines.ts';
import { TrialLog } from './trial-log.ts';
import type { TrialRow } from './trial-schedule.ts';

/** News of a running study. */
export type StudyNews =
  | { readonly type: 'opened'; readonly state: StudyState; readonly cutBytes: number }
  | { readonly type: 'started'; readonly n: number }
  | { readonly type: 'ended'; readonly line: EndLine };

export interface RunStudyOptions {
  readonly plan: StudyPlan;
  readonly place: TrialPlace;
  /** Every trial that ends is added to it. */
  readonly ledger: TrialLedger;
  readonly onNews?: (news: StudyNews) => void;
  /** Stops the study: the trials under way are given up, and run again on resume. */
  readonly signal?: AbortSignal;
  /** How often the process died during a trial, by the trial's number. Such trials run first, one at a time. */
  readonly lost?: ReadonlyMap<number, number>;
}

/** A trial whose threads or processes ran out of memory this often has failed. */
export const LOST_MAX = 3;

/**
 * Runs a study from where its file ends.
 * @returns its state at the end. It has open trials when it was stopped.
 * @throws {UsageError} when the folder cannot be made or holds another study, another process runs it, or the ledger is damaged.
 */
export async function runStudy(options: RunStudyOptions): Promise<StudyState> {
  const { study } = options.plan;
  makeStudyFolder(join(study.folder, 'trials'));
  const log = new TrialLog(study.folder);
  try {
    return await new StudyRun(options, log).runToEnd();
  } finally {
    log.close();
  }
}

class StudyRun {
  readonly #options: RunStudyOptions;
  readonly #log: TrialLog;
  readonly #state: StudyState;
  readonly #lost: Map<number, number>;
  readonly #suspects: Set<number>;
  readonly #pruner: Pruner | null;
  readonly #clock = new RunningClock();
  readonly #stop: AbortController;
  readonly #running = new Map<number, Promise<void>>();
  /** Faults of the program itself: the first ends the study. */
  readonly #faults: unknown[] = [];
  /** Settles when the ledger has every trial that has ended. */
  #ledgerWritten: Promise<void> = Promise.resolve();

  constructor(options: RunStudyOptions, log: TrialLog) {
    const { plan, lost = new Map<number, number>() } = options;
    this.#options = options;
    this.#pruner = prunerOf(plan.study);
    this.#log = log;
    this.#state = StudyState.openFrom(log.opened, plan);
    this.#lost = new Map(lost);
    this.#suspects = new Set(lost.keys());
    this.#stop = new AbortController();
    options.signal?.addEventListener('abort', () => this.#stop.abort());
    if (options.signal?.aborted === true) this.#stop.abort();
    if (log.opened.length === 0) log.append(this.#state.head);
    options.onNews?.({ type: 'opened', state: this.#state, cutBytes: log.cutBytes });
  }

  async runToEnd(): Promise<StudyState> {
    const { plan, ledger } = this.#options;
    const sampler = samplerOf(plan.study);
    // A process that died may have written the end of a trial to the study alone.
    await ledger.append([studyEntry(plan), ...(await missingEntries(this.#state, plan.study.folder, ledger))]);
    try {
      while (!this.#stop.signal.aborted) {
        if (this.#isTimeOver()) this.#state.schedule.stopProposing();
        if (!(await this.#takeStep(sampler))) break;
      }
    } finally {
      this.#stop.abort();
      await Promise.allSettled(this.#running.values());
      await this.#ledgerWritten;
      this.#clock.close();
    }
    if (this.#faults.length > 0) throw this.#faults[0];
    return this.#state;
  }

  /** Takes the next step of the study; false when there is none. */
  async #takeStep(sampler: Sampler): Promise<boolean> {
    const { schedule } = this.#state;
    const step = schedule.nextStep();
    if (step.type === 'over') return false;
    // A trial is proposed only when it can begin: one that waited for room could begin after the study's time.
    if (step.type === 'propose' && this.#hasRoom()) {
      const params = sampler.propose(step.input);
      if (params === null) schedule.stopProposing();
      // A known trial ends at once. Without a turn for other events, a long run of them would hear no signal.
      else if (this.#propose(params).of !== null) await untilNextTurn();
    } else if (step.type === 'run' && this.#hasRoomFor(step.row)) this.#start(step.row);
    else await Promise.race([...this.#running.values()].map((each) => each.catch(() => undefined)));
    return true;
  }

  #isTimeOver(): boolean {
    const { time } = this.#options.plan.study.budget;
    return time !== undefined && this.#spentMs() * 1000 >= time;
  }

  #spentMs(): number {
    return Math.round(this.#state.spentMs + this.#clock.readMs());
  }

  /** A trial during which the process died runs alone, so that the next death names it. */
  #hasRoomFor({ n }: TrialRow): boolean {
    return this.#suspects.has(n) ? this.#running.size === 0 : this.#hasRoom();
  }

  /** True when another trial may begin that is no suspect. */
  #hasRoom(): boolean {
    const isSuspectRunning = [...this.#running.keys()].some((each) => this.#suspects.has(each));
    return !isSuspectRunning && this.#running.size < this.#options.place.size;
  }

  #propose(params: TrialRow['params']): TrialRow {
    const row = this.#state.schedule.addProposal(params, this.#options.plan.hashOf(params));
    this.#log.append({ kind: 'proposed', n: row.n, hash: row.hash, params: { ...params } });
    return row;
  }

  #start(row: TrialRow): void {
    const { n } = row;
    if ((this.#lost.get(n) ?? 0) >= LOST_MAX) return this.#end(this.#memoryEnd(row));
    this.#state.schedule.startTrial(n);
    this.#options.onNews?.({ type: 'started', n });
    const running = this.#options.place
      .runTrial(this.#taskOf(row), this.#stop.signal)
      .then((outcome) => this.#onOutcome(row, outcome))
      .finally(() => this.#running.delete(n));
    running.catch((fault: unknown) => this.#endWith(fault));
    this.#running.set(n, running);
  }

  /** A trial with the limits of the pruner, which depend on the trials that the lag lets it see. */
  #taskOf({ n, hash, params }: TrialRow): TrialTask {
    const pruner = this.#pruner;
    if (pruner === null) return { n, hash, params };
    const ended = this.#state.schedule.visibleTo(n);
    const groups = this.#options.plan.setup.parts.reduce((sum, part) => sum + part.spans.length, 0);
    const limits = Array.from({ length: groups }, (_, index) => pruner.limitAt(index + 1, ended));
    return { n, hash, params, limits };
  }

  #endWith(fault: unknown): void {
    this.#faults.push(fault);
    this.#stop.abort();
  }

  #onOutcome(row: TrialRow, outcome: TrialOutcome): void {
    const { n, hash } = row;
    switch (outcome.type) {
      case 'result': {
        const { result } = outcome;
        if (result.end === 'finished')
          writeParquet(groupsFile(this.#options.plan.study.folder, hash), GROUP_COLUMNS, result.groups);
        return this.#end(
          endLine({ n, hash, result, spentMs: this.#spentMs() }),
          result.end === 'finished' ? result.groups : [],
        );
      }
      case 'memory':
        this.#lost.set(n, (this.#lost.get(n) ?? 0) + 1);
        this.#suspects.add(n);
        return this.#state.schedule.reopenTrial(n);
      case 'time':
        return this.#end(
          this.#failedLine(
            row,
            'time',
            `it took longer than trialTime, ${durationText(this.#options.plan.study.trialTime)}`,
          ),
        );
      case 'lost':
        return this.#end(this.#failedLine(row, 'lost', 'one worker after the other was lost with it'));
      case 'aborted':
        return this.#state.schedule.reopenTrial(n);
    }
  }

  #memoryEnd(row: TrialRow): EndLine {
    return this.#failedLine(row, 'memory', `it used up all memory ${LOST_MAX} times`);
  }

  #failedLine({ n, hash }: TrialRow, reason: 'memory' | 'time' | 'lost', error: string): EndLine {
    return { kind: 'failed', n, hash, reason, error, spentMs: this.#spentMs() };
  }

  #end(line: EndLine, groups: readonly GroupResult[] = []): void {
    this.#log.append(line);
    this.#state.endTrial(line);
    const entry = trialEntry(this.#state.head.hash, line, groups);
    const write = this.#ledgerWritten.then(() => this.#options.ledger.append([entry]));
    this.#ledgerWritten = write.catch((fault: unknown) => this.#endWith(fault));
    this.#options.onNews?.({ type: 'ended', line });
  }
}

/** @throws {UsageError} when the study's lag is below the number of threads: some could never have work. */
export function refuseNarrowLag(lag: number, workers: number): void {
  if (lag < workers) throw new UsageError(`--workers: expected at most the study's lag of ${lag}, found ${workers}`);
}
