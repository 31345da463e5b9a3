// A valid stream of books, mutated before it reaches the real normalizer and the state: frames are lost, repeated,
// swapped, cut, garbled. Afterwards every book equals the venue's or is not live. A readable frame with changed
// content, which no sequence number can reveal, is left to the audits. Runs in every dialect.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TickerTable, ticker } from '../../../../src/domain/ids.ts';
import { type Price, type Qty, cents, contracts, price } from '../../../../src/domain/units.ts';
import type { StateChange } from '../../../../src/state/state-change.ts';
import { State } from '../../../../src/state/state.ts';
import { TradeApiNormalizer } from '../../../../src/venues/trade-api/normalize/trade-api-normalizer.ts';
import type { FeedProfile, WireProfile } from '../../../../src/venues/trade-api/profiles/wire-profile.ts';
import { kalshiProfile } from '../../../../src/venues/trade-api/profiles/kalshi-profile.ts';
import { serviceProfile } from '../../../../src/venues/trade-api/profiles/service-profile.ts';
import { type Codec, codecOf } from '../../../../src/venues/trade-api/wire/codec.ts';
import type { DeltaRecord, SnapshotRecord } from '../../../../src/venues/trade-api/wire/wire-records.ts';
import { onYesScale } from '../../../../src/venues/trade-api/wire/yes-scale.ts';
import { aMarket, after, index } from '../../../support/engine/builders.ts';
import { runCount } from '../../../support/runner/property-runs.ts';

const MARKETS = 3;
/** Markets 0 and 1 share a subscription, market 2 has its own. */
const sidOf = (market: number): number => (market < 2 ? 1 : 2);

interface Step {
  readonly market: number;
  readonly isBid: boolean;
  readonly cent: number;
  readonly add: number;
  readonly isSnapshot: boolean;
}

/** Encodes book messages in a dialect, on the scale that the bot requests. */
class Spelling {
  readonly feed: FeedProfile;
  readonly #snapshot: Codec<SnapshotRecord>;
  readonly #delta: Codec<DeltaRecord>;

  constructor({ feed }: WireProfile) {
    const { snapshot, delta } = feed.messages;
    this.feed = feed;
    this.#snapshot = codecOf(feed.onYesScale === true ? onYesScale(snapshot.record) : snapshot.record);
    this.#delta = codecOf(feed.onYesScale === true ? onYesScale(delta.record) : delta.record);
  }

  /** Levels of each leg by their cents. */
  snapshot(market: number, { yes, no }: Levels): object {
    const side = (levels: ReadonlyMap<number, number>, priceOf: (cent: number) => number): [Price, Qty][] =>
      [...levels].map(([cent, size]) => [cents(priceOf(cent)), contracts(size)]);
    const bids = side(yes, (cent) => cent);
    const asks = side(no, (cent) => 100 - cent);
    return this.#snapshot.encode({ ticker: ticker(`M-${market}`), bids, asks });
  }

  delta(market: number, isBid: boolean, { cent, delta }: { readonly cent: number; readonly delta: number }): object {
    return this.#delta.encode({
      ticker: ticker(`M-${market}`),
      side: isBid ? 'bid' : 'ask',
      price: cents(isBid ? cent : 100 - cent),
      change: contracts(delta),
      clientOrderId: null,
      at: after(0),
    });
  }
}

interface Levels {
  readonly yes: Map<number, number>;
  readonly no: Map<number, number>;
}

/** The venue: books as maps, and each sent message, numbered within its subscription. */
class Source {
  readonly #spelling: Spelling;
  readonly books = Array.from({ length: MARKETS }, (): Levels => ({ yes: new Map(), no: new Map() }));
  readonly frames: string[] = [];
  readonly #seqs = new Map<number, number>();

  constructor(spelling: Spelling) {
    this.#spelling = spelling;
  }

  #send(type: string, market: number, msg: object): void {
    const sid = sidOf(market);
    const seq = (this.#seqs.get(sid) ?? 0) + 1;
    this.#seqs.set(sid, seq);
    this.frames.push(JSON.stringify({ type, sid, seq, msg }));
  }

  snapshot(market: number): void {
    this.#send('orderbook_snapshot', market, this.#spelling.snapshot(market, this.books[market]!));
  }

  step({ market, isBid, cent, add, isSnapshot }: Step): void {
    if (isSnapshot) return this.snapshot(market);
    const levels = this.books[market]![isBid ? 'yes' : 'no'];
    const size = levels.get(cent) ?? 0;
    // Every other step removes a level, or as much of it as there is.
    const delta = add % 2 === 0 && size > 0 ? -Math.min(size, add) : add;
    if (size + delta > 0) levels.set(cent, size + delta);
    else levels.delete(cent);
    this.delta(market, isBid, { cent, delta });
  }

  /** Sends the change of a level. */
  delta(market: number, isBid: boolean, change: { readonly cent: number; readonly delta: number }): void {
    this.#send('orderbook_delta', market, this.#spelling.delta(market, isBid, change));
  }
}

