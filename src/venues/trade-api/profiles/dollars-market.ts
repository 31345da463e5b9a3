// Market data in captured answers, of the present and of the whole-cent era, as far as an import reads it. Data only.
import type * as Wire from '../wire/wire-records.ts';
import type { RecordSpec } from '../wire/record-spec.ts';
import { decimals, dollars, maybeDollars, takerSide } from './dollars-feed.ts';
import { absent, count, maybeFlag, maybeTime, name, price, seconds } from './service-forms.ts';
import * as service from './service-market.ts';

/** Members of a market that an import skips. */
const NOT_READ: readonly string[] = (
  'yes_bid yes_ask no_bid no_ask last_price previous_price previous_yes_bid previous_yes_ask volume volume_24h ' +
  'open_interest liquidity liquidity_dollars volume_fp volume_24h_fp open_interest_fp yes_bid_size_fp yes_ask_size_fp ' +
  'updated_time fractional_trading_enabled occurrence_datetime primary_participant_key is_provisional exchange_index ' +
  'expiration_time'
).split(' ');

/** A market without its prices. The settlement value is in dollars, or in whole cents. */
export const market: RecordSpec<Wire.MarketRecord> = {
  ...service.market,
  fields: {
    ...service.market.fields,
    expirationAt: absent,
    bestBid: absent,
    bestAsk: absent,
    lastPrice: absent,
    previousPrice: absent,
    previousBid: absent,
    previousAsk: absent,
    volume: absent,
    volume24h: absent,
    openInterest: absent,
    liquidity: absent,
    settlementValue: {
      ...maybeDollars('settlement_value_dollars'),
      accepts: [{ kind: 'price', form: 'cents', wire: 'settlement_value' }],
    },
  },
  ignored: [...(service.market.ignored ?? []).filter((wire) => wire !== 'settlement_value_dollars'), ...NOT_READ],
};

export const event: RecordSpec<Wire.EventRecord> = {
  ...service.event,
  fields: { ...service.event.fields, markets: absent },
  ignored: [...(service.event.ignored ?? []), 'markets', 'last_updated_ts', 'exchange_index'],
};

export const series: RecordSpec<Wire.SeriesRecord> = {
  ...service.series,
  ignored: [...(service.series.ignored ?? []), 'volume', 'volume_fp', 'last_updated_ts', 'exchange_index'],
};

const levels = (wire: string, leg: 'yes' | 'no') =>
  ({ kind: 'levels', price: 'dollars', qty: 'decimal', leg, wire }) as const;

/** A book without its wrapper, in each spelling of its sides. */
export const books: Readonly<Record<'dollars' | 'feed' | 'cents', RecordSpec<Wire.BookRecord>>> = {
  dollars: { name: 'orderbook', fields: { bids: levels('yes_dollars', 'yes'), asks: levels('no_dollars', 'no') } },
  feed: { name: 'orderbook', fields: { bids: levels('yes_dollars_fp', 'yes'), asks: levels('no_dollars_fp', 'no') } },
  cents: service.book,
};

/** A public trade in dollars, or in whole cents. */
export const trade: RecordSpec<Wire.PrintRecord> = {
  name: 'trade',
  fields: {
    tradeId: name('trade_id'),
    ticker: name('ticker'),
    side: takerSide,
    price: { ...dollars('yes_price_dollars'), accepts: [price('yes_price')] },
    qty: { ...decimals('count_fp'), accepts: [count('count')] },
    at: { ...maybeTime('created_time'), accepts: [{ kind: 'time', form: 'millis', wire: 'ts_ms' }, seconds('ts')] },
    isOffBook: maybeFlag('is_block_trade'),
  },
  ignored: 'price count yes_price no_price no_price_dollars taker_side taker_book_side ts ts_ms market_id'.split(' '),
};

/** The present answer to a read of a book. */
export const bookAnswer: RecordSpec<Wire.BookAnswer> = {
  name: 'orderbook_answer',
  fields: {
    book: {
      kind: 'record',
      wire: 'orderbook_fp',
      of: { name: 'orderbook_fp', fields: { bids: levels('yes_dollars', 'yes'), asks: levels('no_dollars', 'no') } },
    },
  },
};

/** A price in dollars, or in whole cents when the dollars are absent. */
const either = (wire: string) =>
  ({
    ...maybeDollars(`${wire}_dollars`),
    accepts: [{ kind: 'price', form: 'cents', wire }],
  }) as const;

const spanFields = { open: either('open'), low: either('low'), high: either('high'), close: either('close') } as const;
const span: RecordSpec<Wire.PriceSpanRecord> = { name: 'candle_span', fields: spanFields };
const tradedSpan: RecordSpec<Wire.TradedSpanRecord> = {
  name: 'candle_price',
  fields: { ...spanFields, mean: either('mean'), previous: either('previous') },
  ignored: ['min', 'max', 'min_dollars', 'max_dollars'],
};

/** A candle in dollars, or in whole cents. */
export const candle: RecordSpec<Wire.CandleRecord> = {
  ...service.candle,
  fields: {
    ...service.candle.fields,
    bid: { kind: 'record', of: span, wire: 'yes_bid' },
    ask: { kind: 'record', of: span, wire: 'yes_ask' },
    price: { kind: 'record', of: tradedSpan, wire: 'price' },
    volume: { ...decimals('volume_fp'), accepts: [count('volume')] },
    openInterest: { ...decimals('open_interest_fp'), accepts: [count('open_interest')] },
  },
};
