// The risk limits, and the one table that describes them for config, help and overrides. Must never have a default for
// a limit that risks money: the person who runs a strategy chooses it.
import { type Money, NO_MONEY, NO_QTY, PAYOUT, type Price, type Qty, price } from '../domain/units.ts';

/**
 * Limits of an account, or of one strategy within it. Each is the highest (or lowest) value still allowed. `null`:
 * there is no such limit; for `jumpPauseMs` and `rejectsPerMinuteMax`, the default applies. Costs are possible losses,
 * fees included.
 */
export interface RiskLimits {
  readonly orderQtyMax: Qty;
  readonly orderCostMax: Money;
  readonly positionQtyMax: Qty;
  readonly marketCostMax: Money;
  readonly groupCostMax: Money;
  readonly accountCostMax: Money;
  readonly dailyLossMax: Money;
  readonly drawdownMax: Money;
  readonly workingOrdersMax: number;
  readonly ordersPerSecondMax: number;
  readonly priceMin: Price;
  readonly priceMax: Price;
  /** Ten-thousandths of a dollar. */
  readonly priceDistanceMax: number;
  readonly bookAgeMsMax: number;
  readonly closeGuardMs: number;
  readonly messagesPerMinuteMax: number | null;
  readonly fillsPerMinuteMax: number | null;
  readonly contractsPerMinuteMax: Qty | null;
  readonly lossStreakMax: number | null;
  /** Ten-thousandths of a dollar. */
  readonly spreadMax: number | null;
  /** Ten-thousandths of a dollar. */
  readonly touchJumpMax: number | null;
  readonly jumpPauseMs: number | null;
  readonly duplicateWindowMs: number | null;
  readonly rejectsPerMinuteMax: number | null;
}

export type LimitName = keyof RiskLimits;

/** A strategy's own limits. The tighter of its value and the account's applies. */
export type StrategyLimits = Partial<RiskLimits>;

/**
 * Unit of a limit's number. `contracts` are hundredths of a contract, `dollars` are millionths of a dollar. `price` and
 * `distance` are ten-thousandths of a dollar.
 */
export type LimitUnit = 'contracts' | 'dollars' | 'price' | 'distance' | 'milliseconds' | 'count';

/** Description of a limit. */
export interface LimitInfo {
  readonly name: LimitName;
  /** Durations carry their unit in a config's value, not in the name. */
  readonly configName: string;
  readonly unit: LimitUnit;
  /** `most`: a smaller value is tighter. `least`: a larger value is tighter. */
  readonly bound: 'most' | 'least';
  /** A config with strategies must set a required limit. */
  readonly isRequired: boolean;
  /** Set where a strategy may have its own value. */
  readonly isOfStrategies: boolean;
  /** At most 60 characters, so that the list of all limits fits a terminal. */
  readonly meaning: string;
  /** A value as a config writes it. */
  readonly example: string;
}

type Row = readonly [
  name: LimitName,
  unit: LimitUnit,
  bound: 'most' | 'least',
  example: string,
  meaning: string,
  configName?: string,
];

/** Limits on the whole account, or on the market alone. */
const ACCOUNT_ONLY: ReadonlySet<LimitName> = new Set([
  'lossStreakMax',
  'touchJumpMax',
  'jumpPauseMs',
  'rejectsPerMinuteMax',
]);

const required = ([name, unit, bound, example, meaning, configName = name]: Row): LimitInfo => ({
  name,
  configName,
  unit,
  bound,
  isRequired: true,
  isOfStrategies: !ACCOUNT_ONLY.has(name),
  meaning,
  example,
});

const optional = (row: Row): LimitInfo => ({ ...required(row), isRequired: false });

