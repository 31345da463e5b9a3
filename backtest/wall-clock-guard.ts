// Keeps the wall clock, unseeded randomness, timers and the network from strategies during a replay: a call throws, and
// the run ends. Must never affect anything outside of a replay.

/** Thrown when code asks for something that a replay does not have. */
export class WallClockError extends Error {
  override readonly name = 'WallClockError';
}

type Numbers = () => number;

let isArmed = false;
let isInstalled = false;
let firstRefusal: WallClockError | null = null;

function refuse(what: string): void {
  if (!isArmed) return;
  const fault = new WallClockError(
    `${what} was used during a replay: time is view.now, and randomness needs a seed of its own`,
  );
  firstRefusal ??= fault;
  throw fault;
}

/**
 * Installs the guard for good. Must be called before strategies are loaded: a strategy with its own copy of `Date.now`
 * escapes the guard.
 */
export function guardWallClock(): void {
  if (isInstalled) return;
  isInstalled = true;
  globalThis.Date = guardedDate(globalThis.Date);
  Math.random = guarded('Math.random', Math.random);
  performance.now = guarded('performance.now', performance.now.bind(performance));
  for (const name of ['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'fetch']) guard(globalThis, name);
  for (const name of ['getRandomValues', 'randomUUID']) guard(crypto, name);
  const { hrtime } = process;
  const guardedHrtime: typeof hrtime = Object.assign(
    (time?: [number, number]): [number, number] => {
      refuse('process.hrtime');
      return hrtime(time);
    },
    {
      bigint: (): bigint => {
        refuse('process.hrtime.bigint');
        return hrtime.bigint();
      },
    },
  );
  process.hrtime = guardedHrtime;
}

function guard(owner: object, name: string): void {
  const own: unknown = Reflect.get(owner, name);
  if (typeof own !== 'function') return;
  const guardedFunction = new Proxy(own, {
    apply(target, self, given: unknown[]): unknown {
      refuse(name);
      return Reflect.apply(target, self, given);
    },
  });
  Reflect.set(owner, name, guardedFunction);
}

const guarded =
  (what: string, read: Numbers): Numbers =>
  () => {
    refuse(what);
    return read();
  };

/** Only the present time is refused: a date made from a given time is harmless. */
function guardedDate(real: DateConstructor): DateConstructor {
  const now = guarded('Date.now', () => real.now());
  return new Proxy(real, {
    construct(target, given, made) {
      if (given.length === 0) refuse('new Date()');
      return Reflect.construct(target, given, made);
    },
    apply(target) {
      refuse('Date()');
      return target();
    },
    get: (target, member) => (member === 'now' ? now : Reflect.get(target, member)),
  });
}

/** Runs a task with the guard armed. */
export function withoutWallClock<Result>(task: () => Result): Result {
  const before = isArmed;
  isArmed = true;
  try {
    return task();
  } finally {
    isArmed = before;
  }
}

/** Returns the first call refused since the last call of this function, or `null`. */
export function takeRefusedCall(): WallClockError | null {
  const found = firstRefusal;
  firstRefusal = null;
  return found;
}
