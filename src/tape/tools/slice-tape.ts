// Cuts a slice out of a tape: a range of times, some of its markets, or both. The slice is complete in itself: it
// begins with the state at the cut. Must never make a book known that was unknown at the cut.
import { createHash } from 'node:crypto';
import type { MarketIndex } from '../../domain/ids.ts';
import { type Micros, micros } from '../../domain/units.ts';
import type { RowSource, TapeFacts, TapeGap } from '../baked/tape-rows.ts';
import type { RowWriter } from '../baked/baked-writer.ts';
import { canonicalJson } from '../format/canonical-json.ts';
import { type RowFact, type TimeRange, renumberedFact, rowFacts, writeFact } from './row-facts.ts';
import { TapeState } from './tape-state.ts';
import { isoMicros } from '../format/iso-time.ts';

export interface SliceOptions {
  readonly source: RowSource;
  readonly writer: RowWriter;
  /** Start, included; the tape's beginning when absent. */
  readonly from?: Micros;
  /** End, not included; the tape's end when absent. */
  readonly to?: Micros;
  /** Only these markets; all markets when absent. */
  readonly tickers?: ReadonlySet<string>;
}

const FACTS_PER_STEP = 65_536;

/** Thrown for a slice that would hold nothing. */
export class SliceFault extends Error {
  override readonly name = 'SliceFault';
}

/** @throws {SliceFault} when nothing of the tape is in the range. */
export function refuseEmptyRange({ facts }: RowSource, { from = facts.from, to }: TimeRange): void {
  const start = Math.max(facts.from, from);
  if (start <= facts.to && (to === undefined || start < to)) return;
  throw new SliceFault(
    `expected a range within ${isoMicros(facts.from)} to ${isoMicros(facts.to)}, found one that holds nothing of it`,
  );
}

/**
 * Writes the slice and finishes it, in steps of 65 536 facts, each of which yields the time of its last fact. On any
 * error, also one that the caller throws into the generator, the written part is abandoned.
 * @throws {SliceFault} when nothing of the tape is in the range, or a market is not on the tape.
 * @throws {BakedFault} when the tape is damaged, or the disk refuses the slice.
 */
export function* sliceTape(options: SliceOptions): Generator<Micros, TapeFacts> {
  try {
    return yield* new SliceRun(options).run();
  } catch (fault) {
    options.writer.abandon();
    throw fault;
  }
}

class SliceRun {
  readonly #options: SliceOptions;
  readonly #state = new TapeState();
  readonly #from: Micros;
  readonly #to: Micros;
  #facts = 0;

  constructor(options: SliceOptions) {
    const { source, from, to } = options;
    this.#options = options;
    this.#from = micros(Math.max(source.facts.from, from ?? source.facts.from));
    // The last moment of a whole tape is included; the end of a slice is not.
    this.#to = micros(Math.min(source.facts.to, to ?? source.facts.to));
    this.#checkRange();
  }

  #checkRange(): void {
    const { source, tickers = [] } = this.#options;
    refuseEmptyRange(source, this.#options);
    const unknownTicker = [...tickers].find((name) => source.tickers.indexOf(name) === undefined);
    if (unknownTicker !== undefined) throw new SliceFault(`expected a market of the tape, found ${unknownTicker}`);
  }

  *run(): Generator<Micros, TapeFacts> {
    const { source, writer, to } = this.#options;
    const isCut = this.#from > source.facts.from;
    if (isCut) {
      for (const fact of rowFacts(source, { to: this.#from })) {
        this.#state.applyFact(fact);
        if (this.#endsStep()) yield fact.row.at;
      }
      this.#writeState();
    }
    const range = { ...(isCut && { from: this.#from }), ...(to !== undefined && { to }) };
    for (const fact of rowFacts(source, range)) {
      this.#writeFact(fact);
      if (this.#endsStep()) yield fact.row.at;
    }
    for (const gap of source.facts.gaps) this.#listGap(gap);
    for (const sentence of source.facts.assumptions) writer.addAssumption(sentence);
    const { source: origin, venue } = source.facts;
    return writer.finish({ source: origin, venue, sourceHash: this.#sliceHash(), from: this.#from, to: this.#to });
  }

  /** Names the slice by its tape and its bounds. */
  #sliceHash(): string {
    const { source, from = null, to = null, tickers } = this.#options;
    const sorted = tickers === undefined ? null : [...tickers].sort();
    const what = { source: source.facts.sourceHash, from, to, tickers: sorted };
    return createHash('sha256').update(canonicalJson(what)).digest('hex');
  }

  /** Writes the state at the cut: all definitions, and each known book. */
  #writeState(): void {
    const at = this.#from;
    for (const event of this.#state.definitions(at)) this.#writeFact({ kind: 'other', row: event });
    for (const market of this.#state.marketsWithBooks()) {
      const book = this.#state.bookOf(market);
      if (book !== null) this.#writeFact({ kind: 'snapshot', row: { at, exchangeAt: null, market, ...book } });
    }
  }

  #writeFact(fact: RowFact): void {
    const { writer } = this.#options;
    const translated = renumberedFact(fact, (market) => this.#numberOf(market));
    if (translated !== null) writeFact(writer, translated);
  }

  #numberOf(market: MarketIndex): MarketIndex | null {
    const { source, writer, tickers } = this.#options;
    const ticker = source.tickers.tickerOf(market);
    return tickers === undefined || tickers.has(ticker) ? writer.marketNumber(ticker) : null;
  }

  /** Lists the part of a gap that lies in the slice. Its row is copied with the other rows. */
  #listGap({ from, to, reason, tickers }: TapeGap): void {
    const kept = tickers.filter((name) => this.#options.tickers?.has(name) ?? true);
    if (tickers.length > 0 && kept.length === 0) return;
    const part = { from: micros(Math.max(from, this.#from)), to: micros(Math.min(to, this.#to)) };
    if (part.from < part.to) this.#options.writer.listGap({ ...part, reason, tickers: kept });
  }

  /** Counts a fact. */
  #endsStep(): boolean {
    this.#facts += 1;
    return this.#facts % FACTS_PER_STEP === 0;
  }
}
