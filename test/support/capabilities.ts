// What the venue of the tests can do: all that the shipped dialect can, with allowances of the test's own, each request
// for one unit.
import type { Capabilities, RateLimit } from '../../src/venue.ts';
import { serviceProfile } from '../../src/venues/trade-api/profiles/service-profile.ts';

/** A venue with the same allowance for reads and for trades. */
export const capabilitiesWith = (limit: RateLimit): Capabilities => ({
  ...serviceProfile.abilities,
  limits: { read: limit, trade: limit },
  cost: () => 1,
});
