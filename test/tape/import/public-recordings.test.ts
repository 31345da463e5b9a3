// Imports of all public recordings of the real exchange: the counts are those of their own descriptions. The recordings
// are outside of the repository, in a folder next to it.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { must } from '../../../src/base/assert.ts';
import type { Levels } from '../../../src/domain/event.ts';
import { captureWire } from '../../../src/venues/trade-api/captures/capture-dialects.ts';
import { bookAnswer } from '../../../src/venues/trade-api/profiles/dollars-market.ts';
import { codecOf } from '../../../src/venues/trade-api/wire/codec.ts';
import {
  type ImportResult,
  areRecordingsAbsent,
  countsOf,
  importFiles,
  importTexts,
  recordings,
  skipReason,
} from '../../support/tapes/imported-tape.ts';

const WS = join(recordings, 'kalshi-ws-2026-07');
const BOOKS = join(recordings, 'kalshi-books-2023-08/inxd-23aug31-first20000.jsonl.gz');
const TRADES = join(recordings, 'kalshi-trades-2026-01/kxinx_trades.csv.gz');
const CANDLES = join(recordings, 'kalshi-rest-2026-01/series_candlesticks_response.json');
const GOLD = join(recordings, 'kalshi-gold-2026-08/metadata');
const quotes = (): string[] =>
  readdirSync(join(recordings, 'kalshi-quotes-2025-12'))
    .sort()
    .map((file) => join(recordings, 'kalshi-quotes-2025-12', file));

/** The parts of the venue's answers about a settled event group that a test reads. */
interface GoldAnswer {
  readonly response: {
    readonly markets: readonly {
      readonly ticker: string;
      readonly open_time: string;
      readonly settlement_ts: string;
    }[];
  };
}

/** Microseconds of a time with six decimals of a second. */
const microsOfText = (text: string): number =>
  Date.parse(`${text.slice(0, 19)}Z`) * 1000 + Number(text.slice(20, -1).padEnd(6, '0'));

type Book = Readonly<Record<'bids' | 'asks', ReadonlyMap<number, number>>>;
const bookOf = (bids: Levels, asks: Levels): Book => ({ bids: new Map(bids), asks: new Map(asks) });

/** The REST books of a session, by market. */
function restBooks(): Map<string, Book> {
  const books = new Map<string, Book>();
  for (const line of readFileSync(join(WS, 'rest.jsonl'), 'utf8').trim().split('\n')) {
    const { url, response_body: body } = JSON.parse(line) as { url: string; response_body: string };
    const ticker = /markets\/([^/]+)\/orderbook$/.exec(url)?.[1];
    if (ticker === undefined) continue;
    const { book } = codecOf(bookAnswer).decode(JSON.parse(body));
    books.set(ticker, bookOf(book.bids, book.asks));
  }
  return books;
}

type Sides = Readonly<Record<'bid' | 'ask', Map<number, number>>>;

/** The books at the end, by market. */
function booksOf(imported: ImportResult): ReadonlyMap<string, Sides> {
  const { books } = replay(imported);
  return new Map([...books].map(([market, sides]) => [imported.nameOf(market), sides]));
}

/** Replays the rows with a map a side, and counts impossible states. */
function replay({ facts }: ImportResult) {
  const books = new Map<number, Sides>();
  let negative = 0;
  let crossed = 0;
  for (const fact of facts) {
    if (fact.kind === 'snapshot')
      books.set(fact.row.market, { bid: new Map(fact.row.bids), ask: new Map(fact.row.asks) });
    if (fact.kind !== 'delta') continue;
    const { market, side, price, change } = fact.row;
    const book = must(books.get(market), 'a book before its first change');
    const qty = (book[side].get(price) ?? 0) + change;
    if (qty < 0) negative += 1;
    if (qty > 0) book[side].set(price, qty);
    else book[side].delete(price);
    if (Math.max(-1, ...book.bid.keys()) >= Math.min(10_001, ...book.ask.keys())) crossed += 1;
  }
  return { negative, crossed, books };
}

