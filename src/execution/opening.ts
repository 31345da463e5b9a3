// The figures that an account opens with: positions and cash as the venue tells them, of one moment, and late enough to
// hold all that we know to have happened. Must never open with a payment that is in the one figure and not in the other.
import type { PositionReport } from '../domain/event.ts';
import type { MarketIndex } from '../domain/ids.ts';
import { isSettled } from '../domain/market.ts';
import { EPOCH, type Micros, type Money, NO_MONEY, addMoney, micros } from '../domain/units.ts';
import { pledged } from '../state/equity.ts';
import type { State } from '../state/state.ts';
import type { LedgerWatch } from './ledger-watch.ts';

export interface OpeningOptions {
  readonly state: State;
  readonly ledger: LedgerWatch;
  /** How far the venue's reads may lag behind. Milliseconds. */
  readonly graceMs: number;
}

/** Both figures must be of one moment: asked for no further apart. Microseconds. */
const APART_US_MAX = 1_000_000;

/** So often the figures are read again because a market was paid out meanwhile: where many are, the account must open. */
const AGAIN_MAX = 3;

/** What is known so far of an account that is not open yet. */
export class Opening {
  readonly #options: OpeningOptions;
  readonly #state: State;
  /** Positions listed as none are asked for a second time before they are believed. */
  #isEmptyConfirmed = false;
  /** Fills known when the figures were asked for: if more come meanwhile, nobody knows which are in them. */
  #fillsKnown = 0;
  /** The earliest time that a complete list of fills covers, by the venue's clock; infinite before the first list. */
  #fillsSince = Number.POSITIVE_INFINITY;
  #available: Money = NO_MONEY;
  readonly #askedAt = { positions: EPOCH, balance: EPOCH };
  /** Markets that were listed as held although they are known to be paid out. */
  readonly #doubted = new Set<MarketIndex>();
  /** When we last learned that a market was paid out: whether it was ours nobody can say before the figures are here. */
  #paidOutAt = Number.NEGATIVE_INFINITY;
  #againCount = 0;

  constructor(options: OpeningOptions) {
    this.#options = options;
    this.#state = options.state;
  }

  /** The figures are being asked for. */
  begin(): void {
    this.#fillsKnown = this.#state.portfolio.fillsRemembered;
  }

  /** Takes a complete list of fills: of fills before its beginning nothing is remembered, and the figures hold them. */
  takeFills(since: Micros | null): void {
    this.#fillsSince = Math.min(this.#fillsSince, since ?? EPOCH);
  }

  /** Takes a list of positions. `false` when it must be asked for once more before it is believed. */
  takePositions(rows: readonly PositionReport[], askedAt: Micros): boolean {
    // Nothing listed is not yet nothing held: the venue must say so twice.
    if (rows.length === 0 && !this.#isEmptyConfirmed) {
      this.#isEmptyConfirmed = true;
      return false;
    }
    this.#askedAt.positions = askedAt;
    for (const { market, qty } of rows) if (qty !== 0) this.#doubtPaidOut(market);
    this.#state.portfolio.openPositions(rows);
    return true;
  }

  /** A list that shows it still is from before the payment, which the cash may hold: both are asked for later again. */
  #doubtPaidOut(market: MarketIndex): void {
    const definition = this.#state.markets.get(market);
    if (!definition || !isSettled(definition.status) || this.#doubted.has(market)) return;
    // Once: whatever the venue lists ever after, the account must open.
    this.#doubted.add(market);
    this.paidOut();
  }

  /** A market was paid out, now: one figure may be from before, and the other from after. */
  paidOut(): void {
    this.#paidOutAt = this.#state.now;
  }

  /** Takes what the venue lets us spend. */
  takeBalance(available: Money, askedAt: Micros): void {
    this.#available = available;
    this.#askedAt.balance = askedAt;
  }

  /** Whether the account can open with figures that were needed at a time, or must wait, or ask for them anew. */
  judge(neededAt: Micros): 'open' | 'wait' | 'read-again' {
    const { portfolio, orders, now } = this.#state;
    // Figures asked for so soon after something of ours traded or ended may be from before: the venue's reads lag.
    const lag = this.#options.graceMs * 1000;
    const sureAt = this.#options.ledger.movedAt + lag;
    if (neededAt < sureAt) return now < sureAt ? 'wait' : 'read-again';
    const paidOutFor = this.#againCount < AGAIN_MAX ? this.#paidOutAt + lag : Number.NEGATIVE_INFINITY;
    if (neededAt < paidOutFor) {
      if (now < paidOutFor) return 'wait';
      this.#againCount += 1;
      return 'read-again';
    }
    // What was paid out between may be in the one figure and not in the other.
    if (Math.abs(this.#askedAt.positions - this.#askedAt.balance) > APART_US_MAX) return 'read-again';
    // So may a fill that came between.
    if (portfolio.fillsRemembered !== this.#fillsKnown && orders.openCount > 0) return 'read-again';
    return 'open';
  }

  /** Opens the account with what was told. */
  open(): void {
    const { portfolio, orders, succession } = this.#state;
    // What the venue lets us spend lacks what it holds for the orders that rest.
    portfolio.openCash(addMoney(this.#available, pledged(this.#state)));
    if (orders.openCount > 0) this.#options.ledger.openProvisionally();
    succession.open(this.#state.now);
    portfolio.open(Number.isFinite(this.#fillsSince) ? micros(this.#fillsSince) : EPOCH);
  }
}
