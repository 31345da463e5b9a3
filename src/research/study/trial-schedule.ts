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

/** Proposals in a row with the parameters of earlier trials, after which the sampler is taken to find nothing new. */
export const REPEATS_MAX = 1000;

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
  /** Trials with the hash of an earlier one, by its number. */
  readonly #repeats = new Map<number, TrialRow[]>();
  /** Trials below this number have all ended. */
  #endedPrefix = 0;
  /** No trial below this number is open, besides those with the hash of an earlier one. */
  #openFrom = 0;
  /** Proposals since the last with parameters of its own. */
  #repeated = 0;
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

  /** True when the sampler has proposed nothing but earlier trials for so long that the study ends. */
  get isExhausted(): boolean {
    return this.#repeated >= REPEATS_MAX;
  }

  /** Returns what to do next. The caller does it at once, by `addProposal` or `startTrial`. */
  nextStep(): ScheduleStep {
    const row = this.#firstOpen();
    if (row) return { type: 'run', row };
    const n = this.#rows.length;
    const isFull = this.#options.trialsMax !== null && n >= this.#options.trialsMax;
    if (this.#canPropose && !isFull && !this.isExhausted && this.#endedPrefix >= this.visibleCount(n))
      return { type: 'propose', input: this.#inputOf(n) };
    return this.#endedPrefix < n ? { type: 'wait' } : { type: 'over' };
  }

  #firstOpen(): TrialRow | undefined {
    for (; this.#openFrom < this.#rows.length; this.#openFrom += 1) {
      const row = this.#rows[this.#openFrom];
      if (row?.state === 'open' && row.of === null) return row;
    }
    return undefined;
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
    this.#repeated = of === null ? 0 : this.#repeated + 1;
    if (of === null) this.#firstByHash.set(hash, n);
    else if (first) this.#end(row, first);
    else this.#repeats.set(of, [...(this.#repeats.get(of) ?? []), row]);
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
    this.#openFrom = Math.min(this.#openFrom, n);
  }

  /** Ends a trial, and those with the same hash. The first end counts: a later one is ignored. */
  endTrial(end: EndedTrial): void {
    const row = this.#rowOf(end.n);
    if (row.state === 'ended') return;
    this.#end(row, end);
    for (const other of this.#repeats.get(end.n) ?? []) this.#end(other, end);
    this.#repeats.delete(end.n);
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
