// Recognizes promises among the answers of a strategy, which are refused everywhere. Must never let the later rejection
// of a refused promise end the process.

const ignore = (): void => undefined;

/** Depth of an answer: a list of intents, with their levels and the members of these. */
const DEPTH_MAX = 3;

/**
 * True for a promise. Its rejection is ignored from now on: the strategy is halted, or does not start. A request of a
 * library that waits for its first `then` is not started.
 */
export function takePromise(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { then } = value;
  if (typeof then !== 'function') return false;
  if (Reflect.get(value, Symbol.toStringTag) === 'Promise') Reflect.apply(then, value, [undefined, ignore]);
  return true;
}

/** Ignores the rejections of all promises within a refused answer. */
export function takePromises(value: unknown, depth = DEPTH_MAX): void {
  if (!isObject(value) || takePromise(value) || depth === 0) return;
  for (const each of Object.values(value)) takePromises(each, depth - 1);
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
