// Requests every published read from the local exchange. Each answers as docs/reference/operations.md says and fits the
// published schema. The operations come from the official client, and from the published file if it exists.
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ticker } from '../../src/domain/ids.ts';
import { kalshiProfile } from '../../src/venues/trade-api/profiles/kalshi-profile.ts';
import { type OperationRow, operationRows, rowOf } from '../docs/reference/operations.ts';
import { KalshiHarness, bodyOf } from '../exchange/api/kalshi-harness.ts';
import { DEVIATIONS } from './deviations.ts';
import { type PublishedOperation, clientOperations, keyOf, specOperations } from './published-operations.ts';
import { Referee, SPECS } from './schema-referee.ts';

const hasSpecs = existsSync(SPECS);
const skipReason = hasSpecs ? '' : ' (skipped: the published files beside the repository are absent)';

const DAY_MS = 86_400_000;

/**
 * Makes an exchange with a market paid out 91 days ago, orders, a fill, an order group and a transfer, and returns
 * their ids.
 */
function harnessWithHistory(): { readonly harness: KalshiHarness; readonly parts: Readonly<Record<string, string>> } {
  const harness = new KalshiHarness();
  harness.createOrder('bob', { side: 'ask', ticker: 'B' });
  harness.createOrder('ann', { ticker: 'B' });
  const market = { ticker: ticker('B') };
  harness.session.submit({ type: 'close', ...market });
  harness.session.submit({ type: 'determine', ...market, result: 'yes', settlementValue: null });
  harness.session.submit({ type: 'settle', ...market });
  harness.advance(91 * DAY_MS);
  const { definition } = harness.session.exchange.market(ticker('A'))!;
  const closeAt = definition.closeAt + 200 * DAY_MS * 1000;
  const open = { ...definition, ticker: ticker('D'), closeAt: closeAt as typeof definition.closeAt };
  harness.session.submit({ type: 'define-market', market: open });
  harness.createOrder('bob', { ticker: 'D', side: 'ask' });
  const group = harness.requestNow('ann', 'POST /portfolio/order_groups/create', { contracts_limit_fp: '50.00' });
  const orderId = harness.createdOrderId('ann', { ticker: 'D', count: '12.00' });
  const move = { source: 'event_contract', destination: 'event_contract', amount: 1000, destination_exchange_shard: 2 };
  const moved = harness.requestNow('ann', 'POST /portfolio/intra_exchange_instance_transfer', {
    source_exchange_shard: 0,
    ...move,
  });
  const parts = {
    order_id: orderId,
    order_group_id: group.body.text('order_group_id'),
    transfer_id: moved.body.text('transfer_id'),
    series_ticker: 'RAIN',
    event_ticker: 'RAIN-26',
    type: 'football_game',
    city: 'nyc',
  };
  return { harness, parts };
}

const ANY = '33333333-0000-4000-8000-000000000001';

/** Returns the value of `{ticker}` in a path: an open market, a historical market or an event group. */
const tickerIn = (path: string): string =>
  path.startsWith('/historical') ? 'B' : path.includes('/events/') ? 'RAIN-26' : 'D';

const filledPath = (path: string, parts: Readonly<Record<string, string>>): string =>
  path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => (name === 'ticker' ? tickerIn(path) : (parts[name] ?? ANY)));

/** Values of the parameters that some reads require. */
const VALUES: Readonly<Record<string, string>> = {
  tickers: 'D',
  market_tickers: 'D',
  start_ts: '1794000000',
  end_ts: '1810000000',
  period_interval: '1440',
  percentiles: '5000',
  milestone_ids: ANY,
  limit: '10',
};

const queryFor = (operation: PublishedOperation): string => {
  const needed = operation.parameters.filter((name) => VALUES[name] !== undefined);
  return needed.length === 0 ? '' : `?${needed.map((name) => `${name}=${VALUES[name]}`).join('&')}`;
};

