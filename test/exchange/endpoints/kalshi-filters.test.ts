// Every list parameter of the `kalshi` dialect: the rows of a known history that each selects.
import { describe, expect, it } from 'vitest';
import { eventTicker, seriesTicker, ticker } from '../../../src/domain/ids.ts';
import { micros } from '../../../src/domain/units.ts';
import { KalshiHarness } from '../api/kalshi-harness.ts';

const SECOND = 1_000_000;

/** Start of the exchange, in seconds: nothing is listed or traded earlier. */
const T0 = Math.floor(new KalshiHarness().now / SECOND);

/**
 * Four markets in three event groups of two series. A and B are listed at once, COIN on another shard, and C a minute
 * later in a series of its own. After two minutes B is paid out.
 */
function lived(): KalshiHarness {
  const harness = new KalshiHarness();
  harness.createOrder('bob', { side: 'ask', count: '20.00' });
  harness.createOrder('ann');
  harness.advance(60_000);
  const { session } = harness;
  const fees = { feeType: 'quadratic', feeMultiplierPercent: 100 } as const;
  const series = { ticker: seriesTicker('SNOW'), title: 'Snow', category: 'Climate', frequency: 'daily', ...fees };
  session.submit({ type: 'define-series', series: { ...series, tags: ['Cold', 'Sky'] } });
  const group = { ticker: eventTicker('SNOW-26'), seriesTicker: series.ticker, title: 'Snow in 26', subtitle: '' };
  session.submit({ type: 'define-group', group: { ...group, isExclusive: false } });
  const { definition } = session.exchange.market(ticker('A'))!;
  const closeAt = micros(harness.now + 7_200 * SECOND);
  const listed = { ...definition, ticker: ticker('C'), eventTicker: group.ticker, openAt: harness.now, closeAt };
  session.submit({ type: 'define-market', market: listed });
  harness.createOrder('bob', { ticker: 'C', side: 'ask', count: '1.00' });
  harness.createOrder('ann', { ticker: 'C', count: '1.00' });
  harness.advance(60_000);
  for (const type of ['close', 'determine', 'settle'] as const) {
    const market = { ticker: ticker('B') };
    harness.session.submit(
      type === 'determine' ? { type, ...market, result: 'yes', settlementValue: null } : { type, ...market },
    );
  }
  return harness;
}

/** A list, and the members that hold its rows and their names. */
interface Asked {
  readonly line: string;
  readonly rows: string;
  readonly name: string;
  /** The caller's account; ann by default. */
  readonly who?: string;
}
const LISTS = {
  markets: { line: '/markets', rows: 'markets', name: 'ticker' },
  events: { line: '/events', rows: 'events', name: 'event_ticker' },
  series: { line: '/series', rows: 'series', name: 'ticker' },
  trades: { line: '/markets/trades', rows: 'trades', name: 'ticker' },
  orders: { line: '/portfolio/orders', rows: 'orders', name: 'ticker' },
  fills: { line: '/portfolio/fills', rows: 'fills', name: 'ticker' },
  positions: { line: '/portfolio/positions', rows: 'market_positions', name: 'ticker' },
  settlements: { line: '/portfolio/settlements', rows: 'settlements', name: 'ticker' },
  queues: { line: '/portfolio/orders/queue_positions', rows: 'queue_positions', name: 'market_ticker', who: 'bob' },
} as const satisfies Record<string, Asked>;

const namesIn = (harness: KalshiHarness, { line, rows, name, who = 'ann' }: Asked, query: string): unknown[] =>
  harness
    .requestNow(who, `GET ${line}${query}`)
    .body.rows(rows)
    .map((row) => row.at(name));

