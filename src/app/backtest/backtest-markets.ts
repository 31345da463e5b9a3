// Looks up the markets of a backtest on its tape. Missing markets are reported before the run: a run that trades
// nothing does not say why. Must never read more of the tape than the search needs.
import type { BacktestConfig } from '../../config/backtest-config.ts';
import { ConfigValueFault } from '../../base/config-value-fault.ts';
import { parseEventText } from '../../tape/baked/event-text.ts';
import { type OtherEvent, RowKind, type RowSource } from '../../tape/baked/tape-rows.ts';
import { seriesOfGroup } from '../../venues/simulated/feed/tape-listing.ts';
import { OptionFault } from '../usage-error.ts';

type NameKind = 'tickers' | 'events' | 'series';
type Universe = Pick<BacktestConfig['markets'], NameKind>;

/** A config with its chosen markets, and the requested names that the tape does not have. */
export interface ChosenMarkets {
  readonly config: BacktestConfig;
  /** Each name with its kind, such as `series WIND`. */
  readonly missing: readonly string[];
  /** Summary of the tape's markets. Empty when nothing is missing. */
  readonly available: string;
}

const NAMES_SHOWN = 3;

/**
 * Looks up the config's markets on the tape, or the given names in their place.
 * @throws {ConfigValueFault} when the tape has none of the config's markets.
 * @throws {OptionFault} when the tape does not have one of the given names.
 */
export function chooseMarkets(
  config: BacktestConfig,
  names: readonly string[] | undefined,
  source: RowSource,
): ChosenMarkets {
  const given = names?.flatMap((text) => text.split(',').map((name) => name.trim()));
  if (given?.includes('') === true)
    throw wrongMarkets(`names of markets or event groups, found an empty one in ${JSON.stringify(names?.join(' '))}`);
  if (given?.length === 0) throw wrongMarkets('names of markets or event groups, found none');
  const markets = given === undefined ? config.markets : universeOf(given, source);
  const search = new MarketSearch(markets);
  search.readTape(source);
  const missing = search.missingNames();
  const available = missing.length === 0 ? '' : search.summary();
  if (given !== undefined && missing.length > 0)
    throw wrongMarkets(`markets or event groups of the tape, found ${some(missing)}; it has ${available}`);
  if (missing.length === search.count)
    throw new ConfigValueFault(
      { place: 'markets', value: some(missing) },
      `markets of the tape (it has none of ${some(missing)}; it has ${available})`,
    );
  return { config: { ...config, markets: { ...config.markets, ...markets } }, missing, available };
}

const wrongMarkets = (expected: string): OptionFault =>
  new OptionFault((nameOf) => `${nameOf('markets')}: expected ${expected}`);

function universeOf(names: readonly string[], source: RowSource): Universe {
  const isMarket = (name: string): boolean => source.tickers.indexOf(name) !== undefined;
  return { tickers: names.filter(isMarket), events: names.filter((name) => !isMarket(name)), series: [] };
}

/** Searches a tape for names. An event group or a series is found with the first of its markets. */
class MarketSearch {
  readonly count: number;
  readonly #missing: Readonly<Record<NameKind, Set<string>>>;
  readonly #found: Readonly<Record<NameKind, Set<string>>> = {
    tickers: new Set(),
    events: new Set(),
    series: new Set(),
  };
  readonly #seriesOf = new Map<string, string>();

  constructor({ tickers, events, series }: Universe) {
    this.#missing = { tickers: new Set(tickers), events: new Set(events), series: new Set(series) };
    this.count = this.missingNames().length;
  }

  readTape(source: RowSource): void {
    for (const block of source.readBlocks())
      for (let row = 0; row < block.count; row += 1) {
        if (block.kind[row] !== RowKind.other) continue;
        this.#addEvent(parseEventText(block.text(row)));
        if (this.#isDone) return;
      }
    // A group without a description belongs to the series at the beginning of its name.
    for (const name of this.#found.events)
      if (!this.#seriesOf.has(name)) this.#markFound('series', seriesOfGroup(name));
  }

  get #isDone(): boolean {
    const { tickers, events, series } = this.#missing;
    return tickers.size + events.size + series.size === 0;
  }

  #addEvent(event: OtherEvent): void {
    if (event.kind === 'event-group') {
      const { eventTicker, seriesTicker } = event.group;
      this.#seriesOf.set(eventTicker, seriesTicker);
      if (this.#found.events.has(eventTicker)) this.#markFound('series', seriesTicker);
    }
    if (event.kind !== 'market') return;
    const { ticker, eventTicker } = event.market;
    this.#markFound('tickers', ticker);
    this.#markFound('events', eventTicker);
    const series = this.#seriesOf.get(eventTicker);
    if (series !== undefined) this.#markFound('series', series);
  }

  #markFound(kind: NameKind, name: string): void {
    this.#found[kind].add(name);
    this.#missing[kind].delete(name);
  }

  missingNames(): string[] {
    const { tickers, events, series } = this.#missing;
    return [
      ...[...tickers].map((name) => `market ${name}`),
      ...[...events].map((name) => `event group ${name}`),
      ...[...series].map((name) => `series ${name}`),
    ];
  }

  /** Summarizes the tape's markets. Complete only after a read to the end of the tape. */
  summary(): string {
    const { tickers, events, series } = this.#found;
    if (tickers.size === 0) return 'no described market';
    const parts = [counted(tickers, ['market', 'markets']), counted(events, ['event group', 'event groups'])];
    return [...parts, counted(series, ['series', 'series'])].join(', ');
  }
}

const counted = (names: ReadonlySet<string>, [one, many]: readonly [string, string]): string =>
  `${names.size} ${names.size === 1 ? one : many} (${some([...names].sort())})`;

function some(names: readonly string[]): string {
  const shown = names.slice(0, NAMES_SHOWN).join(', ');
  return names.length > NAMES_SHOWN ? `${shown} and ${names.length - NAMES_SHOWN} more` : shown;
}
