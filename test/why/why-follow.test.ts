// The index of a session that runs: it grows with the journal, and answers at any time as a replay from the beginning.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MarketIndex } from '../../src/domain/ids.ts';
import { strategyName } from '../../src/domain/ids.ts';
import { cents } from '../../src/domain/units.ts';
import type { BoundStrategy } from '../../src/strategy/strategy-definition.ts';
import { fileStorage } from '../../src/tape/journal/file-storage.ts';
import { StorageFault } from '../../src/tape/journal/storage.ts';
import { answerWhy } from '../../src/why/answer-why.ts';
import { type IndexNews, GrowingIndex, buildWhyIndex, followWhyIndex } from '../../src/why/why-index.ts';
import type { WhySource } from '../../src/why/why-source.ts';
import { aMarket } from '../support/engine/builders.ts';
import { follower } from '../support/engine/engine-harness.ts';
import { stagedMaker } from './staged-maker.ts';
import { StagedSession } from './staged-session.ts';

const strategies = (): readonly BoundStrategy[] => [
  stagedMaker.bind(strategyName('wide'), {}),
  { ...follower(), name: strategyName('follower'), selector: { spreadMax: cents(9) } },
];

let folder = '';
let journalFolder = '';
beforeEach(() => {
  const root = mkdtempSync(join(tmpdir(), 'presage-why-'));
  [folder, journalFolder] = [join(root, 'why'), join(root, 'journal')];
  mkdirSync(folder);
});
afterEach(() => rmSync(dirname(folder), { recursive: true, force: true }));

/** Its journal is in files on disk, which are packed while the session runs. */
const openSession = (bound = strategies): Promise<StagedSession> =>
  StagedSession.open({
    strategies: bound,
    markets: [0, 1, 2].map((number) => aMarket(number)),
    storage: fileStorage(journalFolder),
    segmentBytesMax: 20_000,
  });

/** Opens the session's journal as another process does. */
const sourceOf = (session: StagedSession, over: Partial<WhySource> = {}): WhySource =>
  session.source({ journal: fileStorage(journalFolder), indexFolder: folder, ...over });

type Draw = (max: number) => number;

/** Some steps of trading, gaps and fills. */
function trade(session: StagedSession, draw: Draw, steps: number): void {
  for (let step = 0; step < steps; step++) {
    const market = draw(2) as MarketIndex;
    const resting = session.venue.resting(market)[0];
    const kind = draw(20);
    if (kind === 0) session.venue.emitGap([market]);
    else if (kind < 3 && resting) session.venue.tradeOrder(resting, 100 * (1 + draw(4)));
    else {
      const [side, price] = draw(1) === 0 ? (['bid', 44 + draw(2)] as const) : (['ask', 54 + draw(2)] as const);
      session.venue.changeLevel(market, side, { price: cents(price), change: 100 * (1 + draw(5)) });
    }
    session.run(5 + draw(80));
  }
}

/** A source that cannot replay: every answer is from the index. */
const indexOnly = (source: WhySource): WhySource => ({
  ...source,
  strategies: () => Promise.reject(new Error('replayed')),
});
const timeless = (answers: readonly { readonly tookMs: number }[]) =>
  answers.map((answer) => ({ ...answer, tookMs: 0 }));

async function expectSameAnswers(session: StagedSession, draw: Draw): Promise<void> {
  for (let trial = 0; trial < 4; trial++) {
    const question = { ticker: `M-${draw(2)}`, atUs: session.now - draw(4_000_000) };
    const replayed = await answerWhy(sourceOf(session, { indexFolder: null }), question);
    const answered = await answerWhy(indexOnly(sourceOf(session)), question);
    expect(timeless(answered)).toEqual(timeless(replayed));
  }
}

/** The sentence about a moment, and each check but the first two: these speak of the whole journal. */
async function wordsAbout(session: StagedSession, atUs: number): Promise<unknown> {
  const [answer] = await answerWhy(indexOnly(sourceOf(session)), { ticker: 'M-0', atUs });
  return { sentence: answer?.sentence, checks: answer?.steps.slice(2).map(({ text }) => text) };
}

