// Recorded sessions of the real feed, frame by frame through the dialect's normalizer into the state. The recordings
// stay where they are: beside the repository, not in it.
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { EngineEvent } from '../../../../src/domain/event.ts';
import { TickerTable, ticker } from '../../../../src/domain/ids.ts';
import { CENT_GRID } from '../../../../src/domain/price-grid.ts';
import { micros } from '../../../../src/domain/units.ts';
import { State } from '../../../../src/state/state.ts';
import { TradeApiNormalizer } from '../../../../src/venues/trade-api/normalize/trade-api-normalizer.ts';
import type { WireProfile } from '../../../../src/venues/trade-api/profiles/wire-profile.ts';
import { kalshiProfile } from '../../../../src/venues/trade-api/profiles/kalshi-profile.ts';
import { codecOf } from '../../../../src/venues/trade-api/wire/codec.ts';
import { aMarket } from '../../../support/engine/builders.ts';
import { AT } from '../normalize/raw-input.ts';
import { RECORDINGS } from '../../../support/runner/recordings-folder.ts';

const july = `${RECORDINGS}kalshi-ws-2026-07/`;
const june = `${RECORDINGS}kalshi-rest-2026-06/`;
const isAbsent = !existsSync(july) || !existsSync(june);
const why = isAbsent ? ' (skipped: the recordings beside the repository are absent)' : '';

const linesOf = (file: string): string[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '');

/** A session that did not ask for the YES scale. */
const onNoScale: WireProfile = { ...kalshiProfile, feed: { ...kalshiProfile.feed, onYesScale: false } };

/** All events of the frames, and the resulting books. */
function replay(lines: readonly string[], { profile = onNoScale, scans = true } = {}) {
  const tickers = new TickerTable();
  const state = new State(tickers);
  const normalizer = new TradeApiNormalizer({ profile, tickers, scans });
  const events: EngineEvent[] = [];
  const names = new Set(lines.flatMap((line) => /"market_ticker":"([^"]+)"/.exec(line)?.[1] ?? []));
  for (const name of names) {
    const market = { ...aMarket(0), ticker: ticker(name), index: tickers.internTicker(ticker(name)), grid: CENT_GRID };
    state.applyEvent({ kind: 'market', at: AT, market }, []);
  }
  const take = (event: EngineEvent): void => {
    events.push(structuredClone(event));
    state.applyEvent(event, []);
  };
  normalizer.normalize({ type: 'feed-up', at: AT, connection: 1 }, take);
  for (const [place, line] of lines.entries())
    normalizer.normalize({ type: 'frame', at: micros(AT + place), bytes: Buffer.from(line) }, take);
  return { events, state, tickers, of: (kind: EngineEvent['kind']) => events.filter((event) => event.kind === kind) };
}

const isLive = ({ state, tickers }: ReturnType<typeof replay>): boolean[] =>
  tickers.tickersByIndex().map((_name, index) => state.books.isLive(index as never));

const voidBy = (gap: EngineEvent | undefined): number[] =>
  gap?.kind === 'feed-gap' ? [...gap.markets].toSorted((a, b) => a - b) : [];

