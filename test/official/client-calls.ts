// tidy: table. Calls of the venue’s own client, with the answers that the local exchange must give.
import { expect } from 'vitest';
import { type Call, type OfficialClient, EMPTY, EVENT, SERIES, SETTLED, TRADED } from './official-client.ts';
import { READ_CALLS } from './client-read-calls.ts';

const text = expect.any(String) as unknown;
const number = expect.any(Number) as unknown;
const uuid = expect.stringMatching(/^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/) as unknown;
const some = (...rows: readonly object[]): unknown =>
  expect.arrayContaining(rows.map((row) => expect.objectContaining(row) as unknown));
const error = (code: string, further: object = {}) => ({
  error: { code, message: code.replaceAll('_', ' '), ...further },
});
const NOT_FOUND = error('not_found');
const NOWHERE = '00000000-0000-4000-8000-ffffffffffff';

/** The twelve parameters before the list of tickers. */
const TO_TICKERS = [...Array<undefined>(12)] as const;

const now = (): number => Math.floor(Date.now() / 1000);
const hour = [() => now() - 3600, () => now() + 3600] as const;

const rejected = (status: number, body: unknown) => ({ status, body });

export const MARKET_CALLS: readonly Call[] = [
  {
    call: 'MarketApi.getMarkets of a series',
    run: ({ market }) => market.getMarkets(2, undefined, undefined, SERIES),
    status: 200,
    body: { markets: [{ event_ticker: EVENT }, { event_ticker: EVENT }], cursor: text },
  },
  {
    call: 'MarketApi.getMarkets by tickers',
    run: ({ market }) => market.getMarkets(...TO_TICKERS, `${TRADED},${EMPTY}`),
    status: 200,
    body: {
      cursor: '',
      markets: some(
        {
          ticker: TRADED,
          status: 'active',
          yes_bid_dollars: '0.4200',
          yes_bid_size_fp: '13.00',
          yes_ask_dollars: '0.6000',
          yes_ask_size_fp: '7.00',
          no_bid_dollars: '0.4000',
          no_ask_dollars: '0.5800',
          last_price_dollars: '0.4500',
          volume_fp: '3.00',
          price_level_structure: 'linear_cent',
          price_ranges: [{ start: '0.0000', end: '1.0000', step: '0.0100' }],
        },
        { ticker: EMPTY, yes_bid_size_fp: '0.00', yes_ask_size_fp: '0.00' },
      ),
    },
  },
  {
    call: 'MarketApi.getMarket of a market that was paid out',
    run: ({ market }) => market.getMarket(SETTLED),
    status: 200,
    body: {
      market: {
        status: 'finalized',
        result: 'yes',
        settlement_value_dollars: '1.0000',
        settlement_ts: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      },
    },
  },
  {
    call: 'MarketApi.getMarket of an unknown market',
    run: ({ market }) => market.getMarket('KXNONE'),
    ...rejected(404, error('not_found')),
  },
  {
    call: 'MarketApi.getMarkets with too large a limit',
    run: ({ market }) => market.getMarkets(1001),
    ...rejected(400, {
      msg: "Parameter validation failed for GetMarkets: Key: 'GetMarketsParams.Limit' Error:Field validation for 'Limit' failed on the 'lte' tag",
    }),
  },
  {
    call: 'MarketApi.getMarkets with an invalid cursor',
    run: ({ market }) => market.getMarkets(1, 'garbage-cursor'),
    status: 200,
    body: { markets: [{ event_ticker: EVENT }] },
  },
  {
    call: 'MarketApi.getMarketOrderbook',
    run: ({ market }) => market.getMarketOrderbook(TRADED),
    status: 200,
    body: {
      orderbook_fp: {
        yes_dollars: [
          ['0.4100', '50.00'],
          ['0.4200', '13.00'],
        ],
        no_dollars: [['0.4000', '7.00']],
      },
    },
  },
  {
    call: 'MarketApi.getMarketOrderbook at depth 1',
    run: ({ market }) => market.getMarketOrderbook(TRADED, 1),
    status: 200,
    body: { orderbook_fp: { yes_dollars: [['0.4200', '13.00']], no_dollars: [['0.4000', '7.00']] } },
  },
  {
    call: 'MarketApi.getMarketOrderbook deeper than the book',
    run: ({ market }) => market.getMarketOrderbook(TRADED, 101),
    ...rejected(400, { msg: expect.stringContaining("'lte' tag") as unknown }),
  },
  {
    call: 'MarketApi.getMarketOrderbooks with a repeated parameter',
    run: ({ market }) => market.getMarketOrderbooks([TRADED, EMPTY]),
    status: 200,
    body: {
      orderbooks: [
        { ticker: TRADED, orderbook_fp: { no_dollars: [['0.4000', '7.00']] } },
        { ticker: EMPTY, orderbook_fp: { yes_dollars: [], no_dollars: [] } },
      ],
    },
  },
  {
    call: 'MarketApi.getTrades',
    run: ({ market }) => market.getTrades(10, undefined, TRADED),
    status: 200,
    body: {
      trades: [
        {
          trade_id: text,
          ticker: TRADED,
          count_fp: '3.00',
          yes_price_dollars: '0.4500',
          no_price_dollars: '0.5500',
          taker_outcome_side: 'yes',
          taker_book_side: 'bid',
          is_block_trade: false,
        },
      ],
      cursor: '',
    },
  },
  {
    call: 'MarketApi.getMarketCandlesticks',
    run: ({ market }) => market.getMarketCandlesticks(SERIES, TRADED, hour[0](), hour[1](), 60),
    status: 200,
    body: {
      ticker: TRADED,
      candlesticks: some({
        price: expect.objectContaining({ close_dollars: '0.4500' }) as unknown,
        volume_fp: '3.00',
        open_interest_fp: '3.00',
      }),
    },
  },
  {
    call: 'MarketApi.batchGetMarketCandlesticks',
    run: ({ market }) => market.batchGetMarketCandlesticks(`${TRADED},${EMPTY}`, hour[0](), hour[1](), 60),
    status: 200,
    body: { markets: some({ market_ticker: TRADED }, { market_ticker: EMPTY }) },
  },
  {
    call: 'EventsApi.getMarketCandlesticksByEvent',
    run: ({ events }) => events.getMarketCandlesticksByEvent(EVENT, SERIES, hour[0](), hour[1](), 60),
    status: 200,
    body: {
      market_tickers: [TRADED, EMPTY, SETTLED],
      market_candlesticks: [[], [], []].map(() => expect.any(Array) as unknown),
      adjusted_end_ts: number,
    },
  },
  {
    call: 'MarketApi.getSeries',
    run: ({ market }) => market.getSeries(SERIES),
    status: 200,
    body: { series: { ticker: SERIES, fee_type: 'quadratic_with_maker_fees', fee_multiplier: 1 } },
  },
  {
    call: 'MarketApi.getSeriesList',
    run: ({ market }) => market.getSeriesList(),
    status: 200,
    body: { series: [{ ticker: SERIES }] },
  },
  {
    call: 'EventsApi.getEvents',
    run: ({ events }) => events.getEvents(),
    status: 200,
    body: { events: [{ event_ticker: EVENT, series_ticker: SERIES, mutually_exclusive: true }], cursor: '' },
  },
  {
    call: 'EventsApi.getEvents with too large a limit',
    run: ({ events }) => events.getEvents(201),
    ...rejected(400, { msg: expect.stringContaining('GetEventsParams.Limit') as unknown }),
  },
  {
    call: 'EventsApi.getEvent with its markets',
    run: ({ events }) => events.getEvent(EVENT, true),
    status: 200,
    body: { event: { event_ticker: EVENT, markets: [{}, {}, {}] } },
  },
  {
    call: 'EventsApi.getEventMetadata',
    run: ({ events }) => events.getEventMetadata(EVENT),
    status: 200,
    body: { image_url: text, settlement_sources: [] },
  },
  {
    call: 'EventsApi.getEventFeeChanges',
    run: ({ events }) => events.getEventFeeChanges(),
    status: 200,
    body: { event_fee_changes: [], cursor: '' },
  },
  {
    call: 'ExchangeApi.getSeriesFeeChanges',
    run: ({ exchange }) => exchange.getSeriesFeeChanges(SERIES, true),
    status: 200,
    body: { series_fee_change_arr: [] },
  },
  {
    call: 'ExchangeApi.getExchangeStatus',
    run: ({ exchange }) => exchange.getExchangeStatus(),
    status: 200,
    body: { exchange_active: true, trading_active: true },
  },
  {
    call: 'ExchangeApi.getExchangeSchedule',
    run: ({ exchange }) => exchange.getExchangeSchedule(),
    status: 200,
    body: { schedule: { maintenance_windows: [] } },
  },
  {
    call: 'ExchangeApi.getUserDataTimestamp',
    run: ({ exchange }) => exchange.getUserDataTimestamp(),
    status: 200,
    body: { as_of_time: text },
  },
  {
    call: 'HistoricalApi.getHistoricalCutoff',
    run: ({ historical }) => historical.getHistoricalCutoff(),
    status: 200,
    body: { market_settled_ts: text, trades_created_ts: text, orders_updated_ts: text },
  },
  {
    call: 'AccountApi.getAccountEndpointCosts',
    run: ({ account }) => account.getAccountEndpointCosts(),
    status: 200,
    body: {
      default_cost: 10,
      endpoint_costs: some({ method: 'DELETE', path: '/trade-api/v2/portfolio/events/orders/:order_id', cost: 2 }),
    },
  },
];