/** The bot: passes arriving frames through the normalizer into the state. */
class Sink {
  readonly state: State;
  readonly #normalizer: TradeApiNormalizer;
  readonly changes: StateChange[] = [];
  #ms = 0;

  constructor({ feed }: Spelling, scans: boolean) {
    const tickers = new TickerTable();
    this.state = new State(tickers);
    this.#normalizer = new TradeApiNormalizer({ profile: { ...serviceProfile, feed }, tickers, scans });
    for (let market = 0; market < MARKETS; market++) {
      tickers.internTicker(ticker(`M-${market}`));
      this.state.applyEvent({ kind: 'market', at: after(0), market: aMarket(market) }, this.changes);
    }
    this.#normalize({ type: 'feed-up', at: after(0), connection: 1 });
    for (const [id, names] of [
      ['1', ['M-0', 'M-1']],
      ['2', ['M-2']],
    ] as const) {
      const params = { channels: ['orderbook_delta'], market_tickers: names, use_yes_price: feed.onYesScale };
      const text = JSON.stringify({ id: Number(id), cmd: 'subscribe', params });
      this.#normalize({ type: 'feed-sent', at: after(0), text });
      this.receive(
        JSON.stringify({ type: 'subscribed', id: Number(id), msg: { channel: 'orderbook_delta', sid: Number(id) } }),
      );
    }
  }

  #normalize(input: Parameters<TradeApiNormalizer['normalize']>[0]): void {
    this.#normalizer.normalize(input, (event) => this.state.applyEvent(event, this.changes));
  }

  receive(text: string): void {
    this.#ms += 1;
    this.#normalize({ type: 'frame', at: after(this.#ms), bytes: Buffer.from(text) });
  }

  /** The book in the venue's format. */
  bookOf(market: number): { yes: [number, number][]; no: [number, number][] } {
    const { books } = this.state;
    const inCents = (levels: [number, number][]): [number, number][] =>
      levels.map(([at, size]) => [at / 100, size / 100]);
    return {
      yes: inCents(books.levels(index(market), 'bid')),
      no: inCents(books.levels(index(market), 'ask').map(([at, size]) => [10_000 - at, size])),
    };
  }

  isLive(market: number): boolean {
    return this.state.books.isLive(index(market));
  }
}

type Mutation =
  | { readonly type: 'lose' | 'repeat' | 'swap' | 'cut' | 'garble'; readonly at: number }
  | { readonly type: 'late-repeat'; readonly at: number; readonly by: number };

function mutate(frames: readonly string[], mutations: readonly Mutation[]): string[] {
  const mutated = [...frames];
  for (const mutation of mutations) {
    if (mutated.length === 0) return mutated;
    const at = mutation.at % mutated.length;
    const frame = mutated[at]!;
    switch (mutation.type) {
      case 'lose':
        mutated.splice(at, 1);
        break;
      case 'repeat':
        mutated.splice(at, 0, frame);
        break;
      case 'late-repeat':
        mutated.splice(Math.min(mutated.length, at + mutation.by), 0, frame);
        break;
      case 'swap':
        mutated.splice(at, 2, ...mutated.slice(at, at + 2).toReversed());
        break;
      case 'cut':
        mutated[at] = frame.slice(0, Math.floor(frame.length / 2));
        break;
      case 'garble':
        mutated[at] = frame.replace(/"(price|yes)(_dollars)?(_fp)?":/, '"$1$2$3":"\u0000');
    }
  }
  return mutated;
}

