// The account at the simulated venue: cash, positions, fills and payments. The truth that everything else is compared with.
// At every moment cash is the opening cash, plus what trades moved, less fees, plus what settlements paid.
import { assert } from '../../domain/assert.ts';
import type { FillReport, SettlementReport } from '../../domain/event.ts';
import type { MarketIndex, Ticker } from '../../domain/ids.ts';
import type { MarketResult } from '../../domain/market.ts';
import { FLAT, afterSettlement, afterTrade, cashOfTrade, payout } from '../../domain/position.ts';
import {
  type Micros,
  type Money,
  NO_MONEY,
  NO_QTY,
  type Price,
  type Qty,
  addMoney,
  subtractMoney,
} from '../../domain/units.ts';
import type { Listing } from './listing.ts';
import type { SimulatedAccount } from './ports.ts';
import type { MarketRecord } from './records.ts';

/** A fill before it is booked. */
export type Booking = Omit<FillReport, 'market'>;

/** Something of one market, whose number may be another one's by the time that it is told. */
export interface Named<Row> {
  readonly ticker: Ticker;
  readonly row: Row;
}

/** What a market resolved to. */
export interface Outcome {
  readonly result: MarketResult;
  readonly settlementValue: Price;
}

/** One account. */
export class Account implements SimulatedAccount {
  readonly #listing: Listing;
  readonly openingCash: Money;
  #traded: Money = NO_MONEY;
  #feesPaid: Money = NO_MONEY;
  #settled: Money = NO_MONEY;
  #cash: Money;
  #reserved: Money = NO_MONEY;
  readonly #fills: FillReport[] = [];
  readonly #settlements: Named<SettlementReport>[] = [];
  readonly #tickers: Ticker[] = [];

  constructor(openingCash: Money, listing: Listing) {
    assert(openingCash >= 0, `an account of ${openingCash} millionths of a dollar`);
    this.openingCash = openingCash;
    this.#cash = openingCash;
    this.#listing = listing;
  }

  get cash(): Money {
    return this.#cash;
  }

  get available(): Money {
    return subtractMoney(this.#cash, this.#reserved);
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

  /** Fills with their markets' names, the latest first. */
  *fillsBack(): Generator<Named<FillReport>> {
    for (let at = this.#fills.length - 1; at >= 0; at--) {
      const [row, ticker] = [this.#fills[at], this.#tickers[at]];
      if (row !== undefined && ticker !== undefined) yield { ticker, row };
    }
  }

  /** Payments, the latest first. */
  *settlementsBack(): Generator<Named<SettlementReport>> {
    for (let at = this.#settlements.length - 1; at >= 0; at--) {
      const settlement = this.#settlements[at];
      if (settlement !== undefined) yield settlement;
    }
  }

  /** Books a fill: position, cash and fee at once. */
  book(market: MarketRecord, booking: Booking): FillReport {
    const moved = cashOfTrade(market.position.qty, booking);
    market.position = afterTrade(market.position, booking);
    this.#traded = addMoney(this.#traded, moved);
    this.#feesPaid = addMoney(this.#feesPaid, booking.fee);
    this.#cash = subtractMoney(addMoney(this.#cash, moved), booking.fee);
    const fill: FillReport = { ...booking, market: market.index };
    this.#fills.push(fill);
    this.#tickers.push(market.market.ticker);
    return fill;
  }

  /**
   * Pays a market out: the value for each YES held, the rest of the dollar for each NO.
   * @throws {AssertionFault} when it was paid out before.
   */
  settle(market: MarketRecord, { result, settlementValue }: Outcome, settledAt: Micros): void {
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

  /** Cash behind what rests in a market has changed. */
  reserve(market: MarketRecord, reserved: Money): void {
    this.#reserved = addMoney(this.#reserved, subtractMoney(reserved, market.reserved));
    market.reserved = reserved;
  }

  /**
   * Nothing was made and nothing lost.
   * @throws {AssertionFault} when cash is not what moved it.
   */
  assertConserved(): void {
    const due = this.openingCash + this.#traded - this.#feesPaid + this.#settled;
    assert(this.#cash === due, `the account is ${this.#cash - due} millionths of a dollar off`);
  }
}

/** What nobody holds anything of. */
export const isFlat = ({ position }: MarketRecord): boolean => position === FLAT || position.qty === 0;
