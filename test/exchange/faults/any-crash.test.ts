// An exchange with flow, faults and crashes in virtual time, on a log that is often replaced by an image: under any
// seed, everything answered is in the ledger, the ledger balances, and the same seed gives the same session.
import { assert, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { faultsSchema } from '../../../src/config/fault-config.ts';
import { must } from '../../../src/base/assert.ts';
import { logTo } from '../../../src/log.ts';
import { UnsignedAuthentication } from '../../../src/exchange/api/authentication.ts';
import type { WireAnswer } from '../../../src/exchange/api/endpoint-call.ts';
import { IncidentRunner } from '../../../src/exchange/faults/incidents.ts';
import { PlannedFaults, lagMaxOf } from '../../../src/exchange/faults/planned-faults.ts';
import { ExchangeProcess } from '../../../src/exchange/api/exchange-process.ts';
import { type TrafficCounts, TrafficCounters } from '../../../src/exchange/api/traffic-counters.ts';
import { RandomStream } from '../../../src/exchange/flow/random-stream.ts';
import { memoryStore } from '../../../src/exchange/store/input-store.ts';
import { serviceProfile } from '../../../src/venues/trade-api/profiles/service-profile.ts';
import { JsonAnswer } from '../api/json-answer.ts';
import { ManualTime } from '../api/manual-time.ts';
import { harnessConfig } from '../api/api-harness.ts';
import { runCount } from '../../support/runner/property-runs.ts';

const PLAN = faultsSchema.parse({
  requests: [
    { fault: 'drop-answer', probability: 0.1 },
    { fault: 'delay', probability: 0.2, before: '400ms', after: '400ms' },
    { fault: 'server-error', probability: 0.1, acts: true },
    { fault: 'stale', on: ['reads'], probability: 0.3, by: '900ms' },
  ],
  incidents: [
    { incident: 'crash', every: '6s', for: '1s' },
    { incident: 'halt', every: '5s', for: '700ms' },
    { incident: 'pause', every: '9s', for: '300ms' },
  ],
});
const CHURN = `
churn: [{ series: RAIN, every: 5s, markets: 2, lifetime: 8s, settlesAfter: 1s }]
forgetsAfter: 20s
`;
const STEPS = 150;

/** The result of a session. */
interface Played {
  readonly exchangeProcess: ExchangeProcess;
  readonly known: readonly string[];
  readonly kinds: TrafficCounts['faultsByKind'];
  readonly seen: readonly unknown[];
}

/** A session of one account under every kind of fault: the orders it knows to be accepted, and all it received. */
function play(seed: number): Played {
  const config = {
    ...harnessConfig(CHURN),
    flow: { ...harnessConfig().flow, enabled: true, changesPerSecond: 4, noiseTradesPerMinute: 60 },
  };
  const profile = serviceProfile;
  const time = new ManualTime();
  const counters = new TrafficCounters();
  const chance = new RandomStream(seed, 'orders');
  const clock = () => time.now;
  const { setTimer } = time;
  const onFault = counters.countFault.bind(counters);
  const exchangeProcess = new ExchangeProcess({
    config,
    profile,
    clock,
    setTimer,
    authentication: new UnsignedAuthentication(profile.signing, new Map([['ann', 'ann']])),
    faults: new PlannedFaults({ plan: PLAN, seed, profile, now: clock, later: setTimer, onFault }),
    lagMax: lagMaxOf(PLAN),
    store: memoryStore(seed, 60),
    counters,
    log: logTo({ write: () => undefined }, 'silent'),
    onFailure: (failure) => {
      throw failure;
    },
  });
  const crash = (downFor: number): void => {
    if (!exchangeProcess.isUp) return;
    exchangeProcess.crash();
    setTimer(downFor / 1000, () => exchangeProcess.restart());
  };
  const session = () => (exchangeProcess.isUp ? exchangeProcess.session : null);
  exchangeProcess.startFlow();
  new IncidentRunner({ rules: PLAN.incidents, seed, session, later: setTimer, crash, onFault }).start();
  const known: string[] = [];
  const seen: unknown[] = [];
  for (let step = 0; step < STEPS; step++) {
    time.advance(Math.ceil(200 * chance.drawUniform()));
    if (!exchangeProcess.isUp) continue;
    const side = chance.drawUniform() < 0.5 ? 'buy' : 'sell';
    const terms = { ticker: 'A', side: 'yes', action: side, type: 'limit', count: 1, yes_price: 40 + (step % 20) };
    const body = JSON.stringify({ ...terms, client_order_id: `step-${step}` });
    const route = must(exchangeProcess.api.findRoute('POST', '/trade-api/v2/portfolio/orders'), 'a route');
    const { key, timestamp } = profile.signing.headers;
    const headers = new Map([
      [key, 'ann'],
      [timestamp, String(Math.floor(time.now / 1000))],
    ]);
    exchangeProcess.api.handleRequest(
      { ...route, header: (name) => headers.get(name), body, address: '::1' },
      (answer) => {
        seen.push(answer?.body ?? null);
        if (answer?.status === 201) known.push(orderIdIn(answer));
      },
    );
  }
  time.advance(30_000);
  for (let i = 0; !exchangeProcess.isUp && i < 100; i++) time.advance(100);
  const kinds = counters.counts().faultsByKind;
  return { exchangeProcess, known, kinds, seen: [...seen, kinds, exchangeProcess.session.exchange.ledger()] };
}

const orderIdIn = ({ body }: WireAnswer): string => new JsonAnswer(JSON.parse(body)).text('order.order_id');

describe('an exchange with crashes and every fault', () => {
  it('holds every order that it ever acknowledged, and its ledger balances', () => {
    let crashes = 0;
    assert(
      property(integer({ min: 1, max: 1_000_000 }), (seed) => {
        const { exchangeProcess, known, kinds } = play(seed);
        crashes += kinds.crash ?? 0;
        const { exchange } = exchangeProcess.session;
        exchange.audit();
        expect(exchange.ledger().accounts.find(({ account }) => account === 'ann')?.deposited).toBe(1_000_000_000);
        expect(known.length).toBeGreaterThan(10);
        const orders = exchange.orders('ann');
        expect(known.filter((id) => !orders.some(({ orderId }) => orderId === id))).toEqual([]);
        expect(new Set(orders.map(({ clientOrderId }) => clientOrderId)).size).toBe(orders.length);
      }),
      { numRuns: runCount(8) },
    );
    expect(crashes).toBeGreaterThan(8);
  });

  it('repeats the session exactly for the same seed', () => {
    expect(play(77).seen).toEqual(play(77).seen);
    expect(play(77).seen).not.toEqual(play(78).seen);
  });
});
