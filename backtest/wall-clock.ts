// Keeps the wall clock, chance that no seed decides, timers and the network from strategies while a tape is replayed:
// whoever asks is told so by an error, and the run ends with it. Must never be in the way of anything outside of a replay.

/** Somebody asked for what a replay does not have. */
export class WallClockError extends Error {
  override readonly name = 'WallClockError';
}

type Numbers = () => number;

let isArmed = false;
let isInstalled = false;
let asked: WallClockError | null = null;

function refuse(what: string): void {
  if (!isArmed) return;
  const fault = new WallClockError(
    `${what} was asked for while a tape is replayed: time is view.now, and chance needs a seed of its own`,
  );
  asked ??= fault;
  throw fault;
}

/**
 * Puts the guard in place, for good: asked outside of a replay, everything answers as ever. Before strategies are
 * loaded, or those that keep `Date.now` by another name escape it.
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

/** Puts in a function's place the same one, with all that hangs on it, but not while a tape is replayed. */
function guard(owner: object, name: string): void {
  const own: unknown = Reflect.get(owner, name);
  if (typeof own !== 'function') return;
  const guardedOne = new Proxy(own, {
    apply(target, self, given: unknown[]): unknown {
      refuse(name);
      return Reflect.apply(target, self, given);
    },
  });
  Reflect.set(owner, name, guardedOne);
}

const guarded =
  (what: string, read: Numbers): Numbers =>
  () => {
    refuse(what);
    return read();
  };

/** A date of a given time is nobody's clock; only the present is. */
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

/** Does something that may ask for no time but what it is given. */
export function withoutWallClock<Result>(task: () => Result): Result {
  const before = isArmed;
  isArmed = true;
  try {
    return task();
  } finally {
    isArmed = before;
  }
}

/** What was asked for first since this was last looked at, although nobody may; `null` when nothing was. */
export function takeAsked(): WallClockError | null {
  const found = asked;
  asked = null;
  return found;
}
