// Reads of what a venue of the family may have and this exchange never does: an empty list, or 404 for a name.
// Must never invent a row.
import { endpointOf } from '../../venues/trade-api/profile.ts';
import type { Handler } from './call.ts';
import { notFound } from './market-endpoints.ts';
import { readQuery } from './query-reading.ts';

/** Checks the query, then answers with the profile's constant. */
export const vacant: Handler = {
  answer(call) {
    readQuery(call);
    const answer = endpointOf(call.profile, call.request.endpoint).vacant ?? null;
    if (answer === null) throw notFound(call);
    return answer;
  },
};
