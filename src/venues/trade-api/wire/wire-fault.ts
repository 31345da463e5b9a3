// The error for wire data that does not fit its spec. Must never quote more than a short piece of the data: the data
// may be a secret.

const FOUND_MAX = 60;

/** Thrown when wire data cannot be decoded, or a value of ours cannot be encoded. */
export class WireFault extends Error {
  override readonly name = 'WireFault';
  /** The record's name in the profile. */
  readonly record: string;
  /** The member, as the wire spells it; dotted when nested. */
  readonly field: string;
  readonly expected: string;
  readonly found: string;

  constructor(fault: { record: string; field: string; expected: string; found: unknown }) {
    const found = describeValue(fault.found);
    super(`${fault.record}.${fault.field}: expected ${fault.expected}, found ${found}`);
    this.record = fault.record;
    this.field = fault.field;
    this.expected = fault.expected;
    this.found = found;
  }
}

/** A short description of a value, for an error. */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'a record';
  const text = JSON.stringify(value) ?? typeof value;
  return text.length > FOUND_MAX ? `${text.slice(0, FOUND_MAX)}…` : text;
}
