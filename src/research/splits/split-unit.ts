// The units that a split moves as a whole: clusters of event groups with one underlying and one settlement. Must never divide
// a cluster: the result of one group gives away those of the others.
import type { GroupSpan } from '../runs/group-spans.ts';

/** Event groups that every split keeps together. Times are microseconds since the Unix epoch. */
export interface SplitUnit {
  /** Key of the cluster. */
  readonly key: string;
  /** Tickers of its event groups, sorted. */
  readonly groups: readonly string[];
  /** First moment at which a decision about one of the groups is possible. */
  readonly from: number;
  /** Time at which all results are known; `null` when the tape ends before. */
  readonly known: number | null;
}

/** The members of an event group that a split depends on. */
export type SplitGroup = Pick<GroupSpan, 'group' | 'cluster' | 'from' | 'known'>;

/**
 * Returns the units of a tape in the sequence in which their results are known; those without results come last.
 * @param together Lists of event groups that form one cluster, in place of their own clusters.
 */
export function splitUnits(groups: readonly SplitGroup[], together: readonly (readonly string[])[] = []): SplitUnit[] {
  const keyOf = new Map(together.flatMap((names) => names.map((name) => [name, names.join(' + ')])));
  const members = new Map<string, SplitGroup[]>();
  for (const each of groups) {
    const key = keyOf.get(each.group) ?? each.cluster;
    members.set(key, [...(members.get(key) ?? []), each]);
  }
  return [...members].map(([key, each]) => unitOf(key, each)).sort(byKnown);
}

function unitOf(key: string, members: readonly SplitGroup[]): SplitUnit {
  const known = members.map((member) => member.known);
  return {
    key,
    groups: members.map(({ group }) => group).sort(),
    from: Math.min(...members.map(({ from }) => from)),
    known: known.includes(null) ? null : Math.max(...known.map((at) => at ?? 0)),
  };
}

const LAST = Number.POSITIVE_INFINITY;
const byKnown = (a: SplitUnit, b: SplitUnit): number =>
  (a.known === b.known ? 0 : (a.known ?? LAST) - (b.known ?? LAST)) || (a.key < b.key ? -1 : 1);

/** Tickers of the event groups of some units. */
export const groupsOfUnits = (units: readonly SplitUnit[]): string[] => units.flatMap(({ groups }) => groups);

/** The period of some units: from their first possible decision to their last result. */
export function periodOf(units: readonly SplitUnit[]): { readonly start: number; readonly end: number } {
  return {
    start: Math.min(...units.map(({ from }) => from)),
    end: Math.max(...units.map(({ from, known }) => known ?? from)),
  };
}
