// Defines the markets of an import: as listed in the given definitions, or else with minimal assumptions. Must never
// put a result, or a consequence of it, before its time.
import { type EventTicker, type TickerTable, eventTicker, seriesTicker } from '../../domain/ids.ts';
import { type EventGroup, type Market, statusByClock } from '../../domain/market.ts';
import { type Micros, fromSeconds, micros } from '../../domain/units.ts';
import { countedNote } from '../baked/counted-notes.ts';
import type { OtherEvent } from '../baked/tape-rows.ts';
import type { MarketSurvey, SurveyedMarket } from './market-survey.ts';
import type { Definitions, ListedMarket } from './import-wire.ts';

/** Definitions at the beginning of a tape, and events that are written later, each at its time. */
export interface ImportPrologue {
  readonly beginning: readonly OtherEvent[];
  /** Sorted by time. */
  readonly later: readonly OtherEvent[];
  readonly assumptions: readonly string[];
}

const NO_DEFINITIONS: Definitions = { markets: [], groups: [], series: [] };

/** Returns the definitions of the markets in the rows. */
export function prologueOf(
  survey: MarketSurvey,
  listed: Definitions | undefined,
  tickers: TickerTable,
): ImportPrologue {
  const { span } = survey;
  if (span === null) return { beginning: [], later: [], assumptions: [] };
  const known = listed ?? NO_DEFINITIONS;
  const listedByTicker = new Map(known.markets.map((market) => [market.ticker, market]));
  const seen = survey.surveyedMarkets();
  const derived = seen.filter(({ ticker }) => !listedByTicker.has(ticker));
  const given = seen.flatMap(({ ticker, hasEndInRows }) => {
    const market = listedByTicker.get(ticker);
    return market === undefined ? [] : [{ market, tellsItsEnd: hasEndInRows }];
  });
  const markets = [
    ...given.map(({ market }) => asAtStart(market, span.from)),
    ...derived.map((market) => derivedMarket(market, span.from)),
  ];
  const groups = groupsOf(markets, known.groups);
  const seriesNames = new Set(groups.map(({ group }) => group.seriesTicker));
  const at = span.from;
  return {
    beginning: [
      ...known.series
        .filter(({ ticker }) => seriesNames.has(ticker))
        .map((series): OtherEvent => ({ kind: 'series', at, series })),
      ...groups.map(({ group }): OtherEvent => ({ kind: 'event-group', at, group })),
      ...markets.map((market): OtherEvent => ({
        kind: 'market',
        at,
        market: { ...market, index: tickers.internTicker(market.ticker) },
      })),
    ],
    later: given
      .filter(({ tellsItsEnd }) => !tellsItsEnd)
      .flatMap(({ market }) => endEventsOf(market, { from: span.from, tickers }))
      .sort((a, b) => a.at - b.at),
    assumptions: assumptionsOf({ derived: derived.length, given: given.map(({ market }) => market), groups, known }),
  };
}

type MarketDefinition = Omit<Market, 'index'>;

/** Returns a market as it was at the beginning of the tape, whenever it was listed. */
function asAtStart(listed: ListedMarket, from: Micros): MarketDefinition {
  const { determinedAt: _known, settledAt: _paid, settlementDelay: _delay, ...market } = listed;
  const status = statusByClock({ ...market, status: 'initialized' }, from);
  return { ...market, status, result: null, settlementValue: null };
}

const HOUR = fromSeconds(3600);

/**
 * Returns a market derived from its rows. Times are whole hours: most venues open and close on the hour. A close to the
 * second would reveal the time of the last row.
 */
function derivedMarket({ ticker, grid, from, to }: SurveyedMarket, begin: Micros): MarketDefinition {
  const openAt = micros(Math.floor(from / HOUR) * HOUR);
  const closeAt = micros((Math.floor(to / HOUR) + 1) * HOUR);
  return {
    ticker,
    eventTicker: groupNameOf(ticker),
    title: ticker,
    status: statusByClock({ status: 'initialized', openAt, closeAt }, begin),
    openAt,
    closeAt,
    canCloseEarly: true,
    grid,
    result: null,
    settlementValue: null,
  };
}

