// The venue's own published client, connected to a local exchange. It differs from a real program only in base path and
// key.
import { constants, sign } from 'node:crypto';
import { createRequire } from 'node:module';
import {
  AccountApi,
  ApiKeysApi,
  CommunicationsApi,
  Configuration,
  EventsApi,
  ExchangeApi,
  HistoricalApi,
  IncentiveProgramsApi,
  LiveDataApi,
  MarketApi,
  MilestoneApi,
  MultivariateApi,
  OrderGroupsApi,
  OrdersApi,
  PortfolioApi,
  SearchApi,
  StructuredTargetsApi,
} from 'kalshi-typescript';
import { parseExchangeConfig } from '../../src/config/exchange-config.ts';
import { must } from '../../src/base/assert.ts';
import { ticker } from '../../src/domain/ids.ts';
import type { Side } from '../../src/domain/orders/order.ts';
import { cents, contracts, micros } from '../../src/domain/units.ts';
import type { Op } from '../../src/exchange/machine/exchange-input.ts';
import { type RunningExchange, startExchange } from '../../src/exchange/api/exchange-server.ts';
import { generateKeyPair } from '../../src/venues/trade-api/signing/key-files.ts';
import { kalshiProfile } from '../../src/venues/trade-api/profiles/kalshi-profile.ts';

/** HTTP client that the classes of the official client use. */
export type Axios = NonNullable<ConstructorParameters<typeof OrdersApi>[2]>;
/** Status and body of an answer. */
export interface Reply {
  readonly status: number;
  readonly data: unknown;
}
interface Answered extends Reply {
  readonly config: { readonly method?: string; readonly url?: string };
}
/**
 * The axios instance of the official client. The client is CommonJS, so an import of axios here would be another copy.
 */
const { create, isAxiosError } = createRequire(import.meta.url)('axios') as {
  readonly create: (defaults: { readonly proxy: false }) => Axios;
  readonly isAxiosError: (error: unknown) => error is { readonly response?: Answered };
};

/** The key of all tests: it is slow to generate RSA keys. */
export const KEYS = { id: '0b1e5b2c-9d1f-4c55-8a6d-000000000001', pair: generateKeyPair('rsa-pss-sha256') } as const;

const WIDE = '{ model: token-bucket, refillPerSecond: 1000000, capacity: 1000000 }';
const EMPTYING = '{ model: token-bucket, refillPerSecond: 1, capacity: 25 }';

const configOf = (isStarved: boolean): string => `
seed: 5
accounts:
  - { name: ours, cash: 1000, shards: { '2': 100 } }
  - { name: rival, cash: 1000 }
series:
  - { ticker: KXRAIN, title: Rain, category: Weather, tags: [Water], feeType: quadratic_with_maker_fees }
eventGroups:
  - { ticker: KXRAIN-26, series: KXRAIN, title: Rain in 26, exclusive: true }
markets:
  - { ticker: KXRAIN-26-A, eventGroup: KXRAIN-26, title: Rain in A?, closesIn: 1h, qtyStep: 0.01 }
  - { ticker: KXRAIN-26-B, eventGroup: KXRAIN-26, title: Rain in B?, closesIn: 1h, qtyStep: 0.01 }
  - { ticker: KXRAIN-26-C, eventGroup: KXRAIN-26, title: Rain in C?, closesIn: 1h, qtyStep: 0.01 }
flow: { enabled: false }
limits: { read: ${WIDE}, trade: ${isStarved ? EMPTYING : WIDE}, feed: ${WIDE} }
`;

export const SERIES = 'KXRAIN';
export const EVENT = 'KXRAIN-26';
/** A market with trades and a book, an empty market, and a market that is paid out. */
export const [TRADED, EMPTY, SETTLED] = ['KXRAIN-26-A', 'KXRAIN-26-B', 'KXRAIN-26-C'] as const;

/** An answer with the request that caused it. */
export interface ReceivedAnswer {
  readonly method: string;
  /** Path below the base path, without the query. */
  readonly path: string;
  readonly status: number;
  readonly data: unknown;
}

