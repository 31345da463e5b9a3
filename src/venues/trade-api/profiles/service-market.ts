// Market data of the `service` dialect: markets, event groups, series, books, prints and candles. Data only.
import type * as Wire from '../wire/wire-records.ts';
import type { RecordSpec } from '../wire/record-spec.ts';
import {
  absent,
  bothPrices,
  count,
  flag,
  levels,
  maybeBothPrices,
  maybeCash,
  maybeCount,
  maybeFlag,
  maybeFlooredPrice,
  maybePrice,
  maybeSeconds,
  maybeText,
  maybeTime,
  name,
  maybeName,
  ranges,
  result,
  seconds,
  takerSide,
  text,
  time,
} from './service-forms.ts';

export const market: RecordSpec<Wire.MarketRecord> = {
  name: 'market',
  fields: {
    ticker: name('ticker'),
    eventTicker: name('event_ticker'),
    title: maybeText('title'),
    subtitle: maybeText('subtitle'),
    yesSubtitle: maybeText('yes_sub_title'),
    noSubtitle: maybeText('no_sub_title'),
    status: {
      kind: 'enum',
      wire: 'status',
      values: {
        initialized: 'initialized',
        active: 'active',
        inactive: 'inactive',
        closed: 'closed',
        determined: 'determined',
        disputed: 'disputed',
        amended: 'amended',
        finalized: 'finalized',
        // Older words with the same meaning.
        unopened: 'initialized',
        open: 'active',
        paused: 'inactive',
        settled: 'finalized',
      },
    },
    createdAt: absent,
    openAt: time('open_time'),
    closeAt: time('close_time'),
    expirationAt: maybeTime('expiration_time'),
    settlementDelay: maybeSeconds('settlement_timer_seconds'),
    bestBid: maybeBothPrices('yes_bid', 'no_ask'),
    bestBidQty: absent,
    bestAsk: maybeBothPrices('yes_ask', 'no_bid'),
    bestAskQty: absent,
    lastPrice: maybePrice('last_price'),
    previousPrice: maybePrice('previous_price'),
    previousBid: maybePrice('previous_yes_bid'),
    previousAsk: maybePrice('previous_yes_ask'),
    volume: maybeCount('volume'),
    volume24h: maybeCount('volume_24h'),
    openInterest: maybeCount('open_interest'),
    liquidity: maybeCash('liquidity'),
    result: { ...result('result'), optional: true, blank: true },
    settlementValue: maybeFlooredPrice('settlement_value'),
    settledAt: maybeTime('settlement_ts'),
    canCloseEarly: maybeFlag('can_close_early'),
    rules: maybeText('rules_primary'),
    gridName: maybeText('price_level_structure'),
    ranges: ranges('price_ranges'),
    strikeType: maybeText('strike_type'),
    floorStrike: { kind: 'measure', wire: 'floor_strike', optional: true },
    capStrike: { kind: 'measure', wire: 'cap_strike', optional: true },
    isStrikeCustom: { kind: 'presence', wire: 'custom_strike', optional: true },
    updatedAt: absent,
    feesWaivedUntil: absent,
    shard: absent,
  },
  ignored: [
    'category',
    'early_close_condition',
    'created_time',
    'expected_expiration_time',
    'expiration_value',
    'fee_waiver_expiration_time',
    'functional_strike',
    'last_price_dollars',
    'latest_expiration_time',
    'market_type',
    'mve_collection_ticker',
    'mve_selected_legs',
    'no_ask_dollars',
    'no_bid_dollars',
    'notional_value',
    'notional_value_dollars',
    'previous_price_dollars',
    'previous_yes_ask_dollars',
    'previous_yes_bid_dollars',
    'response_price_units',
    'risk_limit_cents',
    'rules_secondary',
    'settlement_value_dollars',
    'tick_size',
    'yes_ask_dollars',
    'yes_bid_dollars',
  ],
};

export const marketAnswer: RecordSpec<Wire.MarketAnswer> = {
  name: 'market_answer',
  fields: { market: { kind: 'record', of: market, wire: 'market' } },
};

const marketList = { kind: 'list', of: { kind: 'record', of: market }, skipsFaulty: true, wire: 'markets' } as const;
const cursor = { ...maybeText('cursor'), blank: true } as const;

export const markets: RecordSpec<Wire.PageRecord<Wire.MarketRecord>> = {
  name: 'markets_page',
  fields: { rows: marketList, cursor },
};

