// Conditions of a space: which parameters apply, and which apply together. Must never give a value to a parameter whose condition
// does not hold.
import type { ParamValue, TrialParams } from '../../trial/study-trial.ts';
import type { SearchSpace, SpaceParam } from '../search-space.ts';

/** All values that other parameters must have for a parameter to apply, by name: its own condition, and theirs in turn. */
export type FullCondition = ReadonlyMap<string, ParamValue>;

/** Parameters that apply under the same condition, in the sequence of the space. */
export type ParamGroup = readonly SpaceParam[];

/** True when a parameter applies beside the values drawn before it. */
export const isActive = (param: SpaceParam, drawn: TrialParams): boolean =>
  param.when === undefined || Object.entries(param.when).every(([name, value]) => drawn[name] === value);

/** Returns the parameters of a trial: those that apply, each with the value that `valueOf` gives. */
export function drawParams(space: SearchSpace, valueOf: (param: SpaceParam, index: number) => ParamValue): TrialParams {
  const drawn: Record<string, ParamValue> = {};
  space.forEach((param, i) => {
    if (isActive(param, drawn)) drawn[param.name] = valueOf(param, i);
  });
  return drawn;
}

/**
 * Returns the full condition of each parameter by name, or `null` for a parameter that never applies: two of its conditions
 * contradict each other.
 */
export function fullConditions(space: SearchSpace): ReadonlyMap<string, FullCondition | null> {
  const found = new Map<string, FullCondition | null>();
  for (const { name, when = {} } of space) {
    const own = Object.entries(when);
    const parents = own.map(([parent]) => found.get(parent) ?? null);
    const inherited = parents.flatMap((parent) => (parent === null ? [] : [...parent]));
    found.set(name, parents.includes(null) ? null : mergeConditions([...own, ...inherited]));
  }
  return found;
}

function mergeConditions(entries: readonly (readonly [string, ParamValue])[]): FullCondition | null {
  const merged = new Map<string, ParamValue>();
  for (const [name, value] of entries) {
    if (merged.has(name) && merged.get(name) !== value) return null;
    merged.set(name, value);
  }
  return merged;
}

/**
 * Returns the groups of parameters that apply together. A group stands after those that its condition names. The source is the
 * groups of Optuna's `TPESampler(group=True)`, here known from the conditions.
 */
export function groupParams(space: SearchSpace): readonly ParamGroup[] {
  const conditions = fullConditions(space);
  const groups = new Map<string, { readonly depth: number; readonly params: SpaceParam[] }>();
  for (const param of space) {
    const condition = conditions.get(param.name) ?? new Map<string, ParamValue>();
    const key = JSON.stringify([...condition].sort(([a], [b]) => (a < b ? -1 : 1)));
    const group = groups.get(key) ?? { depth: condition.size, params: [] };
    groups.set(key, group);
    group.params.push(param);
  }
  return [...groups.values()].sort((a, b) => a.depth - b.depth).map(({ params }) => params);
}
