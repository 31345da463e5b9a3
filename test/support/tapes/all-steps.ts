// Work that yields at each step, done at once.

/** Does all steps. */
export function allSteps<T>(work: Generator<unknown, T>): T {
  let step = work.next();
  while (step.done !== true) step = work.next();
  return step.value;
}
