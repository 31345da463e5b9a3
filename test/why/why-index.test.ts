// The index answers as a full replay does, and the facts say what the replayed engine itself says at any moment.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MarketIndex, StrategyName, Ticker } from '../../src/domain/ids.ts';
import { strategyName } from '../../src/domain/ids.ts';
import type { Engine } from '../../src/engine.ts';
import { cents } from '../../src/domain/units.ts';
import { SessionReplay } from '../../src/runtime/replay/session-replay.ts';
import { setupFromManifest } from '../../src/runtime/replay/session-manifest.ts';
import type { BoundStrategy } from '../../src/strategy/strategy-definition.ts';
import { lastManifest } from '../../src/tape/journal/session-headers.ts';
import { TapeReader } from '../../src/tape/journal/tape-reader.ts';
import { answerWhy } from '../../src/why/answer-why.ts';
import { FactStore } from '../../src/why/fact-store.ts';
import { recordSession } from '../../src/why/replayed-facts.ts';
import { buildWhyIndex } from '../../src/why/why-index.ts';
import { WhyMoment } from '../../src/why/why-moment.ts';
import { checkBook, checkHalt, checkPhase, checkSelection } from '../../src/why/checks/session-checks.ts';
import { aMarket } from '../support/engine/builders.ts';
import { follower } from '../support/engine/engine-harness.ts';
import { stagedMaker } from './staged-maker.ts';
import { StagedSession, VERSION } from './staged-session.ts';

const MARKETS = [0, 1, 2];
const strategies = (): readonly BoundStrategy[] => [
  stagedMaker.bind(strategyName('wide'), {}),
  { ...follower(), name: strategyName('follower'), selector: { spreadMax: cents(9) } },
  stagedMaker.bind(strategyName('quiet'), { mode: 'silent' }),
];

/** Ten seconds of trading, gaps, fills, halts and resumes by a seed. */
async function storm(seed: number): Promise<StagedSession> {
  const random = xoroshiro128plus(seed);
  const draw = (max: number): number => uniformInt(random, 0, max);
  const session = await StagedSession.open({ strategies, markets: MARKETS.map((number) => aMarket(number)) });
  session.startTrading();
  for (let step = 0; step < 200; step++) {
    const market = draw(2) as MarketIndex;
    const kind = draw(30);
    const resting = session.venue.resting(market)[0];
    if (kind === 0) session.venue.emitGap([market]);
    else if (kind === 1) operate(session, draw(1) === 0 ? 'halt' : 'resume', draw(2));
    else if (kind < 4 && resting) session.venue.tradeOrder(resting, 100 * (1 + draw(4)));
    else {
      const [side, price] = draw(1) === 0 ? (['bid', 44 + draw(2)] as const) : (['ask', 54 + draw(2)] as const);
      session.venue.changeLevel(market, side, { price: cents(price), change: 100 * (1 + draw(5)) });
    }
    session.run(5 + draw(80));
  }
  await session.close();
  return session;
}

function operate(session: StagedSession, type: 'halt' | 'resume', choice: number): void {
  const scope =
    choice === 0
      ? ({ type: 'account' } as const)
      : choice === 1
        ? ({ type: 'market', ticker: 'M-1' as Ticker } as const)
        : ({ type: 'strategy', strategy: strategyName('wide') } as const);
  const order =
    type === 'halt'
      ? ({ type, scope, by: 'operator', reason: 'test' } as const)
      : ({ type, scope, reason: 'x' } as const);
  session.step({ kind: 'operator', at: session.now, order });
}

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'presage-why-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const source = (session: StagedSession, indexFolder: string | null) => session.source({ indexFolder });
const timeless = (answers: readonly { readonly tookMs: number }[]) =>
  answers.map((answer) => ({ ...answer, tookMs: 0 }));

