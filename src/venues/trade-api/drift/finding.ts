// What differs between what a venue says and what was said of it: one kind of difference at one place.
// Must never quote more than a little of what was found: it may be long, and it may be an account's.

/** In what a value differs from its description. */
export type FindingKind =
  /** A member that the description does not have. */
  | 'unknown-field'
  /** A member that the description says is always there. */
  | 'missing-field'
  /** A value that is none of those listed. */
  | 'new-value'
  /** A value of another JSON type, or one that cannot be read. */
  | 'wrong-type'
  /** An endpoint, a status or a message that the description does not have. */
  | 'undescribed';

/** One difference. */
export interface Finding {
  readonly kind: FindingKind;
  /** Where: members with dots between, `[]` for any item of a list, `{}` for any member of a map. */
  readonly path: string;
  readonly expected: string;
  /** What stands there, in few words. */
  readonly found: string;
}

/** Where a difference is of the whole. */
export const WHOLE = '(the whole)';

/** That a description lacks what was found. */
export const undescribed = (found: string, expected: string): Finding => ({
  kind: 'undescribed',
  path: WHOLE,
  expected,
  found,
});
