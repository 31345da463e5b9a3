// Checks that the feed accepts the connection and sends a book for every market. Compares some of these books with
// those that requests return. Must never report a book as different after one comparison: it may have changed between the two
// reads.
import type { EngineEvent, Levels } from '../../domain/event.ts';
import type { MarketIndex, Ticker } from '../../domain/ids.ts';
import type { Feed, FeedSignal, Frame } from '../../venue.ts';
import { type Check, warnCheck, okCheck, namesText, skippedCheck, badCheck } from './check-result.ts';
import { type VenueRequests, type CheckSubject, eventsOf, waitFor } from './check-subject.ts';

const BOOKS_WITHIN_MS = 10_000;
const CHECK_EVERY_MS = 50;
const COMPARED_MAX = 20;
const COMPARISONS_MAX = 6;
const COMPARE_AGAIN_MS = 300;

interface Watching {
  readonly requests: VenueRequests;
  readonly feed: Feed;
  readonly markets: readonly Ticker[];
}

/**
 * Watches the books of these markets until all have come or the time is over. If all have come, compares the first
 * `COMPARED_MAX` with the books from requests.
 */
export async function checkFeed(subject: CheckSubject, { requests, feed, markets }: Watching): Promise<Check[]> {
  if (markets.length === 0) return [skippedCheck('feed', 'there is no open market to watch')];
  const watched = new WatchedBooks(subject);
  feed.start((input) => watched.applyInput(input));
  feed.send({ ...requests.commandBase(), type: 'subscribe', lane: 'read', tickers: markets });
  try {
    const wanted = markets.map((ticker) => subject.tickers.internTicker(ticker));
    for (let waited = 0; waited < BOOKS_WITHIN_MS && !watched.hasAll(wanted); waited += CHECK_EVERY_MS)
      await waitFor(subject, CHECK_EVERY_MS);
    const connection = checkConnection(
      watched,
      markets.filter((_, index) => !watched.hasAll(wanted.slice(index, index + 1))),
    );
    if (connection.state === 'bad') return [connection, skippedCheck('books', 'no feed to compare them with')];
    return [connection, await compareBooks(subject, { requests, watched, markets: markets.slice(0, COMPARED_MAX) })];
  } finally {
    await feed.stop();
  }
}

function checkConnection({ downReason, isUp, notUnderstood }: WatchedBooks, missing: readonly Ticker[]): Check {
  if (!isUp) {
    const remedy = 'check the feed’s address; a 401 means that it does not accept the key';
    return badCheck('feed', `the feed refuses the connection: ${downReason ?? 'no answer'}`, remedy);
  }
  if (missing.length > 0)
    return badCheck('feed', `the feed sends no book of ${namesText(missing)}`, 'check that the markets are open');
  if (notUnderstood.length === 0) return okCheck('feed', 'the feed accepts the connection and sends every book');
  const words = `the feed sends every book, and messages that we do not understand: ${namesText(notUnderstood, 3)}`;
  return warnCheck('feed', words, 'run presage drift');
}

interface Comparing {
  readonly requests: VenueRequests;
  readonly watched: WatchedBooks;
  readonly markets: readonly Ticker[];
}

async function compareBooks(subject: CheckSubject, { requests, watched, markets }: Comparing): Promise<Check> {
  const different: string[] = [];
  for (const ticker of markets) {
    const market = subject.tickers.internTicker(ticker);
    let isSame = false;
    for (let turn = 0; turn < COMPARISONS_MAX && !isSame; turn++) {
      if (turn > 0) await waitFor(subject, COMPARE_AGAIN_MS);
      isSame = watched.equals(market, eventsOf(subject, await requests.readPage({ what: 'book', market, ticker })));
    }
    if (!isSame) different.push(ticker);
  }
  if (different.length === 0)
    return okCheck('books', `${markets.length} of the feed’s books equal the ones from requests`);
  const words = `the feed’s books of ${namesText(different)} differ from the ones from requests`;
  return warnCheck('books', words, 'a book that moves all the time may seem so; otherwise run presage drift');
}

type Side = Map<number, number>;

class WatchedBooks {
  isUp = false;
  downReason: string | null = null;
  readonly notUnderstood: string[] = [];
  readonly #books = new Map<MarketIndex, { bid: Side; ask: Side }>();
  readonly #normalizer: CheckSubject['normalizer'];

  constructor({ normalizer }: CheckSubject) {
    this.#normalizer = normalizer;
  }

  applyInput(input: Frame | FeedSignal): void {
    if (input.type === 'feed-up') this.isUp = true;
    if (input.type === 'feed-down') this.downReason = input.reason;
    this.#normalizer.normalize(input, (event) => this.#applyEvent(event));
  }

  #applyEvent(event: EngineEvent): void {
    if (event.kind === 'unrecognized') this.notUnderstood.push(event.what);
    else if (event.kind === 'book-snapshot')
      this.#books.set(event.market, { bid: sideOf(event.bids), ask: sideOf(event.asks) });
    else if (event.kind === 'book-delta') {
      const side = this.#books.get(event.market)?.[event.side];
      const left = (side?.get(event.price) ?? 0) + event.change;
      if (left === 0) side?.delete(event.price);
      else side?.set(event.price, left);
    }
  }

  hasAll(markets: readonly MarketIndex[]): boolean {
    return markets.every((market) => this.#books.has(market));
  }

  equals(market: MarketIndex, events: readonly EngineEvent[]): boolean {
    const book = this.#books.get(market);
    const poll = events.find((event) => event.kind === 'book-poll');
    if (book === undefined || poll === undefined) return false;
    return isSame(book.bid, sideOf(poll.bids)) && isSame(book.ask, sideOf(poll.asks));
  }
}

const sideOf = (levels: Levels): Side => new Map(levels.map(([price, qty]) => [price, qty]));
const isSame = (a: Side, b: Side): boolean => a.size === b.size && [...a].every(([price, qty]) => b.get(price) === qty);
