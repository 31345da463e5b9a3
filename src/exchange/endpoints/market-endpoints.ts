// Public reads: markets, event groups, series, books, prints. Must never change anything.
import {
  type EventTicker,
  type SeriesTicker,
  type Ticker,
  eventTicker,
  seriesTicker,
  ticker,
} from '../../domain/ids.ts';
import { codecOf } from '../../venues/trade-api/wire/codec.ts';
import type { ExtensionRecords } from '../../venues/trade-api/profiles/wire-profile.ts';
import type { QueryRecord, SeriesRecord } from '../../venues/trade-api/wire/wire-records.ts';
import { must } from '../../base/assert.ts';
import type { GroupDefinition, SeriesDefinition } from '../machine/exchange-input.ts';
import type { MarketView } from '../machine/exchange-output.ts';
import type { EndpointCall, EndpointHandler } from '../api/endpoint-call.ts';
import { bookRecord, eventRecord, marketRecord, printRecord, seriesRecord } from './market-encoders.ts';
import { type RowAge, ageFilter } from './row-ages.ts';
import { eventFilter, isBetween, marketFilter, seriesFilter, volumeOf } from './list-filters.ts';
import { pageOf } from './list-pages.ts';
import { fieldOf, readQuery, invalidParameter } from './query-reading.ts';
import { type RequestFault, refuseCall } from '../api/api-errors.ts';

/** A named part of the path, which the route has matched. */
export const pathPart = ({ request }: EndpointCall, name: string): string =>
  must(request.parts[name], `part ${name} of the path`);

export const notFound = (call: EndpointCall): RequestFault =>
  refuseCall(call, { status: 404, code: call.profile.errors.notFound });

/**
 * The records of endpoints that only some dialects have. A profile without these records has no route to the endpoints.
 */
export const furtherRecordsOf = ({ profile }: EndpointCall): ExtensionRecords =>
  must(profile.records.extensions, 'the records of a dialect with further endpoints');

/** Lists the markets of one age. Old markets were paid out before the historical cutoff; all others are recent. */
const marketsOf = (age: RowAge): EndpointHandler => ({
  answer(call) {
    const query = readQuery(call);
    const isOfAge = ageFilter(call, age);
    const isWanted = marketFilter(query);
    const page = pageOf(call.exchange.markets().toReversed(), {
      query,
      list: call.request.endpoint,
      keyOf: ({ definition }) => definition.ticker,
      isListed: (view) => isOfAge(view.settledAt) && isWanted(view),
    });
    return codecOf(call.profile.records.markets).encodeText({ ...page, rows: page.rows.map(marketRecord) });
  },
});
export const markets = marketsOf('recent');
export const historicalMarkets = marketsOf('old');

export function marketOf(call: EndpointCall): MarketView {
  const found = call.exchange.market(ticker(pathPart(call, 'ticker')));
  if (found === undefined) throw notFound(call);
  return found;
}

/** The market in the path. Refuses a market that was not paid out before the historical cutoff. */
export function oldMarketOf(call: EndpointCall): MarketView {
  const found = marketOf(call);
  if (!ageFilter(call, 'old')(found.settledAt)) throw notFound(call);
  return found;
}
export const historicalMarket: EndpointHandler = {
  answer: (call) => codecOf(call.profile.records.market).encodeText({ market: marketRecord(oldMarketOf(call)) }),
};

export const market: EndpointHandler = {
  answer: (call) => codecOf(call.profile.records.market).encodeText({ market: marketRecord(marketOf(call)) }),
};

export const book: EndpointHandler = {
  answer(call) {
    const { depth } = readQuery(call);
    const found = call.exchange.book(ticker(pathPart(call, 'ticker')), depth ?? 0);
    return codecOf(call.profile.records.book).encodeText({ book: bookRecord(found) });
  },
};

export const books: EndpointHandler = {
  answer(call) {
    const query = readQuery(call);
    const found = namedMarkets(call, query).map((name) => ({
      ticker: name,
      book: bookRecord(call.exchange.book(name, query.depth ?? 0)),
    }));
    return codecOf(furtherRecordsOf(call).books).encodeText({ books: found });
  },
};

const NAMED_MAX = 100;
/** The markets that a query names. `readQuery` has already refused a query without names. */
export function namedMarkets(call: EndpointCall, { tickers }: QueryRecord): readonly Ticker[] {
  const found = must(tickers, 'names of markets');
  if (found.length <= NAMED_MAX) return found;
  const field = fieldOf(call, 'tickers');
  const problem = `${field}: expected at most ${NAMED_MAX} names, found ${found.length}`;
  throw invalidParameter(call, { field, tag: 'max', problem });
}

