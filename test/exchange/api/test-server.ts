// A local exchange for tests over real sockets: three accounts with keys, three markets, no flow, wide limits.
import { afterEach } from 'vitest';
import { parseExchangeConfig } from '../../../src/config/exchange-config.ts';
import {
  type ExchangeServerOptions,
  type RunningExchange,
  startExchange,
} from '../../../src/exchange/api/exchange-server.ts';
import { serviceProfile } from '../../../src/venues/trade-api/profiles/service-profile.ts';
import { type BareAnswer, BareFeed, type BareKey, type BareRequest, sendRequest, bareKey } from './bare-client.ts';

export const KEYS = { ann: bareKey('ann-key'), bob: bareKey('bob-key'), cat: bareKey('cat-key', 'secp256k1') } as const;
export type Name = keyof typeof KEYS;

const WIDE = '{ model: rolling-window, count: 100000, windowMs: 1000 }';

interface Lines {
  readonly limits: string;
  readonly extra: string;
  readonly grid: string;
  readonly isLively: boolean;
}

const textOf = ({ limits, extra, grid, isLively }: Lines): string => `
seed: 7
accounts:
  - { name: ann, cash: 1000 }
  - { name: bob, cash: 1000 }
  - { name: cat, cash: 1000 }
series:
  - { ticker: RAIN, title: Rain, category: Weather, feeType: quadratic_with_maker_fees }
  - { ticker: CITY, title: City, category: Sports }
eventGroups:
  - { ticker: RAIN-26, series: RAIN, title: Rain in 26 }
  - { ticker: CITY-36, series: CITY, title: Host of 36, exclusive: true }
markets:
  - { ticker: RAIN-26-A, eventGroup: RAIN-26, title: Rain in A?, closesIn: 1h, grid: ${grid}, probability: 0.4 }
  - { ticker: RAIN-26-B, eventGroup: RAIN-26, title: Rain in B?, closesIn: 2h, opensIn: 30m }
  - { ticker: CITY-36-X, eventGroup: CITY-36, title: Is it X?, closesIn: 1h }
flow: { enabled: ${isLively}, noiseTradesPerMinute: 600, changesPerSecond: 100 }
limits: ${limits}
${extra}
`;

export const WIDE_LIMITS = `{ read: ${WIDE}, trade: ${WIDE}, feed: ${WIDE} }`;

export interface TestServerOptions extends Partial<Omit<ExchangeServerOptions, 'config'>> {
  /** Rate limits, as YAML. */
  readonly limits?: string;
  /** Further members of the config, as YAML. */
  readonly extra?: string;
  /** Price grid of the first market. */
  readonly grid?: string;
  /** True when agents trade in the first market. */
  readonly isLively?: boolean;
}

/** A running exchange with short ways to send requests. */
export class TestServer {
  readonly running: RunningExchange;
  readonly #feeds: BareFeed[] = [];

  constructor(running: RunningExchange) {
    this.running = running;
  }

  request(line: string, request: BareRequest = {}): Promise<BareAnswer> {
    return sendRequest(this.running.url, line, request);
  }

  requestAs(name: Name, line: string, body?: unknown): Promise<BareAnswer> {
    return sendRequest(this.running.url, line, { key: KEYS[name], body });
  }

  placeOrder(name: Name, changes: Record<string, unknown> = {}): Promise<BareAnswer> {
    return this.requestAs(name, 'POST /portfolio/orders', orderBody(changes));
  }

  async openFeed(name: Name | null): Promise<BareFeed> {
    const { feedUrl } = this.running;
    const feed = await (name === null ? BareFeed.connect(feedUrl) : BareFeed.signed(feedUrl, KEYS[name]));
    this.#feeds.push(feed);
    return feed;
  }

  async stop(): Promise<void> {
    for (const feed of this.#feeds) feed.close();
    await this.running.stop();
  }
}

let lastOrder = 0;

export const orderBody = (changes: Record<string, unknown> = {}): Record<string, unknown> => ({
  ticker: 'RAIN-26-A',
  client_order_id: `order-${++lastOrder}`,
  side: 'yes',
  action: 'buy',
  type: 'limit',
  count: 10,
  yes_price: 50,
  ...changes,
});

const open: TestServer[] = [];

afterEach(async () => {
  for (const venue of open.splice(0)) await venue.stop();
});

/** Starts an exchange that is stopped after the test. */
export async function startTestServer({
  limits = WIDE_LIMITS,
  extra = '',
  grid = 'linear_cent',
  isLively = false,
  ...options
}: TestServerOptions = {}): Promise<TestServer> {
  const config = parseExchangeConfig(textOf({ limits, extra, grid, isLively }), '/tmp/exchange.yaml');
  const schemes = { ann: 'ecdsa-p256', bob: 'ecdsa-p256', cat: 'ecdsa-secp256k1' } as const;
  const keys = Object.entries(KEYS).map(([account, key]: [string, BareKey]) => ({
    id: key.id,
    account,
    scheme: schemes[account as Name],
    publicPem: key.publicPem,
  }));
  const venue = new TestServer(await startExchange({ config, profile: serviceProfile, port: 0, keys, ...options }));
  open.push(venue);
  return venue;
}