const BATCHED = '11111111-0000-4000-8000-000000000001';
const FAULTY = '11111111-0000-4000-8000-000000000002';

export const ORDER_CALLS: readonly Call[] = [
  {
    call: 'OrdersApi.createOrderV2 that rests',
    run: (client) => client.orders.createOrderV2(client.newOrder()),
    status: 201,
    body: { order_id: uuid, client_order_id: uuid, fill_count: '0.00', remaining_count: '10.00', ts_ms: number },
  },
  {
    call: 'OrdersApi.createOrderV2 that is filled at once',
    run: (client) => {
      client.placeRivalOrder(EMPTY, 'sell', { price: 52, count: 1 });
      return client.orders.createOrderV2(
        client.newOrder({ count: '1.00', price: '0.5200', time_in_force: 'immediate_or_cancel' }),
      );
    },
    status: 201,
    // This is the answer that was recorded of the real exchange.
    body: {
      fill_count: '1.00',
      remaining_count: '0.00',
      average_fill_price: '0.5200',
      average_fee_paid: expect.stringMatching(/^0\.01\d\d$/) as unknown,
    },
  },
  {
    call: 'OrdersApi.createOrderV2 immediate-or-cancel, with nothing to trade with',
    run: (client) => client.orders.createOrderV2(client.newOrder({ time_in_force: 'immediate_or_cancel' })),
    status: 201,
    body: { fill_count: '0.00', remaining_count: '0.00' },
  },
  {
    call: 'OrdersApi.createOrderV2 fill-or-kill, with nothing to trade with',
    run: (client) => client.orders.createOrderV2(client.newOrder({ time_in_force: 'fill_or_kill' })),
    ...rejected(409, error('fill_or_kill_insufficient_resting_volume')),
  },
  {
    call: 'OrdersApi.createOrderV2 against our own order',
    run: async (client) => {
      await client.placeOrder({ price: '0.4400' });
      return client.orders.createOrderV2(
        client.newOrder({ side: 'ask', price: '0.4400', time_in_force: 'immediate_or_cancel' }),
      );
    },
    status: 201,
    body: { fill_count: '0.00', remaining_count: '0.00' },
  },
  {
    call: 'OrdersApi.createOrderV2 with a used client order id',
    run: async (client) => {
      const order = client.newOrder();
      await client.orders.createOrderV2(order);
      return client.orders.createOrderV2(order);
    },
    ...rejected(409, error('order_already_exists')),
  },
  {
    call: 'OrdersApi.createOrderV2 with the client order id of a canceled order',
    run: async (client) => {
      const order = client.newOrder();
      const { data } = await client.orders.createOrderV2(order);
      await client.orders.cancelOrderV2(data.order_id);
      return client.orders.createOrderV2(order);
    },
    ...rejected(409, error('order_already_exists')),
  },
  {
    call: 'OrdersApi.createOrderV2 post-only, and would trade',
    run: (client) => client.orders.createOrderV2(client.newOrder({ ticker: TRADED, price: '0.9900', post_only: true })),
    ...rejected(400, error('invalid_order', { details: 'post only cross' })),
  },
  {
    call: 'OrdersApi.createOrderV2 beyond the cash',
    run: (client) => client.orders.createOrderV2(client.newOrder({ count: '10099.00', price: '0.9900' })),
    ...rejected(400, error('insufficient_balance')),
  },
  {
    call: 'OrdersApi.createOrderV2 off the grid',
    run: (client) => client.orders.createOrderV2(client.newOrder({ price: '0.5150' })),
    ...rejected(400, error('invalid_price')),
  },
  {
    call: 'OrdersApi.createOrderV2 in an unknown market',
    run: (client) => client.orders.createOrderV2(client.newOrder({ ticker: 'KXNONE' })),
    ...rejected(404, error('market_not_found')),
  },
  {
    call: 'OrdersApi.createOrderV2 with a number for the count',
    run: (client) => client.orders.createOrderV2(client.newOrder({ count: 10 as unknown as string })),
    ...rejected(400, {
      code: 'bad_request',
      message: 'bad request',
      details: 'json: cannot unmarshal number into Go struct field CreateOrderV2Request.count of type string',
    }),
  },
  {
    call: 'OrdersApi.getOrder',
    run: async (client) => client.orders.getOrder(await client.placeOrder()),
    status: 200,
    body: {
      order: {
        order_id: uuid,
        ticker: EMPTY,
        status: 'resting',
        outcome_side: 'yes',
        book_side: 'bid',
        type: 'limit',
        yes_price_dollars: '0.0500',
        no_price_dollars: '0.9500',
        fill_count_fp: '0.00',
        remaining_count_fp: '10.00',
        initial_count_fp: '10.00',
      },
    },
  },
  {
    call: 'OrdersApi.getOrder of an unknown order',
    run: ({ orders }) => orders.getOrder(NOWHERE),
    ...rejected(404, NOT_FOUND),
  },
  {
    call: 'OrdersApi.getOrder with an invalid id',
    run: ({ orders }) => orders.getOrder('no-id'),
    ...rejected(400, error('invalid_UUID')),
  },
  {
    call: 'OrdersApi.getOrders of resting orders',
    run: async (client) => {
      await client.placeOrder();
      return client.orders.getOrders(EMPTY, undefined, undefined, undefined, 'resting', 100);
    },
    status: 200,
    body: { orders: some({ status: 'resting', ticker: EMPTY }), cursor: '' },
  },
  {
    call: 'OrdersApi.amendOrderV2',
    run: async (client) => {
      const id = await client.placeOrder();
      return client.orders.amendOrderV2(id, { ticker: EMPTY, side: 'bid', price: '0.0600', count: '8.00' });
    },
    status: 200,
    body: { order_id: uuid, remaining_count: '8.00', fill_count: '0.00', ts_ms: number },
  },
  {
    call: 'OrdersApi.amendOrderV2 of an order that does not rest',
    run: async (client) => {
      const id = await client.placeCanceledOrder();
      return client.orders.amendOrderV2(id, { ticker: EMPTY, side: 'bid', price: '0.0600', count: '8.00' });
    },
    ...rejected(404, NOT_FOUND),
  },
  {
    call: 'OrdersApi.decreaseOrderV2 to a quantity',
    run: async (client) => client.orders.decreaseOrderV2(await client.placeOrder(), { reduce_to: '4.00' }),
    status: 200,
    body: { order_id: uuid, remaining_count: '4.00', ts_ms: number },
  },
  {
    call: 'OrdersApi.decreaseOrderV2 by a quantity',
    run: async (client) => client.orders.decreaseOrderV2(await client.placeOrder(), { reduce_by: '4.00' }),
    status: 200,
    body: { remaining_count: '6.00' },
  },
  {
    call: 'OrdersApi.decreaseOrderV2 both ways at once',
    run: async (client) =>
      client.orders.decreaseOrderV2(await client.placeOrder(), { reduce_by: '4.00', reduce_to: '4.00' }),
    ...rejected(400, error('invalid_parameters')),
  },
  {
    call: 'OrdersApi.cancelOrderV2',
    run: async (client) => client.orders.cancelOrderV2(await client.placeOrder()),
    status: 200,
    body: { order_id: uuid, reduced_by: '10.00', ts_ms: number },
  },
  {
    call: 'OrdersApi.cancelOrderV2 of a canceled order',
    run: async (client) => client.orders.cancelOrderV2(await client.placeCanceledOrder()),
    ...rejected(404, NOT_FOUND),
  },
  {
    call: 'OrdersApi.cancelOrderV2 of a filled order',
    run: async (client) => {
      client.placeRivalOrder(EMPTY, 'sell', { price: 53, count: 1 });
      return client.orders.cancelOrderV2(await client.placeOrder({ count: '1.00', price: '0.5300' }));
    },
    ...rejected(404, NOT_FOUND),
  },
  {
    call: 'OrdersApi.cancelOrderV2 of an unknown order',
    run: ({ orders }) => orders.cancelOrderV2(NOWHERE),
    ...rejected(404, NOT_FOUND),
  },
  {
    call: 'OrdersApi.batchCreateOrdersV2 with some invalid orders',
    run: (client) =>
      client.orders.batchCreateOrdersV2({
        orders: [
          client.newOrder({ client_order_id: BATCHED }),
          client.newOrder({ price: '0.0555', client_order_id: FAULTY }),
        ],
      }),
    status: 201,
    body: {
      orders: [
        { order_id: uuid, client_order_id: BATCHED, fill_count: '0.00', remaining_count: '10.00' },
        { client_order_id: FAULTY, error: { code: 'invalid_price', message: 'invalid price' } },
      ],
    },
  },
  {
    call: 'OrdersApi.batchCancelOrdersV2 with some finished orders',
    run: async (client) => {
      const [first, second] = [await client.placeOrder(), await client.placeCanceledOrder()];
      return client.orders.batchCancelOrdersV2({ orders: [{ order_id: first }, { order_id: second }] });
    },
    status: 200,
    body: {
      orders: [
        { order_id: uuid, reduced_by: '10.00' },
        { order_id: uuid, error: { code: 'not_found' } },
      ],
    },
  },
  {
    call: 'OrdersApi.getOrderQueuePosition',
    run: async (client) => {
      client.placeRivalOrder(EMPTY, 'buy', { price: 7, count: 6 });
      return client.orders.getOrderQueuePosition(await client.placeOrder({ price: '0.0700' }));
    },
    status: 200,
    body: { queue_position_fp: '6.00' },
  },
  {
    call: 'OrdersApi.getOrderQueuePositions',
    run: async (client) => {
      await client.placeOrder({ price: '0.0700' });
      return client.orders.getOrderQueuePositions(EMPTY);
    },
    status: 200,
    body: { queue_positions: some({ order_id: uuid, market_ticker: EMPTY, queue_position_fp: text }) },
  },
  {
    call: 'OrdersApi.cancelAllOrders',
    run: async (client) => {
      await client.placeOrder();
      return client.orders.cancelAllOrders();
    },
    status: 204,
    body: '',
  },
  {
    call: 'OrdersApi.getOrders of resting orders after all were canceled',
    run: ({ orders }) => orders.getOrders(undefined, undefined, undefined, undefined, 'resting'),
    status: 200,
    body: { orders: [], cursor: '' },
  },
  {
    call: 'an order on the removed path of orders',
    run: (client) =>
      client.signed.post(`${client.basePath}/portfolio/orders`, { ticker: EMPTY, side: 'yes', action: 'buy' }),
    status: 410,
    body: { error: { code: 'deprecated_v1_order_endpoint' } },
  },
  {
    call: 'a list of orders on the path of order writes',
    run: (client) => client.signed.get(`${client.basePath}/portfolio/events/orders`),
    status: 404,
    body: text,
  },
];

