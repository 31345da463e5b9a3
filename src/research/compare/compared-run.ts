// One side of a comparison as data: results by event group, and every order, denial and fill in the sequence in which they
// happened. Must never hold a sample: two runs are compared order by order.
import type { WatchedMarket } from '../../app/session/watched-markets.ts';
import { describeDenial } from '../../domain/denial.ts';
import { micros } from '../../domain/units.ts';
import type { DeniedIntent } from '../../report/record/denied-intents.ts';
import type { RunFacts, RunRecord } from '../../report/record/run-record.ts';
import type { GroupSpan } from '../runs/group-spans.ts';
import type { GroupResult } from '../trial/study-trial.ts';

/** An order, or an intent that risk denied. Prices are in ten-thousandths of a dollar, quantities in hundredths. */
export interface RunStep {
  readonly type: 'order' | 'denial';
  /** Time of the bot, microseconds. */
  readonly at: number;
  readonly strategy: string;
  /** Ticker; `null` for an intent without a market. */
  readonly market: string | null;
  /** Terms of an order; `null` for a denial. */
  readonly terms: { readonly side: string; readonly price: number; readonly qty: number } | null;
  /** Code of a denial; `null` for an order. */
  readonly code: string | null;
  /** The strategy's reason for an order, or the reason of a denial in words. */
  readonly reason: string;
}

/** A trade of ours. */
export interface RunFill {
  readonly at: number;
  readonly market: string;
  readonly side: string;
  readonly price: number;
  readonly qty: number;
}

/** One side of a comparison. */
export interface ComparedRun {
  /** The place that was compared, as the user named it. */
  readonly name: string;
  readonly kind: RunFacts['kind'];
  /** Empty for a session: it has none. */
  readonly decisionHash: string;
  readonly isPartial: boolean;
  readonly seed: number;
  readonly strategies: RunFacts['strategies'];
  readonly groups: readonly GroupResult[];
  /** In the sequence of time. */
  readonly steps: readonly RunStep[];
  readonly fills: readonly RunFill[];
  /** False when denials are not known one by one, as those of a session. */
  readonly hasDenials: boolean;
}

/** Everything that one side is made of. */
export interface ComparedParts {
  readonly name: string;
  readonly record: RunRecord;
  readonly groups: readonly GroupResult[];
  /** `null` when they are not known one by one. */
  readonly denied: readonly DeniedIntent[] | null;
}

/** Makes a side from a run's record, which must hold every order and fill. */
export function comparedRun({ name, record, groups, denied }: ComparedParts): ComparedRun {
  const { kind, decisionHash, isPartial, seed, strategies } = record;
  const orders = record.orders.map(({ createdAt, strategy, ticker, side, price, qty, reason }): RunStep => ({
    type: 'order',
    at: createdAt,
    strategy,
    market: ticker,
    terms: { side, price, qty },
    code: null,
    reason,
  }));
  const denials = (denied ?? []).map(({ at, strategy, ticker, denial }): RunStep => ({
    type: 'denial',
    at,
    strategy,
    market: ticker,
    terms: null,
    code: denial.code,
    reason: describeDenial(denial),
  }));
  const fills = record.fills.map(({ at, ticker, side, price, qty }) => ({ at, market: ticker, side, price, qty }));
  return {
    name,
    kind,
    decisionHash,
    isPartial,
    seed,
    strategies,
    groups,
    steps: inTimeSequence([...orders, ...denials]),
    fills: inTimeSequence(fills),
    hasDenials: denied !== null,
  };
}

/** Sorts by time; rows of one time keep their sequence. */
export const inTimeSequence = <Row extends { readonly at: number }>(rows: readonly Row[]): Row[] =>
  rows.toSorted((a, b) => a.at - b.at);

/**
 * Event groups of a session: those of its record, in which it ordered, held a position or made a forecast, and those that it
 * only watched. A group's result is known when that of each of these markets is.
 */
export function spansOfSession(
  { markets: recorded, from }: Pick<RunRecord, 'markets' | 'from'>,
  watched: readonly WatchedMarket[],
): GroupSpan[] {
  const markets = [...new Map([...watched, ...recorded].map((market) => [market.ticker, market])).values()];
  const groups = [...new Set(markets.map(({ eventTicker }) => eventTicker))];
  return groups.map((group): GroupSpan => {
    const own = markets.filter(({ eventTicker }) => eventTicker === group);
    const seriesTicker = own.find((market) => market.seriesTicker !== null)?.seriesTicker ?? group;
    return {
      group,
      seriesTicker,
      cluster: group,
      from: micros(from),
      known: own.every(({ settlementValue }) => settlementValue !== null) ? micros(lastClose(own)) : null,
      markets: own.map(({ ticker }) => ticker).sort(),
    };
  });
}

const lastClose = (markets: readonly { readonly closeAt: number }[]): number =>
  Math.max(...markets.map(({ closeAt }) => closeAt));
