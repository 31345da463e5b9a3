// The exchange API without sockets, for tests: key ids without signatures, a manual clock, feed messages collected in
// lists. Must never wait for anything.
import { type ExchangeConfig, parseExchangeConfig } from '../../../src/config/exchange-config.ts';
import { faultsSchema } from '../../../src/config/fault-config.ts';
import type { Micros } from '../../../src/domain/units.ts';
import { type SetTimer, openExchange } from '../../../src/exchange/driver.ts';
import { TrustingAuthentication } from '../../../src/exchange/server/authentication.ts';
import type { WireAnswer } from '../../../src/exchange/server/call.ts';
import { PlannedFaults, lagMaxOf } from '../../../src/exchange/server/faults/planned-faults.ts';
import type { FeedLine } from '../../../src/exchange/server/feed-line.ts';
import { type Hall, type HallOptions, openHall } from '../../../src/exchange/server/hall.ts';
import { premisesOf } from '../../../src/exchange/server/premises.ts';
import type { ExchangeSession } from '../../../src/exchange/session.ts';
import { type OpenedStore, memoryStore } from '../../../src/exchange/store.ts';
import type { WireProfile } from '../../../src/venues/trade-api/profile.ts';
import { serviceProfile } from '../../../src/venues/trade-api/profiles/service.ts';
import { HandTime } from './hand-time.ts';
import { Found } from './found.ts';

const WIDE = '{ model: rolling-window, count: 100000, windowMs: 1000 }';

export const quietConfig = (extra = ''): ExchangeConfig =>
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

export interface QuietAnswer {
  readonly status: number;
  readonly text: string;
  readonly body: Found;
  readonly retryAfter: number | undefined;
}

/** A feed connection and everything it received. */
export class QuietFeed {
  readonly texts: string[] = [];
  pings = 0;
  /** How the connection ended: with a close code, or `cut` without one. */
  ended: number | 'cut' | null = null;
  line: FeedLine | null = null;

  send(cmd: string, params: unknown): void {
    this.line?.hear(JSON.stringify({ id: 1, cmd, params }));
  }

  get messages(): Found[] {
    return this.texts.map((text) => new Found(JSON.parse(text)));
  }

  of(type: string): Found[] {
    return this.messages.filter((message) => message.at('type') === type);
  }

  get seqs(): unknown[] {
    return this.messages.map((message) => message.at('seq')).filter((seq) => seq !== undefined);
  }
}

export interface QuietOptions extends Partial<Pick<HallOptions, 'log' | 'logsRequests'>> {
  readonly extra?: string;
  readonly store?: OpenedStore;
  /** The fault plan, as YAML already parsed. */
  readonly plan?: unknown;
  readonly faultSeed?: number;
  readonly profile?: WireProfile;
  /** Replaces the default config. */
  readonly config?: ExchangeConfig;
}

/** An exchange API with a manual clock. */
export class QuietHall {
  readonly store: OpenedStore;
  readonly session: ExchangeSession;
  readonly hall: Hall;
  readonly struck: string[] = [];
  readonly #time = new HandTime();
  #orders = 0;

  readonly #profile: WireProfile;

  constructor({ extra = '', store = memoryStore(7), plan = {}, faultSeed = 1, ...options }: QuietOptions = {}) {
    const { profile = serviceProfile, config = quietConfig(extra), ...rest } = options;
    this.#profile = profile;
    const parsedPlan = faultsSchema.parse(plan);
    this.store = store;
    this.session = openExchange(config, { clock: () => this.now, store, lagMax: lagMaxOf(parsedPlan) });
    const faults = new PlannedFaults({
      plan: parsedPlan,
      seed: faultSeed,
      profile,
      now: () => this.now,
      later: this.later,
      onFault: (kind) => this.struck.push(kind),
    });
    const accounts = new Map([['ann', 'ann'] as const, ['bob', 'bob'] as const]);
    const authentication = new TrustingAuthentication(profile.signing, accounts);
    const { limits } = config;
    this.hall = openHall({
      session: this.session,
      profile,
      authentication,
      limits,
      premises: premisesOf(config),
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
  get later(): SetTimer {
    return this.#time.later;
  }

  /**
   * Sends a request. Returns the answer, `null` when the connection was dropped, or `undefined` when there is no answer
   * yet.
   */
  ask(name: string | null, line: string, body?: unknown): QuietAnswer | null | undefined {
    return this.begin(name, line, body)();
  }

  /** Sends a request that may be answered later. The returned function gives the answer so far. */
  begin(name: string | null, line: string, body?: unknown): () => QuietAnswer | null | undefined {
    const [method = 'GET', below = ''] = line.split(' ');
    const route = this.hall.find(method, `/trade-api/v2${below}`);
    if (route === null) throw new Error(`no route for ${line}`);
    let answered: WireAnswer | null | undefined;
    const text = body === undefined ? '' : JSON.stringify(body);
    const header = this.header(name);
    this.hall.take({ ...route, header, body: text, address: '127.0.0.1' }, (answer) => (answered = answer));
    return () => {
      if (answered === null || answered === undefined) return answered;
      const { status, retryAfter, body: raw } = answered;
      return { status, text: raw, body: new Found(parsed(raw)), retryAfter };
    };
  }

  place(name: string, changes: Record<string, unknown> = {}): QuietAnswer | null | undefined {
    return this.ask(name, 'POST /portfolio/orders', this.orderBody(changes));
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

  feed(name: string | null): QuietFeed {
    const feed = new QuietFeed();
    const handshake = { method: 'GET', path: this.#profile.feed.path, header: this.header(name), address: '::1' };
    const caller = this.hall.admit(handshake);
    if ('status' in caller) throw new Error(`refused: ${caller.status} ${caller.body}`);
    feed.line = this.hall.openFeed(caller, {
      send: (text) => feed.texts.push(text),
      ping: () => feed.pings++,
      end: (code) => (feed.ended = code),
      hangUp: () => (feed.ended = 'cut'),
    });
    return feed;
  }

  /** Advances the clock. */
  wait(delayMs: number): void {
    this.#time.wait(delayMs);
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