describe.skipIf(areRecordingsAbsent)(`a session of the feed in dollar strings${skipReason}`, () => {
  it('a session in dollar strings has no gap, no crossed book and no negative level', async () => {
    const imported = await importFiles('feed-jsonl', [join(WS, 'session.jsonl')]);
    const { report } = imported;
    expect(report.read).toBe(2898);
    expect(report.markets).toBe(5);
    expect(report.facts.gaps).toEqual([]);
    expect(countsOf(report)).toEqual({ 'private-message': 2 });
    expect(report.facts.counts).toMatchObject({ delta: 2885, snapshot: 5, print: 0, market: 5 });
    expect(replay(imported)).toMatchObject({ negative: 0, crossed: 0 });
    expect(imported.facts.filter((fact) => fact.kind === 'delta' && fact.row.change % 100 !== 0)).toHaveLength(479);
  });

  it('a session in dollar strings has the books that the REST API had at the time, level by level', async () => {
    const { facts, nameOf } = await importFiles('feed-jsonl', [join(WS, 'session.jsonl')]);
    const rest = restBooks();
    expect(rest.size).toBe(5);
    const streamed = facts.flatMap((fact) =>
      fact.kind === 'snapshot' ? [[nameOf(fact.row.market), bookOf(fact.row.bids, fact.row.asks)] as const] : [],
    );
    expect(new Map(streamed)).toEqual(rest);
  });

  it('a session without one of its messages has one gap, which names the markets concerned', async () => {
    const lines = readFileSync(join(WS, 'session.jsonl'), 'utf8').split('\n');
    const lost = lines.toSpliced(
      lines.findIndex((line, at) => at > 1500 && line.includes('orderbook_delta')),
      1,
    );
    const { report } = await importTexts('feed-jsonl', [lost.join('\n')], { ending: '.jsonl' });
    expect(countsOf(report)['sequence-gap']).toBe(1);
    expect(report.facts.gaps).toHaveLength(1);
    expect(report.facts.gaps[0]?.tickers).toHaveLength(5);
  });
});

describe.skipIf(areRecordingsAbsent)(`books in whole cents${skipReason}`, () => {
  it('books in whole cents are read in all of their lines', async () => {
    const imported = await importFiles('feed-jsonl', [BOOKS]);
    const { report } = imported;
    expect(report.read).toBe(20_000);
    expect(report.markets).toBe(10);
    // Ten snapshots come after a book, in the first minute: six differ in one level, four in more.
    expect(countsOf(report)).toEqual({ 'snapshot-differs': 10 });
    expect(report.facts.counts).toMatchObject({ delta: 19_980, snapshot: 20, 'feed-gap': 4 });
    expect(report.facts.gaps).toHaveLength(4);
    expect(replay(imported)).toMatchObject({ negative: 0, crossed: 0 });
    expect(report.facts.assumptions).toContain('Messages carry no numbers: a lost one cannot be detected.');
  });

  it('books marked as made at a boundary replace the maintained ones, and are counted', async () => {
    const lines = gunzipSync(readFileSync(BOOKS)).toString().trim().split('\n');
    const marked = lines.map((line, at) => (at >= 10 ? line.replace('"src":"wire"', '"src":"chunk_boundary"') : line));
    const { report } = await importTexts('feed-jsonl', [marked.join('\n')], { ending: '.jsonl' });
    expect(countsOf(report)).toEqual({ 'boundary-change': 6, 'snapshot-differs': 4 });
    expect(report.facts.counts).toMatchObject({ snapshot: 20 });
  });

  it('books cut into two files at any place are the same, though the change at the cut is in the snapshot alone', async () => {
    const lines = gunzipSync(readFileSync(BOOKS)).toString().trim().split('\n');
    const whole = await importTexts('feed-jsonl', [lines.join('\n')], { ending: '.jsonl' });
    const cut = await importTexts('feed-jsonl', [cutAt(lines, 15_000).join('\n')], { ending: '.jsonl' });
    expect(countsOf(cut.report)).toEqual({ 'snapshot-differs': 10, 'boundary-change': 1 });
    expect(booksOf(cut)).toEqual(booksOf(whole));
  });
});

/** The capture without the delta of one line, and in its place the marked book of its market as it is then. */
function cutAt(lines: readonly string[], place: number): readonly string[] {
  const { ts, msg } = JSON.parse(lines[place] ?? '') as { ts: string; msg: { market_ticker: string } };
  const { market_ticker: name } = msg;
  const sides = { yes: new Map<number, number>(), no: new Map<number, number>() };
  for (const line of lines.slice(0, place + 1)) {
    const { msg: content } = JSON.parse(line) as { msg: CentMessage };
    if (content.market_ticker !== name) continue;
    if (content.delta === undefined) {
      sides.yes = new Map(content.yes);
      sides.no = new Map(content.no);
    } else sides[content.side].set(content.price, (sides[content.side].get(content.price) ?? 0) + content.delta);
  }
  const levels = (side: ReadonlyMap<number, number>) => [...side].filter(([, qty]) => qty > 0);
  const book = { market_ticker: name, yes: levels(sides.yes), no: levels(sides.no) };
  const boundary = JSON.stringify({ type: 'orderbook_snapshot', ts, src: 'chunk_boundary', msg: book });
  return lines.with(place, boundary);
}

