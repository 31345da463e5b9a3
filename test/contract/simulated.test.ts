// The simulated venue under the contract, as in a paper session: behind the port, over the feed and the public reads of
// the local exchange in each dialect. Messages take no time; the other models are the defaults.
import { simulationSchema } from '../../src/config/simulation-config.ts';
import { must } from '../../src/base/assert.ts';
import type { EngineEvent } from '../../src/domain/event.ts';
import type { Ticker } from '../../src/domain/ids.ts';
import { micros } from '../../src/domain/units.ts';
import { PaperVenue } from '../../src/runtime/paper/paper-venue.ts';
import { systemScheduler } from '../../src/transport/scheduler.ts';
import type { Venue } from '../../src/venue.ts';
import { kalshiProfile } from '../../src/venues/trade-api/profiles/kalshi-profile.ts';
import { serviceProfile } from '../../src/venues/trade-api/profiles/service-profile.ts';
import { latencyModel } from '../../src/venues/simulated/models/latency-models.ts';
import { openSimulator } from '../../src/venues/simulated/open-simulator.ts';
import { batchContract } from './batches.ts';
import { feedContract } from './feed.ts';
import { gatewayContract } from './gateway.ts';
import { type OtherTradersOrder, type ContractSubject, VenueConversation } from './harness.ts';
import { CONTRACT_SUBJECT, type DialectWithKey, localExchange } from './local-exchange.ts';

const AT_ONCE = { model: 'constant', delay: '0ms' } as const;
const SIMULATION = simulationSchema.parse({ latency: { order: AT_ONCE, answer: AT_ONCE } });

/** A venue that records which books it streams and when a change was published. */
class ObservedVenue implements Venue {
  readonly name;
  readonly capabilities;
  readonly tickers;
  readonly gateway;
  readonly #real: Venue;
  readonly #streamed = new Set<Ticker>();
  readonly #waiting = new Set<(event: EngineEvent) => void>();

  constructor(real: Venue) {
    this.#real = real;
    ({ name: this.name, capabilities: this.capabilities, tickers: this.tickers, gateway: this.gateway } = real);
  }

  readonly normalizer: Venue['normalizer'] = {
    normalize: (input, emit) =>
      this.#real.normalizer.normalize(input, (event) => {
        emit(event);
        if (event.kind === 'book-snapshot') this.#streamed.add(this.tickers.tickerOf(event.market));
        for (const onEvent of this.#waiting) onEvent(event);
      }),
  };

  readonly feed: Venue['feed'] = {
    start: (sink) => this.#real.feed.start(sink),
    send: (command) => {
      if (command.type === 'unsubscribe') for (const ticker of command.tickers) this.#streamed.delete(ticker);
      this.#real.feed.send(command);
    },
    stop: () => {
      this.#streamed.clear();
      return this.#real.feed.stop();
    },
  };

  /** Resolves once a change of the order's market was published, or at once where its book is not streamed. */
  changePublished({ ticker }: OtherTradersOrder): Promise<void> {
    if (!this.#streamed.has(ticker)) return Promise.resolve();
    const market = must(this.tickers.indexOf(ticker), ticker);
    return new Promise((resolve) => {
      const onEvent = (event: EngineEvent): void => {
        if (event.kind !== 'book-delta' || event.market !== market) return;
        this.#waiting.delete(onEvent);
        resolve();
      };
      this.#waiting.add(onEvent);
    });
  }
}

const paperOver = (real: Venue): PaperVenue =>
  new PaperVenue({
    venue: real,
    simulate: (sink) =>
      openSimulator({
        config: SIMULATION,
        tickers: real.tickers,
        capabilities: real.capabilities,
        openingCash: CONTRACT_SUBJECT.cash,
        sink,
      }),
    latency: latencyModel(SIMULATION.latency),
    draw: () => 0.5,
    clock: { now: () => micros(Date.now() * 1000) },
    scheduler: systemScheduler,
  });

/** Reads the markets through the simulated venue: it knows only what was read through it. */
async function readMarkets(venue: Venue): Promise<void> {
  const { eventTicker, seriesTicker } = CONTRACT_SUBJECT;
  const talk = new VenueConversation(venue);
  await talk.requestEvent(talk.read({ what: 'markets', by: { eventTicker } }), 'markets-listed');
  await talk.requestEvent(talk.read({ what: 'event', eventTicker }), 'event-group');
  await talk.requestEvent(talk.read({ what: 'series', seriesTicker }), 'series');
}

/** Subscribes to the books: it knows only those that were streamed. */
async function subscribeBooks(venue: Venue): Promise<void> {
  const talk = new VenueConversation(venue);
  talk.subscribe(CONTRACT_SUBJECT.markets);
  talk.startFeed();
  for (const ticker of CONTRACT_SUBJECT.markets)
    await talk.waitForEvent('book-snapshot', ({ market }) => market === venue.tickers.indexOf(ticker));
}

function simulatedSubject(
  spoken: DialectWithKey,
  { isListening }: { readonly isListening: boolean },
): () => Promise<ContractSubject> {
  const start = localExchange(spoken);
  return async () => {
    const local = await start();
    const credential = spoken.profile.feed.publicFeedNeedsKey ? local.ours : null;
    const real = new ObservedVenue(local.venueWith(credential, { publicOnly: true }));
    const venue = paperOver(real);
    await readMarkets(venue);
    if (isListening) await subscribeBooks(venue);
    const placeAs = (account: 'rival' | 'bystander') => (order: OtherTradersOrder) => {
      const changePublished = real.changePublished(order);
      local.placeAs(account, order);
      return changePublished;
    };
    return {
      ...CONTRACT_SUBJECT,
      venue,
      watcher: null,
      rival: placeAs('rival'),
      bystander: placeAs('bystander'),
      async stop() {
        await venue.feed.stop();
        await venue.gateway.stop();
        await local.running.stop();
      },
    };
  };
}

const lacks = {
  'watching-without-key': 'no other client is in this process',
  'being-seen': 'the market goes on as if our orders did not exist',
};
for (const [profile, scheme] of [
  [serviceProfile, 'ecdsa-p256'],
  [kalshiProfile, 'ed25519'],
] as const) {
  const name = `the simulated venue over the ${profile.name} profile`;
  const spoken = { profile, scheme };
  gatewayContract(name, { make: simulatedSubject(spoken, { isListening: true }), lacks });
  batchContract(name, { make: simulatedSubject(spoken, { isListening: true }) });
  feedContract(name, { make: simulatedSubject(spoken, { isListening: false }), lacks });
}
