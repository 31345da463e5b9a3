// Measures whether quotes that cross our orders trade with them. Some makers only post: the venue refuses a quote of theirs
// that would trade, so it fills no one. When a quote does fill our order and wants more, its remaining quantity rests at
// our price or through it from that moment on. Must never count a fill whose print the tape does not show in that moment.
import { tapeWithoutOwn } from '../../../backtest/parity/tape-without-own.ts';
import { RowCursor } from '../../../backtest/row-cursor.ts';
import { SharedBlocks } from '../../../backtest/shared-blocks.ts';
import { ticker } from '../../domain/ids.ts';
import type { Micros } from '../../domain/units.ts';
import { type RowSource, RowKind } from '../../tape/baked/tape-rows.ts';
import { binomialUpperBound } from '../statistics/binomial-bound.ts';
import type { SessionFacts } from './calibration-facts.ts';

/** Fills that used up one of our resting orders: their takers may have wanted more. */
export interface CrossingEvidence {
  readonly fills: number;
  /** The fills after which quantity of the taker rested on the other side, at our price or through it. */
  readonly rested: number;
}

const CONFIDENCE = 0.95;
/**
 * Where quotes made at most this share of the fills, a quote that crosses us is taken to fill no one. The simulation then
 * lacks that share at most. Where makers trade with the orders that they cross, they make most of the fills.
 */
const SHARE_MAX = 0.1;
/** Fewest fills that can show it, none of them with a rest. */
export const CROSSING_FILLS_MIN = Math.ceil(Math.log(1 - CONFIDENCE) / Math.log(1 - SHARE_MAX));

/** The largest share of our fills that quotes may have made, with 95 % confidence. */
export const crossingShareMax = ({ fills, rested }: CrossingEvidence): number =>
  binomialUpperBound({ found: rested, all: fills }, CONFIDENCE);

/** Returns true, the simulator's default, unless the evidence is against it. */
export const fillsWhenCrossed = (evidence: CrossingEvidence): boolean => crossingShareMax(evidence) > SHARE_MAX;

/** Adds up the evidence of several sessions. */
export function summedEvidence(all: readonly CrossingEvidence[]): CrossingEvidence {
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
  return { fills: sum(all.map(({ fills }) => fills)), rested: sum(all.map(({ rested }) => rested)) };
}

/**
 * Looks on a session's tape for the rests of its takers.
 * @param window longest time between the rows of one trade, by the venue's clock. Microseconds.
 */
export function crossingEvidence(source: RowSource, session: SessionFacts, window: number): CrossingEvidence {
  const search = new RestSearch(source, session, window);
  const { changes, taken, from, to } = session;
  const others = tapeWithoutOwn(source, { changes, taken, takenLater: 0 });
  const cursor = new RowCursor(new SharedBlocks(others, { from: from as Micros, to: (to + 1) as Micros }, 1));
  for (; !cursor.isOver; cursor.nextRow()) search.passRow(cursor);
  return search.evidence();
}

/** The end of one of our resting orders by a fill. */
interface UsedUp {
  readonly at: number;
  readonly price: number;
  isPrinted: boolean;
  hasRest: boolean;
}

const placeOf = (market: number, isBuyer: boolean): string => `${market} ${isBuyer ? 'buyer' : 'seller'}`;

class RestSearch {
  readonly #window: number;
  /** By market and side of the taker, in the sequence of time. */
  readonly #ends = new Map<string, UsedUp[]>();
  /** Number of ends of each place that are too old for any later row. */
  readonly #passed = new Map<string, number>();

  constructor({ tickers }: RowSource, { spells }: SessionFacts, window: number) {
    this.#window = window;
    const filled = spells.flatMap(({ endedBy, endedAt, ...spell }) =>
      endedBy === 'filled' && endedAt !== null ? [{ ...spell, at: endedAt }] : [],
    );
    for (const { at, price, side, ...spell } of filled.toSorted((a, b) => a.at - b.at)) {
      const place = placeOf(tickers.internTicker(ticker(spell.ticker)), side === 'sell');
      const ends = this.#ends.get(place) ?? [];
      ends.push({ at, price, isPrinted: false, hasRest: false });
      this.#ends.set(place, ends);
    }
  }

  passRow({ row, rowKind: kind, market, price, qty, venueTime }: RowCursor): void {
    const isPrint = kind === RowKind.buy || kind === RowKind.sell;
    if ((!isPrint && kind !== RowKind.bid && kind !== RowKind.ask) || (qty[row] ?? 0) <= 0) return;
    // A buyer's rest is a bid.
    const isBuyer = kind === RowKind.buy || kind === RowKind.bid;
    for (const end of this.#near(placeOf(market[row] ?? 0, isBuyer), venueTime)) {
      const through = ((price[row] ?? 0) - end.price) * (isBuyer ? 1 : -1);
      if (isPrint) end.isPrinted ||= through === 0;
      else end.hasRest ||= through >= 0;
    }
  }

  #near(place: string, at: number): readonly UsedUp[] {
    const ends = this.#ends.get(place);
    if (ends === undefined) return [];
    let first = this.#passed.get(place) ?? 0;
    while ((ends[first]?.at ?? Infinity) < at - this.#window) first++;
    this.#passed.set(place, first);
    const next = ends.findIndex((end, index) => index >= first && end.at > at + this.#window);
    return ends.slice(first, next < 0 ? undefined : next);
  }

  evidence(): CrossingEvidence {
    const printed = [...this.#ends.values()].flat().filter(({ isPrinted }) => isPrinted);
    return { fills: printed.length, rested: printed.filter(({ hasRest }) => hasRest).length };
  }
}
