// Public messages of present-day feeds: prices as dollar texts, counts with two decimals. Data only. Account messages
// stay as in `service-feed.ts`: captures are read without them.
import type { Side } from '../../../domain/orders/order.ts';
import type { Price, Qty } from '../../../domain/units.ts';
import type { FeedMessages, FeedProfile } from './wire-profile.ts';
import type * as Wire from '../wire/wire-records.ts';
import type { Field, RecordSpec } from '../wire/record-spec.ts';
import { feed as serviceFeed } from './service-feed.ts';
import { absent, maybeText, name } from './service-forms.ts';

export const dollars = (wire: string) => ({ kind: 'price', form: 'dollars', wire }) as const satisfies Field<Price>;
export const maybeDollars = (wire: string) =>
  ({ ...dollars(wire), optional: true }) as const satisfies Field<Price | null>;
export const decimals = (wire: string) => ({ kind: 'qty', form: 'decimal', wire }) as const satisfies Field<Qty>;
export const maybeDecimals = (wire: string) =>
  ({ ...decimals(wire), optional: true }) as const satisfies Field<Qty | null>;
/** Milliseconds; the accompanying `ts` is in seconds or text, depending on the message. */
const stamp = { kind: 'time', form: 'millis', wire: 'ts_ms', rounding: 'floor', optional: true } as const;

const levels = (wire: string, leg: 'yes' | 'no') =>
  ({ kind: 'levels', price: 'dollars', qty: 'decimal', leg, wire, omitsEmpty: true }) as const;

const snapshot: RecordSpec<Wire.SnapshotRecord> = {
  name: 'orderbook_snapshot',
  fields: {
    ticker: name('market_ticker'),
    bids: levels('yes_dollars_fp', 'yes'),
    asks: levels('no_dollars_fp', 'no'),
  },
  // For some months the venue sent both spellings.
  ignored: ['market_id', 'yes', 'no', 'yes_dollars', 'no_dollars'],
};

const delta: RecordSpec<Wire.DeltaRecord> = {
  name: 'orderbook_delta',
  fields: {
    ticker: name('market_ticker'),
    side: { kind: 'enum', values: { yes: 'bid', no: 'ask' }, wire: 'side' },
    price: { ...dollars('price_dollars'), noLegWhen: { field: 'side', is: 'ask' } },
    change: { ...decimals('delta_fp'), signed: true },
    clientOrderId: maybeText('client_order_id'),
    at: stamp,
  },
  ignored: ['market_id', 'ts', 'subaccount', 'price', 'delta'],
};

const ticker: RecordSpec<Wire.TickerRecord> = {
  name: 'ticker',
  fields: {
    ticker: name('market_ticker'),
    lastPrice: maybeDollars('price_dollars'),
    bestBid: maybeDollars('yes_bid_dollars'),
    bestBidQty: maybeDecimals('yes_bid_size_fp'),
    bestAsk: maybeDollars('yes_ask_dollars'),
    bestAskQty: maybeDecimals('yes_ask_size_fp'),
    lastQty: maybeDecimals('last_trade_size_fp'),
    volume: decimals('volume_fp'),
    openInterest: decimals('open_interest_fp'),
    dollarVolume: absent,
    dollarOpenInterest: absent,
    at: stamp,
  },
  ignored: ['market_id', 'ts', 'time', 'dollar_volume', 'dollar_open_interest'],
};

const TAKER = { yes: 'buy', no: 'sell' } as const;
/** The outcome that the taker bought, under its present or earlier name. */
export const takerSide = {
  kind: 'enum',
  values: TAKER,
  wire: 'taker_outcome_side',
  accepts: [{ kind: 'enum', values: TAKER, wire: 'taker_side' }],
} as const satisfies Field<Side>;

const print: RecordSpec<Wire.PrintRecord> = {
  name: 'trade',
  fields: {
    tradeId: name('trade_id'),
    ticker: name('market_ticker'),
    side: takerSide,
    price: dollars('yes_price_dollars'),
    qty: decimals('count_fp'),
    at: stamp,
    isOffBook: absent,
  },
  ignored: [
    'market_id',
    'ts',
    'no_price_dollars',
    'taker_book_side',
    'is_block_trade',
    'yes_price',
    'no_price',
    'count',
  ],
};

const { messages } = serviceFeed;

const marketLife: RecordSpec<Wire.MarketLifeRecord> = {
  ...messages.marketLife.record,
  fields: { ...messages.marketLife.record.fields, settlementValue: maybeDollars('settlement_value') },
  ignored: [...(messages.marketLife.record.ignored ?? []), 'exchange_index'],
};
const eventLife: RecordSpec<Wire.EventLifeRecord> = {
  ...messages.eventLife.record,
  ignored: [...(messages.eventLife.record.ignored ?? []), 'exchange_index'],
};

const dollarMessages: FeedMessages = {
  ...messages,
  snapshot: { ...messages.snapshot, record: snapshot },
  delta: { ...messages.delta, record: delta },
  ticker: { ...messages.ticker, record: ticker },
  print: { ...messages.print, record: print },
  marketLife: { ...messages.marketLife, record: marketLife },
  eventLife: { ...messages.eventLife, record: eventLife },
};

/** The feed with prices of NO bids on the NO scale. */
export const dollarsFeed: FeedProfile = { ...serviceFeed, messages: dollarMessages };

/** The same feed with prices of NO bids on the YES scale, which a subscription can request. */
export const dollarsOnYesFeed: FeedProfile = { ...dollarsFeed, onYesScale: true };

/** The same feed without required sequence numbers: lost messages go unnoticed. */
export const withoutNumbers = (feed: FeedProfile): FeedProfile => ({
  ...feed,
  messages: {
    ...feed.messages,
    snapshot: { ...feed.messages.snapshot, hasSeq: false },
    delta: { ...feed.messages.delta, hasSeq: false },
    print: { ...feed.messages.print, hasSeq: false },
    marketLife: { ...feed.messages.marketLife, hasSeq: false },
    eventLife: { ...feed.messages.eventLife, hasSeq: false },
    feeChange: { ...feed.messages.feeChange, hasSeq: false },
  },
});
