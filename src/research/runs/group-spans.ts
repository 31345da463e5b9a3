// Event groups of a tape: from when a decision about each is possible, and when its result is known. Must never depend on
// what a strategy does: every trial over a tape has the same groups.
import type { Micros } from '../../domain/units.ts';
import type { OtherEvent } from '../../tape/baked/tape-rows.ts';
import { parseEventText } from '../../tape/baked/event-text.ts';
import { type RowBlock, RowKind, type RowSource } from '../../tape/baked/tape-rows.ts';
import { seriesOfGroup } from '../../venues/simulated/feed/tape-listing.ts';

/** An event group of a tape. */
export interface GroupSpan {
  /** Ticker of the event group. */
  readonly group: string;
  readonly seriesTicker: string;
  /** Series and scheduled close: groups with the same key have one underlying and one settlement time. */
  readonly cluster: string;
  /** Time of its first row. */
  readonly from: Micros;
  /** Time at which the results of all of its markets are known; `null` when the tape ends before. */
  readonly known: Micros | null;
  /** Tickers of its markets, sorted. */
  readonly markets: readonly string[];
}

/** The markets that a run may trade, as a config names them. */
export interface GroupUniverse {
  readonly tickers: string[];
  readonly events: string[];
  readonly series: string[];
}

interface SeenMarket {
  group: string;
  closeAt: number;
  knownAt: number | null;
}

/**
 * Returns the event groups of a tape whose markets a run may trade, in the sequence in which their results are known;
 * groups without results come last.
 */
export function groupSpans(source: RowSource, universe: GroupUniverse): GroupSpan[] {
  const survey = new GroupSurvey();
  for (const block of source.readBlocks()) survey.addBlock(block);
  const spans = survey.spans((market) => source.tickers.tickersByIndex()[market] ?? '');
  return spans.filter((span) => isIncluded(span, universe)).sort(byKnown);
}

const isIncluded = ({ group, seriesTicker, markets }: GroupSpan, { tickers, events, series }: GroupUniverse): boolean =>
  events.includes(group) || series.includes(seriesTicker) || markets.some((market) => tickers.includes(market));

const lastTime = Number.POSITIVE_INFINITY;
const byKnown = (a: GroupSpan, b: GroupSpan): number =>
  (a.known === b.known ? 0 : (a.known ?? lastTime) - (b.known ?? lastTime)) || (a.group < b.group ? -1 : 1);

/** Collects the groups of a tape from its rows. */
class GroupSurvey {
  /** Time of the first row of each market, by its number. */
  readonly #firstAt: number[] = [];
  readonly #markets = new Map<number, SeenMarket>();
  readonly #seriesOf = new Map<string, string>();

  addBlock(block: RowBlock): void {
    const { count, kind, at, market } = block;
    for (let row = 0; row < count; row += 1) {
      if (kind[row] === RowKind.other) this.#addEvent(parseEventText(block.text(row)), at[row] ?? 0);
      else this.#firstAt[market[row] ?? 0] ??= at[row] ?? 0;
    }
  }

  #addEvent(event: OtherEvent, at: number): void {
    if (event.kind === 'event-group') this.#seriesOf.set(event.group.eventTicker, event.group.seriesTicker);
    if (event.kind === 'market') {
      const { index, eventTicker, closeAt, settlementValue } = event.market;
      this.#firstAt[index] ??= at;
      const seen = this.#markets.get(index) ?? { group: eventTicker, closeAt, knownAt: null };
      this.#markets.set(index, { ...seen, closeAt, knownAt: settlementValue === null ? null : (seen.knownAt ?? at) });
    }
    if (event.kind !== 'market-changed') return;
    const seen = this.#markets.get(event.market);
    if (seen && event.settlementValue !== undefined && event.settlementValue !== null) seen.knownAt ??= at;
  }

  /** Returns the groups, in any sequence. */
  spans(tickerOf: (market: number) => string): GroupSpan[] {
    const groups = new Map<string, number[]>();
    for (const [index, { group }] of this.#markets) groups.set(group, [...(groups.get(group) ?? []), index]);
    return [...groups].map(([group, markets]) => this.#spanOf(group, markets, tickerOf));
  }

  #spanOf(group: string, markets: readonly number[], tickerOf: (market: number) => string): GroupSpan {
    const seen = markets.flatMap((index) => this.#markets.get(index) ?? []);
    const known = seen.map(({ knownAt }) => knownAt);
    const series = this.#seriesOf.get(group) ?? seriesOfGroup(group);
    const closeAt = Math.max(...seen.map((market) => market.closeAt));
    return {
      group,
      seriesTicker: series,
      cluster: `${series} ${new Date(Math.floor(closeAt / 1000)).toISOString()}`,
      from: Math.min(...markets.map((index) => this.#firstAt[index] ?? 0)) as Micros,
      known: known.includes(null) ? null : (Math.max(...known.map((at) => at ?? 0)) as Micros),
      markets: markets.map(tickerOf).sort(),
    };
  }
}
