// Reads of what anyone may see: markets, event groups, series, books, prints, candles.
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
import type { FurtherRecords } from '../../venues/trade-api/profile.ts';
import type { QueryRecord } from '../../venues/trade-api/wire/records.ts';
import { must } from '../../domain/assert.ts';
import type { GroupDefinition } from '../input.ts';
import type { MarketView } from '../output.ts';
import type { Call, Handler } from './call.ts';
import { bookRecord, eventRecord, marketRecord, printRecord, seriesRecord } from './market-records.ts';
import { type Age, ageFilter } from './ages.ts';
import { pageOf } from './pages.ts';
import { readQuery, wrongParameter } from './query-reading.ts';
import { type RequestFault, refuse } from './refusals.ts';

/** A part of the path, which the route has matched. */
export const partOf = ({ request }: Call, name: string): string =>
  must(request.parts[name], `part ${name} of the path`);

export const notFound = (call: Call): RequestFault => refuse(call, { status: 404, code: call.profile.errors.notFound });

/** The records of what only some dialects have. Endpoints of theirs have no route where there are none. */
export const furtherOf = ({ profile }: Call): FurtherRecords =>
  must(profile.records.further, 'the records of a dialect with further endpoints');

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
  const problem = `status: expected one of ${Object.keys(STATUSES).join(', ')}, found another word`;
  throw wrongParameter(call, { field: 'status', tag: 'oneof', problem });
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

/** Those paid out long ago, or those that are not. */
const marketsOf = (age: Age): Handler => ({
  answer(call) {
    const query = readQuery(call, call.profile.records.marketsQuery);
    const isOfAge = ageFilter(call, age);
    const rows = call.exchange
      .markets()
      .filter(({ settledAt }) => isOfAge(settledAt))
      .filter(marketFilter(call, query))
      .reverse();
    const page = pageOf(rows, { query, keyOf: ({ definition }) => definition.ticker });
    return codecOf(call.profile.records.markets).encode({ ...page, rows: page.rows.map(marketRecord) });
  },
});
export const markets = marketsOf('recent');
export const historicalMarkets = marketsOf('old');

export function marketOf(call: Call): MarketView {
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

export const books: Handler = {
  answer(call) {
    const { booksQuery, books: spec } = furtherOf(call);
    const { tickers, depth } = readQuery(call, booksQuery);
    const found = namedOf(call, { tickers, field: 'tickers' }).map((name) => ({
      ticker: name,
      book: bookRecord(call.exchange.book(name, depth ?? 0)),
    }));
    return codecOf(spec).encode({ books: found });
  },
};

/** Markets that a query must name, and how many it may. */
const NAMED_MAX = 100;
export function namedOf(
  call: Call,
  { tickers, field }: { readonly tickers: readonly Ticker[] | null; readonly field: string },
): readonly Ticker[] {
  if (tickers === null)
    throw wrongParameter(call, { field, tag: 'required', problem: `${field}: expected names of markets` });
  if (tickers.length <= NAMED_MAX) return tickers;
  const problem = `${field}: expected ${NAMED_MAX} names at the most, found ${tickers.length}`;
  throw wrongParameter(call, { field, tag: 'max', problem });
}

const printsOf = (age: Age): Handler => ({
  answer(call) {
    const { exchange } = call;
    const isOfAge = ageFilter(call, age);
    const query = readQuery(call, call.profile.records.query);
    const { minAt, maxAt } = query;
    const tickers: readonly Ticker[] =
      query.ticker === null ? exchange.markets().map(({ definition }) => definition.ticker) : [query.ticker];
    const rows = tickers
      .flatMap((name) => exchange.prints(name))
      .filter(({ at }) => isOfAge(at) && (minAt === null || at >= minAt) && (maxAt === null || at <= maxAt))
      .reverse();
    // Trade ids count up, so they order prints of one moment.
    if (tickers.length > 1) rows.sort((a, b) => b.at - a.at || (a.tradeId < b.tradeId ? 1 : -1));
    const page = pageOf(rows, { query, keyOf: ({ tradeId }) => tradeId });
    return codecOf(call.profile.records.prints).encode({ ...page, rows: page.rows.map(printRecord) });
  },
});
export const prints = printsOf('recent');
export const historicalPrints = printsOf('old');

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
    const query = readQuery(call, profile.records.marketsQuery, profile.abilities.eventRowsMax);
    const { minAt } = query;
    const statuses = statusesOf(call, query);
    const byGroup = marketsByGroup(call);
    const marketsIn = (group: GroupDefinition): readonly MarketView[] => byGroup.get(group.ticker) ?? [];
    const rows = exchange
      .groups()
      .filter((group) => query.seriesTicker === null || group.seriesTicker === query.seriesTicker)
      .filter((group) => statuses === null || marketsIn(group).some((view) => statuses.includes(view.status)))
      .filter((group) => minAt === null || marketsIn(group).some(({ closeAt }) => closeAt >= minAt))
      .toReversed();
    // As many as there may be, unless fewer are asked for.
    const limit = query.limit ?? profile.abilities.eventRowsMax;
    const page = pageOf(rows, { query: { ...query, limit }, keyOf: (group) => group.ticker });
    const recordOf = (group: GroupDefinition) =>
      eventRecord(group, {
        series: exchange.series(group.seriesTicker),
        markets: marketsIn(group),
        isNested: query.withMarkets === true,
      });
    return codecOf(profile.records.events).encode({ ...page, rows: page.rows.map(recordOf) });
  },
};

export function groupOf(call: Call): GroupDefinition {
  const group = call.exchange.group(eventTicker(partOf(call, 'eventTicker')));
  if (group === undefined) throw notFound(call);
  return group;
}

export const event: Handler = {
  answer(call) {
    const { exchange } = call;
    const { withMarkets } = readQuery(call, call.profile.records.marketsQuery);
    const group = groupOf(call);
    const markets = exchange.marketsOf(group.ticker);
    return codecOf(call.profile.records.event).encode({
      event: eventRecord(group, {
        series: exchange.series(group.seriesTicker),
        markets,
        isNested: withMarkets === true,
      }),
      markets: markets.map(marketRecord),
    });
  },
};

export const seriesList: Handler = {
  answer: ({ profile, exchange }) =>
    codecOf(profile.records.seriesList).encode({ series: exchange.allSeries().map(seriesRecord) }),
};

export const seriesOf = (call: Call): SeriesTicker => seriesTicker(partOf(call, 'seriesTicker'));

export const series: Handler = {
  answer(call) {
    const found = call.exchange.series(seriesOf(call));
    if (found === undefined) throw notFound(call);
    return codecOf(call.profile.records.series).encode({ series: seriesRecord(found) });
  },
};

export const eventMetadata: Handler = {
  answer(call) {
    groupOf(call);
    const blank = { imageUrl: '', sources: [], competition: null, scope: null };
    return codecOf(furtherOf(call).eventMetadata).encode(blank);
  },
};
