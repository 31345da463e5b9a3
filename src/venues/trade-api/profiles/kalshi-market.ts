// Market data of the `kalshi` dialect: markets, event groups, series, books, prints and candles. Data only.
import type * as Wire from '../wire/wire-records.ts';
import type { RecordSpec } from '../wire/record-spec.ts';
import {
  bothDollars,
  cursor,
  decimals,
  maybeBothDollars,
  maybeDecimals,
  dollarsOrZero,
  maybeDollars,
  maybeSignedDecimals,
  takerSide,
} from './kalshi-forms.ts';
import { absent, maybeFlag, maybeInteger, maybeName, maybeTime, name, text } from './service-forms.ts';
import * as service from './service-market.ts';

/** Members of markets that are known and skipped. */
const NOT_READ: readonly string[] = (
  'category early_close_condition expected_expiration_time fractional_trading_enabled functional_strike is_provisional ' +
  'liquidity_dollars mve_collection_ticker mve_selected_legs occurrence_datetime primary_participant_key ' +
  'response_price_units tick_size'
).split(' ');

export const market: RecordSpec<Wire.MarketRecord> = {
  name: 'market',
  fields: {
    ...service.market.fields,
    createdAt: maybeTime('created_time'),
    expirationAt: {
      kind: 'time',
      form: 'rfc3339',
      wire: 'latest_expiration_time',
      also: [{ kind: 'time', form: 'rfc3339', wire: 'expiration_time' }],
      optional: true,
    },
    bestBid: maybeBothDollars('yes_bid_dollars', 'no_ask_dollars'),
    // The venue has sent negative sizes for markets that had ended.
    bestBidQty: maybeSignedDecimals('yes_bid_size_fp'),
    bestAsk: maybeBothDollars('yes_ask_dollars', 'no_bid_dollars'),
    bestAskQty: maybeSignedDecimals('yes_ask_size_fp'),
    lastPrice: dollarsOrZero('last_price_dollars'),
    previousPrice: dollarsOrZero('previous_price_dollars'),
    previousBid: dollarsOrZero('previous_yes_bid_dollars'),
    previousAsk: dollarsOrZero('previous_yes_ask_dollars'),
    volume: maybeDecimals('volume_fp'),
    volume24h: maybeDecimals('volume_24h_fp'),
    openInterest: maybeDecimals('open_interest_fp'),
    liquidity: absent,
    settlementValue: maybeDollars('settlement_value_dollars'),
    updatedAt: maybeTime('updated_time'),
    feesWaivedUntil: maybeTime('fee_waiver_expiration_time'),
    shard: maybeInteger('exchange_index'),
  },
  filler: { market_type: 'binary', notional_value_dollars: '1.0000', expiration_value: '', rules_secondary: '' },
  ignored: NOT_READ,
};

const marketList = { kind: 'list', of: { kind: 'record', of: market }, skipsFaulty: true, wire: 'markets' } as const;

export const marketAnswer: RecordSpec<Wire.MarketAnswer> = {
  name: 'market_answer',
  fields: { market: { kind: 'record', of: market, wire: 'market' } },
};
export const markets: RecordSpec<Wire.PageRecord<Wire.MarketRecord>> = {
  name: 'markets_page',
  fields: { rows: marketList, cursor },
};

export const event: RecordSpec<Wire.EventRecord> = {
  name: 'event',
  fields: {
    ...service.event.fields,
    markets: { ...marketList, optional: true },
    shard: maybeInteger('exchange_index'),
  },
  filler: { collateral_return_type: '', settlement_sources: [] },
  ignored: ['available_on_brokers', 'last_updated_ts', 'product_metadata', 'strike_date', 'strike_period'],
};
export const eventAnswer: RecordSpec<Wire.EventAnswer> = {
  name: 'event_answer',
  fields: { event: { kind: 'record', of: event, wire: 'event' }, markets: { ...marketList, optional: true } },
};
export const events: RecordSpec<Wire.PageRecord<Wire.EventRecord>> = {
  name: 'events_page',
  fields: { rows: { kind: 'list', of: { kind: 'record', of: event }, skipsFaulty: true, wire: 'events' }, cursor },
  // The local exchange has no milestones, so the list is empty with or without `with_milestones`.
  filler: { milestones: [] },
};

