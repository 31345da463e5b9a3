// What a strategy is certified on: markets, and what happens in them, each a small thing of its own. Any of them may be
// left out and the rest still makes a tape: so the smallest stream that shows a fault can be looked for.
import type { BookSide } from '../domain/event.ts';
import type { MarketResult, MarketStatus, Strike } from '../domain/market.ts';
import type { Side } from '../domain/order.ts';
import { centsText, contractsText } from '../domain/amounts.ts';
import { price, qty } from '../domain/units.ts';

/** A market of a stream. Times are milliseconds from the stream's beginning. */
export interface StreamMarket {
  readonly ticker: string;
  readonly eventTicker: string;
  readonly seriesTicker: string;
  readonly isExclusive: boolean;
  readonly strike: Strike | null;
  /** The finest prices: whole cents, or tenths of them. */
  readonly grid: 'cent' | 'deci-cent';
  /** When it becomes known, at the earliest with the stream. */
  readonly bornMs: number;
  readonly closesMs: number;
  readonly result: MarketResult;
  /** Whether its description has the outcome before anybody should know: what a careless recorder writes down. */
  readonly isToldEarly: boolean;
}

/** Something that happens. Prices in ten-thousandths of a dollar, quantities in hundredths of a contract. */
export type Happening =
  /** A level has this quantity from now on, nothing at 0. What it would cross is gone first. */
  | {
      readonly type: 'level';
      readonly atMs: number;
      readonly market: string;
      readonly side: BookSide;
      readonly price: number;
      readonly qty: number;
    }
  /** Somebody takes so much of the best level, or what is there. */
  | {
      readonly type: 'trade';
      readonly atMs: number;
      readonly market: string;
      readonly side: Side;
      readonly qty: number;
    }
  /** The market moves on. */
  | {
      readonly type: 'life';
      readonly atMs: number;
      readonly market: string;
      readonly status: MarketStatus;
      readonly result?: MarketResult;
      readonly value?: number;
    }
  /** Nothing is told for a while: of one market, or of all. Then its book is told anew. */
  | { readonly type: 'lost'; readonly atMs: number; readonly untilMs: number; readonly market: string | null };

/** A stream. */
export interface Stream {
  readonly seed: number;
  readonly recipe: string;
  readonly untilMs: number;
  readonly markets: readonly StreamMarket[];
  /** In the order of time. */
  readonly happenings: readonly Happening[];
}

/** The stream with what happens up to a time, that included. */
export const upTo = (stream: Stream, atMs: number): Stream => ({
  ...stream,
  untilMs: Math.min(stream.untilMs, atMs + 1),
  happenings: stream.happenings.filter((each) => each.atMs <= atMs),
});

/** The stream so much later. */
export const shifted = (stream: Stream, byMs: number): Stream => ({
  ...stream,
  untilMs: stream.untilMs + byMs,
  markets: stream.markets.map((each) => ({ ...each, bornMs: each.bornMs + byMs, closesMs: each.closesMs + byMs })),
  happenings: stream.happenings.map((each) =>
    each.type === 'lost'
      ? { ...each, atMs: each.atMs + byMs, untilMs: each.untilMs + byMs }
      : { ...each, atMs: each.atMs + byMs },
  ),
});

/** The stream without some of its markets and all that happens in them. */
export function onlyMarkets(stream: Stream, kept: readonly StreamMarket[]): Stream {
  const names = new Set(kept.map(({ ticker }) => ticker));
  const happenings = stream.happenings.filter(({ market }) => market === null || names.has(market));
  return { ...stream, markets: kept, happenings };
}

const secondsText = (ms: number): string => `${(ms / 1000).toFixed(3)}s`.padStart(9);

/** A stream as lines that a person can read. */
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
      return `${what.market} somebody ${what.side === 'buy' ? 'buys' : 'sells'} ${contractsText(qty(what.qty))} contracts`;
    case 'life':
      return `${what.market} is ${what.status}${what.result === undefined ? '' : `: ${what.result}`}${what.value === undefined ? '' : `, a YES is worth ${centsText(price(what.value))}`}`;
    case 'lost':
      return `nothing is told of ${what.market ?? 'any market'} until ${(what.untilMs / 1000).toFixed(3)}s`;
  }
}
