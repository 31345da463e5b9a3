// Reads of what anyone may see: markets, event groups, series, books, prints, candles, the exchange's own status.
// Must never change anything.
import {
  type EventTicker,
  type SeriesTicker,
  type Ticker,
  eventTicker,
  seriesTicker,
  ticker,
} from '../../domain/ids.ts';
import type { MarketStatus } from '../../domain/market.ts';
import { codecOf } from '../../venues/trade-api/wire/codec.ts';
import type { QueryRecord } from '../../venues/trade-api/wire/records.ts';
import { must } from '../../domain/assert.ts';
import type { GroupDefinition } from '../input.ts';
import type { MarketView } from '../output.ts';
import type { Call, Handler } from './call.ts';
import { CANDLE_MINUTES, candlesOf } from './candles.ts';
import { bookRecord, eventRecord, marketRecord, printRecord, seriesRecord } from './market-records.ts';
import { pageOf } from './pages.ts';
import { readQuery } from './reading.ts';
import { RequestFault, nested, wrongQuery } from './refusals.ts';

/** A part of the path, which the route has matched. */
export const partOf = ({ request }: Call, name: string): string =>
  must(request.parts[name], `part ${name} of the path`);

export const notFound = ({ profile }: Call): RequestFault => new RequestFault(nested(404, profile.errors.notFound));

export const status: Handler = {
  answer: ({ profile, exchange }) =>
    codecOf(profile.records.status).encode({
      isActive: exchange.isActive,
      isTrading: exchange.isTrading,
      canTransfer: null,
      resumeAt: null,
      shards: null,
    }),
};

const STATUSES: Readonly<Record<string, readonly MarketStatus[]>> = {
  unopened: ['initialized'],
  open: ['active'],
  paused: ['inactive'],
  closed: ['closed', 'determined', 'disputed', 'amended'],
  settled: ['finalized'],
};

function statusesOf(call: Call, { marketStatus }: QueryRecord): readonly MarketStatus[] | null {
  if (marketStatus === null || marketStatus === '') return null;
  const found = STATUSES[marketStatus];
  if (found !== undefined) return found;
  const expected = Object.keys(STATUSES).join(', ');
  throw new RequestFault(wrongQuery(call.request.endpoint, `status: expected one of ${expected}, found another word`));
}

/** Whether a market is among those a query asks for. */
function marketFilter(call: Call, query: QueryRecord): (market: MarketView) => boolean {
  const statuses = statusesOf(call, query);
  const { tickers, eventTicker, seriesTicker, minAt, maxAt } = query;
  return ({ definition, seriesTicker: series, status, closeAt }) =>
    (statuses === null || statuses.includes(status)) &&
    (tickers === null || tickers.includes(definition.ticker)) &&
    (eventTicker === null || definition.eventTicker === eventTicker) &&
    (seriesTicker === null || series === seriesTicker) &&
    (minAt === null || closeAt >= minAt) &&
    (maxAt === null || closeAt <= maxAt);
}

export const markets: Handler = {
  answer(call) {
    const query = readQuery(call, call.profile.records.marketsQuery);
    const rows = call.exchange.markets().filter(marketFilter(call, query)).reverse();
    const page = pageOf(rows, { query, keyOf: ({ definition }) => definition.ticker });
    return codecOf(call.profile.records.markets).encode({ ...page, rows: page.rows.map(marketRecord) });
  },
};

function marketOf(call: Call): MarketView {
  const found = call.exchange.market(ticker(partOf(call, 'ticker')));
  if (found === undefined) throw notFound(call);
  return found;
}

export const market: Handler = {
  answer: (call) => codecOf(call.profile.records.market).encode({ market: marketRecord(marketOf(call)) }),
};

export const book: Handler = {
  answer(call) {
    const { depth } = readQuery(call, call.profile.records.query);
    const found = call.exchange.book(ticker(partOf(call, 'ticker')), depth ?? 0);
    return codecOf(call.profile.records.book).encode({ book: bookRecord(found) });
  },
};

