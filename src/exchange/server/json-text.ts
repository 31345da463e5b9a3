// JSON as it comes from a client: anything at all, or nothing that can be read. Pure.
// Must never throw: what cannot be read is said to be so.

/** A text as JSON; `undefined` when it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a value has members that can be looked at one by one. */
export const isRecord = (found: unknown): found is Readonly<Record<string, unknown>> =>
  typeof found === 'object' && found !== null && !Array.isArray(found);
