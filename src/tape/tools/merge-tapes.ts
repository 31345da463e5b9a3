// Merges several tapes of one venue into one, by time. For a market on several tapes, one tape is the source for each
// stretch of time. Another tape becomes the source when the source ends or knows less of the market. Must never mix two
// sources of a book, nor bridge a stretch that no tape covers.
import { createHash } from 'node:crypto';
import { type Micros, micros } from '../../domain/units.ts';
import type { OtherEvent, RowSource, TapeFacts } from '../baked/tape-rows.ts';
import type { RowWriter } from '../baked/baked-writer.ts';
import { joinedNotes, mergedCount, mergedNote } from '../baked/counted-notes.ts';
import { canonicalJson } from '../format/canonical-json.ts';
import { type Stretch, uncoveredStretches } from './covered-time.ts';
import { MergedMarkets, type SourceStretch } from './merged-markets.ts';
import { MergingTape } from './merging-tape.ts';
import { type RowFact, marketOfFact } from './row-facts.ts';

export interface MergeOptions {
  /** The tapes, the preferred tape first. Preference decides between tapes that are otherwise equal. */
  readonly sources: readonly RowSource[];
  /** Names of the tapes for the report, in the sequence of `sources`. */
  readonly names: readonly string[];
  readonly writer: RowWriter;
}

/** Counts of one source tape. */
export interface MergedTapeCounts {
  readonly name: string;
  /** Facts read. A snapshot with all its levels counts once. */
  readonly rows: number;
  /** Facts written to the merged tape. */
  readonly taken: number;
  /** Facts that were left out because their content was already written. */
  readonly repeated: number;
  /** Facts left out for another reason, mostly because another tape was the source. */
  readonly leftOut: number;
}

export interface MergeReport {
  readonly facts: TapeFacts;
  readonly tapes: readonly MergedTapeCounts[];
  /** The source tape of each stretch, for markets on more than one tape. */
  readonly stretches: readonly SourceStretch[];
  /** Prints that were left out because another tape had them already. */
  readonly doubledPrints: number;
}

/** Thrown for tapes that do not belong together. */
export class MergeFault extends Error {
  override readonly name = 'MergeFault';
}

const FACTS_PER_STEP = 65_536;

/**
 * Writes the merged tape and finishes it, in steps of 65 536 facts, each of which yields the time of its last fact. On
 * any error, also one that the caller throws into the generator, the written part is abandoned.
 * @throws {MergeFault} when the tapes are of different venues.
 * @throws {BakedFault} when a tape is damaged, or the disk refuses the merged tape.
 */
export function* mergeTapes(options: MergeOptions): Generator<Micros, MergeReport> {
  try {
    checkSameVenue(options);
    return yield* new MergeRun(options).run();
  } catch (fault) {
    options.writer.abandon();
    throw fault;
  }
}

function checkSameVenue({ sources, names }: MergeOptions): void {
  const venue = sources[0]?.facts.venue;
  const other = sources.findIndex(({ facts }) => facts.venue !== venue);
  if (other < 0) return;
  throw new MergeFault(
    `expected tapes of one venue, found ${venue} in ${names[0]} and ${sources[other]?.facts.venue} in ${names[other]}`,
  );
}

class MergeRun {
  readonly #options: MergeOptions;
  readonly #tapes: readonly MergingTape[];
  readonly #markets: MergedMarkets;
  /**
   * The last event about each subject that is not a single market, as text. Added and replaced when such an event is
   * written; never removed.
   */
  readonly #lastWritten = new Map<string, string>();
  /** Tape that described each event group first. Never removed. */
  readonly #groupTapes = new Map<string, MergingTape>();
  #hasSharedGroup = false;
  #facts = 0;

  constructor(options: MergeOptions) {
    const { sources, names, writer } = options;
    this.#options = options;
    this.#tapes = sources.map((source, index) => new MergingTape(source, names[index] ?? '', writer));
    this.#markets = new MergedMarkets(this.#tapes, writer);
  }

  *run(): Generator<Micros, MergeReport> {
    for (let tape = this.#nextTape(); tape !== null; tape = this.#nextTape()) {
      const at = tape.fact?.row.at;
      this.#takeNext(tape);
      if (at !== undefined && this.#facts % FACTS_PER_STEP === 0) yield at;
    }
    const span = this.#span();
    this.#markets.finish(uncoveredStretches(this.#options.sources, span), span.to);
    const facts = this.#finish(span);
    const tapes = this.#tapes.map(({ name, factsRead, repeated, leftOut }): MergedTapeCounts => {
      return { name, rows: factsRead, taken: factsRead - repeated - leftOut, repeated, leftOut };
    });
    return { facts, tapes, stretches: this.#markets.stretches(), doubledPrints: this.#markets.doubledPrints };
  }

