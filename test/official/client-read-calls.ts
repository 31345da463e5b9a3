// tidy: table. Reads of the official client that the local exchange derives from its own state, or that it answers with an
// empty list because it never has what is asked for.
import { expect } from 'vitest';
import { type Call, type OfficialClient, EMPTY, EVENT, KEYS, SERIES, SETTLED, TRADED } from './official-client.ts';

const ID = '33333333-0000-4000-8000-000000000001';
const NOT_FOUND = { error: { code: 'not_found', message: 'not found' } };

const found = (call: string, run: Call['run'], body: unknown): Call => ({ call, run, status: 200, body });
const nothing = (call: string, run: Call['run']): Call => ({ call, run, status: 404, body: NOT_FOUND });

/** The five parameters between the series and the time of settlement. */
const TO_SETTLED = [undefined, undefined, undefined, undefined, undefined] as const;

const now = (): number => Math.floor(Date.now() / 1000);

const DERIVED: readonly Call[] = [
  found('ApiKeysApi.getApiKeys', ({ apiKeys }) => apiKeys.getApiKeys(), {
    api_keys: [{ api_key_id: KEYS.id, name: KEYS.id, scopes: ['read', 'write'] }],
  }),
  found('CommunicationsApi.getCommunicationsID', ({ communications }) => communications.getCommunicationsID(), {
    communications_id: expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown,
  }),
  found('SearchApi.getTagsForSeriesCategories', ({ search }) => search.getTagsForSeriesCategories(), {
    tags_by_categories: { Weather: ['Water'] },
  }),
  found('PortfolioApi.getSubaccountNetting', ({ portfolio }) => portfolio.getSubaccountNetting(), {
    netting_configs: [0, 1].map((subaccount_number) => ({ subaccount_number, enabled: false })),
  }),
  found(
    'PortfolioApi.getPortfolioRestingOrderTotalValue',
    async (client: OfficialClient) => {
      await client.orders.cancelAllOrders();
      await client.placeOrder({ count: '3.00' });
      await client.placeOrder({ side: 'ask', price: '0.9000', count: '2.00' });
      return client.portfolio.getPortfolioRestingOrderTotalValue();
    },
    { total_resting_order_value: 35 },
  ),
  found('MarketApi.getSeriesList by tag', ({ market }) => market.getSeriesList(undefined, 'Water', false, true), {
    series: [{ ticker: SERIES, tags: ['Water'], volume_fp: expect.stringMatching(/^\d+\.\d\d$/) as unknown }],
  }),
  found('MarketApi.getSeriesList of another category', ({ market }) => market.getSeriesList('Sports'), { series: [] }),
  found(
    'MarketApi.getMarkets of markets that were paid out',
    ({ market }) => market.getMarkets(0, undefined, undefined, SERIES, ...TO_SETTLED, now() - 3600, 9_999_999_999_999),
    { markets: [{ ticker: SETTLED }] },
  ),
  found(
    'MarketApi.getTrades with all its parameters',
    ({ market }) => market.getTrades(0, '', TRADED, 0, now() + 60, true),
    {
      trades: [],
      cursor: '',
    },
  ),
  found(
    'EventsApi.getEvents by tickers, with milestones',
    ({ events }) => events.getEvents(5, undefined, false, true, undefined, undefined, `${EVENT},KXNONE-1`),
    { events: [{ event_ticker: EVENT }], milestones: [] },
  ),
  found('OrdersApi.getOrderQueuePositions of all orders', ({ orders }) => orders.getOrderQueuePositions(), {
    queue_positions: expect.arrayContaining([expect.objectContaining({ market_ticker: EMPTY })]) as unknown,
  }),
  nothing('HistoricalApi.getHistoricalMarket of a recent market', ({ historical }) =>
    historical.getHistoricalMarket(TRADED),
  ),
  nothing('HistoricalApi.getMarketCandlesticksHistorical of a recent market', ({ historical }) =>
    historical.getMarketCandlesticksHistorical(TRADED, now() - 60, now(), 1),
  ),
];