describe.skipIf(isAbsent)(`a recorded session with five books and fills${why}`, () => {
  const lines = isAbsent ? [] : linesOf(`${july}session.jsonl`);

  it.each([true, false])('replays a recorded session without a gap or anything unrecognized; scanning: %s', (scans) => {
    const session = replay(lines, { scans });
    expect(session.of('feed-gap')).toEqual([]);
    expect(session.of('unrecognized')).toEqual([]);
    expect(session.of('book-snapshot')).toHaveLength(5);
    expect(session.of('book-delta')).toHaveLength(2885);
    expect(isLive(session)).toEqual([true, true, true, true, true]);
    expect(session.state.surprises.size).toBe(0);
  });

  it('emits recorded fills with side, price and fee, to the hundredth of a contract', () => {
    const fills = replay(lines)
      .of('fill')
      .map((event) => event.kind === 'fill' && event.fill);
    expect(fills).toMatchObject([
      { side: 'buy', price: 1700, qty: 552, fee: 54_600, liquidity: 'taker', exchangeAt: 1_782_873_388_379_000 },
      { side: 'sell', price: 1600, qty: 116, fee: 11_000, liquidity: 'taker', exchangeAt: 1_782_873_396_915_000 },
    ]);
  });

  it('starts with the books that were read over REST at the same time', () => {
    const session = replay(lines);
    const polls = linesOf(`${july}rest.jsonl`).map(
      (line) => JSON.parse(line) as { url: string; response_body: string },
    );
    const books = polls.filter(({ url }) => url.endsWith('/orderbook'));
    expect(books).toHaveLength(5);
    for (const { url, response_body: body } of books) {
      const index = session.tickers.indexOf(url.split('/').at(-2)!);
      const snapshot = session
        .of('book-snapshot')
        .find((event) => event.kind === 'book-snapshot' && event.market === index);
      const { bids, asks } = codecOf(kalshiProfile.records.book).decode(JSON.parse(body)).book;
      expect(snapshot).toMatchObject({ bids, asks });
    }
  });

  it.each([
    ['one too high', 1],
    ['one too low', -1],
  ])('reports a gap at a number that is %s, after which no book is live', (_how, by) => {
    const place = lines.findIndex((line) => line.includes('"seq":1000,'));
    const wrong = lines.map((line, at) => (at === place ? line.replace('"seq":1000,', `"seq":${1000 + by},`) : line));
    const session = replay(wrong);
    const [first] = session.of('feed-gap');
    expect(first?.at).toBe(AT + place);
    expect(voidBy(first)).toEqual([0, 1, 2, 3, 4]);
    expect(isLive(session)).toEqual([false, false, false, false, false]);
  });

  it('leaves no book live after one lost delta', () => {
    const place = lines.findIndex((line) => line.includes('"seq":2000,'));
    const session = replay(lines.toSpliced(place, 1));
    expect(session.of('feed-gap')).toHaveLength(1);
    expect(isLive(session)).not.toContain(true);
  });

  it('detects a lost side of a snapshot by a delta on that side', () => {
    const blind = lines.map((line) =>
      line.includes('orderbook_snapshot') ? line.replace(/,"no_dollars_fp":\[\[.*\]\]/, '') : line,
    );
    expect(blind.filter((line) => line.includes('no_dollars_fp'))).toEqual([]);
    const session = replay(blind);
    expect(session.of('feed-gap')).toEqual([]);
    expect(isLive(session)).toContain(false);
  });

  it.each([10, 25])('leaves no book live after error %d', (code) => {
    const session = replay([...lines, JSON.stringify({ type: 'error', sid: 1, msg: { code, msg: 'over' } })]);
    const gaps = session.of('feed-gap');
    expect(gaps).toHaveLength(1);
    expect(voidBy(gaps[0])).toEqual([0, 1, 2, 3, 4]);
    expect(isLive(session)).not.toContain(true);
  });
});

describe.skipIf(isAbsent)(`a recorded session on the YES scale${why}`, () => {
  const lines = isAbsent ? [] : linesOf(`${june}ws__orderbook_trade_yes.jsonl`);

  it('replays a recording on the YES scale without a gap, with prices of NO bids on the requested scale', () => {
    const session = replay(lines, { profile: kalshiProfile });
    expect(session.of('unrecognized')).toEqual([]);
    expect(session.of('feed-gap')).toEqual([]);
    expect(session.of('book-snapshot')).toMatchObject([{ bids: [[4700, 300]], asks: [[5200, 100]] }]);
    expect(session.of('book-delta')).toMatchObject([
      { side: 'ask', price: 5200, change: -100 },
      { side: 'ask', price: 5200, change: 200 },
    ]);
    expect(isLive(session)).toEqual([true]);
  });
});
