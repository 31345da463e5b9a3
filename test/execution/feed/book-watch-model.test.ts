// The watch over books reads the same books at the same times as a plain one that goes over all markets at each check.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EngineEvent } from '../../../src/domain/event.ts';
import type { MarketIndex } from '../../../src/domain/ids.ts';
import { isOpen } from '../../../src/domain/market.ts';
import { type Micros, cents, qty } from '../../../src/domain/units.ts';
import { BookWatch } from '../../../src/execution/feed/book-watch.ts';
import { VenueReader } from '../../../src/execution/session/venue-reader.ts';
import { State } from '../../../src/state/state.ts';
import { aMarket, after, index, levels, tickerTable } from '../../support/engine/builders.ts';

const MARKETS = 6;
const END_MS = 60_000;
const STEP_MS = 50;
const CHECK_MS = 500;
const BIDS = levels([40, 10]);
const ASKS = levels([60, 10]);

interface Rate {
  count: number;
  perMs: number;
}

/** Measures every open market at every check, and needs no other knowledge. */
class PlainWatch {
  readonly #state: State;
  readonly #ageMsMax: number;
  readonly #rates = new Map<MarketIndex, Rate>();
  #checkedAt: Micros | null = null;

  constructor(state: State, bookAgeMsMax: number) {
    this.#state = state;
    this.#ageMsMax = bookAgeMsMax > 0 ? Math.max(1000, bookAgeMsMax / 2) : 0;
  }

  /** The books to read now, the first at the head. */
  check(now: Micros): MarketIndex[] {
    const elapsedMs = this.#checkedAt === null ? 0 : (now - this.#checkedAt) / 1000;
    this.#checkedAt = now;
    const { markets, books, audits } = this.#state;
    const all = markets.allMarkets();
    for (const { index: market, status } of all)
      if (isOpen(status)) this.#measure(market, elapsedMs);
      else this.#rates.delete(market);
    const needs = all
      .filter(({ status, index: market }) => isOpen(status) && books.isLive(market))
      .map(({ index: market }) => ({ market, need: this.#needOf(market, now) }))
      .filter(({ need }) => need > 1)
      .sort((a, b) => b.need - a.need || a.market - b.market);
    return needs.slice(0, Math.max(0, Math.min(2, 4 - audits.count))).map(({ market }) => market);
  }

  #measure(market: MarketIndex, elapsedMs: number): void {
    const count = this.#state.confirmations.messageCount(market);
    const known = this.#rates.get(market);
    if (known === undefined && count > 0) this.#rates.set(market, { count, perMs: 0 });
    if (known === undefined || elapsedMs === 0) return;
    const recent = Math.max(0, count - known.count) / elapsedMs;
    known.perMs += (1 - Math.exp(-elapsedMs / 60_000)) * (recent - known.perMs);
    known.count = count;
  }

  #needOf(market: MarketIndex, now: Micros): number {
    const { audits, doubtedBooks, confirmations } = this.#state;
    if (audits.isUnderWay(market)) return 0;
    if (doubtedBooks.has(market)) return Number.POSITIVE_INFINITY;
    const ageMs = (now - this.#state.confirmedAt(market)) / 1000;
    const aging = this.#ageMsMax > 0 ? ageMs / this.#ageMsMax : 0;
    const { perMs } = this.#rates.get(market) ?? { perMs: 0 };
    const messageAt = confirmations.messageAt(market);
    if (perMs === 0 || confirmations.readAt(market) > messageAt) return aging;
    return Math.max(aging, (now - messageAt) / 1000 / Math.max(1000, 8 / perMs));
  }
}

/** A book changes regularly for a time, or not at all. */
interface Spell {
  readonly forMs: number;
  readonly everyMs: number | null;
}

const spell: fc.Arbitrary<Spell> = fc.record({
  forMs: fc.integer({ min: 500, max: 30_000 }),
  everyMs: fc.constantFrom(null, 50, 100, 250, 700, 1500, 4000, 9000),
});

interface Incident {
  readonly atMs: number;
  readonly market: MarketIndex;
  readonly what: 'gap' | 'snapshot' | 'close' | 'open' | 'lie' | 'truth' | 'reconnect' | 'restream';
}

const incident: fc.Arbitrary<Incident> = fc.record({
  atMs: fc.nat({ max: END_MS / STEP_MS }).map((step) => step * STEP_MS),
  market: fc.nat({ max: MARKETS - 1 }).map(index),
  what: fc.constantFrom('gap', 'snapshot', 'close', 'open', 'lie', 'truth', 'reconnect', 'restream'),
});

const story = fc.record({
  bookAgeMsMax: fc.constantFrom(0, 1500, 5000, 20_000),
  lateMs: fc.constantFrom(10, 2000, 8000),
  answerMs: fc.constantFrom(50, 400, 3000),
  streams: fc.array(fc.nat({ max: 2 }), { minLength: MARKETS, maxLength: MARKETS }),
  spells: fc.array(fc.array(spell, { maxLength: 6 }), { minLength: MARKETS, maxLength: MARKETS }),
  incidents: fc.array(incident, { maxLength: 20 }),
});
type Story = typeof story extends fc.Arbitrary<infer Each> ? Each : never;

/** Runs a story with both watches over one state, and compares what they read. Returns the number of reads. */
class Comparison {
  readonly #story: Story;
  readonly #state = new State(tickerTable(MARKETS));
  readonly #plain: PlainWatch;
  readonly #watch: BookWatch;
  readonly #streams: number[];
  readonly #lies = new Set<MarketIndex>();
  readonly #answers: { readonly atMs: number; readonly askedMs: number; readonly market: MarketIndex }[] = [];
  #read: MarketIndex[] = [];
  #ms = 0;
  #commands = 0;
  #connections = 1;

  constructor(told: Story) {
    this.#story = told;
    this.#streams = [...told.streams];
    const reader = new VenueReader({
      onEndless: () => {},
      enqueue: ({ target }) => target.what === 'book' && this.#read.push(target.market) > 0,
      nextCommandId: () => (this.#commands += 1),
    });
    this.#plain = new PlainWatch(this.#state, told.bookAgeMsMax);
    this.#watch = new BookWatch({ state: this.#state, reader, bookAgeMsMax: told.bookAgeMsMax });
    for (let number = 0; number < MARKETS; number++)
      this.#apply({ kind: 'market', at: after(0), market: aMarket(number) });
    this.#connect();
  }

  #apply(event: EngineEvent): void {
    this.#state.applyEvent(event, []);
  }

  #connect(): void {
    this.#apply({ kind: 'feed-down', at: after(this.#ms), reason: 'cut' });
    this.#apply({ kind: 'feed-up', at: after(this.#ms), connection: (this.#connections += 1) });
    for (let number = 0; number < MARKETS; number++) this.#snapshot(index(number));
  }

  #snapshot(market: MarketIndex): void {
    const stream = this.#streams[market] ?? 0;
    const at = after(this.#ms);
    this.#apply({ kind: 'book-snapshot', at, exchangeAt: null, market, bids: BIDS, asks: ASKS, stream });
  }

  #change(market: MarketIndex): void {
    const stream = this.#streams[market] ?? 0;
    const terms = { market, side: 'bid', price: cents(30), change: qty(1), stream } as const;
    // The feed grows late in the middle of the story.
    const lateMs = this.#ms > 20_000 && this.#ms < 40_000 ? this.#story.lateMs : 10;
    this.#apply({ kind: 'book-delta', at: after(this.#ms), exchangeAt: after(this.#ms - lateMs), ...terms });
  }

