// Generates very many markets that join, trade a little and leave, to measure a strategy's cost with many markets. Must
// never draw from anything but the seed.
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import type { BookSide } from '../../domain/event.ts';
import type { RequestedNames } from './generated-markets.ts';
import type { Happening, Stream, StreamMarket } from './stream.ts';

const GROUP_SIZE = 10;
const CENT = 100;
const JOIN_MS = 20_000;
const TRADE_MS = 40_000;
const LEAVE_MS = 20_000;

export interface ManyMarketsOptions {
  readonly seed: number;
  readonly markets: number;
  /** Number of level changes and trades while all markets are open. */
  readonly changes: number;
  readonly names: RequestedNames;
}

/** Generates the markets and events: all markets join, then some trade, then all settle. */
export function generateManyMarkets({ seed, markets: count, changes, names }: ManyMarketsOptions): Stream {
  const random = xoroshiro128plus(seed);
  const draw = (from: number, to: number): number => uniformInt(random, from, to);
  const markets = Array.from({ length: count }, (_, number) => marketOf(number, count, names));
  const happenings: Happening[] = [];
  for (const { ticker: market, bornMs, closesMs } of markets) {
    for (const side of ['bid', 'ask'] as const)
      for (let away = 1; away <= 2; away++) happenings.push(levelOf({ atMs: bornMs + 1, market, side, away }, draw));
    happenings.push(
      { type: 'life', atMs: closesMs, market, status: 'closed' },
      { type: 'life', atMs: closesMs + 100, market, status: 'determined', result: 'no' },
      { type: 'life', atMs: closesMs + 200, market, status: 'finalized', result: 'no' },
    );
  }
  for (let change = 0; change < changes; change++) {
    const atMs = JOIN_MS + Math.floor((change * TRADE_MS) / changes);
    const market = markets[draw(0, count - 1)]?.ticker ?? '';
    if (draw(0, 4) === 0) {
      const side = draw(0, 1) === 0 ? 'buy' : 'sell';
      happenings.push({ type: 'trade', atMs, market, side, qty: draw(1, 5) * 100 });
    } else happenings.push(levelOf({ atMs, market, side: draw(0, 1) === 0 ? 'bid' : 'ask', away: draw(1, 3) }, draw));
  }
  happenings.sort((a, b) => a.atMs - b.atMs);
  return { seed, recipe: 'many', untilMs: JOIN_MS + TRADE_MS + LEAVE_MS + 5000, markets, happenings };
}

function marketOf(number: number, count: number, names: RequestedNames): StreamMarket {
  const group = Math.floor(number / GROUP_SIZE);
  const event = names.events?.[group % names.events.length] ?? `MANY${group}`;
  const share = number / count;
  return {
    ticker: names.tickers?.[number] ?? `${event}-M${number}`,
    eventTicker: event,
    seriesTicker: names.series?.[group % names.series.length] ?? 'GENERATED',
    isExclusive: names.isExclusive ?? group % 2 === 0,
    strike: null,
    grid: 'cent',
    bornMs: Math.floor(share * JOIN_MS),
    closesMs: JOIN_MS + TRADE_MS + Math.floor(share * LEAVE_MS),
    result: 'no',
    isToldEarly: false,
  };
}

interface LevelAt {
  readonly atMs: number;
  readonly market: string;
  readonly side: BookSide;
  readonly away: number;
}

/** The price is near 20 cents. */
function levelOf({ atMs, market, side, away }: LevelAt, draw: (from: number, to: number) => number): Happening {
  const price = (20 + (side === 'bid' ? -away : away) * 2 + draw(0, 1)) * CENT;
  return { type: 'level', atMs, market, side, price, qty: draw(1, 20) * 100 };
}