describe('the index', () => {
  it.each([1, 2, 3])('answers as a full replay does, at random moments of storm %i', async (seed) => {
    const session = await storm(seed);
    const indexed = source(session, folder);
    const built = await buildWhyIndex(indexed);
    expect(built).toMatchObject([{ session: 's', leftOut: null }]);
    expect(readdirSync(folder)).toEqual(['s.facts.db']);
    const random = xoroshiro128plus(seed + 100);
    const causes = new Set<string>();
    for (let trial = 0; trial < 12; trial++) {
      const atUs = session.now - uniformInt(random, 0, 9_000_000);
      const question = { ticker: `M-${uniformInt(random, 0, 2)}`, atUs };
      const replayed = await answerWhy(source(session, null), question);
      const answered = await answerWhy(
        { ...indexed, strategies: () => Promise.reject(new Error('replayed')) },
        question,
      );
      expect(timeless(answered)).toEqual(timeless(replayed));
      for (const { steps, isTraded } of answered)
        causes.add(isTraded ? 'traded' : (steps.find(({ result }) => result === 'fail')?.check ?? ''));
    }
    expect(causes.size).toBeGreaterThan(2);
  });

  it('is not built again when it is there, and not used when it is damaged or unfinished', async () => {
    const session = await storm(4);
    const indexed = source(session, folder);
    await buildWhyIndex(indexed);
    expect(await buildWhyIndex(indexed)).toEqual([{ session: 's', inputs: null, leftOut: 'it has its index' }]);
    writeFileSync(join(folder, 's.facts.db'), 'no database');
    writeFileSync(join(folder, 'gone.facts.db'), '');
    const question = { ticker: 'M-0', atUs: session.now - 1_000_000 };
    expect(timeless(await answerWhy(indexed, question))).toEqual(
      timeless(await answerWhy(source(session, null), question)),
    );
    expect(await buildWhyIndex(indexed)).toMatchObject([{ session: 's', leftOut: null }]);
    expect(readdirSync(folder)).toEqual(['s.facts.db']);
  });

  it('leaves nothing behind when it is stopped', async () => {
    const session = await storm(5);
    const strategiesThatStop = (): Promise<readonly BoundStrategy[]> => {
      throw new Error('no strategies');
    };
    await expect(buildWhyIndex({ ...source(session, folder), strategies: strategiesThatStop })).rejects.toThrow(
      'no str',
    );
    expect(readdirSync(folder)).toEqual([]);
  });
});

const PAIRS = ['wide', 'follower'].flatMap((strategy) =>
  MARKETS.map((market) => [strategy, market as MarketIndex] as const),
);

/** Returns the number of moments compared: 0 when the state is judged at the time of an order instead. */
function expectEngineToAgree(moment: WhyMoment, engine: Engine, market: MarketIndex): number {
  if (moment.judgedUs !== moment.endUs) return 0;
  const { strategy, ticker } = moment;
  expect(checkPhase(moment).result === 'pass').toBe(engine.session.phase === 'trading');
  const halt = engine.halts.blockingHalt(strategy as StrategyName, ticker as Ticker);
  expect(checkHalt(moment).result === 'pass').toBe(halt === null);
  if (engine.state.markets.get(market) === undefined) return 1;
  expect(checkBook(moment).result === 'pass').toBe(engine.state.books.isLive(market));
  if (strategy === 'wide') expect(checkSelection(moment).result).toBe('pass');
  return 1;
}

describe('the facts', () => {
  it.each([6, 7])('say at any moment what the replayed engine itself says, in storm %i', async (seed) => {
    const session = await storm(seed);
    const { journal } = session.source();
    const store = FactStore.createStore();
    const options = {
      storage: journal,
      session: 's',
      store,
      version: VERSION,
      strategies: () => Promise.resolve(strategies()),
    };
    const facts = await recordSession(options);
    expect(facts.difference).toBeNull();
    const manifest = lastManifest(journal)!;
    const replay = new SessionReplay({ ...setupFromManifest(manifest, journal.path), strategies: strategies() });
    const { engine } = replay;
    let [compared, last] = [0, 0];
    for (const entry of new TapeReader(journal).entries()) {
      // A moment between two inputs: everything before it has been handled.
      const pairs = entry.at > last && last > 0 ? PAIRS : [];
      for (const [strategy, market] of pairs) {
        const ticker = `M-${market}`;
        const moment = new WhyMoment({ store, session: facts, strategy, ticker, atUs: last, windowUs: 1 });
        compared += expectEngineToAgree(moment, engine, market);
      }
      replay.replayEntry(entry);
      last = entry.at;
    }
    expect(compared).toBeGreaterThan(1000);
    store.close();
  });
});