interface CentMessage {
  readonly market_ticker: string;
  readonly yes: readonly [number, number][];
  readonly no: readonly [number, number][];
  readonly side: 'yes' | 'no';
  readonly price: number;
  readonly delta?: number;
}

describe.skipIf(areRecordingsAbsent)(`public trades${skipReason}`, () => {
  it('all public trades are there, those that equal another too', async () => {
    const { report } = await importFiles('trades-csv', [TRADES]);
    expect(report.read).toBe(56_805);
    expect(report.markets).toBe(423);
    expect(countsOf(report)).toEqual({ duplicate: 886 });
    expect(report.facts.counts['print']).toBe(56_805);
  });

  it('public trades that equal another are left out on request', async () => {
    const { report } = await importFiles('trades-csv', [TRADES], { duplicates: 'drop' });
    expect(countsOf(report)).toEqual({ duplicate: 886 });
    expect(report.facts.counts['print']).toBe(56_805 - 886);
  });
});

describe.skipIf(areRecordingsAbsent)(`the best prices of three event groups${skipReason}`, () => {
  it('best prices are one stream by time, and locked rows are not used', async () => {
    const { report, facts } = await importFiles('quotes-csv', quotes(), { timeZone: 'America/Los_Angeles' });
    expect(report.read).toBe(40_342 + 28_472 + 19_848);
    expect(report.markets).toBe(18);
    expect(countsOf(report)).toEqual({ 'locked-quote': 2, 'unchanged-quote': 6 });
    expect(report.facts.counts).toMatchObject({ snapshot: 88_660, 'feed-gap': 2 });
    expect(report.facts.gaps).toHaveLength(2);
    const times = facts.map(({ row }) => row.at);
    expect(times.every((at, row) => row === 0 || at >= (times[row - 1] ?? 0))).toBe(true);
    // 12:27 in the morning on the west coast, in winter.
    expect(new Date(report.facts.from / 1000).toISOString()).toBe('2025-12-04T20:27:16.079Z');
  });

  it('best prices cannot be read without the zone of their clock', async () => {
    await expect(importFiles('quotes-csv', quotes())).rejects.toThrow(
      'line 2: expected a time zone to be given, found 2025-12-04T12:27:16.079996, which has none',
    );
  });
});

describe.skipIf(areRecordingsAbsent)(`candlesticks${skipReason}`, () => {
  it('candlesticks are written after their end', async () => {
    const { report, facts } = await importFiles('candles-json', [CANDLES]);
    expect(report.read).toBe(90);
    expect(report.facts.counts).toMatchObject({ ticker: 90, snapshot: 90, print: 0 });
    const first = must(
      facts.find((fact) => fact.kind === 'other' && fact.row.kind === 'ticker'),
      'a summary',
    );
    expect(first.row).toMatchObject({ at: 1_760_500_801_000_000, bestBid: 800, bestAsk: 1100, lastPrice: 1100 });
  });
});

describe.skipIf(areRecordingsAbsent)(`markets with the time of their payment${skipReason}`, () => {
  it("markets are paid at the venue's time, each to the microsecond", async () => {
    const answers = readdirSync(GOLD)
      .sort()
      .map((file): unknown => JSON.parse(readFileSync(join(GOLD, file), 'utf8')));
    const listed = answers.flatMap((answer) => (answer as GoldAnswer).response.markets);
    const trades = listed.map(({ ticker, open_time: open }) => `${ticker},${open},0.5,1,yes`);
    const { facts, nameOf } = await importTexts(
      'trades-csv',
      [['ticker,ts,price,quantity,direction', ...trades].join('\n')],
      {
        definitions: captureWire.readDefinitions(answers, () => undefined),
      },
    );
    const ends = facts.flatMap(({ row }) => ('kind' in row && row.kind === 'market-changed' ? [row] : []));
    const endsOf = (status: string) =>
      new Map(ends.filter((end) => end.status === status).map(({ market, at }) => [nameOf(market), at]));
    const paid = new Map(listed.map(({ ticker, settlement_ts: at }) => [ticker, microsOfText(at)]));
    expect(paid.size).toBe(6);
    expect(endsOf('finalized')).toEqual(paid);
    // The settlement timer of all of them is one second.
    expect(endsOf('determined')).toEqual(new Map([...paid].map(([ticker, at]) => [ticker, at - 1_000_000])));
  });
});
