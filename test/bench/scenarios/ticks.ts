// The time from a tick to the order it causes, through the parts of a live session: feed, normalizer, engine, executor,
// gateway with signatures prepared ahead, a pooled connection. The exchange is another process; both read one clock.
import type { Command } from '../../../src/domain/venue-command.ts';
import { type MarketIndex, type TickerTable, strategyName } from '../../../src/domain/ids.ts';
import { NOTHING_RESTORED } from '../../../src/domain/operator-order.ts';
import type { Intent } from '../../../src/domain/intent.ts';
import { type Price, cents, contracts } from '../../../src/domain/units.ts';
import type { Engine } from '../../../src/engine.ts';
import type { Observer } from '../../../src/execution/engine-notice.ts';
import { SystemClock } from '../../../src/runtime/session/system-clock.ts';
import { CommandExecutor } from '../../../src/runtime/session/command-executor.ts';
import { LiveLoop } from '../../../src/runtime/session/live-loop.ts';
import { SessionMeter } from '../../../src/runtime/session/session-meter.ts';
import type { BoundStrategy } from '../../../src/strategy/strategy-definition.ts';
import type { HttpClient, HttpOutcome, HttpRequest } from '../../../src/transport/http-client.ts';
import { PooledHttpClient } from '../../../src/transport/pooled-http.ts';
import { generateKeyPair, readPrivateKey } from '../../../src/venues/trade-api/signing/key-files.ts';
import { serviceProfile } from '../../../src/venues/trade-api/profiles/service-profile.ts';
import { type SigningPlace, tradeApiVenue } from '../../../src/venues/trade-api/trade-api-venue.ts';
import type { Venue } from '../../../src/venue.ts';
import { tickerOf } from '../frames.ts';
import type { Scenario } from '../scenario.ts';
import { FURTHER_PACES, type Stages, type TickServer, measureTicks } from '../stages.ts';
import { marketDefined, tradingEngine } from '../trading-engine.ts';

const READY_TIMEOUT_MS = 10_000;
/** A command number that the engine does not use. */
const SUBSCRIPTION = 1_000_000;

/** The market whose best bid the exchange changes: the first. */
const TICKING = 0 as MarketIndex;

/** The last best bid seen. */
let lastBid: Price | null = null;

const ONE = { type: 'place', market: TICKING, qty: contracts(1) } as const;
/** A purchase that trades at once or never. */
const PURCHASE: readonly Intent[] = [{ ...ONE, side: 'buy', price: cents(55), timeInForce: 'ioc' }];
/** The two sides of a quote. */
const PAIR: readonly Intent[] = [
  { ...ONE, side: 'buy', price: cents(38) },
  { ...ONE, side: 'sell', price: cents(57) },
];

/** Orders whenever the best bid changes; the first one seen is no change. */
const trader = (intents: readonly Intent[]): BoundStrategy => ({
  name: strategyName('trader'),
  selector: {},
  handlers: {
    onBook({ market }, view): readonly Intent[] {
      // The other markets of a wide session change, too, and are not traded.
      if (market !== TICKING) return [];
      const { bestBid } = view.book(market);
      const isTick = lastBid !== null && bestBid !== lastBid;
      lastBid = bestBid;
      return isTick ? intents : [];
    },
  },
});

/** Records when an order was decided. */
class TimedExecutor extends CommandExecutor {
  readonly #stages: Stages;

  constructor(options: ConstructorParameters<typeof CommandExecutor>[0], stages: Stages) {
    super(options);
    this.#stages = stages;
  }

  override executeCommands(commands: readonly Command[]): void {
    if (commands.some(({ type }) => type === 'place')) this.#stages.noteDecided();
    super.executeCommands(commands);
  }
}

/** Records when the last request of a tick's orders was signed. */
class TimedHttpClient extends PooledHttpClient implements HttpClient {
  readonly #stages: Stages;
  readonly #requestsPerTick: number;
  #requests = 0;

  constructor(origin: string, { stages, requestsPerTick }: Pick<VenueParts, 'stages' | 'requestsPerTick'>) {
    super({ origin, connections: 8, connectTimeoutMs: 3000, idleMs: 4000, bodyBytesMax: 1_000_000 });
    this.#stages = stages;
    this.#requestsPerTick = requestsPerTick;
  }

