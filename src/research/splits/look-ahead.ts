// Finds look-ahead in a split. Must never let an event group, or a cluster of groups, be on both sides.
import type { SplitUnit } from './split-unit.ts';

/** The two sides of a split. */
export interface SplitSides {
  readonly train: readonly SplitUnit[];
  readonly test: readonly SplitUnit[];
}

/** Returns what is expected when an event group or a cluster is on both sides, with its name; otherwise `null`. */
export function lookAheadIn({ train, test }: SplitSides): string | null {
  const groups = new Set(train.flatMap((unit) => unit.groups));
  const keys = new Set(train.map(({ key }) => key));
  for (const { key, groups: tested } of test) {
    const group = tested.find((each) => groups.has(each));
    if (group !== undefined) return `each event group on one side (${group} is on both)`;
    if (keys.has(key))
      return `event groups that settle together on one side (cluster ${key} is on both: ${tested.join(', ')})`;
  }
  return null;
}
