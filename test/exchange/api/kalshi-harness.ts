// An exchange API with the `kalshi` dialect and two shards, and short ways to send requests. Written from the wire
// reference.
import { parseExchangeConfig } from '../../../src/config/exchange-config.ts';
import { kalshiProfile } from '../../../src/venues/trade-api/profiles/kalshi-profile.ts';
import { ApiHarness, type HarnessAnswer, type ApiHarnessOptions } from './api-harness.ts';

const WIDE = '{ model: token-bucket, refillPerSecond: 100000, capacity: 100000 }';
export const WIDE_LIMITS = `limits: { read: ${WIDE}, trade: ${WIDE} }`;

const configOf = (extra: string) =>
  parseExchangeConfig(
    `
seed: 7
accounts:
  - { name: ann, cash: 1000, shards: { "2": 500 } }
  - { name: bob, cash: 1000 }
series: [{ ticker: RAIN, title: Rain, category: Weather, feeType: quadratic_with_maker_fees }]
eventGroups:
  - { ticker: RAIN-26, series: RAIN, title: Rain in 26 }
  - { ticker: COIN-26, series: RAIN, title: Coins in 26 }
markets:
  - { ticker: A, eventGroup: RAIN-26, title: Rain in A?, closesIn: 1h, qtyStep: 0.01 }
  - { ticker: B, eventGroup: RAIN-26, title: Rain in B?, closesIn: 1h, feesWaivedUntil: 2030-01-01T00:00:00Z }
  - { ticker: COIN, eventGroup: COIN-26, title: Coin?, closesIn: 1h, shard: 2 }
flow: { enabled: false }
${extra}
`,
    '/tmp/exchange.yaml',
  );

const ORDERS = '/portfolio/events/orders';
let ids = 0;

export const bodyOf = (changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => ({
  ticker: 'A',
  client_order_id: `order-${++ids}`,
  side: 'bid',
  count: '10.00',
  price: '0.5000',
  time_in_force: 'good_till_canceled',
  self_trade_prevention_type: 'taker_at_cross',
  ...changes,
});

export class KalshiHarness extends ApiHarness {
  /** `extra`: further lines of the config; wide limits by default. */
  constructor({ extra = WIDE_LIMITS, ...options }: ApiHarnessOptions = {}) {
    super({ profile: kalshiProfile, config: configOf(extra), ...options });
  }

  /** Sends a request that must be answered at once. */
  requestNow(name: string | null, line: string, body?: unknown): HarnessAnswer {
    const answer = this.request(name, line, body);
    if (answer === null || answer === undefined) throw new Error(`${line} was not answered`);
    return answer;
  }

  createOrder(name: string, changes: Readonly<Record<string, unknown>> = {}): HarnessAnswer {
    return this.requestNow(name, `POST ${ORDERS}`, bodyOf(changes));
  }

  /** Places an order and returns its id. */
  createdOrderId(name: string, changes: Readonly<Record<string, unknown>> = {}): string {
    return this.createOrder(name, changes).body.text('order_id');
  }

  cancelOrder(name: string, orderId: string, query = ''): HarnessAnswer {
    return this.requestNow(name, `DELETE ${ORDERS}/${orderId}${query}`);
  }
}
