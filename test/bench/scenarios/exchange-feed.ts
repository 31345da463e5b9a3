// The feed of the local exchange to five hundred sockets that follow twenty markets, and the time in which the exchange
// answers reads meanwhile. Servers and subscribers are processes of their own; this one only reads. Beside it, a simple feed.
import { Agent, request } from 'node:http';
import { pathOf } from '../../../src/venues/trade-api/profiles/wire-profile.ts';
import { serviceProfile } from '../../../src/venues/trade-api/profiles/service-profile.ts';
import { startCompanion } from '../companion.ts';
import { FOLLOWED_MARKETS, MESSAGES_PER_SECOND, SUBSCRIBERS } from '../feed-load.ts';
import { tickerOf } from '../frames.ts';
import { type ProcessorTime, processorTimeBetween } from '../processor-time.ts';
import type { Figures, Scenario } from '../scenario.ts';

const SETTLE_MS = 2000;
const MEASURE_MS = 8000;
const QUIET_MS = 3000;
/** A read begins this long after the last has begun, or when it is answered. Milliseconds. */
const READ_EVERY_MS = 5;

interface ServerSeen {
  readonly messages: number;
  readonly time: ProcessorTime;
}

interface SubscribersSeen extends ServerSeen {
  /** Messages of the subscriber that received the fewest. */
  readonly fewest: number;
  /** Subscribers whose connection was closed. */
  readonly closed: number;
}

/** Trades and the makers' habits add this much to the setting of the simulated traders. */
const CHANGES_OF_SETTING = 1.2;

/** Changes a second that make the wanted number of messages: of each market's books, or of all. */
const settings = {
  'exchange-feed': MESSAGES_PER_SECOND / SUBSCRIBERS / FOLLOWED_MARKETS / CHANGES_OF_SETTING,
  'naive-feed': MESSAGES_PER_SECOND / SUBSCRIBERS,
} as const;

interface Seen {
  readonly server: ServerSeen;
  readonly readers: SubscribersSeen;
  readonly at: number;
}

async function measureFeed(name: keyof typeof settings): Promise<Figures> {
  const server = await startCompanion(name);
  const { url } = (await server.ask(settings[name])) as { readonly url: string };
  const quietReads = await readBooks(url, QUIET_MS);
  const subscribers = await startCompanion('subscribers');
  await subscribers.ask(url);
  const look = async (): Promise<Seen> => {
    const seen = { server: (await server.ask('now')) as ServerSeen, at: performance.now() };
    return { ...seen, readers: (await subscribers.ask('now')) as SubscribersSeen };
  };
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  const before = await look();
  const reads = await readBooks(url, MEASURE_MS);
  const figures = figuresOf(before, await look());
  server.stop();
  subscribers.stop();
  return {
    ...figures,
    restP50: percentile(reads, 0.5),
    restP99: percentile(reads, 0.99),
    quietP99: percentile(quietReads, 0.99),
  };
}

/** Messages received a second, and processor time for each. */
function figuresOf(before: Seen, after: Seen): Figures {
  const seconds = (after.at - before.at) / 1000;
  const messages = after.readers.messages - before.readers.messages;
  const sent = after.server.messages - before.server.messages;
  const used = processorTimeBetween(before.server.time, after.server.time);
  return {
    closed: after.readers.closed,
    messagesPerSecond: messages / seconds,
    fewestPerSecond: ((after.readers.fewest - before.readers.fewest) * SUBSCRIBERS) / seconds,
    serverMicros: used.all / sent,
    ...(used.loop === null ? {} : { loopMicros: used.loop / sent }),
    readersMicros: processorTimeBetween(before.readers.time, after.readers.time).all / messages,
  };
}

/** Reads books for a time. Returns the milliseconds of each answer. */
async function readBooks(url: string, durationMs: number): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const took: number[] = [];
  const until = performance.now() + durationMs;
  for (let number = 0; performance.now() < until; number++) {
    const begun = performance.now();
    const path = pathOf(serviceProfile, 'book', { ticker: tickerOf(number % FOLLOWED_MARKETS) });
    await readBook(url + path, agent);
    const elapsedMs = performance.now() - begun;
    took.push(elapsedMs);
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, READ_EVERY_MS - elapsedMs)));
  }
  agent.destroy();
  return took;
}

function readBook(url: string, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`a read was answered with ${answer.statusCode}`));
      answer.resume().on('end', resolve);
    });
    sent.on('error', reject).end();
  });
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const exchangeFeed: Scenario = {
  name: 'exchange-feed',
  what: 'the feed of the local exchange to 500 sockets of 20 markets, and reads beside it',
  run: () => measureFeed('exchange-feed'),
};

export const exchangeFeedNaive: Scenario = {
  name: 'exchange-feed-naive',
  what: 'the same through a feed that encodes each message for each socket',
  run: () => measureFeed('naive-feed'),
};
