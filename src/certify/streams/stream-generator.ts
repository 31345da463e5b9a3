// Generates streams from a seed: markets that open, trade, trend, lose data, close and settle. Must never draw from
// anything but the seed.
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import type { Effort } from '../check-verdict.ts';
import type { Happening, Stream, StreamMarket } from './stream.ts';
import { type RequestedNames, generateMarkets } from './generated-markets.ts';
import { MarketFlow } from './market-flow.ts';
import type { Draw, Recipe } from './stream-recipe.ts';

export const RECIPES = {
  /** Trades, trends, data losses, closes and settlements. */
  mixed: { name: 'mixed', seconds: 240, groups: 5, perSecond: 12, lostEverySeconds: 20, isSettling: true },
  /** Books and trades, without data losses; no market closes. */
  calm: { name: 'calm', seconds: 120, groups: 4, perSecond: 20, lostEverySeconds: 0, isSettling: false },
  /** Markets join and leave all the time. */
  churn: { name: 'churn', seconds: 600, groups: 8, perSecond: 12, lostEverySeconds: 0, isSettling: true },
} as const satisfies Readonly<Record<string, Recipe>>;

/** Generates the mixed stream of an effort. */
export const mixedStream = ({ seconds }: Effort, seed: number, names: RequestedNames): Stream =>
  generateStream({ ...RECIPES.mixed, seconds }, seed, names);

/** Generates a stream (markets with their events) with market names that the strategy takes. */
export function generateStream(recipe: Recipe, seed: number, names: RequestedNames = {}): Stream {
  const random = xoroshiro128plus(seed);
  const draw: Draw = (from, to) => uniformInt(random, from, to);
  const markets = generateMarkets(recipe, draw, names);
  const flows = markets.map((market) => new MarketFlow(market, draw, recipe.isSettling));
  const happenings: Happening[] = flows.flatMap((flow) => flow.openingEvents());
  const stepMs = 1000 / recipe.perSecond;
  for (let atMs = stepMs; atMs < recipe.seconds * 1000; atMs += stepMs) {
    const living = flows.filter((flow) => flow.isTrading(atMs));
    const flow = living[draw(0, Math.max(0, living.length - 1))];
    if (flow) happenings.push(...flow.nextEvents(Math.round(atMs)));
  }
  happenings.push(...flows.flatMap((flow) => flow.closingEvents()), ...dataLosses(recipe, markets, draw));
  const untilMs = recipe.seconds * 1000 + 5000;
  const inTime = happenings.filter(({ atMs }) => atMs < untilMs).sort((a, b) => a.atMs - b.atMs);
  return { seed, recipe: recipe.name, untilMs, markets, happenings: inTime };
}

function dataLosses({ lostEverySeconds, seconds }: Recipe, markets: readonly StreamMarket[], draw: Draw): Happening[] {
  if (lostEverySeconds === 0) return [];
  const happenings: Happening[] = [];
  for (let second = lostEverySeconds; second < seconds; second += draw(lostEverySeconds, 2 * lostEverySeconds)) {
    const atMs = second * 1000 + draw(0, 999);
    const living = markets.filter(({ bornMs, closesMs }) => bornMs < atMs && closesMs > atMs);
    const chosen = living[draw(0, Math.max(0, living.length - 1))];
    const market = draw(0, 3) === 0 ? null : (chosen?.ticker ?? null);
    happenings.push({ type: 'lost', atMs, untilMs: atMs + draw(200, 4000), market });
  }
  return happenings;
}
