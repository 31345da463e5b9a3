// Checks an order that arrives or changes, in the sequence of real venues. Must never change anything.
import { centsText, contractsText, dollarsText } from '../../../domain/amounts.ts';
import type { AmendCommand, PlaceCommand } from '../../../domain/venue-command.ts';
import { isPastClose } from '../../../domain/market.ts';
import type { Side } from '../../../domain/orders/order.ts';
import { cellOf } from '../../../domain/price-grid.ts';
import { type CollateralTerms, closingQty } from '../../../domain/position.ts';
import { type Micros, type Price, type Qty, money, qty } from '../../../domain/units.ts';
import type { Capabilities } from '../../../venue.ts';
import type { VenueAccount } from './venue-account.ts';
import type { OrderStore } from './order-store.ts';
import type { RestingCollateral } from './resting-collateral.ts';
import type { VenueMarket, VenueOrder } from './venue-records.ts';
import { type SimulatedRefusal, venueRefusal } from './simulated-refusal.ts';

/** Ten million contracts: an order then costs at most 10^13 millionths of a dollar, within the safe integers. */
const ORDER_QTY_MAX = 1_000_000_000;

/**
 * State of the whole venue. With `isActive`, the venue takes requests that change orders. With `isTrading`, orders
 * trade.
 */
export interface TradingStatus {
  isActive: boolean;
  isTrading: boolean;
}

export interface OrderChecksOptions {
  readonly clock: { readonly now: Micros };
  readonly status: TradingStatus;
  readonly capabilities: Capabilities;
  readonly store: OrderStore;
  readonly account: VenueAccount;
  readonly collateral: RestingCollateral;
}

export class OrderChecks {
  readonly #options: OrderChecksOptions;

  constructor(options: OrderChecksOptions) {
    this.#options = options;
  }

  checkVenue(): SimulatedRefusal | null {
    return this.#options.status.isActive ? null : venueRefusal('exchange_is_paused');
  }

  /** Checks a new order, except for the account's cash and position. */
  checkPlace(command: PlaceCommand, market: VenueMarket | undefined): SimulatedRefusal | null {
    const { capabilities, store } = this.#options;
    const isTaken = capabilities.dedupesClientIds && store.isClientIdUsed(command.clientOrderId);
    // A used client order id is refused before any fault of the order itself: an order sent again after a lost answer
    // counts as a duplicate.
    const firstRefusal = this.checkVenue() ?? (isTaken ? venueRefusal('order_already_exists') : null);
    if (firstRefusal !== null) return firstRefusal;
    if (market === undefined) return venueRefusal('market_not_found', command.ticker);
    return this.checkTrading(market) ?? this.checkTerms(market, command) ?? this.#checkFlags(command);
  }

  checkTrading({ market }: VenueMarket): SimulatedRefusal | null {
    const firstRefusal = this.checkVenue();
    if (firstRefusal !== null) return firstRefusal;
    if (isPastClose(market.status)) return venueRefusal('market_already_closed', `the market is ${market.status}`);
    if (market.status !== 'active') return venueRefusal('market_inactive', `the market is ${market.status}`);
    return this.#options.status.isTrading ? null : venueRefusal('trading_is_paused');
  }

  checkTerms(
    { market }: VenueMarket,
    { price, qty: orderQty }: { readonly price: Price; readonly qty: Qty },
  ): SimulatedRefusal | null {
    const { qtyStep, priceMin, priceMax } = this.#options.capabilities;
    if (cellOf(market.grid, price) < 0 || price < priceMin || price > priceMax)
      return venueRefusal('invalid_price', `price ${centsText(price)} is not on the grid of ${market.ticker}`);
    if (!this.isOnQtyStep(orderQty) || orderQty <= 0 || orderQty > ORDER_QTY_MAX)
      return venueRefusal(
        'invalid_order_size',
        `expected a positive multiple of ${contractsText(qtyStep as Qty)} contracts, found ${orderQty} hundredths`,
      );
    return null;
  }

  isOnQtyStep(orderQty: number): boolean {
    return Number.isSafeInteger(orderQty) && orderQty % this.#options.capabilities.qtyStep === 0;
  }

  #checkFlags({ timeInForce, expiresAt, postOnly, reduceOnly }: PlaceCommand): SimulatedRefusal | null {
    const { clock, capabilities } = this.#options;
    if (!capabilities.timeInForce.includes(timeInForce))
      return venueRefusal('invalid_parameters', `${timeInForce} is not supported`);
    if (postOnly && !capabilities.canPostOnly) return venueRefusal('invalid_parameters', 'post only is not supported');
    if (reduceOnly && !capabilities.canReduceOnly)
      return venueRefusal('invalid_parameters', 'reduce only is not supported');
    if (timeInForce === 'gtd' && (expiresAt === null || expiresAt <= clock.now))
      return venueRefusal('invalid_parameters', 'expiration_time: expected a future time');
    if (postOnly && (timeInForce === 'ioc' || timeInForce === 'fok'))
      return venueRefusal('invalid_order', 'post only with immediate order');
    return null;
  }

  checkAmend(order: VenueOrder, command: AmendCommand): SimulatedRefusal | null {
    if (!this.#options.capabilities.canAmend) return venueRefusal('invalid_parameters', 'amending is not supported');
    if (command.side !== order.side) return venueRefusal('invalid_parameters', 'the order is of the other side');
    return this.checkTrading(order.market) ?? this.checkTerms(order.market, command);
  }

  checkFunds(
    market: VenueMarket,
    candidate: CollateralTerms,
    without: VenueOrder | null = null,
  ): SimulatedRefusal | null {
    const { account, collateral } = this.#options;
    const { available } = account;
    const missing = money(collateral.requiredUnder({ market, candidate, without }) - market.reserved - available);
    return missing > 0 ? venueRefusal('insufficient_balance', `${dollarsText(missing)} more is needed`) : null;
  }
}

/**
 * The quantity that a reduce-only order may still trade: the position that its side closes, less the quantity of other
 * resting reduce-only orders of that side.
 */
export function reducibleQty({ position, resting }: VenueMarket, side: Side, except: VenueOrder | null): Qty {
  let left: number = closingQty(position.qty, { side, qty: qty(ORDER_QTY_MAX) });
  for (const order of resting.values())
    if (order.placed.reduceOnly && order.side === side && order !== except) left -= order.leavesQty;
  return qty(Math.max(0, left));
}