const aStep: fc.Arbitrary<Step> = fc.record({
  market: fc.nat(MARKETS - 1),
  isBid: fc.boolean(),
  // Bids for YES up to 40 and for NO up to 50 never cross.
  cent: fc.integer({ min: 30, max: 40 }),
  add: fc.integer({ min: 1, max: 9 }),
  isSnapshot: fc.oneof({ weight: 8, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
});
const aMutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.record({ type: fc.constantFrom('lose', 'repeat', 'swap', 'cut', 'garble'), at: fc.nat() }),
  fc.record({ type: fc.constant('late-repeat'), at: fc.nat(), by: fc.nat(5) }),
);
const someSteps = fc.array(aStep, { minLength: 1, maxLength: 40 });

function sourceOf(spelling: Spelling, steps: readonly Step[]): Source {
  const source = new Source(spelling);
  for (let market = 0; market < MARKETS; market++) source.snapshot(market);
  for (const step of steps) source.step(step);
  return source;
}

const sorted = (levels: Iterable<readonly [number, number]>): (readonly [number, number])[] =>
  [...levels].toSorted(([a], [b]) => a - b);

function expectVenueBook(sink: Sink, source: Source, market: number): void {
  const { yes, no } = sink.bookOf(market);
  const venueBook = source.books[market]!;
  expect({ market, yes: sorted(yes), no: sorted(no) }).toEqual({
    market,
    yes: sorted(venueBook.yes),
    no: sorted(venueBook.no),
  });
}

const service = new Spelling(serviceProfile);
const kalshi = new Spelling(kalshiProfile);

describe.each([
  ['service', true, service],
  ['service', false, service],
  ['kalshi', true, kalshi],
  ['kalshi', false, kalshi],
])('a stream of books in the dialect %s, read from bytes: %s', (_name, scans, spelling) => {
  it('an unchanged stream gives the venue’s books, live', () => {
    fc.assert(
      fc.property(someSteps, (steps) => {
        const source = sourceOf(spelling, steps);
        const sink = new Sink(spelling, scans);
        for (const frame of source.frames) sink.receive(frame);
        for (let market = 0; market < MARKETS; market++) {
          expect(sink.isLive(market)).toBe(true);
          expectVenueBook(sink, source, market);
        }
      }),
      { numRuns: runCount(80) },
    );
  });

  it('a mutated stream gives books that equal the venue’s, or are not live', () => {
    fc.assert(
      fc.property(someSteps, fc.array(aMutation, { minLength: 1, maxLength: 4 }), (steps, mutations) => {
        const source = sourceOf(spelling, steps);
        // A lost last frame only shows with the next one: one more frame of each subscription always arrives.
        const before = source.frames.length;
        source.step({ market: 0, isBid: true, cent: 30, add: 1, isSnapshot: false });
        source.step({ market: 2, isBid: true, cent: 30, add: 1, isSnapshot: false });
        const sink = new Sink(spelling, scans);
        for (const frame of mutate(source.frames.slice(0, before), mutations)) sink.receive(frame);
        for (const frame of source.frames.slice(before)) sink.receive(frame);
        for (let market = 0; market < MARKETS; market++) if (sink.isLive(market)) expectVenueBook(sink, source, market);
      }),
      { numRuns: runCount(400) },
    );
  });

  it('books are live again after fresh snapshots, each in a later epoch', () => {
    fc.assert(
      fc.property(someSteps, fc.array(aMutation, { minLength: 1, maxLength: 4 }), (steps, mutations) => {
        const source = sourceOf(spelling, steps);
        const sink = new Sink(spelling, scans);
        const before = source.frames.length;
        for (const frame of mutate(source.frames, mutations)) sink.receive(frame);
        const epochs = Array.from({ length: MARKETS }, (_, market) => sink.state.books.epoch(index(market)));
        // The first frame after the mutation may itself be out of sequence and void the other books.
        for (let round = 0; round < 2; round++)
          for (let market = 0; market < MARKETS; market++) source.snapshot(market);
        for (const frame of source.frames.slice(before)) sink.receive(frame);
        for (let market = 0; market < MARKETS; market++) {
          expect(sink.isLive(market)).toBe(true);
          expectVenueBook(sink, source, market);
          expect(sink.state.books.epoch(index(market))).toBeGreaterThan(epochs[market]!);
        }
      }),
      { numRuns: runCount(120) },
    );
  });
});

describe.each([service, kalshi])('a snapshot', (spelling) => {
  it('a snapshot replaces the book, and leaves no level of the old one', () => {
    const source = sourceOf(spelling, [{ market: 0, isBid: true, cent: 33, add: 5, isSnapshot: false }]);
    const sink = new Sink(spelling, true);
    for (const frame of source.frames) sink.receive(frame);
    source.books[0]!.yes.clear();
    source.books[0]!.yes.set(31, 2);
    source.snapshot(0);
    sink.receive(source.frames.at(-1)!);
    expect(sink.bookOf(0)).toEqual({ yes: [[31, 2]], no: [] });
    expect(sink.state.books.qtyAt(index(0), 'bid', price(3300))).toBe(0);
  });

  it('a snapshot selects the subscription of its book: the deltas of another one do not apply twice', () => {
    const sink = new Sink(spelling, true);
    const source = new Source(spelling);
    source.snapshot(2);
    source.delta(2, true, { cent: 40, delta: 5 });
    for (const frame of source.frames) sink.receive(frame);
    const twice = source.frames.map((frame) => frame.replace('"sid":2', '"sid":9'));
    sink.receive(JSON.stringify({ type: 'subscribed', id: 3, msg: { channel: 'orderbook_delta', sid: 9 } }));
    sink.receive(twice[1]!.replace('"seq":2', '"seq":1'));
    expect(sink.bookOf(2)).toEqual({ yes: [[40, 5]], no: [] });
    sink.receive(twice[0]!.replace('"seq":1', '"seq":2'));
    sink.receive(twice[1]!.replace('"seq":2', '"seq":3'));
    source.delta(2, true, { cent: 40, delta: 5 });
    sink.receive(source.frames.at(-1)!);
    expect(sink.bookOf(2)).toEqual({ yes: [[40, 5]], no: [] });
  });

  it('a book starts with a snapshot: earlier deltas are refused', () => {
    const sink = new Sink(spelling, true);
    const source = new Source(spelling);
    source.delta(2, true, { cent: 40, delta: 5 });
    source.snapshot(2);
    for (const frame of source.frames) sink.receive(frame);
    expect(sink.isLive(2)).toBe(true);
    expect(sink.bookOf(2)).toEqual({ yes: [], no: [] });
  });
});