export interface OfficialClientOptions {
  /** Milliseconds by which the exchange's clock is ahead. */
  readonly aheadMs?: number;
  /** True when the limit of writes is nearly empty. */
  readonly hasLowLimits?: boolean;
  /** True when requests are signed with another private key than that of our key id. */
  readonly hasWrongKey?: boolean;
  readonly keyId?: string;
  /** Header that every request loses before it is sent. */
  readonly lostHeader?: string;
}

/** A local exchange with one official client of it. */
export class OfficialClient {
  readonly running: RunningExchange;
  readonly basePath: string;
  readonly account;
  readonly apiKeys;
  readonly combos;
  readonly communications;
  readonly incentives;
  readonly liveData;
  readonly milestones;
  readonly search;
  readonly targets;
  readonly events;
  readonly exchange;
  readonly historical;
  readonly market;
  readonly groups;
  readonly orders;
  readonly portfolio;
  /** HTTP client of the client's order class. Further requests through it are signed too. */
  readonly signed: Axios;
  /** Every answer so far, in order. */
  readonly answers: ReceivedAnswer[] = [];
  #orders = 0;

  private constructor(running: RunningExchange, options: OfficialClientOptions) {
    this.running = running;
    this.basePath = `${running.url}${kalshiProfile.basePath}`;
    const { privatePem } = options.hasWrongKey === true ? generateKeyPair('rsa-pss-sha256') : KEYS.pair;
    const configuration = new Configuration({
      apiKey: options.keyId ?? KEYS.id,
      privateKeyPem: privatePem,
      basePath: this.basePath,
    });
    // Each class adds its signing interceptor to the instance that it gets. One shared instance would sign each request
    // many times.
    const own = (): Axios => this.#instance(options.lostHeader);
    const { basePath } = this;
    this.signed = own();
    this.account = new AccountApi(configuration, basePath, own());
    this.apiKeys = new ApiKeysApi(configuration, basePath, own());
    this.combos = new MultivariateApi(configuration, basePath, own());
    this.communications = new CommunicationsApi(configuration, basePath, own());
    this.incentives = new IncentiveProgramsApi(configuration, basePath, own());
    this.liveData = new LiveDataApi(configuration, basePath, own());
    this.milestones = new MilestoneApi(configuration, basePath, own());
    this.search = new SearchApi(configuration, basePath, own());
    this.targets = new StructuredTargetsApi(configuration, basePath, own());
    this.events = new EventsApi(configuration, basePath, own());
    this.exchange = new ExchangeApi(configuration, basePath, own());
    this.historical = new HistoricalApi(configuration, basePath, own());
    this.market = new MarketApi(configuration, basePath, own());
    this.groups = new OrderGroupsApi(configuration, basePath, own());
    this.orders = new OrdersApi(configuration, basePath, this.signed);
    this.portfolio = new PortfolioApi(configuration, basePath, own());
  }

  static async open(options: OfficialClientOptions = {}): Promise<OfficialClient> {
    const { aheadMs = 0, hasLowLimits: isStarved = false } = options;
    const running = await startExchange({
      config: parseExchangeConfig(configOf(isStarved), 'official.yaml'),
      profile: kalshiProfile,
      port: 0,
      keys: [{ id: KEYS.id, account: 'ours', scheme: 'rsa-pss-sha256', publicPem: KEYS.pair.publicPem }],
      ...(aheadMs === 0 ? {} : { clock: () => micros((Date.now() + aheadMs) * 1000) }),
    });
    return new OfficialClient(running, options);
  }

  stop(): Promise<void> {
    return this.running.stop();
  }

