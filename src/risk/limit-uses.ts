// The use of each limit, for displays. Must never change a figure that a rule reads: a display may read at any time,
// and a replay reads nothing.
import type { EventTicker, MarketIndex, StrategyName } from '../domain/ids.ts';
import type { LossBaseline } from '../domain/operator-order.ts';
import { type Order, countedLeaves, countedPrice } from '../domain/orders/order.ts';
import { openingPrice } from '../domain/position.ts';
import { type Money, PAYOUT, addMoney, notional } from '../domain/units.ts';
import { type Stakes, reachablePosition } from '../state/account/equity.ts';
import type { State } from '../state/state.ts';
import type { EffectiveLimits } from './effective-limits.ts';
import type { Exposure } from './exposure/exposure.ts';
import type { FeeSchedules } from './exposure/fee-schedules.ts';
import type { MarketWatch } from './market-watch.ts';
import type { MessageRates } from './message-rates.ts';
import type { MarketCount } from './fill-watch.ts';
import { type LimitName, type LimitUnit, RISK_LIMITS, type StrategyLimits } from './risk-limits.ts';

/** A limit and its use, both in the limit's unit. */
export interface LimitUse {
  /** The limit's name; `capital` for a strategy's allotment. */
  readonly limit: LimitName | 'capital';
  /** `null` for a limit of the account. */
  readonly strategy: StrategyName | null;
  /** Market or event group of the largest use; `null` for the whole account or strategy. */
  readonly subject: MarketIndex | EventTicker | null;
  readonly unit: LimitUnit;
  readonly used: number;
  readonly allowed: number;
  readonly isOverridden: boolean;
}

/** The figures that are compared with the limits of the account, or of one strategy. */
export interface UseInputs {
  readonly state: State;
  readonly limits: EffectiveLimits;
  /** `null` for the account. */
  readonly strategy: StrategyName | null;
  readonly stakes: Stakes;
  readonly exposure: Exposure;
  readonly fees: FeeSchedules;
  readonly rates: MessageRates;
  readonly watch: MarketWatch;
  /** `null` before the first check of the losses. */
  readonly losses: { readonly baseline: LossBaseline; readonly equity: Money; readonly streak: number } | null;
  readonly fills: Readonly<Record<'fills' | 'contracts', MarketCount>>;
  readonly rejects: number;
  /** `null` where nothing is allotted. */
  readonly capitalLeft: Money | null;
}

interface Use {
  readonly used: number;
  readonly subject: LimitUse['subject'];
}

type Measure = (inputs: UseInputs, orders: OrderUses) => Use | null;

const whole = (used: number): Use => ({ used, subject: null });
const ofMarket = ({ count, market }: MarketCount): Use => ({ used: count, subject: market });

/** `null` for a bound on a price or a time: orders do not use it up. */
const MEASURES: Readonly<Record<LimitName, Measure | null>> = {
  orderQtyMax: (_, { qty }) => qty.largest(),
  orderCostMax: (_, { cost }) => cost.largest(),
  positionQtyMax: (_, { position }) => position.largest(),
  marketCostMax: ({ exposure }) => {
    const costliest = exposure.costliestMarket();
    return costliest === null ? whole(0) : { used: costliest.cost, subject: costliest.market };
  },
  groupCostMax: ({ exposure }) => {
    const [worst] = exposure.worstGroups(1);
    return worst === undefined ? whole(0) : { used: worst.worstLoss, subject: worst.eventTicker };
  },
  accountCostMax: ({ exposure }) => whole(exposure.totalLoss()),
  dailyLossMax: ({ losses }) => losses && whole(Math.max(0, losses.baseline.dayEquity - losses.equity)),
  drawdownMax: ({ losses }) => losses && whole(Math.max(0, losses.baseline.peakEquity - losses.equity)),
  workingOrdersMax: ({ state: { orders }, strategy }) =>
    whole(strategy === null ? orders.openCount : orders.openCountOf(strategy)),
  ordersPerSecondMax: ({ rates, strategy, state }) => whole(rates.ordersPerSecond(strategy, state.now)),
  priceMin: null,
  priceMax: null,
  priceDistanceMax: (_, { distance }) => distance.largest(),
  bookAgeMsMax: null,
  closeGuardMs: null,
  messagesPerMinuteMax: ({ rates, strategy, state }) => whole(rates.messagesPerMinute(strategy, state.now)),
  fillsPerMinuteMax: ({ fills }) => ofMarket(fills.fills),
  contractsPerMinuteMax: ({ fills }) => ofMarket(fills.contracts),
  lossStreakMax: ({ losses }) => losses && whole(losses.streak),
  spreadMax: (_, { spread }) => spread.largest(),
  touchJumpMax: ({ watch, state }) => {
    const doubt = watch.largestDoubt(state.now);
    return doubt === null ? whole(0) : { used: Math.ceil(doubt.jump), subject: doubt.market };
  },
  jumpPauseMs: null,
  duplicateWindowMs: null,
  rejectsPerMinuteMax: ({ rejects }) => whole(rejects),
};

