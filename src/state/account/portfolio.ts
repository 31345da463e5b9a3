// Cash and positions, from the venue's opening figures, fills and settlements. Must never count a fill twice, and never
// round.
import { assert } from '../../base/assert.ts';
import type { FillReport, PositionReport } from '../../domain/event.ts';
import type { MarketIndex } from '../../domain/ids.ts';
import { FLAT, type Position, afterSettlement, afterTrade, cashOfTrade, payout } from '../../domain/position.ts';
import { EPOCH, type Micros, type Money, NO_MONEY, type Price, addMoney, money } from '../../domain/units.ts';
import { ChangedMarkets } from '../changed-markets.ts';

const FILLS_REMEMBERED_MAX = 200_000;

/** Totals of evicted markets. */
export interface EvictedTotals {
  readonly markets: number;
  readonly realized: Money;
  readonly fees: Money;
}

/** Cash and positions of the account. */
export class Portfolio {
  readonly changedMarkets = new ChangedMarkets();
  #cash: Money = NO_MONEY;
  /** Added with the first fill or at the opening; removed when the market is evicted. */
  readonly #positions = new Map<MarketIndex, Position>();
  /**
   * Keys of fills that have arrived, with their markets. Added when a fill arrives; removed when its market is evicted,
   * or as the oldest.
   */
  readonly #fillKeys = new Map<string, MarketIndex>();
  #past: EvictedTotals = { markets: 0, realized: NO_MONEY, fees: NO_MONEY };
  #fillCount = 0;
  #fees: Money = NO_MONEY;
  #settledCount = 0;
  #isOpen = false;
  /** Venue time from which fills count. Earlier fills are in the opening figures. */
  #fillsSince: Micros = EPOCH;

  /** Cash, including reserved collateral. */
  get cash(): Money {
    return this.#cash;
  }

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
   * Opens the account. Fills and settlements count from now on.
   * @param fillsSince A fill with an earlier venue time is in the opening figures and does not count.
   */
  openAccount(fillsSince: Micros = EPOCH): void {
    assert(!this.#isOpen, 'the account must be opened once');
    this.#isOpen = true;
    this.#fillsSince = fillsSince;
  }

  /** Sets the cash to the venue's figure. */
  setOpeningCash(cash: Money): void {
    assert(Number.isSafeInteger(cash), 'opening cash must be a whole amount');
    this.#cash = cash;
  }

  /** Replaces all positions by the venue's. A market that the venue does not list has none. */
  setOpeningPositions(reports: readonly PositionReport[]): void {
    assert(!this.#isOpen, 'opening positions must not replace those of an open account');
    for (const market of this.#positions.keys()) this.changedMarkets.markChanged(market);
    this.#positions.clear();
    for (const { market, qty, cost, realized, fees } of reports)
      this.#setPosition(market, { qty, cost, realized, fees });
  }

  #setPosition(market: MarketIndex, position: Position): void {
    assert(Number.isSafeInteger(position.qty), 'a position must be a whole quantity');
    assert(position.qty !== 0 || position.cost === 0, 'a flat position must have no cost');
    this.#positions.set(market, position);
    this.changedMarkets.markChanged(market);
  }

  hasFill(fill: FillReport): boolean {
    return this.#fillKeys.has(fillKey(fill));
  }

  #rememberFill(fill: FillReport): void {
    this.#fillKeys.set(fillKey(fill), fill.market);
    if (this.#fillKeys.size > FILLS_REMEMBERED_MAX) this.#forgetOldestFill();
    assert(this.#fillKeys.size <= FILLS_REMEMBERED_MAX, 'the remembered fills must stay within their bound');
  }

  /** Counts a fill once. `false` for a repeated fill, and for a fill that the opening figures contain. */
  applyFill(fill: FillReport): boolean {
    if (this.hasFill(fill)) return false;
    this.#rememberFill(fill);
    if (!this.#isOpen || (fill.exchangeAt ?? this.#fillsSince) < this.#fillsSince) return false;
    const before = this.position(fill.market);
    this.#cash = money(this.#cash + cashOfTrade(before.qty, fill) - fill.fee);
    this.#setPosition(fill.market, afterTrade(before, fill));
    this.#fees = addMoney(this.#fees, fill.fee);
    assert(Number.isSafeInteger(this.#cash), 'cash after a fill must be a whole amount');
    assert(Number.isSafeInteger(this.#fees), 'the sum of fees must be a whole amount');
    this.#fillCount += 1;
    return true;
  }

  /** Pays out a market. Returns the cash received; zero when nothing is held or the account is not open. */
  settleMarket(market: MarketIndex, settlementValue: Price): Money {
    const before = this.position(market);
    if (before.qty === 0 || !this.#isOpen) return NO_MONEY;
    const paid = payout(before.qty, settlementValue);
    assert(paid >= 0, 'a payout must not be negative');
    assert(this.#isOpen, 'a market must not be paid out before the account is open');
    this.#cash = addMoney(this.#cash, paid);
    assert(Number.isSafeInteger(this.#cash), 'cash after a settlement must be a whole amount');
    this.#setPosition(market, afterSettlement(before, settlementValue));
    assert(this.position(market).qty === 0, 'nothing may be held in a market that was paid out');
    this.#settledCount += 1;
    return paid;
  }

  position(market: MarketIndex): Position {
    return this.#positions.get(market) ?? FLAT;
  }

  /** Positions held in this session, even flat ones, by market. Those of evicted markets are in `evictedTotals`. */
  positions(): ReadonlyMap<MarketIndex, Position> {
    return this.#positions;
  }

  get evictedTotals(): EvictedTotals {
    return this.#past;
  }

  get fillsRemembered(): number {
    return this.#fillKeys.size;
  }

  /**
   * Forgets the positions and fills of evicted markets; their profits and fees go into `evictedTotals`.
   * @throws {AssertionFault} when a position in one of the markets is not flat.
   */
  evictMarkets(markets: ReadonlySet<MarketIndex>): void {
    for (const market of markets) {
      const position = this.#positions.get(market);
      if (!position) continue;
      assert(position.qty === 0, `a market with a position of ${position.qty} was to be evicted`);
      const { realized, fees } = position;
      const { evictedTotals } = this;
      this.#past = {
        markets: evictedTotals.markets + 1,
        realized: addMoney(evictedTotals.realized, realized),
        fees: addMoney(evictedTotals.fees, fees),
      };
      this.#positions.delete(market);
      this.changedMarkets.markChanged(market);
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

/** The key of a fill. A trade id alone is not unique: one trade may fill several orders. */
export const fillKey = (fill: FillReport): string => `${fill.tradeId} ${fill.venueOrderId}`;
