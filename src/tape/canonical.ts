// One text for one value: JSON with the members of every object in the order of their names.
// Must never be asked about what JSON cannot say.

/** A value's canonical JSON. */
export const canonicalJson = (value: unknown): string => JSON.stringify(value, sortMembers);

function sortMembers(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