/** Returns the use of each limit. For a strategy, only its own limits count. */
export function limitUses(inputs: UseInputs): LimitUse[] {
  const { limits, strategy } = inputs;
  const values: StrategyLimits = strategy === null ? limits.account : limits.ownLimitsOf(strategy);
  const orders = new OrderUses(inputs);
  const uses = RISK_LIMITS.flatMap(({ name, unit }): LimitUse[] => {
    const allowed = values[name];
    const use = allowed === undefined || allowed === null ? null : (MEASURES[name]?.(inputs, orders) ?? null);
    if (use === null || allowed === undefined || allowed === null) return [];
    return [{ limit: name, strategy, unit, ...use, allowed, isOverridden: isOverridden(inputs, name) }];
  });
  return [...uses, ...capitalUse(inputs)];
}

const isOverridden = ({ limits, strategy }: UseInputs, name: LimitName): boolean =>
  limits.overrides.some((override) => override.limit === name && override.strategy === strategy);

function capitalUse({ strategy, capitalLeft, exposure }: UseInputs): LimitUse[] {
  if (capitalLeft === null) return [];
  const used = exposure.totalLoss();
  return [
    { limit: 'capital', strategy, subject: null, unit: 'dollars', used, allowed: capitalLeft, isOverridden: false },
  ];
}

class LargestUse {
  #used = 0;
  #market: MarketIndex | null = null;

  addFigure(figure: number, market: MarketIndex): void {
    if (figure <= this.#used) return;
    this.#used = figure;
    this.#market = market;
  }

  largest(): Use {
    return { used: this.#used, subject: this.#market };
  }
}

/** Largest figures of unfinished orders, and of the positions they may reach. */
class OrderUses {
  readonly qty = new LargestUse();
  readonly cost = new LargestUse();
  readonly position = new LargestUse();
  readonly distance = new LargestUse();
  readonly spread = new LargestUse();
  readonly #inputs: UseInputs;

  constructor(inputs: UseInputs) {
    this.#inputs = inputs;
    const { orders, portfolio } = inputs.stakes;
    for (const market of portfolio.positions().keys()) this.#addPosition(market);
    for (const market of orders.marketsWithOpenOrders()) this.#addMarket(market);
  }

  #addPosition(market: MarketIndex): void {
    const { stakes } = this.#inputs;
    this.position.addFigure(reachablePosition(stakes, market, 'buy'), market);
    this.position.addFigure(-reachablePosition(stakes, market, 'sell'), market);
  }

  #addMarket(market: MarketIndex): void {
    const open = this.#inputs.stakes.orders.openIn(market);
    if (open.length === 0) return;
    this.#addPosition(market);
    const { books } = this.#inputs.state;
    const isLive = books.isLive(market);
    if (isLive) this.spread.addFigure((books.bestAsk(market) ?? PAYOUT) - (books.bestBid(market) ?? 0), market);
    const twiceMid = isLive ? books.twiceMid(market) : 0;
    for (const order of open) this.#addOrder(order, twiceMid);
  }

  #addOrder(order: Order, twiceMid: number): void {
    const { market, side } = order;
    const price = countedPrice(order);
    const qty = countedLeaves(order);
    this.qty.addFigure(qty, market);
    const fee = this.#inputs.fees.highestFee(market, order, qty);
    this.cost.addFigure(addMoney(notional(openingPrice(side, price), qty), fee), market);
    if (twiceMid > 0)
      this.distance.addFigure(Math.ceil((side === 'buy' ? 2 * price - twiceMid : twiceMid - 2 * price) / 2), market);
  }
}