describe('a growing index', () => {
  it.each([1, 2, 3])('answers at any time as a replay from the beginning does, in storm %i', async (seed) => {
    const random = xoroshiro128plus(seed);
    const draw = (max: number): number => uniformInt(random, 0, max);
    const session = await openSession();
    const source = sourceOf(session);
    session.startTrading();
    trade(session, draw, 20);
    session.flushJournal();
    const growing = new GrowingIndex(source, { session: 's', indexFolder: folder });
    for (let round = 0; round < 12; round++) {
      trade(session, draw, 1 + draw(20));
      session.flushJournal();
      await growing.recordWritten();
      expect(growing.isOver).toBe(false);
      await expectSameAnswers(session, draw);
    }
    await session.close();
    await growing.recordWritten();
    expect(growing.isOver).toBe(true);
    growing.finishFile();
    expect(readdirSync(folder)).toEqual(['s.facts.db']);
    await expectSameAnswers(session, draw);
  });

  it.each(['quote', 'pull', 'silent'])(
    'says of a moment what it says of it later, for a strategy that answers %s',
    async (mode) => {
      const session = await openSession(() => [stagedMaker.bind(strategyName('wide'), { mode })]);
      const source = sourceOf(session);
      session.startTrading();
      session.flushJournal();
      const growing = new GrowingIndex(source, { session: 's', indexFolder: folder });
      const said: { readonly atUs: number; readonly words: unknown }[] = [];
      for (let change = 0; change < 30; change++) {
        session.venue.changeLevel(0 as MarketIndex, 'bid', { price: cents(44 + (change % 3)), change: 100 });
        session.run(400);
        session.flushJournal();
        await growing.recordWritten();
        const atUs = session.now - 1_000_000;
        said.push({ atUs, words: await wordsAbout(session, atUs) });
      }
      await session.close();
      await growing.recordWritten();
      growing.finishFile();
      for (const { atUs, words } of said) expect(await wordsAbout(session, atUs)).toEqual(words);
    },
  );

  it('is not used once the journal has left it behind', async () => {
    const random = xoroshiro128plus(4);
    const session = await openSession();
    session.startTrading();
    trade(session, (max) => uniformInt(random, 0, max), 20);
    session.flushJournal();
    const source = sourceOf(session);
    const growing = new GrowingIndex(source, { session: 's', indexFolder: folder });
    await growing.recordWritten();
    growing.leave();
    const question = { ticker: 'M-0', atUs: session.now - 500_000 };
    expect(await answerWhy(indexOnly(source), question)).toHaveLength(2);
    session.run(30_000);
    session.venue.changeLevel(0 as MarketIndex, 'bid', { price: cents(44), change: 100 });
    session.run(100);
    session.flushJournal();
    await expect(answerWhy(indexOnly(source), question)).rejects.toThrow('replayed');
    expect(timeless(await answerWhy(source, question))).toEqual(
      timeless(await answerWhy(sourceOf(session, { indexFolder: null }), question)),
    );
  });

  it('is not used for a session of another setup', async () => {
    const session = await openSession();
    session.startTrading();
    session.run(1000);
    await session.close();
    await buildWhyIndex(sourceOf(session));
    rmSync(journalFolder, { recursive: true });
    const storage = fileStorage(journalFolder);
    const other = await StagedSession.open({ strategies, markets: [aMarket(0)], limits: { closeGuardMs: 1 }, storage });
    other.startTrading();
    other.run(1000);
    await other.close();
    const question = { ticker: 'M-0', atUs: other.now - 1 };
    await expect(answerWhy(indexOnly(sourceOf(other)), question)).rejects.toThrow('replayed');
  });
});

function promised(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((settle) => (resolve = settle));
  return { promise, resolve };
}

describe('following a journal', () => {
  it('keeps the index until the session ends, and refuses a second process', async () => {
    const random = xoroshiro128plus(5);
    const draw = (max: number): number => uniformInt(random, 0, max);
    const session = await openSession();
    session.startTrading();
    trade(session, draw, 30);
    session.flushJournal();
    writeFileSync(join(folder, 's.facts.db.growing-1'), 'left by a process that died');
    const source = sourceOf(session);
    const stop = new AbortController();
    const news: IndexNews[] = [];
    const current = promised();
    const indexed = promised();
    const onNews = (each: IndexNews): void => {
      news.push(each);
      (each.type === 'current' ? current : indexed).resolve();
    };
    const following = followWhyIndex(source, { signal: stop.signal, onNews });
    await current.promise;
    expect(readdirSync(folder).filter((name) => name.startsWith('s.facts.db.growing-1'))).toEqual([]);
    await expectSameAnswers(session, draw);
    await expect(buildWhyIndex(source)).rejects.toThrow(StorageFault);
    trade(session, draw, 30);
    await session.close();
    await indexed.promise;
    await expectSameAnswers(session, draw);
    stop.abort();
    await following;
    expect(news.map(({ type }) => type)).toEqual(['current', 'indexed']);
    expect(readdirSync(folder)).toEqual(['s.facts.db']);
  });
});
