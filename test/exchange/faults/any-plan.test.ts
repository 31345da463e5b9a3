// Under any fault plan: no money is created or lost, no request is executed twice, and the same seed gives the same
// session.
import { type Arbitrary, assert, array, constantFrom, integer, nat, oneof, property, record, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { faultsSchema } from '../../../src/config/fault-config.ts';
import { IncidentRunner } from '../../../src/exchange/faults/incidents.ts';
import { ApiHarness } from '../api/api-harness.ts';
import { runCount } from '../../support/runner/property-runs.ts';

const when = record({
  probability: integer({ min: 0, max: 4 }).map((quarter) => quarter / 4),
  from: nat(3).map((seconds) => `${seconds}s`),
  for: nat(2).map((seconds) => `${seconds}s`),
});
const rule = (parts: Arbitrary<Record<string, unknown>>): Arbitrary<Record<string, unknown>> =>
  tuple(when, parts).map(([common, own]) => ({ ...common, ...own }));

const requestRule = rule(
  oneof(
    constantFrom<Record<string, unknown>>(
      { fault: 'drop-answer' },
      { fault: 'drop-request' },
      { fault: 'too-many-requests' },
      { fault: 'server-error', acts: true },
      { fault: 'server-error' },
      { fault: 'odd-answer', body: 'garbage' },
      { fault: 'stale', by: '700ms' },
    ),
    tuple(nat(900), nat(900)).map(([before, after]) => ({
      fault: 'delay',
      before: `${before}ms`,
      after: `${after}ms`,
    })),
  ),
);
const feedRule = rule(
  constantFrom<Record<string, unknown>>(
    { fault: 'close' },
    { fault: 'cut' },
    { fault: 'silence', lasting: '1s' },
    { fault: 'lose' },
    { fault: 'duplicate' },
    { fault: 'reorder' },
    { fault: 'garbage' },
    { fault: 'slow', by: '300ms', growing: '10ms' },
    { fault: 'end-channel' },
  ),
);
const incident = constantFrom<Record<string, unknown>>(
  { incident: 'pause', every: '2s', for: '500ms' },
  { incident: 'pause', of: 'exchange', every: '3s', for: '500ms' },
  { incident: 'halt', every: '2s', for: '500ms' },
  { incident: 'close-early', after: '4s' },
  { incident: 'move-close', every: '2s', sooner: '10m' },
);
const plan = record({
  requests: array(requestRule, { maxLength: 4 }),
  feed: array(feedRule, { maxLength: 4 }),
  incidents: array(incident, { maxLength: 2 }),
});
const ask = record({
  name: constantFrom('ann', 'bob'),
  yes_price: integer({ min: 45, max: 55 }),
  action: constantFrom('buy', 'sell'),
  count: integer({ min: 1, max: 9 }),
  ticker: constantFrom('A', 'B'),
  pauseMs: nat(400),
});
type Ask = typeof ask extends Arbitrary<infer Value> ? Value : never;

/** Trades through an API with faults, and returns everything that was received. */
function session(spec: unknown, asks: readonly Ask[]): { harness: ApiHarness; seen: unknown[] } {
  const harness = new ApiHarness({ plan: spec });
  const incidents = new IncidentRunner({
    rules: faultsSchema.parse(spec).incidents,
    seed: 1,
    session: () => harness.session,
    later: harness.setTimer,
    crash: () => undefined,
  });
  incidents.start();
  const feed = harness.openFeed('ann');
  feed.send('subscribe', { channels: ['orderbook_delta', 'fill', 'user_orders'], market_tickers: ['A', 'B'] });
  const answers = asks.map(({ name, pauseMs, ...terms }) => {
    const answer = harness.startRequest(name, 'POST /portfolio/orders', harness.orderBody(terms));
    harness.advance(pauseMs);
    harness.request(name, 'GET /portfolio/orders');
    return answer;
  });
  harness.advance(30_000);
  incidents.stop();
  return { harness, seen: [...answers.map((answer) => answer()?.text), ...feed.texts, feed.ended] };
}

describe('any fault plan', () => {
  it('keeps the ledger balanced and accepts no order twice', () => {
    assert(
      property(plan, array(ask, { maxLength: 30 }), (spec, asks) => {
        const { harness } = session(spec, asks);
        const { exchange } = harness.session;
        exchange.audit();
        expect(exchange.ledger().deposited).toBe(2_000_000_000);
        const names = ['ann', 'bob'].flatMap((name) => exchange.orders(name)).map((order) => order.clientOrderId);
        expect(new Set(names).size).toBe(names.length);
        expect(names.length).toBeLessThanOrEqual(asks.length);
      }),
      { numRuns: runCount(60) },
    );
  });

  it('gives the same answers and messages for the same plan, seed and requests', () => {
    assert(
      property(plan, array(ask, { maxLength: 12 }), (spec, asks) => {
        expect(session(spec, asks).seen).toEqual(session(spec, asks).seen);
      }),
      { numRuns: runCount(25) },
    );
  });
});
