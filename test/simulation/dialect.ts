// The dialects that worlds are spoken in, each with what is particular to the exchanges that speak it.
// Must never make a world milder for a dialect's sake.
import { type Guards, NO_GUARDS } from '../../src/venues/trade-api/guards.ts';
import type { WireProfile } from '../../src/venues/trade-api/profile.ts';
import { profileNamed, profileNames } from '../../src/venues/trade-api/profiles/registry.ts';

/** The dialect that worlds speak unless told. */
export const USUAL_DIALECT = 'service';
/** The venue's pings come more often than usual, for silence is shorter. Milliseconds. */
const PING_MS = 2000;
/** What is the way of exchanges of a dialect: how late an account's own reads are, and what they are asked to see to. */
interface Ways {
  /** Milliseconds. */
  readonly readLagMs: number;
  readonly guards: Guards;
}
const PLAIN: Ways = { readLagMs: 0, guards: NO_GUARDS };
const WAYS: Readonly<Record<string, Ways>> = {
  kalshi: { readLagMs: 300, guards: { ...NO_GUARDS, cancelOnPause: true, restMsMax: 3_600_000 } },
};

/** A dialect as worlds have it. */
export interface Dialect extends Ways {
  readonly profile: WireProfile;
  /** What an order costs of what may be asked in a while. */
  readonly orderCost: number;
}

export const isDialect = (name: string): boolean => profileNames().includes(name);

/**
 * The dialect of a name.
 * @throws {RangeError} when there is no such one.
 */
export function dialectNamed(name: string): Dialect {
  const profile = profileNamed(name);
  if (profile === undefined) throw new RangeError(`a dialect: expected ${profileNames().join(' or ')}, found ${name}`);
  return {
    profile: { ...profile, feed: { ...profile.feed, pingEveryMs: PING_MS } },
    ...(WAYS[name] ?? PLAIN),
    orderCost: profile.endpoints.createOrder.cost,
  };
}
