// One difference between the venue's data and its description. Must never quote more than a short piece of the data:
// the data may belong to an account.

/** The kind of difference. */
export type DriftFindingKind =
  /** A member that the description lacks. */
  | 'unknown-field'
  /** A required member that the data lacks. */
  | 'missing-field'
  /** A value that is not among the listed ones. */
  | 'new-value'
  /** A value of another JSON type, or one that cannot be read. */
  | 'wrong-type'
  /** An endpoint, a status, a body or a message that the description lacks. */
  | 'undescribed';

/** One difference. */
export interface DriftFinding {
  readonly kind: DriftFindingKind;
  /** Path of the difference: members separated by dots, `[]` for any item of a list, `{}` for any member of a map. */
  readonly path: string;
  readonly expected: string;
  readonly found: string;
}

/** The path of a difference that concerns the whole value. */
export const WHOLE_VALUE = '(the whole)';

/** The finding that a description lacks something. */
export const undescribedFinding = (found: string, expected: string): DriftFinding => ({
  kind: 'undescribed',
  path: WHOLE_VALUE,
  expected,
  found,
});
