// Query parameters that the dialects of the family share. Data only.
import type * as Wire from '../wire/wire-records.ts';
import type { RecordSpec } from '../wire/record-spec.ts';
import { absent, maybeFlag, maybeInteger, maybeName, maybeSeconds, maybeText, names } from './service-forms.ts';

type Fields = RecordSpec<Wire.QueryRecord>['fields'];

const NOTHING: Fields = {
  ticker: absent,
  tickers: absent,
  eventTicker: absent,
  eventTickers: absent,
  seriesTicker: absent,
  orderId: absent,
  ids: absent,
  orderStatus: absent,
  marketStatus: absent,
  combos: absent,
  counts: absent,
  isOffBook: absent,
  category: absent,
  tags: absent,
  minAt: absent,
  maxAt: absent,
  minCreatedAt: absent,
  maxCreatedAt: absent,
  minCloseAt: absent,
  maxCloseAt: absent,
  minSettledAt: absent,
  maxSettledAt: absent,
  minUpdatedAt: absent,
  periodMinutes: absent,
  limit: absent,
  cursor: absent,
  depth: absent,
  withMarkets: absent,
  withMilestones: absent,
  withVolume: absent,
  withPast: absent,
  withCandleBefore: absent,
  subaccount: absent,
  shard: absent,
};

/** A query that takes these members and no others. */
export const querySpec = (fields: Partial<Fields>): RecordSpec<Wire.QueryRecord> => ({
  name: 'query',
  fields: { ...NOTHING, ...fields },
});

export const paged = { limit: maybeInteger('limit'), cursor: maybeText('cursor') } as const satisfies Partial<Fields>;
export const ofMarket = { ticker: maybeName('ticker') } as const satisfies Partial<Fields>;
export const ofMarkets = { tickers: names('tickers') } as const satisfies Partial<Fields>;
export const ofEvent = { eventTicker: maybeName('event_ticker') } as const satisfies Partial<Fields>;
/** One event group, or several separated by commas. */
export const ofEvents = { eventTickers: names('event_ticker') } as const satisfies Partial<Fields>;
export const ofSeries = { seriesTicker: maybeName('series_ticker') } as const satisfies Partial<Fields>;
export const between = {
  minAt: maybeSeconds('min_ts'),
  maxAt: maybeSeconds('max_ts'),
} as const satisfies Partial<Fields>;
export const nested = { withMarkets: maybeFlag('with_nested_markets') } as const satisfies Partial<Fields>;

const eventStages = { unopened: 'unopened', open: 'open', closed: 'closed', settled: 'settled' } as const;
const stage = { kind: 'enum', wire: 'status', optional: true } as const;
const ofEventStage = { marketStatus: { ...stage, values: eventStages } } as const;
const ofMarketStage = { marketStatus: { ...stage, values: { ...eventStages, paused: 'paused' } } } as const;

const closing = { minCloseAt: maybeSeconds('min_close_ts'), maxCloseAt: maybeSeconds('max_close_ts') } as const;

/** Parameters of a list of markets. */
export const marketFields = {
  ...paged,
  ...ofMarkets,
  ...ofEvent,
  ...ofSeries,
  ...ofMarketStage,
  ...closing,
  minCreatedAt: maybeSeconds('min_created_ts'),
  maxCreatedAt: maybeSeconds('max_created_ts'),
  minSettledAt: maybeSeconds('min_settled_ts'),
  maxSettledAt: maybeSeconds('max_settled_ts'),
} as const satisfies Partial<Fields>;
/** Parameters of a list of event groups. */
export const eventFields = {
  ...paged,
  ...ofSeries,
  ...ofEventStage,
  ...nested,
  minCloseAt: closing.minCloseAt,
} as const satisfies Partial<Fields>;
/** Parameters of a list of series. */
export const seriesFields = {
  category: maybeText('category'),
  tags: names('tags'),
} as const satisfies Partial<Fields>;
/** Parameters of candles. */
export const candleFields = {
  minAt: maybeSeconds('start_ts'),
  maxAt: maybeSeconds('end_ts'),
  periodMinutes: maybeInteger('period_interval'),
} as const satisfies Partial<Fields>;
/** Required parameters of candles. */
export const CANDLES_NEED = ['minAt', 'maxAt', 'periodMinutes'] as const satisfies readonly (keyof Fields)[];

const orderStatus = {
  kind: 'enum',
  values: { resting: 'working', executed: 'filled', canceled: 'canceled' },
  wire: 'status',
  optional: true,
} as const;
/** Parameters of a list of orders. */
export const orderFields = {
  ...paged,
  ...ofMarket,
  ...ofEvents,
  ...between,
  orderStatus,
} as const satisfies Partial<Fields>;
/** Parameters of a list of fills. */
export const fillFields = {
  ...paged,
  ...ofMarket,
  ...between,
  orderId: maybeName('order_id'),
} as const satisfies Partial<Fields>;
/** Parameters of a list of positions. */
export const positionFields = {
  ...paged,
  ...ofMarket,
  ...ofEvent,
  counts: {
    kind: 'list',
    of: { kind: 'enum', values: { position: 'position', total_traded: 'total_traded' } },
    wire: 'count_filter',
    optional: true,
  },
} as const satisfies Partial<Fields>;
/** Parameters of a list of settlements. */
export const settlementFields = { ...paged, ...ofMarket, ...ofEvent, ...between } as const satisfies Partial<Fields>;
/** Parameters of a list of public trades. */
export const printFields = { ...paged, ...ofMarket, ...between } as const satisfies Partial<Fields>;
/** The number of levels of a book. */
export const depth = { depth: maybeInteger('depth') } as const satisfies Partial<Fields>;
