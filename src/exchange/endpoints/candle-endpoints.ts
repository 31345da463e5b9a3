// Candles of markets and event groups, built on request. Must never answer a batch with more candles than the wire's
// bound.
import { must } from '../../base/assert.ts';
import { codecOf } from '../../venues/trade-api/wire/codec.ts';
import type { CandleRecord, QueryRecord } from '../../venues/trade-api/wire/wire-records.ts';
import type { MarketView } from '../machine/exchange-output.ts';
import type { EndpointCall, EndpointHandler } from '../api/endpoint-call.ts';
import { CANDLE_MINUTES, type CandleRange, MINUTE_US, candleBefore, candlesOf } from './bar-candles.ts';
import {
  furtherRecordsOf,
  groupOf,
  marketOf,
  namedMarkets,
  notFound,
  oldMarketOf,
  seriesOf,
} from './market-endpoints.ts';
import { fieldOf, readQuery, invalidParameter } from './query-reading.ts';

interface CandleQuery extends Omit<CandleRange, 'grid'> {
  readonly withCandleBefore: boolean;
}

const CANDLES_MAX = 10_000;

/** The candles that a query asks for. `readQuery` has already refused a query that lacks a required member. */
function candleQueryOf({ minAt, maxAt, periodMinutes, withCandleBefore }: QueryRecord): CandleQuery {
  return {
    from: must(minAt, 'the start of candles'),
    to: must(maxAt, 'the end of candles'),
    periodMinutes: must(periodMinutes, 'the period of candles'),
    withCandleBefore: withCandleBefore === true,
  };
}

function checkPeriod(call: EndpointCall, { periodMinutes }: CandleQuery): void {
  if (CANDLE_MINUTES.includes(periodMinutes)) return;
  const field = fieldOf(call, 'periodMinutes');
  const problem = `${field}: expected one of ${CANDLE_MINUTES.join(', ')} minutes, found ${periodMinutes}`;
  throw invalidParameter(call, { field, tag: 'oneof', problem });
}

/** A batch accepts any whole number of minutes as its period, but limits the number of candles. */
function checkBatch(call: EndpointCall, { periodMinutes, from, to }: CandleQuery, markets: number): void {
  if (periodMinutes < 1) {
    const field = fieldOf(call, 'periodMinutes');
    throw invalidParameter(call, {
      field,
      tag: 'gte',
      problem: `${field}: expected at least 1, found ${periodMinutes}`,
    });
  }
  const count = markets * Math.ceil((to - from) / (periodMinutes * MINUTE_US));
  if (count <= CANDLES_MAX) return;
  const field = fieldOf(call, 'maxAt');
  const problem = `${field}: expected at most ${CANDLES_MAX} candles, found ${count}`;
  throw invalidParameter(call, { field, tag: 'lte', problem });
}

function candlesIn({ exchange }: EndpointCall, { definition, grid }: MarketView, query: CandleQuery): CandleRecord[] {
  const bars = exchange.bars(definition.ticker);
  const found = candlesOf(bars, { ...query, grid });
  const before = query.withCandleBefore ? candleBefore(bars, { ...query, grid }) : null;
  return before === null || before.endAt === found[0]?.endAt ? found : [before, ...found];
}

/** Checks that the path names the right series, in profiles that require it. */
function checkSeries(call: EndpointCall, own: Pick<MarketView, 'seriesTicker'>): void {
  const { candlesOfOtherSeries } = call.profile.readings;
  if (candlesOfOtherSeries === 'not-found' && own.seriesTicker !== seriesOf(call)) throw notFound(call);
}

export const candles: EndpointHandler = {
  answer(call) {
    const { profile } = call;
    const query = candleQueryOf(readQuery(call));
    checkPeriod(call, query);
    const view = marketOf(call);
    checkSeries(call, view);
    const found = candlesIn(call, view, query);
    return codecOf(profile.records.candles).encodeText({ ticker: view.definition.ticker, candles: found });
  },
};

export const historicalCandles: EndpointHandler = {
  answer(call) {
    const query = candleQueryOf(readQuery(call));
    checkPeriod(call, query);
    const view = oldMarketOf(call);
    const found = candlesIn(call, view, query);
    return codecOf(furtherRecordsOf(call).historicalCandles).encodeText({
      ticker: view.definition.ticker,
      candles: found,
    });
  },
};

export const candlesBatch: EndpointHandler = {
  answer(call) {
    const read = readQuery(call);
    const names = namedMarkets(call, read);
    const query = candleQueryOf(read);
    checkBatch(call, query, names.length);
    const rows = names.flatMap((name) => {
      const view = call.exchange.market(name);
      return view === undefined ? [] : [{ ticker: name, candles: candlesIn(call, view, query) }];
    });
    return codecOf(furtherRecordsOf(call).candlesBatch).encodeText({ markets: rows });
  },
};

export const eventCandles: EndpointHandler = {
  answer(call) {
    const query = candleQueryOf(readQuery(call));
    checkPeriod(call, query);
    const group = groupOf(call);
    checkSeries(call, group);
    const views = call.exchange.marketsOf(group.ticker);
    return codecOf(furtherRecordsOf(call).eventCandles).encodeText({
      tickers: views.map(({ definition }) => definition.ticker),
      candles: views.map((view) => candlesIn(call, view, query)),
      endAt: query.to,
    });
  },
};
