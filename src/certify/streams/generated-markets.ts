// Generates markets: single ones, exclusive groups, and groups with rising strikes. As far as possible they get the
// names that a strategy's selector asks for. Must never draw from anything but the seed.
import type { MarketSelector } from '../../strategy/strategy-definition.ts';
import type { Draw, Recipe } from './stream-recipe.ts';
import type { StreamMarket } from './stream.ts';

/** Names that a strategy asks for. Without a request, any name will do. */
export interface RequestedNames {
  readonly tickers?: readonly string[];
  readonly events?: readonly string[];
  readonly series?: readonly string[];
  readonly isExclusive?: boolean;
}

/** Returns the names that a selector asks for. */
export function requestedNames({ tickers, events, series, isExclusive }: MarketSelector): RequestedNames {
  return {
    ...(tickers && { tickers }),
    ...(events && { events }),
    ...(series && { series }),
    ...(isExclusive !== undefined && { isExclusive }),
  };
}

type Kind = 'single' | 'exclusive' | 'ladder';
const SIZES: Readonly<Record<Kind, number>> = { single: 1, exclusive: 3, ladder: 4 };
/** Lifetime of a settling market. Milliseconds. */
const LIFE_MS = { from: 40_000, to: 110_000 } as const;

/** Generates markets by a recipe. */
export function generateMarkets(recipe: Recipe, draw: Draw, names: RequestedNames): StreamMarket[] {
  const markets: StreamMarket[] = [];
  const untilMs = recipe.seconds * 1000;
  for (let slot = 0; slot < recipe.groups; slot++) {
    let bornMs = slot === 0 ? 0 : draw(0, 3) * 500;
    for (let generation = 0; bornMs < untilMs; generation++) {
      const closesMs = recipe.isSettling ? bornMs + draw(LIFE_MS.from, LIFE_MS.to) : untilMs + 3_600_000;
      const number = slot + generation * recipe.groups;
      markets.push(...groupOf({ number, bornMs, closesMs, recipe }, draw, names));
      if (!recipe.isSettling) break;
      bornMs = closesMs + draw(500, 5000);
    }
  }
  addMissingGroups(markets, { recipe, draw, names });
  return withAskedTickers(markets, names);
}

/** Adds groups until each ticker of the selector has a market. */
function addMissingGroups(
  markets: StreamMarket[],
  { recipe, draw, names }: { readonly recipe: Recipe; readonly draw: Draw; readonly names: RequestedNames },
): void {
  for (let number = markets.length; markets.length < (names.tickers?.length ?? 0); number++) {
    const closesMs = recipe.isSettling ? draw(LIFE_MS.from, LIFE_MS.to) : recipe.seconds * 1000 + 3_600_000;
    markets.push(...groupOf({ number, bornMs: 0, closesMs, recipe }, draw, names));
  }
}

interface GroupSpec {
  readonly number: number;
  readonly bornMs: number;
  readonly closesMs: number;
  readonly recipe: Recipe;
}

function groupOf({ number, bornMs, closesMs, recipe }: GroupSpec, draw: Draw, names: RequestedNames): StreamMarket[] {
  const kind = kindOf(number, names);
  const event = names.events?.[number % names.events.length] ?? `GEN${number}`;
  const series = names.series?.[number % names.series.length] ?? 'GENERATED';
  const winner = draw(0, SIZES[kind]);
  return Array.from({ length: SIZES[kind] }, (_, member): StreamMarket => {
    const isYes = kind === 'ladder' ? member < winner : member === winner;
    const isScalar = kind === 'single' && !isYes && draw(0, 2) === 0;
    return {
      ticker: `${event}-${number}${'ABCD'[member] ?? ''}`,
      eventTicker: event,
      seriesTicker: series,
      isExclusive: kind === 'exclusive',
      strike: kind === 'ladder' ? { type: 'greater', floor: 50 + 10 * member, cap: null } : null,
      grid: number % 3 === 2 ? 'deci-cent' : 'cent',
      bornMs,
      closesMs,
      result: isScalar && recipe.isToldEarly !== true ? 'scalar' : isYes ? 'yes' : 'no',
      isToldEarly: recipe.isToldEarly === true,
    };
  });
}

function kindOf(number: number, { isExclusive }: RequestedNames): Kind {
  if (isExclusive === true) return 'exclusive';
  const kinds: readonly Kind[] = isExclusive === false ? ['single', 'ladder'] : ['exclusive', 'ladder', 'single'];
  return kinds[number % kinds.length] ?? 'single';
}

/** Tickers beyond the number of markets are left out. */
function withAskedTickers(markets: readonly StreamMarket[], { tickers = [] }: RequestedNames): StreamMarket[] {
  return markets.map((market, index) => ({ ...market, ticker: tickers[index] ?? market.ticker }));
}