export const series: RecordSpec<Wire.SeriesRecord> = {
  name: 'series',
  fields: { ...service.series.fields, volume: maybeDecimals('volume_fp'), shard: maybeInteger('exchange_index') },
  filler: {
    additional_prohibitions: [],
    categories: [],
    contract_terms_url: '',
    contract_url: '',
    settlement_sources: [],
  },
  ignored: ['last_updated_ts', 'product_metadata', 'volume'],
};
export const seriesAnswer: RecordSpec<Wire.SeriesAnswer> = {
  name: 'series_answer',
  fields: { series: { kind: 'record', of: series, wire: 'series' } },
};
export const seriesList: RecordSpec<Wire.SeriesList> = {
  name: 'series_list',
  fields: { series: { kind: 'list', of: { kind: 'record', of: series }, skipsFaulty: true, wire: 'series' } },
};

const levels = (wire: string, leg: 'yes' | 'no') =>
  ({ kind: 'levels', price: 'dollars', qty: 'decimal', leg, wire }) as const;
const book: RecordSpec<Wire.BookRecord> = {
  name: 'orderbook_fp',
  fields: { bids: levels('yes_dollars', 'yes'), asks: levels('no_dollars', 'no') },
};
const heldBook = { kind: 'record', of: book, wire: 'orderbook_fp' } as const;
export const bookAnswer: RecordSpec<Wire.BookAnswer> = { name: 'orderbook_answer', fields: { book: heldBook } };
const namedBook: RecordSpec<Wire.NamedBookRecord> = {
  name: 'named_orderbook',
  fields: { ticker: name('ticker'), book: heldBook },
};
export const books: RecordSpec<Wire.BooksAnswer> = {
  name: 'orderbooks_answer',
  fields: { books: { kind: 'list', of: { kind: 'record', of: namedBook }, wire: 'orderbooks' } },
};

export const print: RecordSpec<Wire.PrintRecord> = {
  name: 'trade',
  fields: {
    tradeId: name('trade_id'),
    ticker: name('ticker'),
    side: takerSide,
    price: bothDollars('yes_price_dollars', 'no_price_dollars'),
    qty: decimals('count_fp'),
    at: maybeTime('created_time'),
    isOffBook: maybeFlag('is_block_trade'),
  },
};
export const prints: RecordSpec<Wire.PageRecord<Wire.PrintRecord>> = {
  name: 'trades_page',
  fields: { rows: { kind: 'list', of: { kind: 'record', of: print }, skipsFaulty: true, wire: 'trades' }, cursor },
};

/** Prices of a period. Each may be missing; `nothing` adds the form in which a missing price is sent. */
const spanFields = <Nothing extends object>(nothing: Nothing) =>
  ({
    open: { ...maybeDollars('open_dollars'), ...nothing },
    low: { ...maybeDollars('low_dollars'), ...nothing },
    high: { ...maybeDollars('high_dollars'), ...nothing },
    close: { ...maybeDollars('close_dollars'), ...nothing },
  }) as const;