  /**
   * Returns the tape with the earliest next fact. At equal times, the preferred tape comes first, and a tape's end
   * comes last.
   */
  #nextTape(): MergingTape | null {
    let next: MergingTape | null = null;
    let nextAt = Infinity;
    for (const tape of this.#tapes) {
      const at = tape.dueAt ?? Infinity;
      const isBefore = at < nextAt || (at === nextAt && next?.fact === null && tape.fact !== null);
      if (isBefore) [next, nextAt] = [tape, at];
    }
    return next;
  }

  #takeNext(tape: MergingTape): void {
    const { fact } = tape;
    if (fact === null) {
      tape.markEnded();
      return this.#markets.onTapeEnd(tape, tape.source.facts.to);
    }
    tape.factsRead += 1;
    this.#facts += 1;
    tape.readNextFact();
    if (fact.kind === 'other' && fact.row.kind === 'feed-gap') return this.#markets.onGap(tape, fact.row);
    const market = marketOfFact(fact);
    if (market === null) this.#writeShared(tape, fact);
    else this.#markets.addFact(tape, market, fact);
  }

  /** Writes an event about no single market, unless its subject's last event is identical. */
  #writeShared(tape: MergingTape, fact: RowFact): void {
    tape.state.applyFact(fact);
    if (fact.kind !== 'other') return;
    const key = keyOf(fact.row);
    if (fact.row.kind === 'event-group') {
      const first = this.#groupTapes.get(key) ?? tape;
      this.#groupTapes.set(key, first);
      this.#hasSharedGroup ||= first !== tape;
    }
    const text = canonicalJson({ ...fact.row, at: 0 });
    if (this.#lastWritten.get(key) === text) return tape.countRepeated();
    this.#lastWritten.set(key, text);
    tape.writeFact(fact);
  }

  /** True when tapes have a market or an event group in common. */
  #mayOverlap(): boolean {
    const names = this.#options.sources.flatMap(({ tickers }) => tickers.tickersByIndex().filter(Boolean));
    return this.#hasSharedGroup || new Set(names).size < names.length;
  }

  #span(): Stretch {
    const { sources } = this.#options;
    // A tape of no time, as of an import that read nothing, has no place in time either.
    const timed = sources.filter(({ facts }) => facts.rows > 0 || facts.to > facts.from);
    const spans = timed.length === 0 ? sources : timed;
    return {
      from: micros(Math.min(...spans.map(({ facts }) => facts.from))),
      to: micros(Math.max(...spans.map(({ facts }) => facts.to))),
    };
  }

  #finish(span: Stretch): TapeFacts {
    const { sources, writer } = this.#options;
    const notes = sources.map(({ facts }) => facts.assumptions);
    const ownNotes = notes.map((sentences) => sentences.filter((sentence) => mergedCount(sentence) === 0));
    for (const sentence of joinedNotes(ownNotes, this.#mayOverlap())) writer.addAssumption(sentence);
    if (sources.length > 1 || notes[0]?.some((sentence) => mergedCount(sentence) > 0))
      writer.addAssumption(mergedNote(notes));
    const hashes = canonicalJson(sources.map(({ facts }) => facts.sourceHash));
    return writer.finish({
      source: [...new Set(sources.map(({ facts }) => facts.source))].join(' + '),
      venue: sources[0]?.facts.venue ?? '',
      sourceHash: createHash('sha256').update(hashes).digest('hex'),
      ...span,
    });
  }
}

/** Returns the subject of an event about no single market. Only the latest event about a subject is valid. */
function keyOf(event: OtherEvent): string {
  switch (event.kind) {
    case 'event-group':
      return `${event.kind} ${event.group.eventTicker}`;
    case 'series':
      return `${event.kind} ${event.series.ticker}`;
    case 'fees-changed':
      return `${event.kind} ${event.eventTicker}`;
    case 'fees-scheduled':
      return `${event.kind} ${event.seriesTicker}`;
    // The content is the subject: the same event on two tapes is written once.
    case 'markets-appeared':
      return canonicalJson({ ...event, at: 0 });
    case 'exchange-status':
    // Gaps and events of one market never come here.
    case 'feed-gap':
    case 'market':
    case 'market-changed':
    case 'ticker':
    case 'book-poll':
      return event.kind;
  }
}
