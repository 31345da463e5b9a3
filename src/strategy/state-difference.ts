// Compares a strategy's state with what its JSON restores. A loose schema lets a `Map` or NaN pass, of which JSON keeps
// nothing. Must never call the code of a strategy.

/** Returns the first member that differs, as `seen: a Map became a mapping`, or `null`. */
export function firstDifference(state: unknown, restored: unknown, path = ''): string | null {
  if (Object.is(state, restored) || state === restored) return null;
  if (!isObject(state) || !isObject(restored) || kindOf(state) !== kindOf(restored))
    return `${path || 'the whole value'}: ${nameOf(state)} became ${nameOf(restored)}`;
  for (const key of new Set([...Object.keys(state), ...Object.keys(restored)])) {
    const found = firstDifference(state[key], restored[key], path === '' ? key : `${path}.${key}`);
    if (found !== null) return found;
  }
  return isKept(state, restored) ? null : `${path || 'the whole value'}: ${nameOf(state)} is not JSON`;
}

/** The contents of these are no members. A schema may restore a date from its text. */
function isKept(state: object, restored: object): boolean {
  const kind = kindOf(state);
  if (kind === 'Map' || kind === 'Set') return false;
  return kind !== 'Date' || JSON.stringify(state) === JSON.stringify(restored);
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const kindOf = (value: object): string => Object.prototype.toString.call(value).slice('[object '.length, -1);

function nameOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'number') return `${value}`;
  if (!isObject(value)) return typeof value === 'symbol' ? 'a symbol' : JSON.stringify(value);
  if (Array.isArray(value)) return 'a list';
  const kind = kindOf(value);
  return kind === 'Object' ? 'a mapping' : `a ${kind}`;
}
