// The access log of the exchange: it always holds refusals with their reason, every request when configured, and no
// secrets.
import { describe, expect, it } from 'vitest';
import { logTo } from '../../../src/log.ts';
import { NO_ROUTE } from '../../../src/exchange/api/api-errors.ts';
import { KalshiHarness, WIDE_LIMITS, bodyOf } from './kalshi-harness.ts';
import type { ApiHarnessOptions } from './api-harness.ts';

interface Line {
  readonly level: number;
  readonly msg: string;
  readonly [member: string]: unknown;
}
const INFO = 30;

/** An exchange API, and the lines of its log without their times. */
function logged(options: ApiHarnessOptions = {}): { readonly harness: KalshiHarness; readonly lines: Line[] } {
  const lines: Line[] = [];
  const log = logTo({
    write: (text) => {
      const { time: _time, ...line } = JSON.parse(text) as Line & { time: string };
      lines.push(line);
    },
  });
  return { harness: new KalshiHarness({ log, ...options }), lines };
}

const refused = (lines: readonly Line[]): Line[] => lines.filter(({ msg }) => msg === 'request refused');

describe('a refused request', () => {
  it.each<[who: string | null, line: string, body: unknown, expected: object]>([
    [
      'ann',
      'GET /markets?limit=5000&status=open',
      undefined,
      {
        endpoint: 'markets',
        query: 'limit=5000&status=open',
        status: 400,
        reason: 'limit: expected 0 to 1000, found 5000',
      },
    ],
    [
      'ann',
      'POST /portfolio/events/orders',
      bodyOf({ count: 10 }),
      { endpoint: 'createOrder', account: 'ann', status: 400, reason: expect.stringContaining('count') },
    ],
    [
      'ann',
      'POST /portfolio/events/orders',
      bodyOf({ price: '0.5050' }),
      { status: 400, reason: expect.stringMatching(/^invalid_price/) },
    ],
    ['ann', 'GET /markets/NONE', undefined, { path: '/trade-api/v2/markets/NONE', status: 404, reason: 'not_found' }],
    [
      null,
      'GET /portfolio/balance',
      undefined,
      { account: null, address: '127.0.0.1', status: 401, reason: expect.stringContaining('signature_is_missing') },
    ],
    ['eve', 'GET /portfolio/balance', undefined, { status: 401, reason: 'authentication_error: NOT_FOUND' }],
    ['ann', 'POST /portfolio/orders', {}, { status: 410, reason: 'deprecated_v1_order_endpoint' }],
  ])('%s %s is logged at info level with its reason', (who, line, body, expected) => {
    const { harness, lines } = logged();
    harness.requestNow(who, line, body);
    expect(lines).toEqual([expect.objectContaining({ level: INFO, msg: 'request refused', ...expected })]);
  });

  it('is logged when it exceeds the rate limit', () => {
    const { harness, lines } = logged({
      extra: 'limits: { read: { model: token-bucket, refillPerSecond: 1, capacity: 10 } }',
    });
    harness.requestNow(null, 'GET /markets');
    harness.requestNow(null, 'GET /markets');
    expect(lines).toEqual([expect.objectContaining({ status: 429, reason: 'too_many_requests' })]);
  });

  it('is logged with its method and path when it has no route', () => {
    const { harness, lines } = logged();
    const request = { method: 'GET', path: '/trade-api/v2/nowhere', address: '127.0.0.1' };
    expect(harness.api.rejectRequest(request, NO_ROUTE)).toEqual(NO_ROUTE);
    expect(lines).toEqual([expect.objectContaining({ ...request, status: 404, reason: 'no such route' })]);
  });
});

describe('a request that is not refused', () => {
  it('is not logged by default', () => {
    const { harness, lines } = logged();
    harness.createOrder('ann');
    harness.requestNow(null, 'GET /markets');
    expect(lines).toEqual([]);
  });

  it('is logged when configured, with its parameters and the names of ignored ones', () => {
    const { harness, lines } = logged({ logsRequests: true });
    harness.createOrder('ann');
    harness.requestNow('ann', 'GET /portfolio/fills?limit=5&colour=red');
    expect(lines).toMatchObject([
      { level: INFO, msg: 'request', method: 'POST', endpoint: 'createOrder', account: 'ann', status: 201 },
      { msg: 'request', endpoint: 'fills', query: 'limit=5', ignored: ['colour'], status: 200 },
    ]);
  });

  it('is logged with its duration, or as dropped when a fault drops its connection', () => {
    const delay = { fault: 'delay', before: '120ms', on: ['markets'] };
    const drop = { fault: 'drop-answer', on: ['events'] };
    const { harness, lines } = logged({ logsRequests: true, plan: { requests: [delay, drop] } });
    harness.startRequest(null, 'GET /markets');
    harness.request(null, 'GET /events');
    harness.advance(200);
    expect(lines).toMatchObject([
      { msg: 'request dropped', endpoint: 'events' },
      { msg: 'request', endpoint: 'markets', ms: 120 },
    ]);
  });
});

describe('the access log of the feed', () => {
  it('holds a refused handshake and a refused command with the reason', () => {
    const { harness, lines } = logged();
    expect(() => harness.openFeed(null)).toThrow('401');
    const feed = harness.openFeed('ann');
    feed.send('subscribe', { channels: ['nonsense'] });
    expect(lines).toMatchObject([
      { level: INFO, msg: 'feed refused', status: 401, reason: expect.stringContaining('signature_is_missing') },
      { level: INFO, msg: 'command refused', connection: 1, account: 'ann', code: 8, reason: 'Unknown channel name' },
    ]);
  });

  it('holds every connection and command when configured', () => {
    const { harness, lines } = logged({ logsRequests: true });
    const feed = harness.openFeed('ann');
    feed.send('subscribe', { channels: ['ticker'] });
    feed.connection?.close();
    expect(lines).toMatchObject([
      { msg: 'feed opened', connection: 1, account: 'ann' },
      { msg: 'command', connection: 1, cmd: 'subscribe' },
      { msg: 'feed closed', connection: 1 },
    ]);
  });
});

describe('the access log', () => {
  it('never holds a key, a signature, a body or an unknown parameter’s value', () => {
    const { harness, lines } = logged({ logsRequests: true, extra: WIDE_LIMITS });
    harness.requestNow('ann', 'GET /portfolio/fills?KALSHI-ACCESS-SIGNATURE=c2VjcmV0&token=hunter2');
    harness.createOrder('ann', { client_order_id: 'order-of-mine' });
    harness.createOrder('ann', { price: 'abc' });
    harness.requestNow('eve', 'GET /portfolio/balance');
    expect(refused(lines)).toHaveLength(2);
    const text = JSON.stringify(lines);
    for (const secret of ['c2VjcmV0', 'hunter2', 'order-of-mine', '"eve"', 'signature":'])
      expect(text).not.toContain(secret);
  });

  it('cuts long paths and parameters', () => {
    const { harness, lines } = logged();
    harness.requestNow('ann', `GET /markets/${'M'.repeat(5000)}`);
    harness.requestNow('ann', `GET /markets?status=${'x'.repeat(5000)}`);
    for (const line of lines) expect(JSON.stringify(line).length).toBeLessThan(1500);
  });
});
