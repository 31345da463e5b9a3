// Frames per second from the socket into the state: ours through the live loop, and a naive client's into maps. The
// sender is another process that never waits.
import { WebSocket } from 'ws';
import { TickerTable } from '../../../src/domain/ids.ts';
import type { Engine } from '../../../src/engine.ts';
import { SystemClock } from '../../../src/runtime/session/system-clock.ts';
import { LiveLoop } from '../../../src/runtime/session/live-loop.ts';
import { TradeApiFeed } from '../../../src/venues/trade-api/feed/trade-api-feed.ts';
import { TradeApiNormalizer } from '../../../src/venues/trade-api/normalize/trade-api-normalizer.ts';
import { serviceProfile } from '../../../src/venues/trade-api/profiles/service-profile.ts';
import { startCompanion } from '../companion.ts';
import { tickerOf } from '../frames.ts';
import { NaiveBooks, subscribeTo } from '../naive-messages.ts';
import type { Figures, Scenario } from '../scenario.ts';
import { marketDefined, tradingEngine } from '../trading-engine.ts';

const WARM_MS = 1500;
const MEASURE_MS = 2000;

interface Blast {
  readonly port: number;
  readonly markets: number;
}

/** Counts frames for a while, after a warm-up. */
async function rateOf(counter: { frames: number }): Promise<number> {
  await sleep(WARM_MS);
  const [from, begun] = [counter.frames, performance.now()];
  await sleep(MEASURE_MS);
  return ((counter.frames - from) * 1000) / (performance.now() - begun);
}

const sleep = (durationMs: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, durationMs));

/** The engine in its loop behind our feed. */
function openOurs({ port, markets }: Blast, counter: { frames: number }) {
  const tickers = new TickerTable();
  const clock = new SystemClock();
  const engine = tradingEngine(tickers, []);
  const normalizer = new TradeApiNormalizer({ profile: serviceProfile, tickers });
  const onFault = (fault: unknown): void => {
    throw fault;
  };
  const loop = new LiveLoop({ engine, normalizer, clock, onFault });
  const feed = new TradeApiFeed({
    profile: serviceProfile,
    url: `ws://127.0.0.1:${port}${serviceProfile.feed.path}`,
    sign: null,
    clock: () => clock.now(),
    random: () => 0,
    tuning: { tickersPerCommand: markets },
  });
  const names = Array.from({ length: markets }, (_, number) => tickerOf(number));
  const at = clock.now();
  for (const name of names)
    loop.acceptInput({ type: 'event', event: marketDefined(tickers.internTicker(name), tickers, at) });
  feed.start((input) => {
    if (input.type === 'frame') counter.frames += 1;
    loop.acceptInput(input);
  });
  feed.send({ type: 'subscribe', lane: 'read', id: 1, tickers: names, createdAt: at, validUntil: null });
  return { engine, feed };
}

/** Checks that every frame was read and every book is right; otherwise the measurement is void. */
function assertSound({ state }: Engine): void {
  const dead = state.markets.allMarkets().filter(({ index }) => !state.books.isLive(index)).length;
  const surprises = [...state.surprises].map(([what, count]) => `${what} ${count}`).join(', ');
  // The sequence starts with a break: see `FIRST_SEQ`.
  if (dead > 0 || surprises !== 'feed-gap 1')
    throw new Error(`feed: expected live books and one gap, found ${dead} dead books and ${surprises}`);
}

export const feedOurs: Scenario = {
  name: 'feed',
  what: 'frames from the socket through feed, scanner, loop and engine into the state',
  baseline: 'feed-naive',
  async run(): Promise<Figures> {
    const companion = await startCompanion<Blast>('blast');
    const counter = { frames: 0 };
    const { engine, feed } = openOurs(companion.ready, counter);
    const framesPerSecond = await rateOf(counter);
    assertSound(engine);
    await feed.stop();
    companion.stop();
    return { framesPerSecond };
  },
};

export const feedNaive: Scenario = {
  name: 'feed-naive',
  what: 'the same frames through ws, JSON.parse and zod into one map per side',
  async run(): Promise<Figures> {
    const companion = await startCompanion<Blast>('blast');
    const { port, markets } = companion.ready;
    const counter = { frames: 0 };
    const books = new NaiveBooks();
    const socket = new WebSocket(`ws://127.0.0.1:${port}${serviceProfile.feed.path}`);
    socket.on('open', () => socket.send(subscribeTo(Array.from({ length: markets }, (_, number) => tickerOf(number)))));
    socket.on('message', (data) => {
      books.hear((data as Buffer).toString());
      counter.frames += 1;
    });
    const framesPerSecond = await rateOf(counter);
    socket.terminate();
    companion.stop();
    return { framesPerSecond };
  },
};