const printsOf = (age: RowAge): EndpointHandler => ({
  answer(call) {
    const { exchange } = call;
    const isOfAge = ageFilter(call, age);
    const query = readQuery(call);
    const tickers: readonly Ticker[] =
      query.ticker === null ? exchange.markets().map(({ definition }) => definition.ticker) : [query.ticker];
    // This exchange has no block trades.
    const rows = (query.isOffBook === true ? [] : tickers)
      .flatMap((name) => exchange.prints(name))
      .filter(({ at }) => isOfAge(at) && isBetween(at, query.minAt, query.maxAt))
      .reverse();
    // Trade ids ascend, so they decide between prints of the same time.
    if (tickers.length > 1) rows.sort((a, b) => b.at - a.at || (a.tradeId < b.tradeId ? 1 : -1));
    const page = pageOf(rows, { query, list: call.request.endpoint, keyOf: ({ tradeId }) => tradeId });
    return codecOf(call.profile.records.prints).encodeText({ ...page, rows: page.rows.map(printRecord) });
  },
});
export const prints = printsOf('recent');
export const historicalPrints = printsOf('old');

function marketsByGroup({ exchange }: EndpointCall): ReadonlyMap<EventTicker, readonly MarketView[]> {
  const found = new Map<EventTicker, MarketView[]>();
  for (const view of exchange.markets()) {
    const group = found.get(view.definition.eventTicker);
    if (group === undefined) found.set(view.definition.eventTicker, [view]);
    else group.push(view);
  }
  return found;
}

export const events: EndpointHandler = {
  answer(call) {
    const { profile, exchange } = call;
    const query = readQuery(call);
    const byGroup = marketsByGroup(call);
    const marketsIn = (group: GroupDefinition): readonly MarketView[] => byGroup.get(group.ticker) ?? [];
    const page = pageOf(exchange.groups().toReversed(), {
      query,
      list: call.request.endpoint,
      keyOf: (group) => group.ticker,
      isListed: eventFilter(query, marketsIn),
    });
    const recordOf = (group: GroupDefinition) =>
      eventRecord(group, {
        series: exchange.series(group.seriesTicker),
        markets: marketsIn(group),
        isNested: query.withMarkets === true,
      });
    return codecOf(profile.records.events).encodeText({ ...page, rows: page.rows.map(recordOf) });
  },
};

export function groupOf(call: EndpointCall): GroupDefinition {
  const group = call.exchange.group(eventTicker(pathPart(call, 'eventTicker')));
  if (group === undefined) throw notFound(call);
  return group;
}

export const event: EndpointHandler = {
  answer(call) {
    const { exchange } = call;
    const { withMarkets } = readQuery(call);
    const group = groupOf(call);
    const markets = exchange.marketsOf(group.ticker);
    return codecOf(call.profile.records.event).encodeText({
      event: eventRecord(group, {
        series: exchange.series(group.seriesTicker),
        markets,
        isNested: withMarkets === true,
      }),
      markets: markets.map(marketRecord),
    });
  },
};

const seriesRecordOf = (call: EndpointCall, series: SeriesDefinition, { withVolume }: QueryRecord): SeriesRecord =>
  seriesRecord(series, withVolume === true ? volumeOf(call.exchange, series.ticker) : null);

export const seriesList: EndpointHandler = {
  answer(call) {
    const query = readQuery(call);
    const found = call.exchange.allSeries().filter(seriesFilter(query, call.exchange));
    const rows = found.map((series) => seriesRecordOf(call, series, query));
    return codecOf(call.profile.records.seriesList).encodeText({ series: rows });
  },
};

export const seriesOf = (call: EndpointCall): SeriesTicker => seriesTicker(pathPart(call, 'seriesTicker'));

export const series: EndpointHandler = {
  answer(call) {
    const found = call.exchange.series(seriesOf(call));
    if (found === undefined) throw notFound(call);
    return codecOf(call.profile.records.series).encodeText({ series: seriesRecordOf(call, found, readQuery(call)) });
  },
};

export const tagsByCategory: EndpointHandler = {
  answer(call) {
    const tags = new Map<string, readonly string[]>();
    for (const { category, tags: own = [] } of call.exchange.allSeries())
      tags.set(category, [...new Set([...(tags.get(category) ?? []), ...own])]);
    return codecOf(furtherRecordsOf(call).tagsByCategory).encodeText({ tags });
  },
};

export const eventMetadata: EndpointHandler = {
  answer(call) {
    groupOf(call);
    const blank = { imageUrl: '', sources: [], competition: null, scope: null };
    return codecOf(furtherRecordsOf(call).eventMetadata).encodeText(blank);
  },
};
