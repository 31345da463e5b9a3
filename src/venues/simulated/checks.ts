// Checks of an order that arrives or changes: all of them before anything happens, in the order in which the field's
// venues make them. Must never change anything.
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

/** Ten million contracts: beyond it an order's cost would exceed the safe integers. */
const ORDER_QTY_MAX = 1_000_000_000;

/** True when the venue as a whole takes requests, and when it trades. */
export interface Standing {
  isActive: boolean;
  isTrading: boolean;
}

export interface ChecksOptions {
  readonly clock: { readonly now: Micros };
  readonly status: Standing;
  readonly capabilities: Capabilities;
  readonly store: OrderStore;
  readonly account: Account;
  readonly collateral: Pledges;
}

const CLOSED_STATUSES: ReadonlySet<string> = new Set(['closed', 'determined', 'disputed', 'amended', 'finalized']);

export class Checks {
  readonly #options: ChecksOptions;

  constructor(options: ChecksOptions) {
    this.#options = options;
  }

  /** Checks that the venue takes requests that change orders at all. */
  venue(): Refusal | null {
    return this.#options.status.isActive ? null : refusal('exchange_is_paused');
  }

  /** Checks a new order, except for its money. */
  place(command: PlaceCommand, market: MarketRecord | undefined): Refusal | null {
    const { capabilities, store } = this.#options;
    const isTaken = capabilities.dedupesClientIds && store.isTaken(command.clientOrderId);
    // Checked first: a client order id sent again after a lost answer must be refused as a duplicate, whatever has
    // happened since.
    const firstRefusal = this.venue() ?? (isTaken ? refusal('order_already_exists') : null);
    if (firstRefusal !== null) return firstRefusal;
    if (market === undefined) return refusal('market_not_found', command.ticker);
    return this.trading(market) ?? this.terms(market, command) ?? this.#checkFlags(command);
  }

  /** Checks that orders of a market may be placed or amended now. */
  trading({ market }: MarketRecord): Refusal | null {
    const firstRefusal = this.venue();
    if (firstRefusal !== null) return firstRefusal;
    if (CLOSED_STATUSES.has(market.status)) return refusal('market_already_closed', `the market is ${market.status}`);
    if (market.status !== 'active') return refusal('market_inactive', `the market is ${market.status}`);
    return this.#options.status.isTrading ? null : refusal('trading_is_paused');
  }

  /** Checks that a price is on the grid and a quantity on the step. */
  terms(
    { market }: MarketRecord,
    { price, qty: orderQty }: { readonly price: Price; readonly qty: Qty },
  ): Refusal | null {
    const { qtyStep, priceMin, priceMax } = this.#options.capabilities;
    if (cellOf(market.grid, price) < 0 || price < priceMin || price > priceMax)
      return refusal('invalid_price', `price ${centsText(price)} is not on the grid of ${market.ticker}`);
    if (!this.isStep(orderQty) || orderQty <= 0 || orderQty > ORDER_QTY_MAX)
      return refusal(
        'invalid_order_size',
        `expected a positive multiple of ${contractsText(qtyStep as Qty)} contracts, found ${orderQty} hundredths`,
      );
    return null;
  }

  isStep(orderQty: number): boolean {
    return Number.isSafeInteger(orderQty) && orderQty % this.#options.capabilities.qtyStep === 0;
  }

  #checkFlags({ timeInForce, expiresAt, postOnly, reduceOnly }: PlaceCommand): Refusal | null {
    const { clock, capabilities } = this.#options;
    if (!capabilities.timeInForce.includes(timeInForce))
      return refusal('invalid_parameters', `${timeInForce} is not supported`);
    if (postOnly && !capabilities.canPostOnly) return refusal('invalid_parameters', 'post only is not supported');
    if (reduceOnly && !capabilities.canReduceOnly) return refusal('invalid_parameters', 'reduce only is not supported');
    if (timeInForce === 'gtd' && (expiresAt === null || expiresAt <= clock.now))
      return refusal('invalid_parameters', 'expiration_time: expected a time to come');
    if (postOnly && (timeInForce === 'ioc' || timeInForce === 'fok'))
      return refusal('invalid_order', 'post only with immediate order');
    return null;
  }

  /** Checks new terms of a resting order, except for its money. */
  amend(order: OrderRecord, command: AmendCommand): Refusal | null {
    if (!this.#options.capabilities.canAmend) return refusal('invalid_parameters', 'amending is not supported');
    if (command.side !== order.side) return refusal('invalid_parameters', 'the order is of the other side');
    return this.trading(order.market) ?? this.terms(order.market, command);
  }

  /** Checks that the account can pay for an order. */
  money(market: MarketRecord, candidate: Pledge, without: OrderRecord | null = null): Refusal | null {
    const { account, collateral } = this.#options;
    const { available } = account;
    const missing = money(collateral.needUnder({ market, candidate, without }) - market.reserved - available);
    return missing > 0 ? refusal('insufficient_balance', `${dollarsText(missing)} more is needed`) : null;
  }
}

/**
 * The quantity that a reduce-only order of a side may still take: the position, less what other reduce-only orders
 * would close.
 */
export function reducibleQty({ position, resting }: MarketRecord, side: Side, except: OrderRecord | null): Qty {
  let left: number = closingQty(position.qty, { side, qty: qty(ORDER_QTY_MAX) });
  for (const order of resting.values())
    if (order.reduceOnly && order.side === side && order !== except) left -= order.leavesQty;
  return qty(Math.max(0, left));
}
