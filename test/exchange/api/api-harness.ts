// The exchange API without sockets, for tests: key ids without signatures, a manual clock, feed messages collected in
// lists. Must never wait for anything.
import { type ExchangeConfig, parseExchangeConfig } from '../../../src/config/exchange-config.ts';
import { faultsSchema } from '../../../src/config/fault-config.ts';
import type { Micros } from '../../../src/domain/units.ts';
import { type SetTimer, openExchange } from '../../../src/exchange/session/exchange-driver.ts';
import { UnsignedAuthentication } from '../../../src/exchange/api/authentication.ts';
import type { WireAnswer } from '../../../src/exchange/api/endpoint-call.ts';
import { PlannedFaults, lagMaxOf } from '../../../src/exchange/faults/planned-faults.ts';
import type { ClientConnection } from '../../../src/exchange/feed/client-connection.ts';
import { type ExchangeApi, type ExchangeApiOptions, openExchangeApi } from '../../../src/exchange/api/exchange-api.ts';
import { settingsOf } from '../../../src/exchange/api/exchange-settings.ts';
import type { ExchangeSession } from '../../../src/exchange/session/exchange-session.ts';
import { type OpenedInputStore, memoryStore } from '../../../src/exchange/store/input-store.ts';
import type { WireProfile } from '../../../src/venues/trade-api/profiles/wire-profile.ts';
import { serviceProfile } from '../../../src/venues/trade-api/profiles/service-profile.ts';
import { ManualTime } from './manual-time.ts';
import { JsonAnswer } from './json-answer.ts';

const WIDE = '{ model: rolling-window, count: 100000, windowMs: 1000 }';

export const harnessConfig = (extra = ''): ExchangeConfig =>
  parseExchangeConfig(
    `
seed: 7
accounts: [{ name: ann, cash: 1000 }, { name: bob, cash: 1000 }]
series: [{ ticker: RAIN, title: Rain, category: Weather, feeType: quadratic_with_maker_fees }]
eventGroups: [{ ticker: RAIN-26, series: RAIN, title: Rain in 26 }]
markets:
  - { ticker: A, eventGroup: RAIN-26, title: Rain in A?, closesIn: 1h }
  - { ticker: B, eventGroup: RAIN-26, title: Rain in B?, closesIn: 1h }
flow: { enabled: false }
limits: { read: ${WIDE}, trade: ${WIDE}, feed: ${WIDE} }
${extra}
`,
    '/tmp/exchange.yaml',
  );

export interface HarnessAnswer {
  readonly status: number;
  readonly text: string;
  readonly body: JsonAnswer;
  readonly retryAfter: number | undefined;
}

/** A feed connection and everything it received. */
export class CollectedFeed {
  readonly texts: string[] = [];
  pings = 0;
  /** How the connection ended: with a close code, or `cut` without one. */
  ended: number | 'cut' | null = null;
  connection: ClientConnection | null = null;

  send(cmd: string, params: unknown): void {
    this.connection?.handleMessage(JSON.stringify({ id: 1, cmd, params }));
  }

  get messages(): JsonAnswer[] {
    return this.texts.map((text) => new JsonAnswer(JSON.parse(text)));
  }

  ofType(type: string): JsonAnswer[] {
    return this.messages.filter((message) => message.at('type') === type);
  }

  get seqs(): unknown[] {
    return this.messages.map((message) => message.at('seq')).filter((seq) => seq !== undefined);
  }
}

export interface ApiHarnessOptions extends Partial<Pick<ExchangeApiOptions, 'log' | 'logsRequests'>> {
  readonly extra?: string;
  readonly store?: OpenedInputStore;
  /** The fault plan, as YAML already parsed. */
  readonly plan?: unknown;
  readonly faultSeed?: number;
  readonly profile?: WireProfile;
  /** Further keys of the accounts: id and account. */
  readonly keys?: readonly (readonly [string, string])[];
  /** Replaces the default config. */
  readonly config?: ExchangeConfig;
}

/** An exchange API with a manual clock. */
export class ApiHarness {
  readonly store: OpenedInputStore;
  readonly session: ExchangeSession;
  readonly api: ExchangeApi;
  readonly injectedFaults: string[] = [];
  readonly #time = new ManualTime();
  #orders = 0;