/** An empty side is encoded as the price at which no one would trade. */
const bidSpan: RecordSpec<Wire.PriceSpanRecord> = { name: 'candle_span', fields: spanFields({ blank: '0.0000' }) };
const askSpan: RecordSpec<Wire.PriceSpanRecord> = { name: 'candle_span', fields: spanFields({ blank: '1.0000' }) };
const tradedSpan: RecordSpec<Wire.TradedSpanRecord> = {
  name: 'candle_price',
  fields: { ...spanFields({}), mean: maybeDollars('mean_dollars'), previous: maybeDollars('previous_dollars') },
  ignored: ['min_dollars', 'max_dollars'],
};
export const candle: RecordSpec<Wire.CandleRecord> = {
  name: 'candle',
  fields: {
    ...service.candle.fields,
    bid: { kind: 'record', of: bidSpan, wire: 'yes_bid' },
    ask: { kind: 'record', of: askSpan, wire: 'yes_ask' },
    price: { kind: 'record', of: tradedSpan, wire: 'price' },
    volume: decimals('volume_fp'),
    openInterest: decimals('open_interest_fp'),
  },
};
const candleList = { kind: 'list', of: { kind: 'record', of: candle } } as const;
export const candles: RecordSpec<Wire.CandlesAnswer> = {
  name: 'candles_answer',
  fields: { ticker: maybeName('ticker'), candles: { ...candleList, wire: 'candlesticks' } },
};
const namedCandles: RecordSpec<Wire.NamedCandlesRecord> = {
  name: 'named_candles',
  fields: { ticker: name('market_ticker'), candles: { ...candleList, wire: 'candlesticks' } },
};
export const candlesBatch: RecordSpec<Wire.CandlesBatchAnswer> = {
  name: 'candles_batch',
  fields: { markets: { kind: 'list', of: { kind: 'record', of: namedCandles }, wire: 'markets' } },
};
export const eventCandles: RecordSpec<Wire.EventCandlesAnswer> = {
  name: 'event_candles',
  fields: {
    tickers: { kind: 'list', of: { kind: 'name' }, wire: 'market_tickers' },
    candles: { kind: 'list', of: candleList, wire: 'market_candlesticks' },
    endAt: { kind: 'time', form: 'seconds', wire: 'adjusted_end_ts', rounding: 'floor' },
  },
};

/** Prices of candles of historical markets: the same members as `spanFields`, under shorter names. */
const oldSpanFields = <Nothing extends object>(nothing: Nothing) =>
  ({
    open: { ...maybeDollars('open'), ...nothing },
    low: { ...maybeDollars('low'), ...nothing },
    high: { ...maybeDollars('high'), ...nothing },
    close: { ...maybeDollars('close'), ...nothing },
  }) as const;
const oldBidSpan: RecordSpec<Wire.PriceSpanRecord> = {
  name: 'old_candle_span',
  fields: oldSpanFields({ blank: '0.0000' }),
};
const oldAskSpan: RecordSpec<Wire.PriceSpanRecord> = {
  name: 'old_candle_span',
  fields: oldSpanFields({ blank: '1.0000' }),
};
const asNull = { asNull: true } as const;
const oldTradedSpan: RecordSpec<Wire.TradedSpanRecord> = {
  name: 'old_candle_price',
  fields: {
    ...oldSpanFields(asNull),
    mean: { ...maybeDollars('mean'), ...asNull },
    previous: { ...maybeDollars('previous'), ...asNull },
  },
};
const oldCandle: RecordSpec<Wire.CandleRecord> = {
  name: 'old_candle',
  fields: {
    ...service.candle.fields,
    bid: { kind: 'record', of: oldBidSpan, wire: 'yes_bid' },
    ask: { kind: 'record', of: oldAskSpan, wire: 'yes_ask' },
    price: { kind: 'record', of: oldTradedSpan, wire: 'price' },
    volume: decimals('volume'),
    openInterest: decimals('open_interest'),
  },
};
export const historicalCandles: RecordSpec<Wire.CandlesAnswer> = {
  name: 'historical_candles',
  fields: {
    ticker: maybeName('ticker'),
    candles: { kind: 'list', of: { kind: 'record', of: oldCandle }, wire: 'candlesticks' },
  },
};

const source: RecordSpec<Wire.SettlementSourceRecord> = {
  name: 'settlement_source',
  fields: { name: { ...text('name'), optional: true }, url: { ...text('url'), optional: true } },
};
export const eventMetadata: RecordSpec<Wire.EventMetadataRecord> = {
  name: 'event_metadata',
  fields: {
    imageUrl: text('image_url'),
    sources: { kind: 'list', of: { kind: 'record', of: source }, wire: 'settlement_sources' },
    competition: { ...text('competition'), optional: true },
    scope: { ...text('competition_scope'), optional: true },
  },
  filler: { market_details: [] },
  ignored: ['featured_image_url'],
};
