// Reads of what the exchange never has, and venues of its family do: an empty list, or nothing by any name.
// Must never make anything up.
import { endpointOf } from '../../venues/trade-api/profile.ts';
import type { Handler } from './call.ts';
import { notFound } from './market-endpoints.ts';
import { readQuery } from './query-reading.ts';

/** Answers what the profile says, to a query that fits. */
export const vacant: Handler = {
  answer(call) {
    readQuery(call);
    const answer = endpointOf(call.profile, call.request.endpoint).vacant ?? null;
    if (answer === null) throw notFound(call);
    return answer;
  },
};
