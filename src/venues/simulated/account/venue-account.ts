// The account at the simulated venue, against which the engine's figures are checked. Cash is always the opening cash,
// plus the effect of trades, less fees, plus settlements.
import { assert } from '../../../base/assert.ts';
import type { FillReport, SettlementReport } from '../../../domain/event.ts';
import type { MarketIndex, Ticker } from '../../../domain/ids.ts';
import type { MarketResult } from '../../../domain/market.ts';
import { FLAT, afterSettlement, afterTrade, cashOfTrade, payout } from '../../../domain/position.ts';
import {
  type Micros,
  type Money,
  NO_MONEY,
  NO_QTY,
  type Price,
  type Qty,
  addMoney,
  subtractMoney,
} from '../../../domain/units.ts';
import type { TapeListing } from '../feed/tape-listing.ts';
import type { SimulatedAccount } from '../simulator-interfaces.ts';
import type { VenueMarket } from './venue-records.ts';

/** A row with its market's ticker: the market's number may be reused before the row is read. */
export interface TickerRow<Row> {
  readonly ticker: Ticker;
  readonly row: Row;
}

/** The resolution of a market. */
export interface Resolution {
  readonly result: MarketResult;
  readonly settlementValue: Price;
}

export interface VenueAccountOptions {
  readonly openingCash: Money;
  readonly listing: TapeListing;
  readonly requiredCash: (market: VenueMarket) => Money;
}

/** The account of a run: enters fills and settlements, and reserves cash for resting orders. */
export class VenueAccount implements SimulatedAccount {
  readonly #listing: TapeListing;
  readonly #needOf: VenueAccountOptions['requiredCash'];
  readonly openingCash: Money;
  #traded: Money = NO_MONEY;
  #feesPaid: Money = NO_MONEY;
  #settled: Money = NO_MONEY;
  #cash: Money;
  #reserved: Money = NO_MONEY;
  /**
   * Markets whose required cash must be computed again. Added when orders, the position or fees change; removed when
   * `available` is read.
   */
  readonly #changed = new Set<VenueMarket>();
  readonly #fills: FillReport[] = [];
  readonly #settlements: TickerRow<SettlementReport>[] = [];
  readonly #tickers: Ticker[] = [];

  constructor({ openingCash, listing, requiredCash }: VenueAccountOptions) {
    assert(openingCash >= 0, `an account of ${openingCash} millionths of a dollar`);
    this.openingCash = openingCash;
    this.#cash = openingCash;
    this.#listing = listing;
    this.#needOf = requiredCash;
  }

  get cash(): Money {
    return this.#cash;
  }

  get available(): Money {
    for (const market of this.#changed) this.#reserve(market);
    this.#changed.clear();
    return subtractMoney(this.#cash, this.#reserved);
  }

  #reserve(market: VenueMarket): void {
    const needed = this.#needOf(market);
    this.#reserved = addMoney(this.#reserved, subtractMoney(needed, market.reserved));
    market.reserved = needed;
  }

  markChanged(market: VenueMarket): void {
    this.#changed.add(market);
  }

  get feesPaid(): Money {
    return this.#feesPaid;
  }

  get settled(): Money {
    return this.#settled;
  }

  get traded(): Money {
    return this.#traded;
  }

  get fills(): readonly FillReport[] {
    return this.#fills;
  }

  positionOf(market: MarketIndex): Qty {
    return this.#listing.byIndex(market)?.position.qty ?? NO_QTY;
  }

  *fillsLatestFirst(): Generator<TickerRow<FillReport>> {
    for (let at = this.#fills.length - 1; at >= 0; at--) {
      const [row, ticker] = [this.#fills[at], this.#tickers[at]];
      if (row !== undefined && ticker !== undefined) yield { ticker, row };
    }
  }

  *settlementsLatestFirst(): Generator<TickerRow<SettlementReport>> {
    for (let at = this.#settlements.length - 1; at >= 0; at--) {
      const settlement = this.#settlements[at];
      if (settlement !== undefined) yield settlement;
    }
  }

  bookFill(market: VenueMarket, fill: FillReport): void {
    const moved = cashOfTrade(market.position.qty, fill);
    market.position = afterTrade(market.position, fill);
    this.#traded = addMoney(this.#traded, moved);
    this.#feesPaid = addMoney(this.#feesPaid, fill.fee);
    this.#cash = subtractMoney(addMoney(this.#cash, moved), fill.fee);
    this.#fills.push(fill);
    this.#tickers.push(market.market.ticker);
  }

  /**
   * Settles a market: pays the settlement value for each YES held, and the rest of the dollar for each NO.
   * @throws {AssertionFault} when the market was settled before.
   */
  settleMarket(market: VenueMarket, { result, settlementValue }: Resolution, settledAt: Micros): void {
    assert(!market.isPaid, `${market.market.ticker} was to be paid out twice`);
    market.isPaid = true;
    const { position } = market;
    if (position.qty === 0) return;
    const revenue = payout(position.qty, settlementValue);
    this.#settled = addMoney(this.#settled, revenue);
    this.#cash = addMoney(this.#cash, revenue);
    market.position = afterSettlement(position, settlementValue);
    const row = { market: market.index, result, settlementValue, revenue, settledAt };
    this.#settlements.push({ ticker: market.market.ticker, row });
  }

  /**
   * Checks that no money was created or lost.
   * @throws {AssertionFault} when cash is not the sum of its movements.
   */
  assertConserved(): void {
    const due = this.openingCash + this.#traded - this.#feesPaid + this.#settled;
    assert(this.#cash === due, `the account is ${this.#cash - due} millionths of a dollar off`);
  }
}

/** True when the account holds nothing of a market. */
export const isFlat = ({ position }: VenueMarket): boolean => position === FLAT || position.qty === 0;
