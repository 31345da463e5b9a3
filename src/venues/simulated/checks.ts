// Whether an order may come in or change: every check before anything happens, in the order in which the field's venues
// make them. Must never change anything.
import { centsText, contractsText, dollarsText } from '../../domain/amounts.ts';
import type { AmendCommand, PlaceCommand } from '../../domain/command.ts';
import type { Side } from '../../domain/order.ts';
import { cellOf } from '../../domain/price-grid.ts';
import { type Pledge, closingQty } from '../../domain/position.ts';
import { type Micros, type Price, type Qty, money, qty } from '../../domain/units.ts';
import type { Capabilities } from '../../venue.ts';
import type { Account } from './account.ts';
import type { OrderStore } from './order-store.ts';
import type { Pledges } from './pledges.ts';
import type { MarketRecord, OrderRecord } from './records.ts';
import { type Refusal, refusal } from './refusal.ts';

/** Ten million contracts: beyond it an order's cost would leave the safe integers. */
const ORDER_QTY_MAX = 1_000_000_000;

/** Whether the venue as a whole is open, and trades. */
export interface Standing {
  isActive: boolean;
  isTrading: boolean;
}

export interface ChecksOptions {
  readonly clock: { readonly now: Micros };
  readonly standing: Standing;
  readonly capabilities: Capabilities;
  readonly store: OrderStore;
  readonly account: Account;
  readonly pledges: Pledges;
}

const OVER: ReadonlySet<string> = new Set(['closed', 'determined', 'disputed', 'amended', 'finalized']);

export class Checks {
  readonly #options: ChecksOptions;

  constructor(options: ChecksOptions) {
    this.#options = options;
  }

  /** Whether the venue takes requests that change orders at all. */
  venue(): Refusal | null {
    return this.#options.standing.isActive ? null : refusal('exchange_is_paused');
  }

  /** A new order, but for its money. */
  place(command: PlaceCommand, market: MarketRecord | undefined): Refusal | null {
    const { capabilities, store } = this.#options;
    const isTaken = capabilities.dedupesClientIds && store.isTaken(command.clientOrderId);
    // First of all: a name sent again after a lost answer must be told it is in, whatever has happened since.
    const early = this.venue() ?? (isTaken ? refusal('order_already_exists') : null);
    if (early !== null) return early;
    if (market === undefined) return refusal('market_not_found', command.ticker);
    return this.trading(market) ?? this.terms(market, command) ?? this.#manner(command);
  }

  /** Whether orders of a market may be placed or amended now. */
  trading({ market }: MarketRecord): Refusal | null {
    const early = this.venue();
    if (early !== null) return early;
    if (OVER.has(market.status)) return refusal('market_already_closed', `the market is ${market.status}`);
    if (market.status !== 'active') return refusal('market_inactive', `the market is ${market.status}`);
    return this.#options.standing.isTrading ? null : refusal('trading_is_paused');
  }

  /** Whether a price is on the grid and a quantity on the step. */
  terms({ market }: MarketRecord, { price, qty: asked }: { readonly price: Price; readonly qty: Qty }): Refusal | null {
    const { qtyStep, priceMin, priceMax } = this.#options.capabilities;
    if (cellOf(market.grid, price) < 0 || price < priceMin || price > priceMax)
      return refusal('invalid_price', `price ${centsText(price)} is not on the grid of ${market.ticker}`);
    if (!this.isStep(asked) || asked <= 0 || asked > ORDER_QTY_MAX)
      return refusal(
        'invalid_order_size',
        `expected a positive multiple of ${contractsText(qtyStep as Qty)} contracts, found ${asked} hundredths`,
      );
    return null;
  }

  isStep(asked: number): boolean {
    return Number.isSafeInteger(asked) && asked % this.#options.capabilities.qtyStep === 0;
  }

  #manner({ timeInForce, expiresAt, postOnly, reduceOnly }: PlaceCommand): Refusal | null {
    const { clock, capabilities } = this.#options;
    if (!capabilities.timeInForce.includes(timeInForce)) return refusal('invalid_parameters', `no ${timeInForce} here`);
    if (postOnly && !capabilities.canPostOnly) return refusal('invalid_parameters', 'no post only here');
    if (reduceOnly && !capabilities.canReduceOnly) return refusal('invalid_parameters', 'no reduce only here');
    if (timeInForce === 'gtd' && (expiresAt === null || expiresAt <= clock.now))
      return refusal('invalid_parameters', 'expiration_time: expected a time to come');
    if (postOnly && (timeInForce === 'ioc' || timeInForce === 'fok'))
      return refusal('invalid_order', 'post only with immediate order');
    return null;
  }

  /** New terms of an order that rests, but for its money. */
  amend(order: OrderRecord, command: AmendCommand): Refusal | null {
    if (!this.#options.capabilities.canAmend) return refusal('invalid_parameters', 'no amend here');
    if (command.side !== order.side) return refusal('invalid_parameters', 'the order is of the other side');
    return this.trading(order.market) ?? this.terms(order.market, command);
  }

  /** Whether the account can stand behind an order. */
  money(market: MarketRecord, candidate: Pledge, without: OrderRecord | null = null): Refusal | null {
    const { account, pledges } = this.#options;
    const { available } = account;
    const missing = money(pledges.needUnder({ market, candidate, without }) - market.reserved - available);
    return missing > 0 ? refusal('insufficient_balance', `${dollarsText(missing)} more is needed`) : null;
  }
}

/** What a reduce-only order of a side may still take: what is held, less what other such orders would close. */
export function reducibleQty({ position, resting }: MarketRecord, side: Side, except: OrderRecord | null): Qty {
  let left: number = closingQty(position.qty, { side, qty: qty(ORDER_QTY_MAX) });
  for (const order of resting.values())
    if (order.reduceOnly && order.side === side && order !== except) left -= order.leavesQty;
  return qty(Math.max(0, left));
}
