// The dialects of simulations, each with the particulars of the exchanges that use it. Must never make a simulation
// easier for the sake of a dialect.
import { type VenueGuards, NO_VENUE_GUARDS } from '../../src/venues/trade-api/rest/venue-guards.ts';
import type { WireProfile } from '../../src/venues/trade-api/profiles/wire-profile.ts';
import { profileByName, profileNames } from '../../src/venues/trade-api/profiles/profile-registry.ts';

/** The default dialect. */
export const USUAL_DIALECT = 'service';
/** Interval of the venue's pings: shorter than usual, because the silence limit is. Milliseconds. */
const PING_MS = 2000;
/** Particulars of a dialect's exchanges: the lag of an account's own reads, and the guards requested of them. */
interface Particulars {
  /** Milliseconds. */
  readonly readLagMs: number;
  readonly guards: VenueGuards;
}
const PLAIN: Particulars = { readLagMs: 0, guards: NO_VENUE_GUARDS };
const PARTICULARS: Readonly<Record<string, Particulars>> = {
  kalshi: { readLagMs: 300, guards: { ...NO_VENUE_GUARDS, cancelOnPause: true, restMsMax: 3_600_000 } },
};

/** A dialect as simulations use it. */
export interface Dialect extends Particulars {
  readonly profile: WireProfile;
  /** Rate cost of an order. */
  readonly orderCost: number;
}

export const isDialect = (name: string): boolean => profileNames().includes(name);

/**
 * The dialect of a name.
 * @throws {RangeError} when there is none of this name.
 */
export function dialectNamed(name: string): Dialect {
  const profile = profileByName(name);
  if (profile === undefined) throw new RangeError(`a dialect: expected ${profileNames().join(' or ')}, found ${name}`);
  return {
    profile: { ...profile, feed: { ...profile.feed, pingEveryMs: PING_MS } },
    ...(PARTICULARS[name] ?? PLAIN),
    orderCost: profile.endpoints.createOrder.cost,
  };
}