describe('a list filtered by', () => {
  const harness = lived();
  it.each<[keyof typeof LISTS, string, string[]]>([
    ['markets', '', ['C', 'COIN', 'B', 'A']],
    ['markets', `?min_created_ts=${T0 + 30}`, ['C']],
    ['markets', `?max_created_ts=${T0 + 30}`, ['COIN', 'B', 'A']],
    ['markets', `?min_created_ts=${T0 + 30}&max_created_ts=${T0 + 40}`, []],
    ['markets', `?min_close_ts=${T0 + 5_000}`, ['C']],
    ['markets', `?max_close_ts=${T0 + 5_000}`, ['COIN', 'B', 'A']],
    ['markets', `?min_settled_ts=${T0}`, ['B']],
    ['markets', `?max_settled_ts=${T0 + 300}`, ['B']],
    ['markets', `?min_settled_ts=${T0 + 300}`, []],
    ['markets', `?max_settled_ts=${T0 + 30}`, []],
    ['markets', `?min_updated_ts=${T0 + 30}`, ['C', 'B']],
    ['markets', `?min_updated_ts=${T0 + 90}`, ['B']],
    ['markets', '?mve_filter=only', []],
    ['markets', '?mve_filter=exclude', ['C', 'COIN', 'B', 'A']],
    ['markets', '?status=settled', ['B']],
    ['markets', '?status=open', ['C', 'COIN', 'A']],
    ['markets', '?event_ticker=RAIN-26', ['B', 'A']],
    ['markets', '?series_ticker=SNOW', ['C']],
    ['markets', '?tickers=A,C', ['C', 'A']],
    ['markets', '?limit=0', ['C', 'COIN', 'B', 'A']],
    ['markets', '?limit=1', ['C']],
    ['events', '', ['SNOW-26', 'COIN-26', 'RAIN-26']],
    ['events', '?tickers=RAIN-26,SNOW-26', ['SNOW-26', 'RAIN-26']],
    ['events', '?series_ticker=RAIN', ['COIN-26', 'RAIN-26']],
    ['events', '?status=settled', ['RAIN-26']],
    ['events', '?status=closed', []],
    ['events', `?min_close_ts=${T0 + 5_000}`, ['SNOW-26']],
    ['events', `?min_updated_ts=${T0 + 90}`, ['RAIN-26']],
    ['series', '', ['RAIN', 'SNOW']],
    ['series', '?category=Climate', ['SNOW']],
    ['series', '?category=climate', []],
    ['series', '?tags=Sky', ['SNOW']],
    ['series', '?tags=Warm,Cold', ['SNOW']],
    ['series', '?tags=Warm', []],
    ['series', `?min_updated_ts=${T0 + 30}`, ['SNOW']],
    ['trades', '', ['C', 'A']],
    ['trades', '?is_block_trade=true', []],
    ['trades', '?is_block_trade=false', ['C', 'A']],
    ['trades', '?ticker=A', ['A']],
    ['trades', `?min_ts=${T0 + 30}`, ['C']],
    ['trades', `?max_ts=${T0 + 30}`, ['A']],
    ['trades', '?limit=0', ['C', 'A']],
    ['orders', '?event_ticker=SNOW-26,COIN-26', ['C']],
    ['orders', `?min_ts=${T0 + 30}`, ['C']],
    ['orders', `?max_ts=${T0 + 30}`, ['A']],
    ['orders', '?ticker=A', ['A']],
    ['orders', '?status=resting', []],
    ['orders', '?exchange_index=2', []],
    ['orders', '?subaccount=1', []],
    ['fills', `?min_ts=${T0 + 30}`, ['C']],
    ['fills', `?max_ts=${T0 + 30}`, ['A']],
    ['fills', '?ticker=A', ['A']],
    ['fills', '?exchange_index=2', []],
    ['positions', '?event_ticker=RAIN-26', ['A']],
    ['positions', '?event_ticker=RAIN-26,SNOW-26', []],
    ['positions', '?ticker=C', ['C']],
    ['positions', '?count_filter=total_traded', ['A', 'C']],
    ['positions', '?exchange_index=2', []],
    ['settlements', '', []],
  ])('%s%s', (list, query, names) => {
    expect(namesIn(harness, LISTS[list], query)).toEqual(names);
  });

  it('order_id of a fill', () => {
    const [first] = harness.requestNow('ann', 'GET /portfolio/fills').body.rows('fills');
    expect(namesIn(harness, LISTS.fills, `?order_id=${first?.text('order_id')}`)).toEqual(['C']);
  });

  it('no filter holds the queue positions of every resting order', () => {
    expect(namesIn(harness, LISTS.queues, '')).toEqual(['A']);
    expect(namesIn(harness, LISTS.queues, '?event_ticker=COIN-26')).toEqual([]);
    expect(namesIn(harness, LISTS.queues, '?market_tickers=C')).toEqual([]);
    expect(namesIn(harness, LISTS.queues, '?subaccount=1')).toEqual([]);
  });

  it('an unknown word, or too many names, is refused', () => {
    const refusal = (line: string) => harness.requestNow('ann', `GET ${line}`).text;
    expect(refusal('/portfolio/positions?count_filter=size')).toMatch(/'CountFilter' failed on the 'oneof' tag/);
    expect(refusal('/markets?mve_filter=some')).toMatch(/'MveFilter' failed on the 'oneof' tag/);
    const eleven = Array.from({ length: 11 }, (_, at) => `E-${at}`).join(',');
    expect(refusal(`/portfolio/orders?event_ticker=${eleven}`)).toMatch(/'EventTicker' failed on the 'max' tag/);
  });
});