/** Every limit, in the sequence of the documentation. */
export const RISK_LIMITS: readonly LimitInfo[] = [
  required(['orderQtyMax', 'contracts', 'most', '20', 'contracts of one order']),
  required(['orderCostMax', 'dollars', 'most', '20', 'dollars one order may lose, with its fee']),
  required(['positionQtyMax', 'contracts', 'most', '60', 'contracts held in a market if all orders fill']),
  required(['marketCostMax', 'dollars', 'most', '60', 'dollars held and reserved in one market']),
  required(['groupCostMax', 'dollars', 'most', '100', 'dollars an event group loses at its worst outcome']),
  required(['accountCostMax', 'dollars', 'most', '400', 'the same, summed over all event groups']),
  required(['dailyLossMax', 'dollars', 'most', '50', 'loss of a day (UTC) that halts account or strategy']),
  required(['drawdownMax', 'dollars', 'most', '100', 'loss from the highest equity that halts either']),
  required(['workingOrdersMax', 'count', 'most', '40', 'unfinished orders at once']),
  required(['ordersPerSecondMax', 'count', 'most', '20', 'new orders within any second']),
  required(['priceMin', 'price', 'least', '0.02', 'no order below this price']),
  required(['priceMax', 'price', 'most', '0.98', 'no order above this price']),
  required(['priceDistanceMax', 'distance', 'most', '0.15', 'how far a price may be worse than the mid']),
  required([
    'bookAgeMsMax',
    'milliseconds',
    'most',
    '15s',
    'no order once the feed has been silent this long',
    'bookAgeMax',
  ]),
  required(['closeGuardMs', 'milliseconds', 'least', '2s', 'no order this shortly before the close', 'closeGuard']),
  optional(['messagesPerMinuteMax', 'count', 'most', '600', 'new orders and cancels within any minute']),
  optional(['fillsPerMinuteMax', 'count', 'most', '60', 'more fills in a minute halt the market (strategy)']),
  optional(['contractsPerMinuteMax', 'contracts', 'most', '300', 'more contracts in a minute halt it']),
  optional(['lossStreakMax', 'count', 'most', '10', 'more losing closes in a row halt the account']),
  optional(['spreadMax', 'distance', 'most', '0.20', 'no order in a book whose spread is wider']),
  optional(['touchJumpMax', 'distance', 'most', '0.10', 'a larger move of the mid in 1s without a trade is doubted']),
  optional(['jumpPauseMs', 'milliseconds', 'least', '2s', 'how long such a jump is doubted', 'jumpPause']),
  optional([
    'duplicateWindowMs',
    'milliseconds',
    'least',
    '500ms',
    'no second equal order within this time',
    'duplicateWindow',
  ]),
  optional(['rejectsPerMinuteMax', 'count', 'most', '10', 'more rejects in a minute raise an alarm']),
];

/** No value for any optional limit. */
export const NO_OPTIONAL_LIMITS = {
  messagesPerMinuteMax: null,
  fillsPerMinuteMax: null,
  contractsPerMinuteMax: null,
  lossStreakMax: null,
  spreadMax: null,
  touchJumpMax: null,
  jumpPauseMs: null,
  duplicateWindowMs: null,
  rejectsPerMinuteMax: null,
} as const satisfies Partial<RiskLimits>;

/** The limits of a session that runs no strategy: no order is allowed. */
export const WATCH_ONLY: RiskLimits = {
  orderQtyMax: NO_QTY,
  orderCostMax: NO_MONEY,
  positionQtyMax: NO_QTY,
  marketCostMax: NO_MONEY,
  accountCostMax: NO_MONEY,
  workingOrdersMax: 0,
  priceMin: PAYOUT,
  priceMax: price(0),
  bookAgeMsMax: 0,
  closeGuardMs: 0,
  groupCostMax: NO_MONEY,
  dailyLossMax: NO_MONEY,
  drawdownMax: NO_MONEY,
  ordersPerSecondMax: 0,
  priceDistanceMax: 0,
  ...NO_OPTIONAL_LIMITS,
};

const BY_NAME: ReadonlyMap<string, LimitInfo> = new Map(
  RISK_LIMITS.flatMap((info) => [
    [info.name, info],
    [info.configName, info],
  ]),
);

/** Finds a limit by its name, or by its name in a config. */
export const findLimit = (name: string): LimitInfo | undefined => BY_NAME.get(name);

/** Also true for equal values. `null` is the loosest value. */
export function isTighter({ bound }: Pick<LimitInfo, 'bound'>, value: number | null, than: number | null): boolean {
  if (value === null || than === null) return than === null;
  return bound === 'most' ? value <= than : value >= than;
}

/** The account's limits, each replaced by the strategy's own where that is tighter. */
export function tightened(account: RiskLimits, own: StrategyLimits): RiskLimits {
  const limits: { -readonly [Name in LimitName]: number | null } = { ...account };
  for (const info of RISK_LIMITS) {
    const value = own[info.name];
    if (value !== undefined && isTighter(info, value, limits[info.name])) limits[info.name] = value;
  }
  // tidy: as Every member is the account's or the strategy's own value of the same name.
  return limits as RiskLimits;
}