export const ACCOUNT_CALLS: readonly Call[] = [
  {
    call: 'PortfolioApi.getBalance',
    run: ({ portfolio }) => portfolio.getBalance(),
    status: 200,
    body: {
      balance: number,
      balance_dollars: expect.stringMatching(/^\d+\.\d{4,6}$/) as unknown,
      portfolio_value: number,
      updated_ts: number,
    },
  },
  {
    call: 'PortfolioApi.getPositions',
    run: ({ portfolio }) => portfolio.getPositions(undefined, 100, undefined, TRADED),
    status: 200,
    body: {
      market_positions: [
        {
          ticker: TRADED,
          position_fp: '3.00',
          market_exposure_dollars: '1.350000',
          realized_pnl_dollars: '0.000000',
          fees_paid_dollars: text,
        },
      ],
    },
  },
  {
    call: 'PortfolioApi.getPositions by event',
    run: ({ portfolio }) => portfolio.getPositions(undefined, 100, undefined, undefined, EVENT),
    status: 200,
    body: { event_positions: [{ event_ticker: EVENT, total_cost_shares_fp: text, event_exposure_dollars: text }] },
  },
  {
    call: 'PortfolioApi.getFills',
    run: ({ portfolio }) => portfolio.getFills(TRADED),
    status: 200,
    body: {
      fills: [
        {
          fill_id: text,
          trade_id: text,
          order_id: uuid,
          ticker: TRADED,
          market_ticker: TRADED,
          outcome_side: 'yes',
          book_side: 'bid',
          count_fp: '3.00',
          yes_price_dollars: '0.4500',
          no_price_dollars: '0.5500',
          is_taker: true,
          fee_cost: expect.stringMatching(/^0\.05\d{4}$/) as unknown,
        },
      ],
      cursor: '',
    },
  },
  {
    call: 'PortfolioApi.getSettlements',
    run: ({ portfolio }) => portfolio.getSettlements(),
    status: 200,
    body: {
      settlements: [
        {
          ticker: SETTLED,
          event_ticker: EVENT,
          market_result: 'yes',
          yes_count_fp: '2.00',
          yes_total_cost_dollars: '0.600000',
          no_count_fp: '0.00',
          revenue: 200,
          settled_time: text,
          fee_cost: text,
        },
      ],
    },
  },
  {
    call: 'AccountApi.getAccountApiLimits',
    run: ({ account }) => account.getAccountApiLimits(),
    status: 200,
    body: {
      usage_tier: text,
      read: { refill_rate: number, bucket_capacity: number },
      write: { refill_rate: number, bucket_capacity: number },
    },
  },
  {
    call: 'HistoricalApi.getFillsHistorical',
    run: ({ historical }) => historical.getFillsHistorical(),
    status: 200,
    body: { fills: [], cursor: '' },
  },
  {
    call: 'HistoricalApi.getHistoricalOrders',
    run: ({ historical }) => historical.getHistoricalOrders(),
    status: 200,
    body: { orders: [], cursor: '' },
  },
  {
    call: 'HistoricalApi.getTradesHistorical',
    run: ({ historical }) => historical.getTradesHistorical(),
    status: 200,
    body: { trades: [], cursor: '' },
  },
  {
    call: 'HistoricalApi.getHistoricalMarkets',
    run: ({ historical }) => historical.getHistoricalMarkets(),
    status: 200,
    body: { markets: [], cursor: '' },
  },
];

