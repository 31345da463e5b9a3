// The query of each read of the `kalshi` dialect, as published (OpenAPI 3.30). Some accepted parameters are not
// published. Data only.
import type { EndpointQuery } from './endpoint.ts';
import { place } from './kalshi-forms.ts';
import * as query from './query-forms.ts';
import { maybeFlag, maybeName, maybeSeconds, names } from './service-forms.ts';

type Fields = Parameters<typeof query.querySpec>[0];

const by = (fields: Fields): EndpointQuery => ({ query: query.querySpec(fields) });
/** A list in pages of up to 1000 rows, 100 by default. */
const list = (fields: Fields): EndpointQuery => ({
  ...by(fields),
  pageSize: { min: 1, max: 1000 },
  defaults: { limit: 100 },
});
/** Like `list`, for lists whose limit may be zero. */
const laxList = (fields: Fields): EndpointQuery => ({ ...list(fields), pageSize: { min: 0, max: 1000 } });
const candles = (fields: Fields): EndpointQuery => ({ ...by(fields), required: query.CANDLES_NEED });

const { subaccount } = place;
const combos = {
  kind: 'enum',
  values: { only: 'only', exclude: 'exclude' },
  wire: 'mve_filter',
  optional: true,
} as const;
const withoutCombos = { ...combos, values: { exclude: 'exclude' } } as const;
const withCandleBefore = maybeFlag('include_latest_before_start');
const withVolume = maybeFlag('include_volume');
const minUpdatedAt = maybeSeconds('min_updated_ts');

/**
 * The subaccount and shard of an order or a group. Without them, `ANYWHERE` looks in all subaccounts and shards, and
 * `AT_HOME` in the primary subaccount.
 */
export const ANYWHERE = { query: query.querySpec({ ticker: maybeName('market_ticker'), ...place }) } as const;
export const AT_HOME = { ...ANYWHERE, defaults: { subaccount: 0 } } as const;

export const MARKETS = laxList({ ...query.marketFields, minUpdatedAt, combos });
export const OLD_MARKETS = laxList({
  ...query.paged,
  ...query.ofMarkets,
  ...query.ofEvent,
  ...query.ofSeries,
  combos: withoutCombos,
});
export const BOOK = by(query.depth);
export const BOOKS: EndpointQuery = {
  ...by({
    ...query.depth,
    tickers: { kind: 'list', of: { kind: 'name' }, repeated: true, wire: 'tickers', optional: true },
  }),
  required: ['tickers'],
};
export const PRINTS = laxList({ ...query.printFields, isOffBook: maybeFlag('is_block_trade') });
export const CANDLES = candles({ ...query.candleFields, withCandleBefore });
export const PLAIN_CANDLES = candles(query.candleFields);
export const CANDLES_BATCH: EndpointQuery = {
  ...by({ ...query.candleFields, withCandleBefore, tickers: names('market_tickers') }),
  required: ['tickers', ...query.CANDLES_NEED],
};
export const EVENTS: EndpointQuery = {
  ...by({
    ...query.eventFields,
    eventTickers: names('tickers'),
    withMilestones: maybeFlag('with_milestones'),
    minUpdatedAt,
  }),
  pageSize: { min: 1, max: 200 },
  defaults: { limit: 200 },
};
export const EVENT = by(query.nested);
export const EVENT_FEE_CHANGES = list({ ...query.paged, ...query.ofEvent });
export const SERIES_LIST = by({ ...query.seriesFields, withVolume, minUpdatedAt });
export const SERIES = by({ withVolume });
export const SERIES_FEE_CHANGES = by({ ...query.ofSeries, withPast: maybeFlag('show_historical') });

export const BALANCE: EndpointQuery = { ...by(place), defaults: { subaccount: 0 } };
export const POSITIONS: EndpointQuery = {
  ...list({ ...query.positionFields, ...place }),
  defaults: { limit: 100, subaccount: 0 },
};
export const OLD_POSITIONS: EndpointQuery = {
  ...list({ ...query.paged, ...query.ofMarket, ...query.ofEvent, subaccount }),
  defaults: { limit: 100, subaccount: 0 },
};
export const ORDERS = list({ ...query.orderFields, ...place });
export const FILLS = list({ ...query.fillFields, ...place });
export const OLD_ROWS = list({ ...query.paged, ...query.ofMarket, ...query.between });
export const SETTLEMENTS = list({ ...query.settlementFields, subaccount });
export const QUEUES: EndpointQuery = {
  ...by({ ...query.ofEvent, tickers: names('market_tickers'), subaccount }),
  defaults: { subaccount: 0 },
};
export const TRANSFERS = list(query.paged);
