// What is wrong with something on the wire: where, what was expected, what was found.
// Must never quote more than a little of what was found: it may be long, and it may be a secret.

const FOUND_MAX = 60;

/** Something on the wire could not be read, or something of ours cannot be written on it. */
export class WireFault extends Error {
  override readonly name = 'WireFault';
  /** The record's name in the profile. */
  readonly record: string;
  /** The member, as the wire spells it; dotted where it lies deeper. */
  readonly field: string;
  readonly expected: string;
  readonly found: string;

  constructor(fault: { record: string; field: string; expected: string; found: unknown }) {
    const found = describeFound(fault.found);
    super(`${fault.record}.${fault.field}: expected ${fault.expected}, found ${found}`);
    this.record = fault.record;
    this.field = fault.field;
    this.expected = fault.expected;
    this.found = found;
  }
}

/** A value in few words, for an error. */
export function describeFound(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'a record';
  const text = JSON.stringify(value) ?? typeof value;
  return text.length > FOUND_MAX ? `${text.slice(0, FOUND_MAX)}…` : text;
}
