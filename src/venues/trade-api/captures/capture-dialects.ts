// The dialects of `trade-api` exchanges for imports of feed captures. Must never decode a capture with code of its own:
// the live normalizer decodes captures, too.
import { type Ticker, type TickerTable, ticker } from '../../../domain/ids.ts';
import type {
  DeltaReader,
  Exclusion,
  FeedDialect,
  ImportWire,
  JsonObject,
  TradeReader,
} from '../../../tape/import/import-wire.ts';
import { listedBooks, listedTrades } from './listed-rows.ts';
import { listedCandles, listedDefinitions } from './listed-definitions.ts';
import { TradeApiNormalizer } from '../normalize/trade-api-normalizer.ts';
import { type FeedProfile, privateTypesOf } from '../profiles/wire-profile.ts';
import { dollarsFeed, dollarsOnYesFeed, withoutNumbers } from '../profiles/dollars-feed.ts';
import { feed as serviceFeed } from '../profiles/service-feed.ts';
import { serviceProfile } from '../profiles/service-profile.ts';
import { maybeFlag } from '../profiles/service-forms.ts';
import { requestedMessages } from '../normalize/requested-messages.ts';
import { MarketScanners } from '../scan/market-scanners.ts';
import { createPrintScanner } from '../scan/message-scanner.ts';
import { TickerBytes } from '../scan/ticker-bytes.ts';
import { isRecord } from '../wire/json-record.ts';

type Figures = 'dollars' | 'cents';

/** The number format of a message; `null` when it has no distinctive member. */
function figuresOf({ msg }: JsonObject): Figures | null {
  if (!isRecord(msg)) return null;
  if (has(msg, 'delta_fp', 'yes_dollars_fp', 'no_dollars_fp', 'count_fp', 'volume_fp')) return 'dollars';
  return has(msg, 'delta', 'yes', 'no', 'count', 'volume') ? 'cents' : null;
}

const has = (record: JsonObject, ...names: readonly string[]): boolean =>
  names.some((name) => Object.hasOwn(record, name));

const isNumbered = (message: JsonObject): boolean => typeof message['seq'] === 'number';

/** Types of the messages by which the numbered and the unnumbered dialect are distinguished. */
const { snapshot, delta, print } = serviceFeed.messages;
const NUMBERED_TYPES = new Set<unknown>([snapshot.type, delta.type, print.type]);

interface Spelling extends Pick<FeedDialect, 'name' | 'unnumbered' | 'reads' | 'mayRead'> {
  readonly feed: FeedProfile;
}

function dialectOf({ name, unnumbered, feed, reads, mayRead }: Spelling): FeedDialect {
  const privateTypes = new Set<unknown>(privateTypesOf(feed));
  const byName = new Set<unknown>([feed.messages.print.type, feed.messages.ticker.type]);
  const followsNumbers = unnumbered !== null;
  const numbers = followsNumbers ? 'joined' : 'ignored';
  const profile = { ...serviceProfile, name, feed: { ...feed, numbers } as const };
  return {
    name,
    deltaType: feed.messages.delta.type,
    snapshotType: feed.messages.snapshot.type,
    checksNumbers: followsNumbers,
    unnumbered,
    reads,
    mayRead,
    exclusionOf: (message) => asideOf(message, privateTypes),
    tickerOf: (message) => (byName.has(message['type']) ? tickerIn(message) : null),
    confirmedSubscription: (message) => (message['type'] === feed.replies.subscribed.type ? sidIn(message) : null),
    makeDeltaReader: (tickers) => deltaReaderOf(profile.feed, tickers),
    scanProgram: SCAN_PROGRAM,
    makeTradeReader: (tickers) => tradeReaderOf(feed, tickers),
    makeNormalizer: (tickers: TickerTable) => new TradeApiNormalizer({ profile, tickers }),
  };
}

const SCAN_PROGRAM = new URL('./scan-program.js', import.meta.url);

/** The normalizer's scanner of deltas. */
function deltaReaderOf(feed: FeedProfile, tickers: TickerTable): DeltaReader {
  const { deltas } = new MarketScanners(requestedMessages(feed), feed.numbers, tickers);
  return (span) => (deltas?.scanBeginning(span) === true ? deltas : null);
}

/** The scanner of prints, with the mark of a trade off the book, which not every profile reads. */
function tradeReaderOf({ messages: { print: message } }: FeedProfile, tickers: TickerTable): TradeReader {
  const { type, record } = message;
  const fields = { ...record.fields, isOffBook: maybeFlag(OFF_BOOK) };
  const ignored = record.ignored?.filter((name) => name !== OFF_BOOK) ?? [];
  const scanner = createPrintScanner({ ...message, record: { ...record, fields, ignored } }, new TickerBytes(tickers));
  return (span) => {
    if (scanner === null || !scanner.scanSpan(span) || scanner.isOffBook) return null;
    const { sid, seq } = scanner;
    return { type, sid, seq };
  };
}

const OFF_BOOK = 'is_block_trade';

function asideOf(message: JsonObject, privateTypes: ReadonlySet<unknown>): Exclusion | null {
  if (privateTypes.has(message['type'])) return 'private';
  const msg = message['msg'];
  return isRecord(msg) && msg[OFF_BOOK] === true ? 'off-book' : null;
}

function tickerIn({ msg }: JsonObject): Ticker | null {
  const name = isRecord(msg) ? msg['market_ticker'] : undefined;
  return typeof name === 'string' && name !== '' ? ticker(name) : null;
}

function sidIn({ msg }: JsonObject): number | null {
  const sid = isRecord(msg) ? msg['sid'] : undefined;
  return typeof sid === 'number' ? sid : null;
}

/** Two dialects that an import recognizes by their messages: with and without sequence numbers. */
function spellings(name: Figures, feed: FeedProfile): readonly Spelling[] {
  const mayRead = (message: JsonObject): boolean => figuresOf(message) === name;
  const reads =
    (numbered: boolean) =>
    (message: JsonObject): boolean =>
      NUMBERED_TYPES.has(message['type']) && mayRead(message) && isNumbered(message) === numbered;
  return [
    { name, feed, unnumbered: `${name}-unnumbered`, reads: reads(true), mayRead },
    { name: `${name}-unnumbered`, feed: withoutNumbers(feed), unnumbered: null, reads: reads(false), mayRead },
  ];
}

/** Two dialects that an import cannot recognize by their messages: the user must name them. */
function namedSpellings(name: string, feed: FeedProfile): readonly Spelling[] {
  const never = (): boolean => false;
  return [
    { name, feed, unnumbered: `${name}-unnumbered`, reads: never, mayRead: never },
    { name: `${name}-unnumbered`, feed: withoutNumbers(feed), unnumbered: null, reads: never, mayRead: never },
  ];
}

/** Everything an import needs to know of `trade-api` exchanges, today's and those of the whole-cent era. */
export const captureWire: ImportWire = {
  feeds: [
    ...spellings('dollars', dollarsFeed),
    ...namedSpellings('dollars-yes-scale', dollarsOnYesFeed),
    ...spellings('cents', serviceFeed),
  ].map(dialectOf),
  readDefinitions: listedDefinitions,
  readCandles: listedCandles,
  readTrades: listedTrades,
  readBooks: listedBooks,
};
