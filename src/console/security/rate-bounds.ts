// Bounds on rates: requests and controls of a login, and wrong tokens of an address. Must never grow with the number of
// addresses.

/** Requests per second of one login, on average. */
export const REQUESTS_PER_SECOND = 20;
/** Controls per second of one login. A halt is exempt. */
export const CONTROLS_PER_SECOND = 4;
/** Wrong tokens within a minute before further wrong tokens of an address must wait. */
export const WRONG_TOKENS_MAX = 5;
const MINUTE_MS = 60_000;
/** Longest wait after wrong tokens. Milliseconds. */
const WAIT_MS_MAX = 60 * MINUTE_MS;
const ENTRIES_MAX = 1000;

/** Bounds the rate of each key. */
export class RateBound {
  readonly #perSecond: number;
  readonly #capacity: number;
  /** By key, the least recently used first. The first are removed beyond `ENTRIES_MAX`. */
  readonly #buckets = new Map<string, { level: number; atMs: number }>();

  constructor(perSecond: number, capacity: number) {
    this.#perSecond = perSecond;
    this.#capacity = capacity;
  }

  /** Uses one unit of a key. Returns 0 when a unit was free, else the wait in milliseconds. */
  useUnit(key: string, nowMs: number): number {
    const known = this.#buckets.get(key) ?? { level: this.#capacity, atMs: nowMs };
    const gained = (Math.max(0, nowMs - known.atMs) / 1000) * this.#perSecond;
    const level = Math.min(this.#capacity, known.level + gained);
    const isFree = level >= 1;
    this.#buckets.delete(key);
    this.#buckets.set(key, { level: isFree ? level - 1 : level, atMs: nowMs });
    dropOldest(this.#buckets);
    return isFree ? 0 : Math.ceil(((1 - level) / this.#perSecond) * 1000);
  }
}

/** Counts wrong tokens by address. Each further wait lasts twice as long, up to a bound. */
export class WrongTokens {
  /** By address. The first are removed beyond `ENTRIES_MAX`. */
  readonly #byAddress = new Map<string, { times: number[]; waits: number; untilMs: number }>();

  /** Returns the wait in milliseconds before a wrong token of an address is counted again; 0 when it is now. */
  waitMs(address: string, nowMs: number): number {
    return Math.max(0, (this.#byAddress.get(address)?.untilMs ?? 0) - nowMs);
  }

  countWrong(address: string, nowMs: number): void {
    const known = this.#byAddress.get(address) ?? { times: [], waits: 0, untilMs: 0 };
    const times = [...known.times.filter((atMs) => nowMs - atMs < MINUTE_MS), nowMs];
    const mustWait = times.length >= WRONG_TOKENS_MAX;
    this.#byAddress.delete(address);
    this.#byAddress.set(address, {
      times: mustWait ? [] : times,
      waits: known.waits + (mustWait ? 1 : 0),
      untilMs: mustWait ? nowMs + Math.min(WAIT_MS_MAX, MINUTE_MS * 2 ** known.waits) : known.untilMs,
    });
    dropOldest(this.#byAddress);
  }

  clearAddress(address: string): void {
    this.#byAddress.delete(address);
  }
}

function dropOldest(entries: Map<string, unknown>): void {
  for (const key of entries.keys()) {
    if (entries.size <= ENTRIES_MAX) return;
    entries.delete(key);
  }
}