/** True when all lists and maps of an answer are empty. */
const isEmpty = (body: unknown): boolean =>
  Object.values(body as object).every((value: unknown) =>
    typeof value === 'object' && value !== null ? Object.keys(value).length === 0 : typeof value === 'string',
  );

const READS = clientOperations().filter(({ method }) => method === 'GET');

describe('every published read', () => {
  const { harness, parts } = harnessWithHistory();

  const answerOf = (operation: PublishedOperation) => {
    const path = filledPath(operation.path, parts);
    const isRouted = harness.api.findRoute('GET', kalshiProfile.basePath + path) !== null;
    const line = `GET ${path}${queryFor(operation)}`;
    return { path, isRouted, line };
  };

  it.each(READS.map((operation) => [`GET ${operation.path}`, operation] as const))('%s', (_name, operation) => {
    const { kind } = rowOf(operation);
    const { isRouted, line } = answerOf(operation);
    expect(isRouted).toBe(kind !== 'absent');
    if (!isRouted) return;
    const { status, body } = harness.requestNow('ann', line);
    if (kind === 'empty' && status === 404) {
      expect(body.at('error.code')).toBe('not_found');
      expect(operation.path).toMatch(/\{\w+\}/);
    } else expect([line, status]).toEqual([line, 200]);
    if (kind === 'empty' && status === 200) expect(isEmpty(body.value)).toBe(true);
  });

  it('finds candles of a recent market and of a historical market', () => {
    const candles = READS.filter(({ path }) => path.endsWith('/markets/{ticker}/candlesticks'));
    const counts = candles.map(
      (operation) => harness.requestNow('ann', answerOf(operation).line).body.rows('candlesticks').length,
    );
    expect(counts).toEqual([1, 1]);
  });

  it.skipIf(!hasSpecs)(`answers as its published schema says${skipReason}`, () => {
    const referee = new Referee();
    const published = specOperations().filter(({ method }) => method === 'GET');
    for (const operation of published) {
      const { path, isRouted, line } = answerOf(operation);
      if (!isRouted) continue;
      const { status, body } = harness.requestNow('ann', line);
      referee.checkAnswer({ method: 'GET', path, status, data: body.value });
    }
    expect(referee.checked.answers).toBeGreaterThan(60);
    // Historical rows have the members of recent rows.
    const known = new Set([
      ...Object.values(DEVIATIONS).flat(),
      'GET /historical/fills 200: fills[].exchange_index is unknown',
    ]);
    expect([...referee.findings.keys()].filter((finding) => !known.has(finding))).toEqual([]);
  });
});

describe('the page of operations', () => {
  const rows: ReadonlyMap<string, OperationRow> = new Map(operationRows().map((row) => [keyOf(row), row]));

  it('has every operation of the official client', () => {
    expect(clientOperations().length).toBeGreaterThan(100);
    expect(clientOperations().filter((operation) => !rows.has(keyOf(operation)))).toEqual([]);
  });

  it.skipIf(!hasSpecs)(`has every operation of the published file${skipReason}`, () => {
    const operations = specOperations();
    expect(operations.length).toBe(101);
    expect(operations.filter((operation) => !rows.has(keyOf(operation)))).toEqual([]);
    // Parameters that only the older file has are applied too.
    expect(operations.flatMap((operation) => rowOf(operation).ignored)).toEqual(['include_product_metadata']);
  });

  it('says correctly whether a write has a route or is removed', () => {
    const { harness } = harnessWithHistory();
    for (const { method, path, kind } of rows.values()) {
      if (method === 'GET') continue;
      const route = harness.api.findRoute(method, kalshiProfile.basePath + filledPath(path, {}));
      expect([method, path, route !== null]).toEqual([method, path, kind !== 'absent']);
      expect([method, path, route?.retired !== undefined]).toEqual([method, path, kind === 'gone']);
    }
  });
});

describe('a removed write', () => {
  it('is refused with 410', () => {
    expect(new KalshiHarness().requestNow('ann', 'POST /portfolio/orders', bodyOf()).status).toBe(410);
  });
});
