// Which of the markets that a backtest is to trade its tape has. What is not there is told before anything runs: a run that
// trades nothing would not say why. Must never read more of a tape than it takes to find all that is looked for.
import type { BacktestConfig } from '../../config/backtest-config.ts';
import { parseEventText } from '../../tape/baked/event-text.ts';
import { type OtherEvent, RowKind, type RowSource } from '../../tape/baked/tape-rows.ts';
import { seriesOfGroup } from '../../venues/simulated/feed/tape-listing.ts';
import { UsageError } from '../../cli/output/exit-code.ts';

type Sought = 'tickers' | 'events' | 'series';
type Universe = Pick<BacktestConfig['markets'], Sought>;

/** A config, and what of it the tape does not have. */
export interface ChosenMarkets {
  readonly config: BacktestConfig;
  /** In words, each with its kind, such as `series WIND`. */
  readonly missing: readonly string[];
  /** What the tape has instead, in words; empty when nothing is missing. */
  readonly available: string;
}

/** So many names stand for all of a kind. */
const NAMES_SHOWN = 3;

/**
 * The config with the markets that the command line names in place of its own, where it names any, looked up on the tape.
 * @throws {UsageError} when the tape has none of the config's, or not all that the command line names.
 */
export function chooseMarkets(
  config: BacktestConfig,
  names: readonly string[] | undefined,
  source: RowSource,
): ChosenMarkets {
  const given = names?.flatMap((text) => text.split(',').map((name) => name.trim()));
  const markets = given === undefined ? config.markets : universeOf(given, source);
  const search = new Search(markets);
  search.read(source);
  const missing = search.missing();
  const held = missing.length === 0 ? '' : search.held();
  if (given !== undefined && missing.length > 0)
    throw new UsageError(
      `--markets: expected markets or event groups of the tape, found ${some(missing)}; it has ${held}`,
    );
  if (missing.length === search.sought)
    throw new UsageError(
      `markets: expected markets of the tape, found ${some(missing)}, none of it there; it has ${held}`,
    );
  return { config: { ...config, markets: { ...config.markets, ...markets } }, missing, available: held };
}

/** What has no market's name is taken for an event group's. */
function universeOf(names: readonly string[], source: RowSource): Universe {
  const isMarket = (name: string): boolean => source.tickers.indexOf(name) !== undefined;
  return { tickers: names.filter(isMarket), events: names.filter((name) => !isMarket(name)), series: [] };
}

/** Looks for names among what a tape describes: an event group or a series is there when a market of it is. */
class Search {
  /** How many names are looked for. */
  readonly sought: number;
  readonly #missing: Readonly<Record<Sought, Set<string>>>;
  readonly #found: Readonly<Record<Sought, Set<string>>> = { tickers: new Set(), events: new Set(), series: new Set() };
  readonly #seriesOf = new Map<string, string>();

  constructor({ tickers, events, series }: Universe) {
    this.#missing = { tickers: new Set(tickers), events: new Set(events), series: new Set(series) };
    this.sought = this.missing().length;
  }

  /** Reads a tape until all is found, or to its end. */
  read(source: RowSource): void {
    for (const block of source.readBlocks())
      for (let row = 0; row < block.count; row += 1) {
        if (block.kind[row] !== RowKind.other) continue;
        this.#take(parseEventText(block.text(row)));
        if (this.#isDone) return;
      }
    // The venue has them in the series that their names begin with.
    for (const name of this.#found.events) if (!this.#seriesOf.has(name)) this.#find('series', seriesOfGroup(name));
  }

  get #isDone(): boolean {
    const { tickers, events, series } = this.#missing;
    return tickers.size + events.size + series.size === 0;
  }

  #take(event: OtherEvent): void {
    if (event.kind === 'event-group') {
      const { eventTicker, seriesTicker } = event.group;
      this.#seriesOf.set(eventTicker, seriesTicker);
      if (this.#found.events.has(eventTicker)) this.#find('series', seriesTicker);
    }
    if (event.kind !== 'market') return;
    const { ticker, eventTicker } = event.market;
    this.#find('tickers', ticker);
    this.#find('events', eventTicker);
    const series = this.#seriesOf.get(eventTicker);
    if (series !== undefined) this.#find('series', series);
  }

  #find(what: Sought, name: string): void {
    this.#found[what].add(name);
    this.#missing[what].delete(name);
  }

  /** What was not found, in words. */
  missing(): string[] {
    const { tickers, events, series } = this.#missing;
    return [
      ...[...tickers].map((name) => `market ${name}`),
      ...[...events].map((name) => `event group ${name}`),
      ...[...series].map((name) => `series ${name}`),
    ];
  }

  /** What the tape has, in words: known once it was read to its end. */
  held(): string {
    const { tickers, events, series } = this.#found;
    if (tickers.size === 0) return 'no market that is described';
    const told = [counted(tickers, ['market', 'markets']), counted(events, ['event group', 'event groups'])];
    return [...told, counted(series, ['series', 'series'])].join(', ');
  }
}

/** `423 markets (A, B, C and 420 more)`. */
const counted = (names: ReadonlySet<string>, [one, many]: readonly [string, string]): string =>
  `${names.size} ${names.size === 1 ? one : many} (${some([...names].sort())})`;

function some(names: readonly string[]): string {
  const shown = names.slice(0, NAMES_SHOWN).join(', ');
  return names.length > NAMES_SHOWN ? `${shown} and ${names.length - NAMES_SHOWN} more` : shown;
}
