// The state of a study, rebuilt from the lines of its file. Must never hold what the file does not: a study that is read
// again is the same.
import { UsageError } from '../../app/usage-error.ts';
import type { StudySplit } from '../splits/split-shape.ts';
import type { EndedTrial } from '../trial/study-trial.ts';
import { objectiveFigures } from '../trial/trial-figures.ts';
import type { TrialResult } from '../workers/trial-run.ts';
import type { StudyFile } from './study-file.ts';
import type { StudyPlan } from './study-plan.ts';
import { samplerOf } from './study-samplers.ts';
import { canonicalHash } from './trial-identity.ts';
import { type EndLine, STUDY_VERSION, type StudyLine, type TrialLine } from './trial-lines.ts';
import { type TrialRow, TrialSchedule, type TrialScheduleOptions } from './trial-schedule.ts';

/** One study: its trials, and their ends. */
export class StudyState {
  readonly head: StudyLine;
  readonly schedule: TrialSchedule;
  readonly #ends = new Map<string, EndLine>();
  /** Milliseconds that the study ran before it was opened. */
  readonly spentMs: number;

  private constructor(head: StudyLine, lines: readonly TrialLine[], bounds: Omit<TrialScheduleOptions, 'lag'>) {
    this.head = head;
    this.schedule = new TrialSchedule({ lag: head.lag, ...bounds });
    for (const line of lines) {
      if (line.kind === 'study') continue;
      if (line.kind === 'proposed') this.schedule.addProposal(line.params, line.hash);
      else this.endTrial(line);
    }
    this.spentMs = [...this.#ends.values()].reduce((most, line) => Math.max(most, line.spentMs), 0);
  }

  /**
   * Opens a study to run it.
   * @throws {UsageError} when the lines are those of another study.
   */
  static openFrom(lines: readonly TrialLine[], { study, parts, hash, split }: StudyPlan): StudyState {
    const [first] = lines;
    const head: StudyLine = {
      kind: 'study',
      v: STUDY_VERSION,
      name: study.study,
      hash,
      parts: { ...parts },
      objectives: study.objectives.map((objective) => ({ ...objective })),
      lag: study.lag,
      node: process.version,
      split: split && splitLine(split, hash),
    };
    const bounds = boundsOf(study);
    if (first === undefined) return new StudyState(head, lines, bounds);
    if (first.kind !== 'study') throw new UsageError(`${study.folder}: expected a study, found lines without a head`);
    if (first.hash === hash) return new StudyState(first, lines, bounds);
    const names = new Set([...Object.keys(parts), ...Object.keys(first.parts)]);
    const changed = [...names].filter((part) => parts[part] !== first.parts[part]);
    const advice = changed.includes('strategy')
      ? '. Every change of the strategy’s files counts, of a comment too'
      : '';
    throw new UsageError(
      `${study.folder}: expected the study that began here, found another ${changed.join(', ')}; name a new study, or remove the folder${advice}`,
    );
  }

  /** Reads a study without running it; `null` when it has not begun. */
  static readFrom(lines: readonly TrialLine[]): StudyState | null {
    const [head] = lines;
    return head?.kind === 'study' ? new StudyState(head, lines, { trialsMax: null }) : null;
  }

  /** Records an end. */
  endTrial(line: EndLine): void {
    this.#ends.set(line.hash, line);
    this.schedule.endTrial(endedTrial(line, this.schedule.rows[line.n]));
  }

  /** The end of a trial, also of one that shares the results of another; `null` while it has none. */
  endOf({ hash }: Pick<TrialRow, 'hash'>): EndLine | null {
    return this.#ends.get(hash) ?? null;
  }

  /**
   * Finished trials that keep all constraints, each once, the best first by the first objective; equal ones in the
   * sequence of their numbers.
   */
  bestRows(): { readonly row: TrialRow; readonly line: Extract<EndLine, { kind: 'finished' }> }[] {
    return this.schedule.rows
      .flatMap((row) => {
        const line = this.endOf(row);
        const isFeasible = line?.kind === 'finished' && line.violations.every((violation) => violation <= 0);
        return row.of === null && isFeasible ? [{ row, line }] : [];
      })
      .sort((a, b) => (a.line.values[0] ?? 0) - (b.line.values[0] ?? 0) || a.row.n - b.row.n);
  }
}

/** Returns an end as a reader sees it: values of objectives are figures, each with its own sign. */
export function shownEnd(line: EndLine, { objectives }: StudyLine): EndLine {
  if (line.kind === 'failed') return line;
  const [first] = objectives;
  const intermediate = line.intermediate.map(({ groups, value }) => ({
    groups,
    value: first === undefined ? value : (objectiveFigures([first], [value])[0] ?? value),
  }));
  return line.kind === 'pruned'
    ? { ...line, intermediate }
    : { ...line, values: objectiveFigures(objectives, line.values), intermediate };
}

function boundsOf(study: StudyFile): Omit<TrialScheduleOptions, 'lag'> {
  const { trials: trialsMax = null } = study.budget;
  const sampler = samplerOf(study);
  return sampler.countSeen === undefined ? { trialsMax } : { trialsMax, countSeen: (n) => sampler.countSeen?.(n) ?? 0 };
}

/** A split as the first line keeps it: the sealed groups by their hash alone. */
function splitLine({ sealed, sealedFrom, shape, ...parts }: StudySplit, salt: string): StudyLine['split'] {
  return {
    shape,
    together: parts.together.map((names) => [...names]),
    search: [...parts.search],
    held: [...parts.held],
    left: [...parts.left],
    sealed:
      sealedFrom === null ? null : { from: sealedFrom, groups: sealed.length, hash: canonicalHash([salt, sealed]) },
  };
}

function endedTrial(line: EndLine, row: TrialRow | undefined): EndedTrial {
  const end = { n: line.n, params: row?.params ?? {}, end: line.kind };
  if (line.kind === 'finished')
    return { ...end, values: line.values, violations: line.violations, intermediate: line.intermediate };
  return { ...end, values: [], violations: [], intermediate: line.kind === 'pruned' ? line.intermediate : [] };
}

/** The line of a trial's result. */
export function endLine(of: { n: number; hash: string; result: TrialResult; spentMs: number }): EndLine {
  const { n, hash, result, spentMs } = of;
  if (result.end === 'failed') return { kind: 'failed', n, hash, reason: result.reason, error: result.error, spentMs };
  if (result.end === 'pruned') {
    const { at, intermediate } = result;
    return { kind: 'pruned', n, hash, at, intermediate, spentMs };
  }
  const { end, groups: _, ...figures } = result;
  return { kind: end, n, hash, ...figures, spentMs };
}
