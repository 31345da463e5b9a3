// Decides which trial of a study comes next: a pure state machine over proposals and ends. Trial n is proposed once trials 0
// to n − lag have ended, or those that its sampler counts, and sees only those. Must never depend on the sequence in which trials end.
import type { ProposalInput, Sampler } from '../search/sampler.ts';
import type { EndedTrial, TrialParams } from '../trial/study-trial.ts';

/** A trial of a study. */
export interface TrialRow {
  readonly n: number;
  readonly hash: string;
  readonly params: TrialParams;
  /** Number of the first trial with the same hash, whose results it shares; `null` when it is the first. */
  readonly of: number | null;
  state: 'open' | 'running' | 'ended';
  /** Its end; `null` while it has none. */
  end: EndedTrial | null;
}

/** The next step of a study. */
export type ScheduleStep =
  | { readonly type: 'run'; readonly row: TrialRow }
  | { readonly type: 'propose'; readonly input: ProposalInput }
  /** Nothing can begin before a running trial ends. */
  | { readonly type: 'wait' }
  | { readonly type: 'over' };

export interface TrialScheduleOptions {
  /** Number of proposals that may be open at once. */
  readonly lag: number;
  /** Number of trials; `null` for no bound. */
  readonly trialsMax: number | null;
  /** Trials that must have ended before trial n is proposed. @default by the lag */
  readonly countSeen?: Sampler['countSeen'];
}

/** The trials of a study, and what is to be done next. */
export class TrialSchedule {
  readonly #options: TrialScheduleOptions;
  readonly #rows: TrialRow[] = [];
  readonly #firstByHash = new Map<string, number>();
  /** Trials below this number have all ended. */
  #endedPrefix = 0;
  #canPropose = true;

  constructor(options: TrialScheduleOptions) {
    this.#options = options;
  }

  get rows(): readonly TrialRow[] {
    return this.#rows;
  }

  get runningCount(): number {
    return this.#rows.filter(({ state }) => state === 'running').length;
  }

  /** Returns what to do next. The caller does it at once, by `addProposal` or `startTrial`. */
  nextStep(): ScheduleStep {
    const row = this.#rows.find(({ state, of }) => state === 'open' && of === null);
    if (row) return { type: 'run', row };
    const n = this.#rows.length;
    const isFull = this.#options.trialsMax !== null && n >= this.#options.trialsMax;
    if (this.#canPropose && !isFull && this.#endedPrefix >= this.visibleCount(n))
      return { type: 'propose', input: this.#inputOf(n) };
    const isBusy = this.#rows.some(({ state }) => state !== 'ended');
    return isBusy ? { type: 'wait' } : { type: 'over' };
  }

  /** Number of trials that trial n may see: those that its sampler counts, or else those from 0 to n − lag. */
  visibleCount(n: number): number {
    return this.#options.countSeen?.(n) ?? Math.max(0, n - this.#options.lag + 1);
  }

  /** Ends of the trials that trial n may see. */
  visibleTo(n: number): EndedTrial[] {
    return this.#rows.slice(0, this.visibleCount(n)).flatMap(({ end }) => end ?? []);
  }

  #inputOf(n: number): ProposalInput {
    const open = this.#rows.slice(this.visibleCount(n)).map(({ params }) => params);
    return { n, ended: this.visibleTo(n), open };
  }

  /** Adds the next trial. A known hash is not run again: the trial ends as the first of that hash did, or will. */
  addProposal(params: TrialParams, hash: string): TrialRow {
    const n = this.#rows.length;
    const of = this.#firstByHash.get(hash) ?? null;
    const row: TrialRow = { n, hash, params, of, state: 'open', end: null };
    this.#rows.push(row);
    const first = of === null ? null : this.#rows[of]?.end;
    if (of === null) this.#firstByHash.set(hash, n);
    else if (first) this.#end(row, first);
    return row;
  }

  /** Proposes no further trial: the sampler's space or the study's time has ended, or the user stops it. */
  stopProposing(): void {
    this.#canPropose = false;
  }

  startTrial(n: number): void {
    this.#rowOf(n).state = 'running';
  }

  /** Opens a running trial again whose worker was lost. */
  reopenTrial(n: number): void {
    this.#rowOf(n).state = 'open';
  }

  /** Ends a trial, and those with the same hash. The first end counts: a later one is ignored. */
  endTrial(end: EndedTrial): void {
    const row = this.#rowOf(end.n);
    if (row.state === 'ended') return;
    this.#end(row, end);
    for (const other of this.#rows) if (other.of === end.n) this.#end(other, end);
  }

  #end(row: TrialRow, end: EndedTrial): void {
    row.end = { ...end, n: row.n };
    row.state = 'ended';
    while (this.#rows[this.#endedPrefix]?.state === 'ended') this.#endedPrefix += 1;
  }

  #rowOf(n: number): TrialRow {
    const row = this.#rows[n];
    if (row === undefined) throw new RangeError(`trial ${n}: expected a number below ${this.#rows.length}`);
    return row;
  }
}
