// Finds look-ahead in a split. Must never let an event group, or a cluster of groups, be on both sides.
import type { SplitUnit } from './split-unit.ts';

/** The two sides of a split. */
export interface SplitSides {
  readonly train: readonly SplitUnit[];
  readonly test: readonly SplitUnit[];
}

/** A fault of a split, in words. */
export interface LookAhead {
  readonly expected: string;
  /** The name of the event group or of the cluster that is on both sides. */
  readonly found: string;
}

/** Finds an event group or a cluster that is on both sides; `null` without one. */
export function lookAheadIn({ train, test }: SplitSides): LookAhead | null {
  const groups = new Set(train.flatMap((unit) => unit.groups));
  const keys = new Set(train.map(({ key }) => key));
  for (const { key, groups: tested } of test) {
    const group = tested.find((each) => groups.has(each));
    if (group !== undefined) return { expected: 'each event group on one side', found: `${group} on both` };
    if (keys.has(key))
      return {
        expected: 'event groups that settle together on one side',
        found: `cluster ${key} on both, of which ${tested.join(', ')} to test`,
      };
  }
  return null;
}