  #instance(lostHeader: string | undefined): Axios {
    const instance = create({ proxy: false });
    // Interceptors of requests run in the reverse of the order in which they were added.
    if (lostHeader !== undefined)
      instance.interceptors.request.use((config) => {
        config.headers.delete(lostHeader);
        return config;
      });
    instance.interceptors.response.use(
      (response) => {
        this.#keep(response);
        return response;
      },
      (error: unknown) => {
        if (isAxiosError(error) && error.response) this.#keep(error.response);
        throw error;
      },
    );
    return instance;
  }

  #keep({ config: { method = '', url = '' }, status, data }: Answered): void {
    const path = new URL(url).pathname.slice(kalshiProfile.basePath.length);
    this.answers.push({ method: method.toUpperCase(), path, status, data });
  }

  /** Makes the headers that open the feed. The official client has no feed. */
  handshakeHeaders(): Record<string, string> {
    const at = String(Date.now());
    const signature = sign('sha256', Buffer.from(`${at}GET${kalshiProfile.feed.path}`), {
      key: KEYS.pair.privatePem,
      padding: constants.RSA_PKCS1_PSS_PADDING,
      saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
    });
    return {
      'KALSHI-ACCESS-KEY': KEYS.id,
      'KALSHI-ACCESS-TIMESTAMP': at,
      'KALSHI-ACCESS-SIGNATURE': signature.toString('base64'),
    };
  }

  /** Submits an operation directly to the exchange: one that only the operator or another account may make. */
  submitOperation(op: Op): void {
    const { answer } = this.running.session.submit(op);
    if (answer.type === 'refused') throw new Error(`${op.type} was refused: ${answer.refusal.code}`);
  }

  /** Places an order of another account, which may rest. */
  placeRivalOrder(
    market: string,
    side: Side,
    { price, count }: { readonly price: number; readonly count: number },
  ): void {
    this.submitOperation({
      type: 'place',
      account: 'rival',
      order: {
        ticker: ticker(market),
        clientOrderId: null,
        side,
        price: cents(price),
        qty: contracts(count),
        timeInForce: 'gtc',
        postOnly: false,
        reduceOnly: false,
        selfTrade: 'taker_at_cross',
        expiresAt: null,
        cancelOnPause: false,
      },
    });
  }

  /** Makes a new order in the client's format: by default a bid that rests in the empty market. */
  newOrder(changes: Partial<NewOrder> = {}): NewOrder {
    this.#orders += 1;
    return {
      ticker: EMPTY,
      client_order_id: `00000000-0000-4000-8000-${String(this.#orders).padStart(12, '0')}`,
      side: 'bid',
      count: '10.00',
      price: '0.0500',
      time_in_force: 'good_till_canceled',
      self_trade_prevention_type: 'taker_at_cross',
      ...changes,
    };
  }

  /** Places an order and returns its id. */
  async placeOrder(changes: Partial<NewOrder> = {}): Promise<string> {
    const { data } = await this.orders.createOrderV2(this.newOrder(changes));
    return data.order_id;
  }

  /** Places an order, cancels it and returns its id. */
  async placeCanceledOrder(): Promise<string> {
    const id = await this.placeOrder();
    await this.orders.cancelOrderV2(id);
    return id;
  }

  /** Creates some history: our trades on both sides, a book, and a market that is paid out. */
  async withHistory(): Promise<this> {
    this.placeRivalOrder(SETTLED, 'sell', { price: 30, count: 2 });
    await this.placeOrder({ ticker: SETTLED, price: '0.3000', count: '2.00' });
    this.submitOperation({ type: 'close', ticker: ticker(SETTLED) });
    this.submitOperation({ type: 'determine', ticker: ticker(SETTLED), result: 'yes', settlementValue: null });
    this.submitOperation({ type: 'settle', ticker: ticker(SETTLED) });
    this.placeRivalOrder(TRADED, 'sell', { price: 45, count: 3 });
    await this.placeOrder({ ticker: TRADED, price: '0.4500', count: '3.00' });
    this.placeRivalOrder(TRADED, 'sell', { price: 60, count: 7 });
    this.placeRivalOrder(TRADED, 'buy', { price: 41, count: 50 });
    this.placeRivalOrder(TRADED, 'buy', { price: 42, count: 13 });
    return this;
  }
}

/** One call of the official client with the expected status and body. */
export interface Call {
  readonly call: string;
  readonly run: (client: OfficialClient) => Promise<Reply>;
  readonly status: number;
  readonly body: unknown;
}

export type NewOrder = Parameters<OrdersApi['createOrderV2']>[0];

/** Outcome of a call. `isRejected` is true when the client threw. */
export interface Outcome extends Reply {
  readonly isRejected: boolean;
}

/** Waits for a call and returns its outcome, also when the client throws. */
export async function outcomeOf(call: Promise<Reply>): Promise<Outcome> {
  try {
    const { status, data } = await call;
    return { status, data, isRejected: false };
  } catch (error) {
    if (!isAxiosError(error)) throw error;
    const { status, data } = must(error.response, 'an answer');
    return { status, data, isRejected: true };
  }
}
