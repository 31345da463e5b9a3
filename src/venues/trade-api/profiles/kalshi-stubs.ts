// Reads of the `kalshi` dialect that are always empty on a local exchange, such as requests for quotes, combinations,
// milestones, live data, incentives and bank transfers. Lists are empty, and single objects are not found. Data only.
import type { EndpointQuery, StubEndpoint, StubEndpointName } from './endpoint.ts';
import type { JsonValue } from '../wire/record-spec.ts';
import * as query from './query-forms.ts';
import { maybeInteger } from './service-forms.ts';

type Body = Readonly<Record<string, JsonValue>>;

const none = (path: string, vacant: Body | null, query: EndpointQuery = {}): StubEndpoint => ({
  method: 'GET',
  path,
  auth: false,
  budget: 'read',
  cost: 10,
  success: 200,
  stubAnswer: vacant,
  ...query,
});
const ownNone = (path: string, vacant: Body | null, query: EndpointQuery = {}): StubEndpoint => ({
  ...none(path, vacant, query),
  auth: true,
});
const upTo = (max: number): EndpointQuery => ({ query: query.querySpec(query.paged), pageSize: { min: 1, max } });
const byIds = (wire: string): EndpointQuery => ({
  query: query.querySpec({ ids: { kind: 'list', of: { kind: 'name' }, repeated: true, wire, optional: true } }),
  required: ['ids'],
});

const COLLECTIONS = '/multivariate_event_collections';
const LIVE = '/live_data';
const QUOTES = '/communications/quotes';
const REQUESTS = '/communications/rfqs';

export const stubEndpoints: Readonly<Record<StubEndpointName, StubEndpoint>> = {
  announcements: none('/exchange/announcements', { announcements: [] }),
  multivariateEvents: none('/events/multivariate', { events: [], cursor: '' }, upTo(200)),
  forecastHistory: ownNone(
    '/series/{seriesTicker}/events/{eventTicker}/forecast_percentile_history',
    { forecast_history: [] },
    {
      query: query.querySpec({
        ...query.candleFields,
        ids: { kind: 'list', of: { kind: 'name' }, repeated: true, wire: 'percentiles', optional: true },
      }),
      required: ['ids', ...query.CANDLES_NEED],
    },
  ),
  deposits: ownNone('/portfolio/deposits', { deposits: [], cursor: '' }, upTo(500)),
  withdrawals: ownNone('/portfolio/withdrawals', { withdrawals: [], cursor: '' }, upTo(500)),
  allocation: ownNone('/portfolio/target_balance_allocation', { allocations: [], resting_margin_reservation: 'max' }),
  quoteRequests: ownNone(REQUESTS, { rfqs: [], cursor: '' }, upTo(100)),
  quoteRequest: ownNone(`${REQUESTS}/{id}`, null),
  quoteOfRequest: ownNone(`${REQUESTS}/{id}/quotes/{quoteId}`, null),
  quotes: ownNone(QUOTES, { quotes: [], cursor: '' }, upTo(500)),
  quote: ownNone(`${QUOTES}/{id}`, null),
  blockTrades: ownNone('/communications/block-trade-proposals', { block_trade_proposals: [], cursor: '' }, upTo(100)),
  volumeProgress: ownNone('/account/api_usage_level/volume_progress', { volume_progress: [] }),
  sportFilters: none('/search/filters_by_sport', { filters_by_sports: {}, sport_ordering: [] }),
  milestones: none('/milestones', { milestones: [], cursor: '' }, { ...upTo(500), required: ['limit'] }),
  milestone: none('/milestones/{id}', null),
  milestoneData: none(`${LIVE}/milestone/{id}`, null),
  milestoneDataOfType: none(`${LIVE}/{type}/milestone/{id}`, null),
  milestonesData: none(`${LIVE}/batch`, { live_datas: [] }, byIds('milestone_ids')),
  gameStats: none(`${LIVE}/milestone/{id}/game_stats`, null),
  eventData: none(`${LIVE}/events/{eventTicker}`, null),
  structuredTargets: none(
    '/structured_targets',
    { structured_targets: [], cursor: '' },
    { query: query.querySpec({ ...query.paged, limit: maybeInteger('page_size') }), pageSize: { min: 1, max: 2000 } },
  ),
  structuredTarget: none('/structured_targets/{id}', null),
  collections: none(COLLECTIONS, { multivariate_contracts: [], cursor: '' }, upTo(200)),
  collection: none(`${COLLECTIONS}/{collectionTicker}`, null),
  collectionLookups: none(`${COLLECTIONS}/{collectionTicker}/lookup`, { lookup_points: [] }),
  incentives: none('/incentive_programs', { incentive_programs: [] }, upTo(10_000)),
};
