// Asks a venue for its limits and costs before the venue is opened, over a separate connection. Must never leave that
// connection open.
import type { Clock } from '../../runtime/session/system-clock.ts';
import type { Logger } from '../../log.ts';
import { PooledHttpClient } from '../../transport/pooled-http.ts';
import { readPublishedTerms } from '../../venues/trade-api/rest/published-terms.ts';
import type { TradeApiVenueOptions } from '../../venues/trade-api/trade-api-venue.ts';

const CONNECTION = { connections: 2, connectTimeoutMs: 3000, idleMs: 1000, bodyBytesMax: 1_048_576 } as const;

/**
 * Returns the limits and costs that the venue publishes. Otherwise the profile's values apply, and the log says so.
 * Never rejects.
 */
export async function readVenueTerms(
  { profile, urls, credential }: Pick<TradeApiVenueOptions, 'profile' | 'urls' | 'credential'>,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): Promise<Pick<TradeApiVenueOptions, 'limits' | 'costs'>> {
  const http = new PooledHttpClient({ ...CONNECTION, origin: urls.rest });
  try {
    const { limits, costs, tier } = await readPublishedTerms({
      profile,
      http,
      credential,
      clock: () => clock.now(),
      onUnreadable: (what, why) =>
        log.warn({ why }, `the venue did not publish ${what}: the values of profile ${profile.name} apply`),
    });
    if (tier !== null) log.info({ tier, ...limits }, 'the venue has published its limits');
    return Object.keys(costs).length === 0 ? { limits } : { limits, costs };
  } finally {
    await http.stop();
  }
}
