// Describes a value that does not fit a schema: each member with what was expected and found. Must load no compiler of
// strategies: a stage describes its parameters with it, too.
import type { z } from 'zod';
import { nearestName } from '../../base/near-name.ts';
import { expectationOf } from '../../config/expectations.ts';
import { memberNamesAt } from '../../config/known-names.ts';

type Issue = z.core.$ZodIssue;

/** A value that does not fit a schema. */
export interface Misfit {
  readonly schema: z.core.$ZodType;
  readonly value: unknown;
  readonly issues: readonly Issue[];
}

/**
 * The issues of a misfit, with one issue for each unknown name, which has the closest known name.
 * @param kind The word for a member, such as `parameter`.
 */
export const splitUnknownNames = ({ schema, value, issues }: Misfit, kind: string): Issue[] =>
  issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? unknownNames(issue, { kind, names: memberNamesAt(schema, { path: issue.path, value }) })
      : [issue],
  );

interface KnownNames {
  readonly kind: string;
  readonly names: readonly string[];
}

const unknownNames = (
  { keys, path }: Extract<Issue, { code: 'unrecognized_keys' }>,
  { kind, names }: KnownNames,
): Issue[] =>
  keys.map((key) => {
    const nearest = nearestName(key, names);
    const known = names.length === 0 ? `no ${kind}` : `one of the ${kind}s ${names.join(', ')}, not ${key}`;
    const message = nearest === null ? known : `the ${kind} ${nearest}, not ${key}`;
    return { code: 'custom', path: [...path, key], message, input: undefined };
  });

/** A sentence about an issue: `member: expected …, found …`. Without a path, it concerns `whole`. */
export const describeIssue = (issue: Issue, value: unknown, whole: string): string =>
  `${issue.path.map(String).join('.') || whole}: expected ${expectationOf(issue)}, found ${foundIn(value, issue.path)}`;

/** Formats the value at a path. Long values are shortened, and lists and mappings are only named. */
function foundIn(value: unknown, path: Issue['path']): string {
  let found = value;
  for (const key of path) found = typeof found === 'object' && found !== null ? Reflect.get(found, key) : undefined;
  if (found === undefined || found === null) return 'nothing';
  if (typeof found === 'object') return Array.isArray(found) ? `a list of ${found.length}` : 'a mapping';
  return shortened(JSON.stringify(found) ?? typeof found);
}

const SHOWN_MAX = 60;
const shortened = (text: string): string => (text.length <= SHOWN_MAX ? text : `${text.slice(0, SHOWN_MAX)}…`);