  #happen({ what, market }: Incident): void {
    const at = after(this.#ms);
    switch (what) {
      case 'gap':
        return this.#apply({ kind: 'feed-gap', at, markets: [market], reason: 'lost' });
      case 'snapshot':
        return this.#snapshot(market);
      case 'close':
      case 'open':
        return this.#setStatus(market, what === 'open' ? 'active' : 'inactive');
      case 'lie':
        return void this.#lies.add(market);
      case 'truth':
        return void this.#lies.delete(market);
      case 'reconnect':
        return this.#connect();
      case 'restream':
        this.#streams[market] = ((this.#streams[market] ?? 0) + 1) % 3;
        return this.#snapshot(market);
    }
  }

  #setStatus(market: MarketIndex, status: 'active' | 'inactive'): void {
    this.#apply({ kind: 'market-changed', at: after(this.#ms), exchangeAt: null, market, status });
  }

  #answer(): void {
    while (this.#answers[0] && this.#answers[0].atMs <= this.#ms) {
      const { askedMs, market } = this.#answers.shift()!;
      const bids = this.#lies.has(market) ? levels([41, 3]) : this.#state.books.levels(market, 'bid');
      const asked = { at: after(this.#ms), askedAt: after(askedMs) };
      this.#apply({ kind: 'book-poll', ...asked, market, bids, asks: ASKS });
    }
  }

  #check(): number {
    const expected = this.#plain.check(after(this.#ms));
    this.#read = [];
    this.#watch.probeQuietBooks(after(this.#ms));
    expect({ ms: this.#ms, read: this.#read }).toEqual({ ms: this.#ms, read: expected });
    const atMs = this.#ms + this.#story.answerMs;
    for (const market of expected) this.#answers.push({ atMs, askedMs: this.#ms, market });
    return expected.length;
  }

  run(): number {
    let reads = 0;
    for (; this.#ms <= END_MS; this.#ms += STEP_MS) {
      for (let number = 0; number < MARKETS; number++) if (this.#isChanging(number)) this.#change(index(number));
      for (const each of this.#story.incidents) if (each.atMs === this.#ms) this.#happen(each);
      this.#answer();
      this.#apply({ kind: 'timer', at: after(this.#ms) });
      if (this.#ms % CHECK_MS === 0) reads += this.#check();
    }
    return reads;
  }

  #isChanging(number: number): boolean {
    let from = 0;
    for (const { forMs, everyMs } of this.#story.spells[number] ?? []) {
      if (this.#ms < from + forMs) return everyMs !== null && this.#ms % everyMs === 0;
      from += forMs;
    }
    return false;
  }
}

describe('the watch over books', () => {
  it('reads what a plain one reads that goes over all markets', { timeout: 120_000 }, () => {
    let reads = 0;
    fc.assert(
      fc.property(story, (told) => {
        reads += new Comparison(told).run();
      }),
      { numRuns: 150 },
    );
    expect(reads).toBeGreaterThan(1000);
  });
});
