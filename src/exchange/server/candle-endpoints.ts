// Candles of one market, of several, and of an event group's: put together on asking.
// Must never tell more of them at once than the wire's own bound.
import type { Micros } from '../../domain/units.ts';
import { codecOf } from '../../venues/trade-api/wire/codec.ts';
import type { CandleRecord, QueryRecord } from '../../venues/trade-api/wire/records.ts';
import type { MarketView } from '../output.ts';
import type { Call, Handler } from './call.ts';
import { CANDLE_MINUTES, candlesOf } from './candles.ts';
import { furtherOf, groupOf, marketOf, namedOf, notFound, seriesOf } from './market-endpoints.ts';
import { readQuery, wrongParameter } from './query-reading.ts';

/** The times and the period that a query of candles must hold. */
interface CandleQuery {
  readonly periodMinutes: number;
  readonly from: Micros;
  readonly to: Micros;
}

const CANDLES_MAX = 10_000;
const MINUTE_US = 60_000_000;

/** `markets`: how many lists of candles are asked for at once. */
function readCandles(call: Call, query: QueryRecord, markets: number): CandleQuery {
  const { periodMinutes, minAt: from, maxAt: to } = query;
  if (from === null || to === null || periodMinutes === null || !CANDLE_MINUTES.includes(periodMinutes)) {
    const problem = `expected a start, an end and a period of ${CANDLE_MINUTES.join(', ')} minutes`;
    const field = from === null ? 'start_ts' : to === null ? 'end_ts' : 'period_interval';
    throw wrongParameter(call, { field, tag: field === 'period_interval' ? 'oneof' : 'required', problem });
  }
  const count = markets * Math.ceil((to - from) / (periodMinutes * MINUTE_US));
  if (markets > 1 && count > CANDLES_MAX) {
    const problem = `end_ts: expected ${CANDLES_MAX} candles at the most, found ${count}`;
    throw wrongParameter(call, { field: 'end_ts', tag: 'lte', problem });
  }
  return { periodMinutes, from, to };
}

const candlesIn = ({ exchange }: Call, { definition, grid }: MarketView, query: CandleQuery): CandleRecord[] =>
  candlesOf(exchange.bars(definition.ticker), { ...query, grid });

/** Whether the path names the series of the market or event group, where that matters. */
function checkSeries(call: Call, own: Pick<MarketView, 'seriesTicker'>): void {
  const { candlesOfOtherSeries } = call.profile.readings;
  if (candlesOfOtherSeries === 'not-found' && own.seriesTicker !== seriesOf(call)) throw notFound(call);
}

export const candles: Handler = {
  answer(call) {
    const { profile } = call;
    const query = readCandles(call, readQuery(call, profile.records.candlesQuery), 1);
    const view = marketOf(call);
    checkSeries(call, view);
    const found = candlesIn(call, view, query);
    return codecOf(profile.records.candles).encode({ ticker: view.definition.ticker, candles: found });
  },
};

export const candlesBatch: Handler = {
  answer(call) {
    const { candlesBatchQuery, candlesBatch: spec } = furtherOf(call);
    const read = readQuery(call, candlesBatchQuery);
    const names = namedOf(call, { tickers: read.tickers, field: 'market_tickers' });
    const query = readCandles(call, read, names.length);
    const rows = names.flatMap((name) => {
      const view = call.exchange.market(name);
      return view === undefined ? [] : [{ ticker: name, candles: candlesIn(call, view, query) }];
    });
    return codecOf(spec).encode({ markets: rows });
  },
};

export const eventCandles: Handler = {
  answer(call) {
    const query = readCandles(call, readQuery(call, call.profile.records.candlesQuery), 1);
    const group = groupOf(call);
    checkSeries(call, group);
    const views = call.exchange.marketsOf(group.ticker);
    return codecOf(furtherOf(call).eventCandles).encode({
      tickers: views.map(({ definition }) => definition.ticker),
      candles: views.map((view) => candlesIn(call, view, query)),
      endAt: query.to,
    });
  },
};
