// Cash and positions, from fills and settlements alone; the venue's own figures start it and audit it.
// Must never count a fill twice, and never round.
import { assert } from '../domain/assert.ts';
import type { FillReport, PositionReport } from '../domain/event.ts';
import type { MarketIndex } from '../domain/ids.ts';
import { FLAT, type Position, afterSettlement, afterTrade, cashOfTrade, payout } from '../domain/position.ts';
import { EPOCH, type Micros, type Money, NO_MONEY, type Price, addMoney, money } from '../domain/units.ts';
import { Moved } from './moved.ts';

const FILLS_REMEMBERED_MAX = 200_000;

/** What markets brought that were paid out and are followed no more. */
export interface Past {
  readonly markets: number;
  readonly realized: Money;
  readonly fees: Money;
}

/** What we own. */
export class Portfolio {
  /** The markets of which what is held changes. */
  readonly moved = new Moved();
  #cash: Money = NO_MONEY;
  readonly #positions = new Map<MarketIndex, Position>();
  /** The fills that were booked, or are in the opening figures, each with its market. */
  readonly #fillKeys = new Map<string, MarketIndex>();
  #past: Past = { markets: 0, realized: NO_MONEY, fees: NO_MONEY };
  #fillCount = 0;
  #fees: Money = NO_MONEY;
  #settledCount = 0;
  #isOpen = false;
  /** Earlier fills are in the figures that the account opened with. */
  #fillsSince: Micros = EPOCH;

  /** Cash in hand, pledged or not. */
  get cash(): Money {
    return this.#cash;
  }

  /** Fees of this session's fills. */
  get fees(): Money {
    return this.#fees;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  get fillCount(): number {
    return this.#fillCount;
  }

  get settledCount(): number {
    return this.#settledCount;
  }

  /**
   * From now on fills and settlements count; until then they are in the figures that the venue is asked for.
   * @param fillsSince Fills that the venue dates before this time are in those figures too, however late a list shows
   * them. By default every fill counts that has not been seen before.
   */
  open(fillsSince: Micros = EPOCH): void {
    this.#isOpen = true;
    this.#fillsSince = fillsSince;
  }

  /** Sets cash to what the venue says it is, at start. */
  openCash(cash: Money): void {
    this.#cash = cash;
  }

  /** Sets positions to what the venue says they are, at start: all of them, for whatever is not listed is not held. */
  openPositions(reports: readonly PositionReport[]): void {
    for (const market of this.#positions.keys()) this.moved.add(market);
    this.#positions.clear();
    for (const { market, qty, cost, realized, fees } of reports) this.#hold(market, { qty, cost, realized, fees });
  }

  #hold(market: MarketIndex, position: Position): void {
    this.#positions.set(market, position);
    this.moved.add(market);
  }

  /** Whether a fill has been booked before. */
  hasFill(fill: FillReport): boolean {
    return this.#fillKeys.has(keyOf(fill));
  }

  #rememberFill(fill: FillReport): void {
    this.#fillKeys.set(keyOf(fill), fill.market);
    if (this.#fillKeys.size > FILLS_REMEMBERED_MAX) this.#forgetOldestFill();
  }

  /** Books a fill once. `false` when it was booked before, or is in the figures that the account opens with. */
  book(fill: FillReport): boolean {
    if (this.hasFill(fill)) return false;
    this.#rememberFill(fill);
    if (!this.#isOpen || (fill.exchangeAt ?? this.#fillsSince) < this.#fillsSince) return false;
    const before = this.position(fill.market);
    this.#cash = money(this.#cash + cashOfTrade(before.qty, fill) - fill.fee);
    this.#hold(fill.market, afterTrade(before, fill));
    this.#fees = addMoney(this.#fees, fill.fee);
    this.#fillCount += 1;
    return true;
  }

  /** Pays out a market. Returns what came in; nothing when nothing is held. */
  settle(market: MarketIndex, settlementValue: Price): Money {
    const before = this.position(market);
    if (before.qty === 0 || !this.#isOpen) return NO_MONEY;
    const paid = payout(before.qty, settlementValue);
    this.#cash = addMoney(this.#cash, paid);
    this.#hold(market, afterSettlement(before, settlementValue));
    this.#settledCount += 1;
    return paid;
  }

  position(market: MarketIndex): Position {
    return this.#positions.get(market) ?? FLAT;
  }

  /** Every position ever held in this session, by market; those that were evicted are in `past`. */
  positions(): ReadonlyMap<MarketIndex, Position> {
    return this.#positions;
  }

  /** What the evicted markets brought: with the positions, all that this account has ever realized and paid in fees. */
  get past(): Past {
    return this.#past;
  }

  /** How many fills are remembered, to know them when they are told again. */
  get fillsRemembered(): number {
    return this.#fillKeys.size;
  }

  /**
   * Forgets the positions and the fills of markets that were paid out; what they brought goes into `past`.
   * @throws {AssertionFault} when something is still held in one of them.
   */
  evict(markets: ReadonlySet<MarketIndex>): void {
    for (const market of markets) {
      const position = this.#positions.get(market);
      if (!position) continue;
      assert(position.qty === 0, `a market in which ${position.qty} is held was to be forgotten`);
      const { realized, fees } = position;
      const { past } = this;
      this.#past = {
        markets: past.markets + 1,
        realized: addMoney(past.realized, realized),
        fees: addMoney(past.fees, fees),
      };
      this.#positions.delete(market);
      this.moved.add(market);
    }
    for (const [key, market] of this.#fillKeys) if (markets.has(market)) this.#fillKeys.delete(key);
  }

  #forgetOldestFill(): void {
    for (const oldest of this.#fillKeys.keys()) {
      this.#fillKeys.delete(oldest);
      return;
    }
  }
}

/** What tells a fill from every other: one trade may fill several orders. */
export const keyOf = (fill: FillReport): string => `${fill.tradeId} ${fill.venueOrderId}`;
