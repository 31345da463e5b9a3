// The days of one market, for each strategy. A day's profit is cash less fees plus the change of the position's value.
// What an opening reveals changes value without profit. Pure; whole numbers only.
import { cashOfTrade, payout, valueOf } from '../../domain/position.ts';
import { PAYOUT, type Price, type Qty, price, qty } from '../../domain/units.ts';
import { StrategyLedgers } from '../../state/strategies/strategy-ledgers.ts';
import { OPERATOR } from '../../state/account/orders.ts';
import { type MarketIndex, strategyName } from '../../domain/ids.ts';
import type { FoldFill, FoldOpening, FoldStep } from './market-fold.ts';
import { tradeOf } from './market-fold.ts';

/** A day, in microseconds. */
export const DAY_US = 86_400_000_000;
/** Days from the Unix epoch to a time, in UTC. */
export const dayOf = (atUs: number): number => Math.floor(atUs / DAY_US);

/** A day of a market and a strategy. The strategy is empty for trades that no strategy made. */
export interface DayRow {
  readonly day: number;
  readonly strategy: string;
  fills: number;
  contracts: number;
  cash: number;
  fees: number;
  paid: number;
  /** Value that came in or left without a fill or payout of ours, such as an inherited position. */
  moved: number;
  qty: number;
  value: number;
  profit: number;
}

/** A day's last known price of YES. */
export interface DayPrice {
  readonly day: number;
  readonly yes: number;
}

export interface DaysInput {
  readonly steps: readonly FoldStep[];
  /** Sorted by day. */
  readonly prices: readonly DayPrice[];
  /** The last day in any journal. */
  readonly lastDay: number;
}

/** The price of a market that was never quoted. */
export const UNQUOTED_PRICE = (PAYOUT / 2) as Price;
/** The market's number within its own ledgers. */
const MARKET = 0 as MarketIndex;
/** The strategy of trades that no strategy made, such as manual trades. */
const UNOWNED = '';

/** Adds up the days of a market. */
export function foldDays({ steps, prices, lastDay }: DaysInput): DayRow[] {
  const days = new MarketDays(prices);
  for (const step of steps) days.applyStep(step);
  days.endDays(lastDay);
  return days.rows.filter(hasContent);
}

const hasContent = ({ fills, cash, fees, paid, moved, qty: held, value, profit }: DayRow): boolean =>
  [fills, cash, fees, paid, moved, held, value, profit].some((figure) => figure !== 0);

class MarketDays {
  readonly rows: DayRow[] = [];
  readonly #prices: readonly DayPrice[];
  readonly #ledgers = new StrategyLedgers();
  /**
   * Quantity held by each strategy through its own fills and shares. Added with a strategy's first quantity; never
   * removed.
   */
  readonly #held = new Map<string, Qty>();
  /** Value of each strategy's position at the end of the last day. Added with a strategy's first day; never removed. */
  readonly #values = new Map<string, number>();
  /** Rows of the current day, by strategy. Added at the first change of the day; removed when the day ends. */
  readonly #today = new Map<string, DayRow>();
  #day: number | null = null;

  constructor(prices: readonly DayPrice[]) {
    this.#prices = prices;
  }

  applyStep(step: FoldStep): void {
    switch (step.type) {
      case 'fill':
        return this.#applyFill(step.fill);
      case 'opening':
        return this.#applyOpening(step.opening);
      case 'settlement':
        return this.#settle(step.atUs, step.price);
    }
  }

  /** Ends the days up to the last one. */
  endDays(lastDay: number): void {
    this.#startDay(lastDay);
    this.#endDay();
  }

  #applyFill(fill: FoldFill): void {
    this.#startDay(dayOf(fill.venueUs ?? fill.atUs));
    const trade = tradeOf(fill);
    for (const { strategy, part, fee } of this.#sharesOf(fill)) {
      const row = this.#rowOf(strategy);
      row.fills += 1;
      row.contracts += part;
      row.cash += cashOfTrade(this.#heldBy(strategy), { ...trade, qty: part });
      row.fees += fee;
      this.#held.set(strategy, qty(this.#heldBy(strategy) + (fill.side === 'buy' ? part : -part)));
    }
  }