describe('a time filter', () => {
  const harness = lived();
  const FAR = ['99999999999', '1795000000000', '9223372036854775807'];
  it.each(FAR)('of %s seconds is later than every row', (at) => {
    expect(namesIn(harness, LISTS.markets, `?max_close_ts=${at}`)).toHaveLength(4);
    expect(namesIn(harness, LISTS.markets, `?min_close_ts=${at}`)).toEqual([]);
    expect(namesIn(harness, LISTS.fills, `?min_ts=-${at}&max_ts=${at}`)).toHaveLength(2);
    const candles = `/series/RAIN/markets/A/candlesticks?start_ts=0&end_ts=${at}&period_interval=60`;
    expect(harness.requestNow(null, `GET ${candles}`).body.rows('candlesticks')).toHaveLength(1);
  });

  it('that is not a 64-bit integer is refused', () => {
    expect(harness.requestNow(null, 'GET /markets?min_close_ts=1e9').status).toBe(400);
    expect(harness.requestNow(null, 'GET /markets?min_close_ts=99999999999999999999').status).toBe(400);
  });
});

describe('an optional member', () => {
  const harness = lived();

  it('gives the traded volume of a series', () => {
    const volume = (line: string) => harness.requestNow(null, `GET ${line}`).body;
    expect(volume('/series/RAIN').at('series.volume_fp')).toBeUndefined();
    expect(volume('/series/RAIN?include_volume=true').at('series.volume_fp')).toBe('10.00');
    expect(
      volume('/series?include_volume=true')
        .rows('series')
        .map((row) => row.at('volume_fp')),
    ).toEqual(['10.00', '1.00']);
  });

  it('prepends the last candle before the range, without prices', () => {
    const later = T0 + 3600;
    const line = `/series/RAIN/markets/A/candlesticks?start_ts=${later}&end_ts=${later + 600}&period_interval=1`;
    const candles = (query: string) => harness.requestNow(null, `GET ${line}${query}`).body.rows('candlesticks');
    expect(candles('')).toEqual([]);
    const [carried, ...others] = candles('&include_latest_before_start=true');
    expect(others).toEqual([]);
    expect(carried?.at('end_period_ts')).toBe(Math.ceil(later / 60) * 60);
    expect(carried?.at('price')).toEqual({ previous_dollars: '0.5000' });
    expect([carried?.at('volume_fp'), carried?.at('open_interest_fp')]).toEqual(['0.00', '10.00']);
    const whole = line.replace(`start_ts=${later}`, `start_ts=${T0 - 60}`);
    expect(harness.requestNow(null, `GET ${whole}`).text).toBe(
      harness.requestNow(null, `GET ${whole}&include_latest_before_start=true`).text,
    );
    const batch = line.replace('/series/RAIN/markets/A/candlesticks?', '/markets/candlesticks?market_tickers=A&');
    const [market] = harness.requestNow(null, `GET ${batch}&include_latest_before_start=true`).body.rows('markets');
    expect(market?.at('candlesticks')).toEqual([carried?.value]);
  });
});