const groupNameOf = (ticker: string): EventTicker => {
  const end = ticker.lastIndexOf('-');
  return eventTicker(end > 0 ? ticker.slice(0, end) : ticker);
};

interface NamedGroup {
  readonly group: EventGroup;
  readonly isDerived: boolean;
}

/** Returns the group of each market, as listed or derived. */
function groupsOf(markets: readonly MarketDefinition[], listed: readonly EventGroup[]): readonly NamedGroup[] {
  const listedByName = new Map(listed.map((group) => [group.eventTicker, group]));
  const tickersByName = new Map<EventTicker, Market['ticker'][]>();
  for (const { eventTicker: name, ticker } of markets) {
    const tickers = tickersByName.get(name) ?? [];
    tickers.push(ticker);
    tickersByName.set(name, tickers);
  }
  return [...tickersByName].map(([name, tickers]) => {
    const group = listedByName.get(name);
    if (group !== undefined) return { isDerived: false, group: { ...group, tickers } };
    const series = seriesTicker(name.split('-')[0] || name);
    return {
      isDerived: true,
      group: { eventTicker: name, seriesTicker: series, title: name, isExclusive: false, tickers },
    };
  });
}

/** Returns the events of a market's end, if its result was listed. */
function endEventsOf(
  market: ListedMarket,
  { from, tickers }: { readonly from: Micros; readonly tickers: TickerTable },
): OtherEvent[] {
  const { result, settlementValue } = market;
  if (result === null) return [];
  const index = tickers.internTicker(market.ticker);
  const { knownAt, paidAt } = endTimes(market);
  const known = micros(Math.max(from, knownAt));
  const paid = micros(Math.max(from, paidAt));
  return [
    {
      kind: 'market-changed',
      at: known,
      exchangeAt: null,
      market: index,
      status: 'determined',
      result,
      settlementValue,
    },
    { kind: 'market-changed', at: paid, exchangeAt: null, market: index, status: 'finalized' },
  ];
}

type Ending = Pick<ListedMarket, 'closeAt' | 'determinedAt' | 'settledAt' | 'settlementDelay'>;

function endTimes({ closeAt, determinedAt, settledAt, settlementDelay }: Ending): { knownAt: number; paidAt: number } {
  if (settledAt === null) {
    const knownAt = Math.max(closeAt, determinedAt ?? closeAt);
    return { knownAt, paidAt: knownAt + settlementDelay };
  }
  const knownAt = determinedAt ?? settledAt - settlementDelay;
  // A payment before the listed close shows that the market closed early. Then the listed close is no lower bound.
  return { knownAt: settledAt < closeAt ? knownAt : Math.max(closeAt, knownAt), paidAt: settledAt };
}

interface AssumptionCounts {
  readonly derived: number;
  readonly given: readonly ListedMarket[];
  readonly groups: readonly NamedGroup[];
  readonly known: Definitions;
}

function assumptionsOf({ derived, given, groups, known }: AssumptionCounts): string[] {
  const derivedGroups = groups.filter(({ isDerived }) => isDerived).length;
  const series = new Set(known.series.map(({ ticker }) => ticker));
  const unpriced = groups.filter(({ group }) => !series.has(group.seriesTicker)).length;
  const undated = given.filter(({ result, determinedAt }) => result !== null && determinedAt === null);
  const paid = undated.filter(({ settledAt }) => settledAt !== null).length;
  const unpaid = undated.length - paid;
  return [
    ...(derived > 0 ? [countedNote('undefinedMarkets', { counts: [derived] })] : []),
    ...(derivedGroups > 0 ? [countedNote('undefinedGroups', { counts: [derivedGroups] })] : []),
    ...(unpriced > 0 ? [countedNote('undefinedFees', { counts: [unpriced] })] : []),
    ...(given.length + derived > 0
      ? ['All markets are known from the first row on, also those that were listed later.']
      : []),
    ...(paid > 0 ? [countedNote('resultBeforePayment', { counts: [paid] })] : []),
    ...(unpaid > 0 ? [countedNote('resultAtClose', { counts: [unpaid] })] : []),
    ...(given.some(({ canCloseEarly, result }) => canCloseEarly && result !== null)
      ? [
          'Close times are those of the definitions: of a market that closed early, the early close is known in advance.',
        ]
      : []),
  ];
}
