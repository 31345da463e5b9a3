// Describes the venue of the tests: it can do everything that the `service` dialect can, with rate limits that the test
// chooses. Each request costs one unit.
import type { Capabilities, RateLimit } from '../../../src/venue.ts';
import { serviceProfile } from '../../../src/venues/trade-api/profiles/service-profile.ts';

/** Returns the capabilities of a venue with the same limit for reads and for trades. */
export const capabilitiesWith = (limit: RateLimit): Capabilities => ({
  ...serviceProfile.abilities,
  limits: { read: limit, trade: limit },
  cost: () => 1,
});
