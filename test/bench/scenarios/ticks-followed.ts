// Measures the time from a tick to its order in a session of many markets, with and without a console that follows it.
// The console is another process, and other books change at the same rate in both. Must never differ but by the console.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MarketIndex } from '../../../src/domain/ids.ts';
import { type Price, type Qty, cents, contracts, qty } from '../../../src/domain/units.ts';
import type { Notice } from '../../../src/execution/engine-notice.ts';
import { logTo } from '../../../src/log.ts';
import { LivePublisher } from '../../../src/runtime/follow/live-publisher.ts';
import { controlPath } from '../../../src/runtime/operator/control-path.ts';
import { ControlServer } from '../../../src/runtime/operator/control-server.ts';
import { SessionTally } from '../../../src/runtime/session/session-tally.ts';
import { systemScheduler } from '../../../src/transport/scheduler.ts';
import { startCompanion } from '../companion.ts';
import { tickerOf } from '../frames.ts';
import type { Figures, Scenario } from '../scenario.ts';
import { measureTicks } from '../stages.ts';
import { marketDefined } from '../trading-engine.ts';
import { BotUsage } from '../usage.ts';
import { type TickSession, openSession } from './ticks.ts';

/** Changes of a best bid in the other markets, and how often some of them come. */
const CHANGES_PER_SECOND = 2000;
const CHANGES_EVERY_MS = 5;

const level = (cent: number): [Price, Qty] => [cents(cent), contracts(1000)];

/** Defines the other markets and starts their books. */
export function openMarkets({ engine, clock, acceptInput }: TickSession, markets: number): MarketIndex[] {
  const { tickers } = engine.state;
  const at = clock.now();
  return Array.from({ length: markets - 1 }, (_, number) => {
    const market = tickers.internTicker(tickerOf(number + 1));
    acceptInput({ type: 'event', event: marketDefined(market, tickers, at) });
    const sides = { bids: [level(40)], asks: [level(55)] };
    acceptInput({ type: 'event', event: { kind: 'book-snapshot', at, exchangeAt: at, market, ...sides } });
    return market;
  });
}

/** Changes the best bids of the other markets, one market after the other. */
export function changeMarkets({ clock, acceptInput }: TickSession, markets: readonly MarketIndex[]): void {
  let next = 0;
  setInterval(() => {
    for (let count = 0; count < (CHANGES_PER_SECOND * CHANGES_EVERY_MS) / 1000; count++) {
      const market = markets[next % markets.length];
      if (market === undefined) return;
      const change = qty(Math.floor(next / markets.length) % 2 === 0 ? 100 : -100);
      const at = clock.now();
      const delta = { kind: 'book-delta', at, exchangeAt: at, market, side: 'bid', price: cents(40), change } as const;
      acceptInput({ type: 'event', event: delta });
      next += 1;
    }
  }, CHANGES_EVERY_MS);
}

/** A session that a console can follow. */
export interface PublishedSession {
  /** Its data folder. */
  readonly folder: string;
  readonly publishNotice: (notice: Notice) => void;
}

/** Publishes a session on a control socket of its own. */
export async function publishSession({ engine, clock }: TickSession): Promise<PublishedSession> {
  const tally = new SessionTally([]);
  const facts = { bot: 'bench', program: '0', profile: 'service', isPaper: false, hasKey: true, params: {} };
  const publisher = new LivePublisher({
    source: {
      engine,
      tally,
      facts: { ...facts, startedAt: clock.now() },
      sessionName: () => 'bench',
      now: () => clock.now(),
      journalBytes: () => null,
      remarks: () => [],
    },
    scheduler: systemScheduler,
    log: logTo({ write: (line) => process.stderr.write(line) }, 'info'),
  });
  const folder = mkdtempSync(join(tmpdir(), 'presage-bench-'));
  await ControlServer.openSocket({
    path: controlPath(folder, 'control'),
    role: 'bench',
    answerRequest: () => Promise.resolve({ type: 'refused', why: 'this is a benchmark' }),
    acceptFollower: (socket, request, rest) => publisher.acceptFollower(socket, request, rest),
  });
  return { folder, publishNotice: (notice) => publisher.publishNotice(notice) };
}

/** Publishes a session, and starts a follower in another process. */
async function follow(session: TickSession): Promise<(notice: Notice) => void> {
  const { folder, publishNotice } = await publishSession(session);
  const companion = await startCompanion<string>('follower');
  await companion.ask(folder);
  return publishNotice;
}

async function measure(markets: number, isFollowed: boolean): Promise<Figures> {
  let publish = (_notice: Notice): void => undefined;
  const usage = new BotUsage();
  const figures = await measureTicks(async (server, stages) => {
    const session = await openSession(server, stages, { observe: (notice) => publish(notice) });
    const others = openMarkets(session, markets);
    if (isFollowed) publish = await follow(session);
    changeMarkets(session, others);
    usage.begin();
  });
  return { ...figures, ...usage.figures() };
}

const scenario = (name: string, markets: number, isFollowed: boolean): Scenario => ({
  name,
  what: `the same among ${markets} markets that change${isFollowed ? ', followed by a console' : ''}`,
  run: () => measure(markets, isFollowed),
});

export const followedTicks: readonly Scenario[] = [
  scenario('tick-1k', 1000, false),
  scenario('tick-1k-followed', 1000, true),
  scenario('tick-10k', 10_000, false),
  scenario('tick-10k-followed', 10_000, true),
];