/** Moves a tenth of a dollar to another shard; returns the id of the transfer. */
const moved = async ({ portfolio }: OfficialClient): Promise<string> => {
  const { data } = await portfolio.intraExchangeInstanceTransfer({
    source: 'event_contract',
    destination: 'event_contract',
    amount: 1000,
    source_exchange_shard: 0,
    destination_exchange_shard: 2,
  });
  return data.transfer_id;
};

export const SUBACCOUNT_CALLS: readonly Call[] = [
  {
    call: 'PortfolioApi.createSubaccount',
    run: ({ portfolio }) => portfolio.createSubaccount(),
    status: 201,
    body: { subaccount_number: 1 },
  },
  {
    call: 'PortfolioApi.applySubaccountTransfer',
    run: ({ portfolio }) =>
      portfolio.applySubaccountTransfer({
        client_transfer_id: '22222222-0000-4000-8000-000000000001',
        from_subaccount: 0,
        to_subaccount: 1,
        amount_cents: 2500,
      }),
    status: 200,
    body: {},
  },
  {
    call: 'PortfolioApi.applySubaccountTransfer of more than the cash',
    run: ({ portfolio }) =>
      portfolio.applySubaccountTransfer({
        client_transfer_id: '22222222-0000-4000-8000-000000000002',
        from_subaccount: 1,
        to_subaccount: 0,
        amount_cents: 1_000_000,
      }),
    ...rejected(400, error('insufficient_balance')),
  },
  {
    call: 'PortfolioApi.getSubaccountBalances',
    run: ({ portfolio }) => portfolio.getSubaccountBalances(),
    status: 200,
    body: {
      subaccount_balances: some(
        { subaccount_number: 0, exchange_index: 0, updated_ts: number },
        { subaccount_number: 1, exchange_index: 0, balance: '25.000000' },
      ),
    },
  },
  {
    call: 'PortfolioApi.getSubaccountTransfers',
    run: ({ portfolio }) => portfolio.getSubaccountTransfers(),
    status: 200,
    body: { transfers: [{ from_subaccount: 0, to_subaccount: 1, amount_cents: 2500 }] },
  },
  {
    call: 'OrdersApi.createOrderV2 of a subaccount',
    run: (client) => client.orders.createOrderV2(client.newOrder({ subaccount: 1 })),
    status: 201,
    body: { remaining_count: '10.00' },
  },
  {
    call: 'PortfolioApi.intraExchangeInstanceTransfer',
    run: ({ portfolio }) =>
      portfolio.intraExchangeInstanceTransfer({
        source: 'event_contract',
        destination: 'event_contract',
        amount: 20_000,
        source_exchange_shard: 0,
        destination_exchange_shard: 2,
      }),
    status: 200,
    body: { transfer_id: text },
  },
  {
    call: 'PortfolioApi.getIntraExchangeInstanceTransfers',
    run: async (client) => {
      await moved(client);
      return client.portfolio.getIntraExchangeInstanceTransfers();
    },
    status: 200,
    body: { transfers: some({ transfer_id: text, status: 'complete', amount: '0.100000' }) },
  },
  {
    call: 'PortfolioApi.getIntraExchangeInstanceTransfer',
    run: async (client) => client.portfolio.getIntraExchangeInstanceTransfer(await moved(client)),
    status: 200,
    body: { transfer: { transfer_id: text, status: 'complete', amount: '0.100000' } },
  },
  {
    call: 'PortfolioApi.getBalance of another shard',
    run: ({ portfolio }) => portfolio.getBalance(undefined, 2),
    status: 200,
    body: { balance_dollars: expect.stringMatching(/^102\.2\d*$/) as unknown },
  },
  {
    call: 'HistoricalApi.getHistoricalPositions',
    run: ({ historical }) => historical.getHistoricalPositions(),
    status: 200,
    body: { market_positions: [] },
  },
];