export const event: RecordSpec<Wire.EventRecord> = {
  name: 'event',
  fields: {
    eventTicker: name('event_ticker'),
    seriesTicker: name('series_ticker'),
    title: text('title'),
    subtitle: maybeText('sub_title'),
    category: maybeText('category'),
    isExclusive: flag('mutually_exclusive'),
    feeType: maybeText('fee_type_override'),
    feeMultiplierPercent: { kind: 'decimal', decimals: 2, wire: 'fee_multiplier_override', optional: true },
    markets: { ...marketList, optional: true },
    shard: absent,
  },
  ignored: [
    'available_on_brokers',
    'collateral_return_type',
    'product_metadata',
    'settlement_sources',
    'strike_date',
    'strike_period',
  ],
};

export const eventAnswer: RecordSpec<Wire.EventAnswer> = {
  name: 'event_answer',
  fields: {
    event: { kind: 'record', of: event, wire: 'event' },
    markets: { ...marketList, optional: true },
  },
};

export const events: RecordSpec<Wire.PageRecord<Wire.EventRecord>> = {
  name: 'events_page',
  fields: {
    rows: { kind: 'list', of: { kind: 'record', of: event }, skipsFaulty: true, wire: 'events' },
    cursor,
  },
  ignored: ['milestones'],
};

export const series: RecordSpec<Wire.SeriesRecord> = {
  name: 'series',
  fields: {
    ticker: name('ticker'),
    title: text('title'),
    category: maybeText('category'),
    frequency: maybeText('frequency'),
    feeType: text('fee_type'),
    feeMultiplierPercent: { kind: 'decimal', decimals: 2, wire: 'fee_multiplier' },
    tags: { kind: 'list', of: { kind: 'text' }, wire: 'tags', skipsFaulty: true, optional: true },
    volume: absent,
    shard: absent,
  },
  ignored: [
    'additional_prohibitions',
    'contract_terms_url',
    'contract_url',
    'product_metadata',
    'settlement_sources',
    'categories',
  ],
};

export const seriesAnswer: RecordSpec<Wire.SeriesAnswer> = {
  name: 'series_answer',
  fields: { series: { kind: 'record', of: series, wire: 'series' } },
};

export const seriesList: RecordSpec<Wire.SeriesList> = {
  name: 'series_list',
  fields: { series: { kind: 'list', of: { kind: 'record', of: series }, skipsFaulty: true, wire: 'series' } },
};

export const book: RecordSpec<Wire.BookRecord> = {
  name: 'orderbook',
  fields: { bids: levels('yes', 'yes'), asks: levels('no', 'no') },
};

export const bookAnswer: RecordSpec<Wire.BookAnswer> = {
  name: 'orderbook_answer',
  fields: { book: { kind: 'record', of: book, wire: 'orderbook' } },
};

export const print: RecordSpec<Wire.PrintRecord> = {
  name: 'trade',
  fields: {
    tradeId: name('trade_id'),
    ticker: name('ticker'),
    side: takerSide,
    price: bothPrices('yes_price', 'no_price'),
    qty: count('count'),
    at: maybeTime('created_time'),
    isOffBook: absent,
  },
  ignored: ['price', 'yes_price_dollars', 'no_price_dollars', 'is_block_trade'],
};

export const prints: RecordSpec<Wire.PageRecord<Wire.PrintRecord>> = {
  name: 'trades_page',
  fields: { rows: { kind: 'list', of: { kind: 'record', of: print }, skipsFaulty: true, wire: 'trades' }, cursor },
};

const DOLLAR_TWINS = ['open_dollars', 'low_dollars', 'high_dollars', 'close_dollars'] as const;

const spanFields = {
  open: maybePrice('open'),
  low: maybePrice('low'),
  high: maybePrice('high'),
  close: maybePrice('close'),
} as const;
const span: RecordSpec<Wire.PriceSpanRecord> = { name: 'candle_span', fields: spanFields, ignored: DOLLAR_TWINS };
const tradedSpan: RecordSpec<Wire.TradedSpanRecord> = {
  name: 'candle_price',
  fields: { ...spanFields, mean: maybePrice('mean'), previous: maybePrice('previous') },
  ignored: [...DOLLAR_TWINS, 'mean_dollars', 'previous_dollars', 'min', 'max', 'min_dollars', 'max_dollars'],
};

export const candle: RecordSpec<Wire.CandleRecord> = {
  name: 'candle',
  fields: {
    endAt: seconds('end_period_ts'),
    bid: { kind: 'record', of: span, wire: 'yes_bid' },
    ask: { kind: 'record', of: span, wire: 'yes_ask' },
    price: { kind: 'record', of: tradedSpan, wire: 'price' },
    volume: count('volume'),
    openInterest: count('open_interest'),
  },
};

export const candles: RecordSpec<Wire.CandlesAnswer> = {
  name: 'candles_answer',
  fields: {
    ticker: maybeName('ticker'),
    candles: { kind: 'list', of: { kind: 'record', of: candle }, wire: 'candlesticks' },
  },
};
