// What each list of the `kalshi` dialect is asked by, with how many rows at once and what counts where nothing is said. As
// published (OpenAPI 3.30), and further parameters that the venue was seen to take. Data only.
import type { Endpoint } from '../endpoint.ts';
import { place } from './kalshi-forms.ts';
import * as query from './query-forms.ts';
import { maybeFlag, maybeName, maybeSeconds, names } from './service-forms.ts';

type Asked = Pick<Endpoint, 'query' | 'required' | 'usual' | 'rows'>;
type Fields = Parameters<typeof query.askedBy>[0];

const by = (fields: Fields): Asked => ({ query: query.askedBy(fields) });
/** A list in pages of up to a thousand rows, a hundred where nothing is said. */
const list = (fields: Fields): Asked => ({ ...by(fields), rows: { min: 1, max: 1000 }, usual: { limit: 100 } });
/** The same of lists that take a limit of zero for none. */
const laxList = (fields: Fields): Asked => ({ ...list(fields), rows: { min: 0, max: 1000 } });
const candles = (fields: Fields): Asked => ({ ...by(fields), required: query.CANDLES_NEED });

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

/** Where an order or an order group is to be looked for: everywhere, or in the account itself, where no subaccount is said. */
export const ANYWHERE = { query: query.askedBy({ ticker: maybeName('market_ticker'), ...place }) } as const;
export const AT_HOME = { ...ANYWHERE, usual: { subaccount: 0 } } as const;

export const MARKETS = laxList({ ...query.marketFields, minUpdatedAt, combos });
export const OLD_MARKETS = laxList({
  ...query.paged,
  ...query.ofMarkets,
  ...query.ofEvent,
  ...query.ofSeries,
  combos: withoutCombos,
});
export const BOOK = by(query.depth);
export const BOOKS: Asked = {
  ...by({
    ...query.depth,
    tickers: { kind: 'list', of: { kind: 'name' }, repeated: true, wire: 'tickers', optional: true },
  }),
  required: ['tickers'],
};
export const PRINTS = laxList({ ...query.printFields, isOffBook: maybeFlag('is_block_trade') });
export const CANDLES = candles({ ...query.candleFields, withCandleBefore });
export const PLAIN_CANDLES = candles(query.candleFields);
export const CANDLES_BATCH: Asked = {
  ...by({ ...query.candleFields, withCandleBefore, tickers: names('market_tickers') }),
  required: ['tickers', ...query.CANDLES_NEED],
};
export const EVENTS: Asked = {
  ...by({
    ...query.eventFields,
    eventTickers: names('tickers'),
    withMilestones: maybeFlag('with_milestones'),
    minUpdatedAt,
  }),
  rows: { min: 1, max: 200 },
  usual: { limit: 200 },
};
export const EVENT = by(query.nested);
export const EVENT_FEE_CHANGES = list({ ...query.paged, ...query.ofEvent });
export const SERIES_LIST = by({ ...query.seriesFields, withVolume, minUpdatedAt });
export const SERIES = by({ withVolume });
export const SERIES_FEE_CHANGES = by({ ...query.ofSeries, withPast: maybeFlag('show_historical') });

export const BALANCE: Asked = { ...by(place), usual: { subaccount: 0 } };
export const POSITIONS: Asked = {
  ...list({ ...query.positionFields, ...place }),
  usual: { limit: 100, subaccount: 0 },
};
export const OLD_POSITIONS: Asked = {
  ...list({ ...query.paged, ...query.ofMarket, ...query.ofEvent, subaccount }),
  usual: { limit: 100, subaccount: 0 },
};
export const ORDERS = list({ ...query.orderFields, ...place });
export const FILLS = list({ ...query.fillFields, ...place });
export const OLD_ROWS = list({ ...query.paged, ...query.ofMarket, ...query.between });
export const SETTLEMENTS = list({ ...query.settlementFields, subaccount });
export const QUEUES: Asked = {
  ...by({ ...query.ofEvent, tickers: names('market_tickers'), subaccount }),
  usual: { subaccount: 0 },
};
export const TRANSFERS = list(query.paged);