const VACANT: readonly Call[] = [
  found('EventsApi.getMultivariateEvents', ({ events }) => events.getMultivariateEvents(200), {
    events: [],
    cursor: '',
  }),
  found(
    'EventsApi.getEventForecastPercentilesHistory',
    ({ events }) => events.getEventForecastPercentilesHistory(EVENT, SERIES, [5000], now() - 60, now(), 1),
    { forecast_history: [] },
  ),
  found('PortfolioApi.getDeposits', ({ portfolio }) => portfolio.getDeposits(), { deposits: [] }),
  found('PortfolioApi.getWithdrawals', ({ portfolio }) => portfolio.getWithdrawals(), { withdrawals: [] }),
  found('PortfolioApi.getTargetBalanceAllocation', ({ portfolio }) => portfolio.getTargetBalanceAllocation(), {
    allocations: [],
  }),
  found('CommunicationsApi.getRFQs', ({ communications }) => communications.getRFQs(), { rfqs: [] }),
  found('CommunicationsApi.getQuotes', ({ communications }) => communications.getQuotes(), { quotes: [] }),
  found('CommunicationsApi.getBlockTradeProposals', ({ communications }) => communications.getBlockTradeProposals(), {
    block_trade_proposals: [],
  }),
  nothing('CommunicationsApi.getRFQ', ({ communications }) => communications.getRFQ(ID)),
  nothing('CommunicationsApi.getRFQQuote', ({ communications }) => communications.getRFQQuote(ID, ID)),
  nothing('CommunicationsApi.getQuote', ({ communications }) => communications.getQuote(ID)),
  found(
    'AccountApi.getAccountApiUsageLevelVolumeProgress',
    ({ account }) => account.getAccountApiUsageLevelVolumeProgress(),
    { volume_progress: [] },
  ),
  found('SearchApi.getFiltersForSports', ({ search }) => search.getFiltersForSports(), {
    filters_by_sports: {},
    sport_ordering: [],
  }),
  found('MilestoneApi.getMilestones', ({ milestones }) => milestones.getMilestones(500), { milestones: [] }),
  nothing('MilestoneApi.getMilestone', ({ milestones }) => milestones.getMilestone(ID)),
  found('LiveDataApi.getLiveDatas', ({ liveData }) => liveData.getLiveDatas([ID, ID]), { live_datas: [] }),
  nothing('LiveDataApi.getLiveDataByMilestone', ({ liveData }) => liveData.getLiveDataByMilestone(ID)),
  nothing('LiveDataApi.getLiveData', ({ liveData }) => liveData.getLiveData('football_game', ID)),
  nothing('LiveDataApi.getGameStats', ({ liveData }) => liveData.getGameStats(ID)),
  nothing('LiveDataApi.getEventLiveData', ({ liveData }) => liveData.getEventLiveData(EVENT)),
  found('StructuredTargetsApi.getStructuredTargets', ({ targets }) => targets.getStructuredTargets(), {
    structured_targets: [],
  }),
  nothing('StructuredTargetsApi.getStructuredTarget', ({ targets }) => targets.getStructuredTarget(ID)),
  found('MultivariateApi.getMultivariateEventCollections', ({ combos }) => combos.getMultivariateEventCollections(), {
    multivariate_contracts: [],
  }),
  nothing('MultivariateApi.getMultivariateEventCollection', ({ combos }) =>
    combos.getMultivariateEventCollection('KX'),
  ),
  found('IncentiveProgramsApi.getIncentivePrograms', ({ incentives }) => incentives.getIncentivePrograms(), {
    incentive_programs: [],
  }),
];

/** Reads that are derived, and reads that find nothing. */
export const READ_CALLS: readonly Call[] = [...DERIVED, ...VACANT];