/** Creates an order group of our account; returns its id. */
const grouped = async ({ groups }: OfficialClient): Promise<string> => {
  const { data } = await groups.createOrderGroup({ contracts_limit: 5 });
  return data.order_group_id;
};

export const GROUP_CALLS: readonly Call[] = [
  {
    call: 'OrderGroupsApi.createOrderGroup',
    run: ({ groups }) => groups.createOrderGroup({ contracts_limit: 5 }),
    status: 201,
    body: { order_group_id: text },
  },
  {
    call: 'OrderGroupsApi.getOrderGroups',
    run: async (client) => {
      await grouped(client);
      return client.groups.getOrderGroups();
    },
    status: 200,
    body: { order_groups: some({ id: text, contracts_limit_fp: '5.00', is_auto_cancel_enabled: true }) },
  },
  {
    call: 'OrderGroupsApi.getOrderGroup with its orders',
    run: async (client) => {
      const group = await grouped(client);
      await client.placeOrder({ order_group_id: group });
      return client.groups.getOrderGroup(group);
    },
    status: 200,
    body: { is_auto_cancel_enabled: true, contracts_limit_fp: '5.00', orders: [uuid] },
  },
  {
    call: 'OrderGroupsApi.updateOrderGroupLimit',
    run: async (client) => client.groups.updateOrderGroupLimit(await grouped(client), { contracts_limit: 9 }),
    status: 200,
    body: {},
  },
  {
    call: 'OrderGroupsApi.triggerOrderGroup',
    run: async (client) => client.groups.triggerOrderGroup(await grouped(client)),
    status: 200,
    body: {},
  },
  {
    call: 'OrdersApi.getOrder of an order whose group was triggered',
    run: async (client) => {
      const group = await grouped(client);
      const order = await client.placeOrder({ order_group_id: group });
      await client.groups.triggerOrderGroup(group);
      return client.orders.getOrder(order);
    },
    status: 200,
    body: { order: { status: 'canceled', remaining_count_fp: '0.00' } },
  },
  {
    call: 'OrdersApi.createOrderV2 for a group that was triggered',
    run: async (client) => {
      const group = await grouped(client);
      await client.groups.triggerOrderGroup(group);
      return client.orders.createOrderV2(client.newOrder({ order_group_id: group }));
    },
    ...rejected(409, error('order_group_triggered')),
  },
  {
    call: 'OrderGroupsApi.resetOrderGroup, which accepts orders again',
    run: async (client) => {
      const group = await grouped(client);
      await client.groups.triggerOrderGroup(group);
      await client.groups.resetOrderGroup(group);
      return client.orders.createOrderV2(client.newOrder({ order_group_id: group }));
    },
    status: 201,
    body: { remaining_count: '10.00' },
  },
  {
    call: 'OrderGroupsApi.deleteOrderGroup',
    run: async (client) => client.groups.deleteOrderGroup(await grouped(client)),
    status: 200,
    body: {},
  },
  {
    call: 'OrderGroupsApi.getOrderGroup of an unknown group',
    run: ({ groups }) => groups.getOrderGroup(NOWHERE),
    ...rejected(404, NOT_FOUND),
  },
];

/** Every call, in the order in which one client makes them. */
export const CALLS: readonly Call[] = [
  ...MARKET_CALLS,
  ...ORDER_CALLS,
  ...ACCOUNT_CALLS,
  ...GROUP_CALLS,
  ...SUBACCOUNT_CALLS,
  ...READ_CALLS,
];
