// Opens the account with the positions and the cash that the venue reports. Both figures must be of one moment. Must
// never open with figures that may lack a trade of ours.
import { assert } from '../../base/assert.ts';
import type { PositionReport } from '../../domain/event.ts';
import type { MarketIndex } from '../../domain/ids.ts';
import { isSettled } from '../../domain/market.ts';
import { EPOCH, type Micros, type Money, NO_MONEY, addMoney, micros } from '../../domain/units.ts';
import { reservedCash } from '../../state/account/equity.ts';
import type { State } from '../../state/state.ts';
import type { LedgerWatch } from './ledger-watch.ts';

export interface AccountOpeningOptions {
  readonly state: State;
  readonly ledger: LedgerWatch;
  /** Time by which the venue's reads may lag behind. Milliseconds. */
  readonly graceMs: number;
}

/** The longest time between the requests of the two figures. Microseconds. */
const APART_US_MAX = 1_000_000;

/**
 * Bound on reading the figures again because of payouts. The account must open even where many markets are paid out.
 */
const REREADS_MAX = 3;

/** Collects the figures of an account that is not open yet. */
export class AccountOpening {
  readonly #options: AccountOpeningOptions;
  readonly #state: State;
  /** True after one empty list of positions. An empty list is trusted only the second time. */
  #isEmptyConfirmed = false;
  /** Number of fills known when the figures were requested. The figures may or may not include later fills. */
  #fillsKnown = 0;
  /** The earliest time since which a list of fills is complete, by the venue's clock; infinite before the first list. */
  #fillsSince = Number.POSITIVE_INFINITY;
  #available: Money = NO_MONEY;
  readonly #askedAt = { positions: EPOCH, balance: EPOCH };
  /** Markets listed as held although they are known to be paid out. Added at such a list; never removed. */
  readonly #doubted = new Set<MarketIndex>();
  /** Time at which we last learned that a market was paid out. */
  #paidOutAt = Number.NEGATIVE_INFINITY;
  #rereadCount = 0;

  constructor(options: AccountOpeningOptions) {
    this.#options = options;
    this.#state = options.state;
  }

  startReading(): void {
    this.#fillsKnown = this.#state.portfolio.fillsRemembered;
  }

  /** Records since when a list of fills is complete. Earlier fills are taken to be in the figures. */
  acceptFills(since: Micros | null): void {
    this.#fillsSince = Math.min(this.#fillsSince, since ?? EPOCH);
  }

  /** Takes a list of positions. Returns false when it must be read once more before it is trusted. */
  acceptPositions(rows: readonly PositionReport[], askedAt: Micros): boolean {
    // An empty list may be an error of the venue, so a second list must confirm it.
    if (rows.length === 0 && !this.#isEmptyConfirmed) {
      this.#isEmptyConfirmed = true;
      return false;
    }
    this.#askedAt.positions = askedAt;
    for (const { market, qty } of rows) if (qty !== 0) this.#checkPaidOut(market);
    this.#state.portfolio.setOpeningPositions(rows);
    return true;
  }

  /**
   * Handles a position in a market that is paid out. The list is older than the payment, which the cash may include.
   */
  #checkPaidOut(market: MarketIndex): void {
    const definition = this.#state.markets.get(market);
    if (!definition || !isSettled(definition.status) || this.#doubted.has(market)) return;
    // Only once for each market: the account must open whatever the venue lists afterwards.
    this.#doubted.add(market);
    this.onMarketPaidOut();
  }

  /** Handles the payout of a market: one figure may be older than the payout, and the other newer. */
  onMarketPaidOut(): void {
    this.#paidOutAt = this.#state.now;
  }

  acceptBalance(available: Money, askedAt: Micros): void {
    this.#available = available;
    this.#askedAt.balance = askedAt;
  }

  /**
   * Decides if the account can open with the figures read so far, must wait, or must read them again.
   * @param neededAt No figure was requested before this time.
   */
  judgeFigures(neededAt: Micros): 'open' | 'wait' | 'read-again' {
    const { portfolio, orders, now } = this.#state;
    // The venue's reads lag: figures requested soon after a trade or the end of an order may not include it.
    const lag = this.#options.graceMs * 1000;
    const settledAt = this.#options.ledger.moneyMovedAt + lag;
    if (neededAt < settledAt) return now < settledAt ? 'wait' : 'read-again';
    const paidOutSettledAt = this.#rereadCount < REREADS_MAX ? this.#paidOutAt + lag : Number.NEGATIVE_INFINITY;
    if (neededAt < paidOutSettledAt) {
      if (now < paidOutSettledAt) return 'wait';
      this.#rereadCount += 1;
      assert(this.#rereadCount <= REREADS_MAX, 'the figures must not be read again without end');
      return 'read-again';
    }
    // A payout between the two requests may be in only one figure.
    if (Math.abs(this.#askedAt.positions - this.#askedAt.balance) > APART_US_MAX) return 'read-again';
    // A fill between the requests may be in only one figure, too.
    if (portfolio.fillsRemembered !== this.#fillsKnown && orders.openCount > 0) return 'read-again';
    return 'open';
  }

  openAccount(): void {
    const { portfolio, orders, ledgerHandover } = this.#state;
    // The available cash excludes what the venue reserves for resting orders.
    portfolio.setOpeningCash(addMoney(this.#available, reservedCash(this.#state)));
    if (orders.openCount > 0) this.#options.ledger.markCashProvisional();
    ledgerHandover.openLedgers(this.#state.now);
    portfolio.openAccount(Number.isFinite(this.#fillsSince) ? micros(this.#fillsSince) : EPOCH);
    assert(portfolio.isOpen, 'the account must be open from here on');
  }
}