  override request(request: HttpRequest): Promise<HttpOutcome> {
    if (request.method === 'POST') this.#requests += 1;
    if (request.method === 'POST' && this.#requests % this.#requestsPerTick === 0) this.#stages.noteSigned();
    return super.request(request);
  }
}

interface VenueParts {
  readonly stages: Stages;
  readonly clock: SystemClock;
  readonly signingPlace: SigningPlace;
  readonly requestsPerTick: number;
}

function openVenue({ feedPort, ordersPort }: TickServer, parts: VenueParts): Venue {
  const { clock, signingPlace } = parts;
  const rest = `http://127.0.0.1:${ordersPort}`;
  const { scheme } = serviceProfile.signing;
  const { privatePem } = generateKeyPair(scheme);
  return tradeApiVenue({
    profile: serviceProfile,
    urls: { rest, feed: `ws://127.0.0.1:${feedPort}` },
    credential: { keyId: 'bench', privateKey: readPrivateKey(privatePem, { scheme, source: 'bench' }) },
    clock: () => clock.now(),
    random: () => 0,
    signingPlace,
    http: new TimedHttpClient(rest, parts),
  });
}

/** The parts of an open session. */
export interface TickSession {
  readonly engine: Engine;
  readonly clock: SystemClock;
  readonly acceptInput: LiveLoop['acceptInput'];
}

/** Options of a session that is measured. */
export interface TickOptions {
  readonly observe?: Observer;
  /** Measures the session as a bot's is. */
  readonly meter?: SessionMeter;
  /** Default: a thread, as in a session. */
  readonly signingPlace?: SigningPlace;
  readonly awakeMs?: number;
  /** Orders both sides of a quote on each tick: as two requests, or as one. Default: one purchase. */
  readonly pair?: 'requests' | 'batch';
}

/** Starts a session as live, without its log. */
export async function openSession(
  server: TickServer,
  stages: Stages,
  { observe = () => {}, meter, signingPlace = 'thread', awakeMs, pair }: TickOptions = {},
): Promise<TickSession> {
  const clock = new SystemClock();
  const venue = openVenue(server, { stages, clock, signingPlace, requestsPerTick: pair === 'requests' ? 2 : 1 });
  const { tickers, normalizer, feed, gateway } = venue;
  const engine = tradingEngine(tickers, [trader(pair === undefined ? PURCHASE : PAIR)], observe);
  const onFault = (fault: unknown): void => {
    throw fault;
  };
  const metered = meter === undefined ? {} : { meter };
  const loop = new LiveLoop({
    engine,
    normalizer,
    clock,
    onFault,
    ...metered,
    ...(awakeMs !== undefined && { awakeMs }),
  });
  const concurrency = { read: 10, trade: 10 };
  loop.setExecutor(
    new TimedExecutor(
      {
        gateway,
        feed,
        concurrency,
        batchMax: pair === 'batch' ? 20 : 1,
        onAnswers: (answers) => loop.acceptAnswers(answers),
        onFault,
        now: () => clock.now(),
        ...metered,
      },
      stages,
    ),
  );
  await gateway.warmUp();
  const at = clock.now();
  loop.acceptInput({ type: 'event', event: marketDefined(tickers.internTicker(tickerOf(0)), tickers, at) });
  loop.acceptInput({ type: 'event', event: { kind: 'start', at, session: 'bench', carried: NOTHING_RESTORED } });
  feed.start((input) => {
    if (input.type === 'frame') stages.noteFrame();
    loop.acceptInput(input);
  });
  // The engine's universe is empty: it subscribes to no market by itself.
  const ask = { type: 'subscribe', lane: 'read', id: SUBSCRIPTION, tickers: [tickerOf(0)] } as const;
  feed.send({ ...ask, createdAt: at, validUntil: null });
  await untilTrading(engine, tickers);
  return { engine, clock, acceptInput: loop.acceptInput };
}

async function untilTrading({ session, state }: Engine, tickers: TickerTable): Promise<void> {
  const market = tickers.internTicker(tickerOf(0));
  const begun = performance.now();
  while (session.phase !== 'trading' || !state.books.isLive(market)) {
    if (performance.now() - begun > READY_TIMEOUT_MS) throw new Error(`ticks: the session is still ${session.phase}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const openerOf =
  (options: TickOptions) =>
  async (server: TickServer, stages: Stages): Promise<void> =>
    void (await openSession(server, stages, options));

/** A session at each pace. */
const atEachPace = (name: string, what: string, options: TickOptions): readonly Scenario[] => [
  { name, what, baseline: 'tick-naive', run: () => measureTicks(openerOf(options)) },
  ...FURTHER_PACES.map(([end, pace]) => ({
    name: `${name}-${end}`,
    what: `the same with ${typeof pace === 'number' ? pace : pace.join('–')} ms between an order and the next tick`,
    baseline: `tick-naive-${end}`,
    run: () => measureTicks(openerOf(options), { pace }),
  })),
];

export const ticksOurs = atEachPace(
  'tick',
  'from a tick to its order, received in full: a live session, signatures prepared',
  {},
);

export const ticksAwake = atEachPace('tick-awake', 'the same on an event loop that does not sleep', { awakeMs: 1000 });

export const ticksByPlatform = atEachPace('tick-platform', 'the same, signed by the platform’s code', {
  signingPlace: 'platform',
});

export const ticksMetered: Scenario = {
  name: 'tick-metered',
  what: 'the same with the latencies and counts that metrics show',
  baseline: 'tick',
  run: () => measureTicks(openerOf({ meter: new SessionMeter() })),
};

/** Both sides of a quote on each tick, as two requests and as one. */
export const ticksInPairs: readonly Scenario[] = [
  {
    name: 'tick-pair',
    what: 'from a tick to the second of its two orders, in two requests',
    run: () => measureTicks(openerOf({ pair: 'requests' }), { ordersPerTick: 2 }),
  },
  {
    name: 'tick-pair-batch',
    what: 'the same in one request',
    baseline: 'tick-pair',
    run: () => measureTicks(openerOf({ pair: 'batch' }), { ordersPerTick: 2 }),
  },
];
