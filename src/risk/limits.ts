// The bounds that risk holds every order to. None has a default here: whoever runs a strategy chooses them.
import type { Money, Price, Qty } from '../domain/units.ts';

/** Limits of an account, or of one strategy within it. All are the most (or least) that is still allowed. */
export interface RiskLimits {
  /** Quantity of one order. */
  readonly orderQtyMax: Qty;
  /** What one order may cost if it fills: the price for a buy, the complement for a sale. */
  readonly orderCostMax: Money;
  /** What may be held in one market, either way, if every unfinished order of a side fills. */
  readonly positionQtyMax: Qty;
  /** Cost of what is held and pledged in one market. */
  readonly marketCostMax: Money;
  /** Cost of what is held and pledged in all markets. */
  readonly accountCostMax: Money;
  /** Unfinished orders at once. */
  readonly workingOrdersMax: number;
  /** Prices outside this band are refused. */
  readonly priceMin: Price;
  readonly priceMax: Price;
  /** How long the feed may have been silent. */
  readonly bookAgeMsMax: number;
  /** No new order this shortly before a market's close. */
  readonly closeGuardMs: number;
}

/** The limits by name, in the order they are documented and asked for. */
export const LIMIT_NAMES: readonly (keyof RiskLimits)[] = [
  'orderQtyMax',
  'orderCostMax',
  'positionQtyMax',
  'marketCostMax',
  'accountCostMax',
  'workingOrdersMax',
  'priceMin',
  'priceMax',
  'bookAgeMsMax',
  'closeGuardMs',
];
