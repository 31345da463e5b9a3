// Market churn in virtual time: markets are listed by the clock, resolved by the flow, paid out and removed. Five
// thousand markets leave no more in memory than the first thousand, and the ledger balances.
import { describe, expect, it } from 'vitest';
import { type ExchangeConfig, parseExchangeConfig } from '../../../src/config/exchange-config.ts';
import { ticker } from '../../../src/domain/ids.ts';
import { type Micros, cents, contracts, micros } from '../../../src/domain/units.ts';
import { type RunningFlow, openExchange, startFlow } from '../../../src/exchange/session/exchange-driver.ts';
import type { Retained } from '../../../src/exchange/machine/exchange-output.ts';
import { UnsignedAuthentication } from '../../../src/exchange/api/authentication.ts';
import { openExchangeApi } from '../../../src/exchange/api/exchange-api.ts';
import type { ExchangeSession } from '../../../src/exchange/session/exchange-session.ts';
import { type OpenedInputStore, volatileStore, memoryStore } from '../../../src/exchange/store/input-store.ts';
import { serviceProfile } from '../../../src/venues/trade-api/profiles/service-profile.ts';
import { START, orderOf } from '../exchange-harness.ts';

const configOf = (churn: string, changesPerSecond = 0.5): ExchangeConfig =>
  parseExchangeConfig(
    `
seed: 11
accounts: [{ name: ann, cash: 1000000 }]
series: [{ ticker: HOUR, title: Rain this hour, category: Weather }]
churn: [{ series: HOUR, ${churn} }]
forgetsAfter: 2m
flow: { makersPerMarket: 1, levels: 2, changesPerSecond: ${changesPerSecond}, noiseTradesPerMinute: 4, informedTradesPerMinute: 1 }
`,
    'exchange.yaml',
  );

/** An exchange whose only timer is the flow's, with a manual clock. */
class Churning {
  readonly session: ExchangeSession;
  now: Micros;
  #due: { readonly at: number; readonly run: () => void } = { at: Infinity, run: () => undefined };
  readonly #flow: RunningFlow;

  constructor(
    config: ExchangeConfig,
    { at = START, store = volatileStore(1) }: { at?: Micros; store?: OpenedInputStore } = {},
  ) {
    this.now = at;
    this.session = openExchange(config, { clock: () => this.now, store });
    this.#flow = startFlow(this.session, config, (delayMs, run) => {
      this.#due = { at: this.now + delayMs * 1000, run };
      return () => (this.#due = { at: Infinity, run });
    });
  }

  get exchange() {
    return this.session.exchange;
  }

  run(seconds: number): this {
    const end = micros(this.now + seconds * 1_000_000);
    for (let { at, run } = this.#due; at <= end; { at, run } = this.#due) {
      this.now = micros(at);
      run();
    }
    this.now = end;
    return this;
  }

  stop(): void {
    this.#flow.stop();
  }
}

describe('market churn', () => {
  const config = configOf('every: 60s, markets: 3, exclusive: true, lifetime: 3m');

  it('lists a group each period, whose markets open, resolve to exactly one, pay out and are removed', () => {
    const churning = new Churning(config);
    const { exchange } = churning;
    const first = exchange.markets().map(({ definition }) => definition.ticker);
    expect(first).toHaveLength(3);
    churning.run(1);
    expect(first.map((name) => exchange.statusOf(name))).toEqual(['active', 'active', 'active']);
    churning.run(120);
    expect([exchange.groups().length, exchange.markets().length]).toEqual([3, 9]);
    churning.run(120);
    const results = first.map((name) => exchange.market(name)?.result);
    expect(results.filter((result) => result === 'yes')).toHaveLength(1);
    expect(results.filter((result) => result === 'no')).toHaveLength(2);
    expect(exchange.statusOf(ticker(first[0] ?? ''))).toBe('finalized');
    churning.run(240);
    expect(exchange.statusOf(ticker(first[0] ?? ''))).toBeUndefined();
    exchange.audit();
  });

  it('continues after a restart: lists no period twice, and the flow trades in open markets', () => {
    const store = memoryStore(3);
    const before = new Churning(config, { store }).run(90);
    before.stop();
    const groups = before.exchange.groups().length;
    const after = new Churning(config, { store, at: before.now });
    expect(after.exchange.groups()).toHaveLength(groups);
    const { locked } = after.exchange.ledger();
    after.run(20);
    expect(after.exchange.groups()).toHaveLength(groups);
    expect(after.exchange.ledger().locked).not.toBe(locked);
  });

  it('skips the periods that passed while the exchange was down', () => {
    const store = memoryStore(3);
    const before = new Churning(config, { store }).run(10);
    before.stop();
    const after = new Churning(config, { store, at: micros(before.now + 3_600_000_000) });
    expect(after.exchange.groups()).toHaveLength(2);
  });
});

describe('churn of five thousand markets', () => {
  it('keeps no more in memory than after the first thousand, with a balanced ledger', () => {
    const churning = new Churning(configOf('every: 10s, markets: 10, lifetime: 60s, settlesAfter: 2s', 0.1));
    const { session, exchange } = churning;
    const authentication = new UnsignedAuthentication(serviceProfile.signing, new Map());
    const api = openExchangeApi({ session, profile: serviceProfile, authentication });
    const connection = api.openFeed(
      { name: 'all', account: null },
      { sendText: ignore, sendPing: ignore, closeWith: ignore, terminate: ignore },
    );
    let listed = 0;
    let paid = 0;
    const created: string[] = [];
    session.onStep(({ facts }) => {
      for (const fact of facts) {
        if (fact.type === 'market' && fact.word === 'created') created.push(fact.ticker);
        if (fact.type === 'settlement') paid++;
      }
    });
    const samples: (Retained & { readonly followed: number })[] = [];
    while (listed < 5000) {
      churning.run(10);
      for (const name of created.splice(0)) {
        listed++;
        const order = orderOf({ ticker: ticker(name), clientOrderId: name, price: cents(50), qty: contracts(1) });
        session.submit({ type: 'place', account: 'ann', order });
        const params = { channels: ['orderbook_delta'], market_ticker: name };
        if (listed % 10 === 0) connection.handleMessage(JSON.stringify({ id: listed, cmd: 'subscribe', params }));
      }
      if (listed % 1000 < 10) samples.push({ ...exchange.retained(), followed: api.subscribedMarkets });
    }
    const [early] = samples;
    const late = samples.at(-1);
    expect(samples.length).toBeGreaterThanOrEqual(4);
    for (const name of [
      'markets',
      'groups',
      'holdings',
      'orders',
      'fills',
      'settlements',
      'names',
      'prints',
      'followed',
    ] as const) {
      expect(early?.[name], name).toBeGreaterThan(0);
      expect(late?.[name], name).toBeLessThan(1.5 * (early?.[name] ?? 0) + 20);
    }
    expect(late?.timers).toBeLessThan(5000);
    expect(late?.markets).toBeLessThan(400);
    expect(paid).toBeGreaterThan(1000);
    expect(exchange.ledger().deposited).toBe(exchange.ledger().accounts.reduce((sum, each) => sum + each.deposited, 0));
    exchange.audit();
  });
});

const ignore = (): void => undefined;