export const prints: Handler = {
  answer(call) {
    const { exchange } = call;
    const query = readQuery(call, call.profile.records.query);
    const { minAt, maxAt } = query;
    const tickers: readonly Ticker[] =
      query.ticker === null ? exchange.markets().map(({ definition }) => definition.ticker) : [query.ticker];
    const rows = tickers
      .flatMap((name) => exchange.prints(name))
      .filter(({ at }) => (minAt === null || at >= minAt) && (maxAt === null || at <= maxAt))
      .reverse();
    // Trade ids count up, so they order prints of one moment.
    if (tickers.length > 1) rows.sort((a, b) => b.at - a.at || (a.tradeId < b.tradeId ? 1 : -1));
    const page = pageOf(rows, { query, keyOf: ({ tradeId }) => tradeId });
    return codecOf(call.profile.records.prints).encode({ ...page, rows: page.rows.map(printRecord) });
  },
};

function marketsByGroup({ exchange }: Call): ReadonlyMap<EventTicker, readonly MarketView[]> {
  const found = new Map<EventTicker, MarketView[]>();
  for (const view of exchange.markets()) {
    const group = found.get(view.definition.eventTicker);
    if (group === undefined) found.set(view.definition.eventTicker, [view]);
    else group.push(view);
  }
  return found;
}

export const events: Handler = {
  answer(call) {
    const { profile, exchange } = call;
    const query = readQuery(call, profile.records.marketsQuery);
    const { minAt } = query;
    const statuses = statusesOf(call, query);
    const byGroup = marketsByGroup(call);
    const marketsOf = (group: GroupDefinition): readonly MarketView[] => byGroup.get(group.ticker) ?? [];
    const rows = exchange
      .groups()
      .filter((group) => query.seriesTicker === null || group.seriesTicker === query.seriesTicker)
      .filter((group) => statuses === null || marketsOf(group).some((view) => statuses.includes(view.status)))
      .filter((group) => minAt === null || marketsOf(group).some(({ closeAt }) => closeAt >= minAt))
      .toReversed();
    const page = pageOf(rows, { query, keyOf: (group) => group.ticker });
    const recordOf = (group: GroupDefinition) =>
      eventRecord(group, exchange.series(group.seriesTicker), query.withMarkets === true ? marketsOf(group) : null);
    return codecOf(profile.records.events).encode({ ...page, rows: page.rows.map(recordOf) });
  },
};

export const event: Handler = {
  answer(call) {
    const { exchange } = call;
    const { withMarkets } = readQuery(call, call.profile.records.marketsQuery);
    const group = exchange.group(eventTicker(partOf(call, 'eventTicker')));
    if (group === undefined) throw notFound(call);
    const views = exchange.marketsOf(group.ticker);
    const isNested = withMarkets === true;
    return codecOf(call.profile.records.event).encode({
      event: eventRecord(group, exchange.series(group.seriesTicker), isNested ? views : null),
      markets: isNested ? null : views.map(marketRecord),
    });
  },
};

export const seriesList: Handler = {
  answer: ({ profile, exchange }) =>
    codecOf(profile.records.seriesList).encode({ series: exchange.allSeries().map(seriesRecord) }),
};

const seriesOf = (call: Call): SeriesTicker => seriesTicker(partOf(call, 'seriesTicker'));

export const series: Handler = {
  answer(call) {
    const found = call.exchange.series(seriesOf(call));
    if (found === undefined) throw notFound(call);
    return codecOf(call.profile.records.series).encode({ series: seriesRecord(found) });
  },
};

export const candles: Handler = {
  answer(call) {
    const { profile, exchange, request } = call;
    const { periodMinutes, minAt, maxAt } = readQuery(call, profile.records.candlesQuery);
    if (minAt === null || maxAt === null || periodMinutes === null || !CANDLE_MINUTES.includes(periodMinutes)) {
      const expected = `a start, an end and a period of ${CANDLE_MINUTES.join(', ')} minutes`;
      throw new RequestFault(wrongQuery(request.endpoint, `expected ${expected}`));
    }
    const view = marketOf(call);
    if (view.seriesTicker !== seriesOf(call)) throw notFound(call);
    const name = view.definition.ticker;
    const range = { periodMinutes, from: minAt, to: maxAt, grid: view.grid };
    const found = candlesOf(exchange.bars(name), range);
    return codecOf(profile.records.candles).encode({ ticker: name, candles: found });
  },
};
