// The input of a certification: markets and their events, each small and independent. Any part of a stream makes a
// valid tape: the smallest stream that shows a fault is found by leaving parts out.
import type { BookSide } from '../../domain/event.ts';
import type { MarketResult, MarketStatus, Strike } from '../../domain/market.ts';
import type { Side } from '../../domain/orders/order.ts';
import { centsText, contractsText } from '../../domain/amounts.ts';
import { price, qty } from '../../domain/units.ts';

/** A market of a stream. Times are milliseconds from the stream's beginning. */
export interface StreamMarket {
  readonly ticker: string;
  readonly eventTicker: string;
  readonly seriesTicker: string;
  readonly isExclusive: boolean;
  readonly strike: Strike | null;
  /** The price step: whole cents, or tenths of a cent. */
  readonly grid: 'cent' | 'deci-cent';
  /** Time at which the market becomes known. */
  readonly bornMs: number;
  readonly closesMs: number;
  readonly result: MarketResult;
  /** True when the description holds the outcome too early, as in a careless recording. */
  readonly isToldEarly: boolean;
}

/** An event. Prices are in ten-thousandths of a dollar, quantities in hundredths of a contract. */
export type Happening =
  /** Sets the quantity of a level; 0 removes the level. Levels that would be crossed are removed first. */
  | {
      readonly type: 'level';
      readonly atMs: number;
      readonly market: string;
      readonly side: BookSide;
      readonly price: number;
      readonly qty: number;
    }
  /** A trade takes this quantity from the best level, or all of the level if it holds less. */
  | {
      readonly type: 'trade';
      readonly atMs: number;
      readonly market: string;
      readonly side: Side;
      readonly qty: number;
    }
  /** A change of the market's status. */
  | {
      readonly type: 'life';
      readonly atMs: number;
      readonly market: string;
      readonly status: MarketStatus;
      readonly result?: MarketResult;
      readonly value?: number;
    }
  /** A loss of data. `market` is `null` for a loss in all markets. At its end the book is published again. */
  | { readonly type: 'lost'; readonly atMs: number; readonly untilMs: number; readonly market: string | null };

/** The markets and events of one run, with their seed and recipe. */
export interface Stream {
  readonly seed: number;
  readonly recipe: string;
  readonly untilMs: number;
  readonly markets: readonly StreamMarket[];
  /** Sorted by time. */
  readonly happenings: readonly Happening[];
}

/** Returns the stream up to and including a time. */
export const streamUpTo = (stream: Stream, atMs: number): Stream => ({
  ...stream,
  untilMs: Math.min(stream.untilMs, atMs + 1),
  happenings: stream.happenings.filter((each) => each.atMs <= atMs),
});

/** Returns the stream moved to a later time. */
export const shiftStream = (stream: Stream, byMs: number): Stream => ({
  ...stream,
  untilMs: stream.untilMs + byMs,
  markets: stream.markets.map((each) => ({ ...each, bornMs: each.bornMs + byMs, closesMs: each.closesMs + byMs })),
  happenings: stream.happenings.map((each) =>
    each.type === 'lost'
      ? { ...each, atMs: each.atMs + byMs, untilMs: each.untilMs + byMs }
      : { ...each, atMs: each.atMs + byMs },
  ),
});

/** Returns the stream with some of its markets only, and with their events. */
export function keepMarkets(stream: Stream, markets: readonly StreamMarket[]): Stream {
  const names = new Set(markets.map(({ ticker }) => ticker));
  const happenings = stream.happenings.filter(({ market }) => market === null || names.has(market));
  return { ...stream, markets, happenings };
}

const secondsText = (ms: number): string => `${(ms / 1000).toFixed(3)}s`.padStart(9);

/** Formats a stream as readable lines. */
export function streamText({ markets, happenings }: Stream): string[] {
  return [
    ...markets.map(
      ({ ticker, eventTicker, isExclusive, bornMs, closesMs }) =>
        `${secondsText(bornMs)}  ${ticker} is a market of ${eventTicker}${isExclusive ? ' (exclusive)' : ''}, closes at ${(closesMs / 1000).toFixed(0)}s`,
    ),
    ...happenings.map((each) => `${secondsText(each.atMs)}  ${happeningText(each)}`),
  ];
}

function happeningText(what: Happening): string {
  switch (what.type) {
    case 'level':
      return `${what.market} ${what.side} ${centsText(price(what.price))}: ${contractsText(qty(what.qty))} contracts`;
    case 'trade':
      return `${what.market} a trade ${what.side === 'buy' ? 'buys' : 'sells'} ${contractsText(qty(what.qty))} contracts`;
    case 'life':
      return `${what.market} is ${what.status}${what.result === undefined ? '' : `: ${what.result}`}${what.value === undefined ? '' : `, a YES is worth ${centsText(price(what.value))}`}`;
    case 'lost':
      return `no data of ${what.market ?? 'any market'} until ${(what.untilMs / 1000).toFixed(3)}s`;
  }
}