  /** Splits a manual fill among the strategies that hold the position, as the engine does. */
  #sharesOf(fill: FoldFill): readonly { readonly strategy: string; readonly part: Qty; readonly fee: number }[] {
    const trade = { ...tradeOf(fill), market: MARKET };
    if (fill.strategy === UNOWNED) return [{ strategy: UNOWNED, part: trade.qty, fee: trade.fee }];
    const before = this.#ledgerFigures();
    this.#ledgers.applyFill(strategyName(fill.strategy), trade);
    if (fill.strategy !== OPERATOR) return [{ strategy: fill.strategy, part: trade.qty, fee: trade.fee }];
    const shares = [...this.#ledgerFigures()].map(([strategy, { held, fees }]) => ({
      strategy,
      part: qty(Math.abs(held - (before.get(strategy)?.held ?? 0))),
      fee: fees - (before.get(strategy)?.fees ?? 0),
    }));
    const rest = shares.reduce((left, { part }) => left - part, Number(trade.qty));
    const restFee = shares.reduce((left, { fee }) => left - fee, Number(trade.fee));
    return [...shares, { strategy: UNOWNED, part: qty(rest), fee: restFee }].filter(({ part }) => part > 0);
  }

  #ledgerFigures(): Map<string, { readonly held: number; readonly fees: number }> {
    const figures = new Map<string, { readonly held: number; readonly fees: number }>();
    for (const [name, ledger] of this.#ledgers.all())
      figures.set(name, { held: ledger.position(MARKET).qty, fees: ledger.position(MARKET).fees });
    return figures;
  }

  /**
   * Gives no strategy the excess of the venue's quantity over ours. An inherited position enters at its cost. A later
   * difference enters or leaves at the price before the session, so it is not profit.
   */
  #applyOpening({ askedUs, qty: theirs, cost, yes: before }: FoldOpening): void {
    let ours = 0;
    for (const each of this.#held.values()) ours += each;
    if (ours === theirs) return;
    this.#startDay(dayOf(askedUs));
    const held = this.#heldBy(UNOWNED);
    const after = qty(held + theirs - ours);
    const isFirst = this.#held.size === 0;
    const yes = before === null ? this.#priceOn(dayOf(askedUs)) : price(before);
    this.#rowOf(UNOWNED).moved += isFirst ? cost : valueOf(after, yes) - valueOf(held, yes);
    this.#held.set(UNOWNED, after);
    if (theirs === 0) this.#dropAll(yes);
  }

  /** Empties every strategy's position, because the venue holds nothing. */
  #dropAll(yes: Price): void {
    for (const [strategy, held] of this.#held) {
      if (held === 0) continue;
      this.#rowOf(strategy).moved -= valueOf(held, yes);
      this.#held.set(strategy, qty(0));
      if (strategy !== UNOWNED) this.#ledgers.disownMarket(MARKET);
    }
  }

  #settle(atUs: number, settledAt: Price): void {
    if ([...this.#held.values()].every((held) => held === 0)) return;
    this.#startDay(Math.max(dayOf(atUs), this.#day ?? 0));
    for (const [strategy, held] of this.#held) {
      if (held === 0) continue;
      this.#rowOf(strategy).paid += payout(held, settledAt);
      this.#held.set(strategy, qty(0));
    }
    this.#ledgers.settleMarket(MARKET, settledAt);
  }

  #heldBy(strategy: string): Qty {
    return this.#held.get(strategy) ?? qty(0);
  }

  #rowOf(strategy: string): DayRow {
    const known = this.#today.get(strategy);
    if (known !== undefined) return known;
    const none = { fills: 0, contracts: 0, cash: 0, fees: 0, paid: 0, moved: 0, qty: 0, value: 0, profit: 0 };
    const row: DayRow = { day: this.#day ?? 0, strategy, ...none };
    this.#today.set(strategy, row);
    return row;
  }

  /** Ends the days before this one. A fill dated before the current day counts for the current day. */
  #startDay(day: number): void {
    this.#day ??= day;
    while (this.#day < day) {
      this.#endDay();
      const isHeld = [...this.#held.values()].some((held) => held !== 0);
      this.#day = isHeld ? this.#day + 1 : day;
    }
  }

  #endDay(): void {
    const yes = this.#priceOn(this.#day ?? 0);
    for (const strategy of this.#held.keys()) this.#rowOf(strategy);
    for (const [strategy, row] of [...this.#today].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      row.qty = this.#heldBy(strategy);
      row.value = valueOf(this.#heldBy(strategy), yes);
      row.profit = row.cash - row.fees + row.paid + row.value - (this.#values.get(strategy) ?? 0) - row.moved;
      this.#values.set(strategy, row.value);
      this.rows.push(row);
    }
    this.#today.clear();
  }

  /** The last price known by the end of a day, or else the first price of all. */
  #priceOn(day: number): Price {
    const known = this.#prices.findLast((each) => each.day <= day) ?? this.#prices[0];
    return known === undefined ? UNQUOTED_PRICE : price(known.yes);
  }
}