  readonly #profile: WireProfile;

  constructor({ extra = '', store = memoryStore(7), plan = {}, faultSeed = 1, ...options }: ApiHarnessOptions = {}) {
    const { profile = serviceProfile, config = harnessConfig(extra), keys = [], ...rest } = options;
    this.#profile = profile;
    const parsedPlan = faultsSchema.parse(plan);
    this.store = store;
    this.session = openExchange(config, { clock: () => this.now, store, lagMax: lagMaxOf(parsedPlan) });
    const faults = new PlannedFaults({
      plan: parsedPlan,
      seed: faultSeed,
      profile,
      now: () => this.now,
      later: this.setTimer,
      onFault: (kind) => this.injectedFaults.push(kind),
    });
    const accounts = new Map([['ann', 'ann'], ['bob', 'bob'], ...keys]);
    const authentication = new UnsignedAuthentication(profile.signing, accounts);
    const { limits } = config;
    this.api = openExchangeApi({
      session: this.session,
      profile,
      authentication,
      limits,
      settings: settingsOf(config),
      faults,
      ...rest,
    });
  }

  get now(): Micros {
    return this.#time.now;
  }

  set now(at: Micros) {
    this.#time.now = at;
  }

  /** Timers that run when the clock is advanced. */
  get setTimer(): SetTimer {
    return this.#time.setTimer;
  }

  /**
   * Sends a request. Returns the answer, `null` when the connection was dropped, or `undefined` when there is no answer
   * yet.
   */
  request(name: string | null, line: string, body?: unknown): HarnessAnswer | null | undefined {
    return this.startRequest(name, line, body)();
  }

  /** Sends a request that may be answered later. The returned function gives the answer so far. */
  startRequest(name: string | null, line: string, body?: unknown): () => HarnessAnswer | null | undefined {
    const [method = 'GET', below = ''] = line.split(' ');
    const route = this.api.findRoute(method, `/trade-api/v2${below}`);
    if (route === null) throw new Error(`no route for ${line}`);
    let answered: WireAnswer | null | undefined;
    const text = body === undefined ? '' : JSON.stringify(body);
    const header = this.header(name);
    this.api.handleRequest({ ...route, header, body: text, address: '127.0.0.1' }, (answer) => (answered = answer));
    return () => {
      if (answered === null || answered === undefined) return answered;
      const { status, retryAfter, body: raw } = answered;
      return { status, text: raw, body: new JsonAnswer(parsed(raw)), retryAfter };
    };
  }

  placeOrder(name: string, changes: Record<string, unknown> = {}): HarnessAnswer | null | undefined {
    return this.request(name, 'POST /portfolio/orders', this.orderBody(changes));
  }

  orderBody(changes: Record<string, unknown> = {}): Record<string, unknown> {
    const terms = { ticker: 'A', side: 'yes', action: 'buy', type: 'limit', count: 10, yes_price: 50 };
    return { ...terms, client_order_id: `order-${++this.#orders}`, ...changes };
  }

  header(name: string | null): (header: string) => string | undefined {
    const { key, timestamp } = this.#profile.signing.headers;
    const values = name === null ? {} : { [key]: name, [timestamp]: String(Math.floor(this.now / 1000)) };
    return (header) => (values as Record<string, string>)[header];
  }

  openFeed(name: string | null): CollectedFeed {
    const feed = new CollectedFeed();
    const handshake = { method: 'GET', path: this.#profile.feed.path, header: this.header(name), address: '::1' };
    const caller = this.api.authorizeFeed(handshake);
    if ('status' in caller) throw new Error(`refused: ${caller.status} ${caller.body}`);
    feed.connection = this.api.openFeed(caller, {
      sendText: (text) => feed.texts.push(text),
      sendPing: () => feed.pings++,
      closeWith: (code) => (feed.ended = code),
      terminate: () => (feed.ended = 'cut'),
    });
    return feed;
  }

  /** Advances the clock. */
  advance(delayMs: number): void {
    this.#time.advance(delayMs);
    this.session.submit({ type: 'tick' });
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
