// Computes the worst loss from here, by market, by event group and in total. Every unfinished order counts, also when
// its state is unknown. Must never return a cached figure of a market that has changed.
import type { EventTicker, MarketIndex } from '../../domain/ids.ts';
import { type Order, countedLeaves, countedPrice } from '../../domain/orders/order.ts';
import { collateral, openingPrice, valueOf } from '../../domain/position.ts';
import { type Money, PAYOUT, type Price, type Qty, money } from '../../domain/units.ts';
import type { Stakes } from '../../state/account/equity.ts';
import { collateralTermsOf } from '../../state/account/reserved-collateral.ts';
import type { FeeSchedules, FeeInput } from './fee-schedules.ts';
import { collateralTermsWith, worstTerms } from './counted-terms.ts';
import { type OutcomeLosses, worstLoss } from './outcome-losses.ts';
import { StrikeLine } from './strike-line.ts';

/** The part of an order's terms that its exposure depends on. */
export interface ProposedOrder extends FeeInput {
  readonly market: MarketIndex;
  readonly qty: Qty;
  /** The resting order that gets these terms, if any. It counts once, with the worse of both terms. */
  readonly amended?: Order;
}

/**
 * The worst loss and the reserved cash. Reused: the next `measure` with the same `isAdded` overwrites these figures.
 */
export interface ExposureFigures {
  /** Worst loss of the proposal's event group. */
  readonly group: Money;
  /** Sum of the worst losses of all event groups. A group that can only gain counts as 0. */
  readonly account: Money;
  /** Cash that all unfinished orders may take, with fees. */
  readonly reserved: Money;
  /** Cost of the position plus the reserved cash, in the proposal's market. */
  readonly market: Money;
}

interface OrderSums {
  readonly buys: SideSums;
  readonly sells: SideSums;
  /** Loss of the orders if the market resolves NO, with the worst fills. `yes`: the same if it resolves YES. */
  no: number;
  yes: number;
  fees: number;
}

interface SideSums {
  orders: number;
  qty: number;
  /** Cost of the orders if no position covers them. */
  cost: number;
}

interface MarketExposure extends OutcomeLosses {
  readonly market: MarketIndex;
  readonly group: Group;
  readonly cost: number;
  readonly reserved: number;
  readonly isEmpty: boolean;
}

/** An event group. A market without a description is a group by itself. */
interface Group {
  readonly isExclusive: boolean;
  readonly strikeLine: StrikeLine;
  readonly markets: MarketExposure[];
  /** 0 where the group can only gain. */
  worstLoss: number;
}

/**
 * The worst loss of an event group, and the losses of its markets with a position or an open order. Borrowed: read it
 * at once.
 */
export interface GroupLoss {
  readonly eventTicker: EventTicker;
  readonly isExclusive: boolean;
  readonly worstLoss: Money;
  readonly markets: readonly (OutcomeLosses & { readonly market: MarketIndex })[];
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const NOTHING = money(0);
const YES_LOST = 0 as Price;

/** Measures the exposure of the account, or of one strategy. */
export class Exposure {
  readonly #stakes: Stakes;
  readonly #fees: FeeSchedules;
  /** Added when a market's orders or position change; removed when its exposure is next computed. */
  readonly #changedMarkets = new Set<MarketIndex>();
  /** Cached. Valid for one revision of the market descriptions. */
  #byMarket: (MarketExposure | undefined)[] = [];
  /** Added when a market of the group is first computed; all removed when a market description changes. */
  #groups = new Map<EventTicker, Group>();
  #revision = -1;
  #worstLoss = 0;
  #reserved = 0;
  readonly #current: Mutable<ExposureFigures> = {
    group: NOTHING,
    account: NOTHING,
    reserved: NOTHING,
    market: NOTHING,
  };
  readonly #withProposal: Mutable<ExposureFigures> = { ...this.#current };

  constructor(stakes: Stakes, fees: FeeSchedules) {
    this.#stakes = stakes;
    this.#fees = fees;
    stakes.orders.changedMarkets.addConsumer(this.#changedMarkets);
    stakes.portfolio.changedMarkets.addConsumer(this.#changedMarkets);
  }

  /** Returns the exposure with the proposal if `isAdded`; otherwise as it is now. */
  measure(proposal: ProposedOrder, isAdded: boolean): ExposureFigures {
    this.#update();
    const now = this.#exposureOf(proposal.market);
    const after = isAdded ? this.#computeMarket(proposal.market, now.group, proposal) : now;
    const worst = isAdded ? worstOfGroupWith(after, now) : now.group.worstLoss;
    const result = isAdded ? this.#withProposal : this.#current;
    result.group = money(worst);
    result.account = money(this.#worstLoss - now.group.worstLoss + worst);
    result.reserved = money(this.#reserved - now.reserved + after.reserved);
    result.market = money(after.cost + after.reserved);
    return result;
  }

  totalLoss(): Money {
    this.#update();
    return money(this.#worstLoss);
  }

  /** At most `max`, the worst loss first. */
  worstGroups(max: number): GroupLoss[] {
    this.#update();
    return [...this.#groups]
      .filter(([, { markets }]) => markets.length > 0)
      .sort(([, one], [, other]) => other.worstLoss - one.worstLoss)
      .slice(0, max)
      .map(([eventTicker, { markets, isExclusive, worstLoss: worst }]) => ({
        eventTicker,
        isExclusive,
        worstLoss: money(worst),
        markets,
      }));
  }

  costliestMarket(): { readonly market: MarketIndex; readonly cost: Money } | null {
    this.#update();
    let highest = 0;
    let found: MarketIndex | null = null;
    this.#byMarket.forEach((exposure) => {
      if (exposure === undefined || exposure.cost + exposure.reserved <= highest) return;
      highest = exposure.cost + exposure.reserved;
      found = exposure.market;
    });
    return found === null ? null : { market: found, cost: money(highest) };
  }

  #update(): void {
    const { markets, portfolio, orders } = this.#stakes;
    if (markets.revision !== this.#revision) {
      this.#revision = markets.revision;
      this.#byMarket = [];
      this.#groups = new Map();
      this.#worstLoss = this.#reserved = 0;
      for (const market of portfolio.positions().keys()) this.#changedMarkets.add(market);
      for (const market of orders.marketsWithOpenOrders()) this.#changedMarkets.add(market);
    }
    for (const market of this.#changedMarkets) this.#updateMarket(market);
    this.#changedMarkets.clear();
  }

  #updateMarket(market: MarketIndex): void {
    const before = this.#exposureOf(market);
    const { group } = before;
    const after = this.#computeMarket(market, group, null);
    this.#byMarket[market] = after;
    this.#reserved += after.reserved - before.reserved;
    if (!before.isEmpty) group.markets.splice(group.markets.indexOf(before), 1);
    if (!after.isEmpty) group.markets.push(after);
    const { worstLoss: worst } = group;
    group.worstLoss = worstOfGroup(group, group.markets);
    this.#worstLoss += group.worstLoss - worst;
  }

  #exposureOf(market: MarketIndex): MarketExposure {
    return (this.#byMarket[market] ??= this.#emptyExposure(market));
  }

  #emptyExposure(market: MarketIndex): MarketExposure {
    const described = this.#stakes.markets.get(market);
    const group = described ? this.#groupOf(described.eventTicker) : emptyGroup(false);
    return { market, no: 0, yes: 0, strike: described?.strike ?? null, group, cost: 0, reserved: 0, isEmpty: true };
  }

  #groupOf(name: EventTicker): Group {
    const existing = this.#groups.get(name);
    if (existing) return existing;
    const group = emptyGroup(this.#stakes.markets.group(name)?.isExclusive ?? false);
    this.#groups.set(name, group);
    return group;
  }

  #computeMarket(market: MarketIndex, group: Group, proposal: ProposedOrder | null): MarketExposure {
    const { portfolio, markets } = this.#stakes;
    const { qty, cost: paid } = portfolio.position(market);
    const cost = qty === 0 ? 0 : paid;
    const sum = this.#sumOrders(market, proposal);
    return {
      market,
      no: sum.no + cost - valueOf(qty, YES_LOST),
      yes: sum.yes + cost - valueOf(qty, PAYOUT),
      strike: markets.get(market)?.strike ?? null,
      group,
      cost,
      reserved: this.#reservedBy(market, sum, proposal),
      isEmpty: qty === 0 && sum.buys.orders + sum.sells.orders === 0,
    };
  }

  #sumOrders(market: MarketIndex, proposal: ProposedOrder | null): OrderSums {
    const sum: OrderSums = { buys: emptySide(), sells: emptySide(), no: 0, yes: 0, fees: 0 };
    for (const order of this.#stakes.orders.openIn(market)) {
      if (order === proposal?.amended) continue;
      const qty = countedLeaves(order);
      const { side, amend } = order;
      if (qty > 0) addOrder(sum, { side, price: countedPrice(order), qty }, this.#highestFee(order, qty, amend));
    }
    if (proposal) {
      const { side, price, leavesQty: qty } = worstTerms(proposal);
      addOrder(sum, { side, price, qty }, this.#highestFee(proposal, qty, proposal.amended));
    }
    return sum;
  }

  /** The highest fee of an order with two sets of terms. The fee may be higher at the price that costs less. */
  #highestFee(
    order: Omit<ProposedOrder, 'qty'>,
    qty: Qty,
    other: { readonly price: Price } | null | undefined,
  ): number {
    const fee = this.#fees.highestFee(order.market, order, qty);
    if (other === null || other === undefined || other.price === order.price) return fee;
    const { market, side, postOnly } = order;
    return Math.max(fee, this.#fees.highestFee(market, { side, postOnly, price: other.price }, qty));
  }

  /** Orders that only close are covered by the position. */
  #reservedBy(market: MarketIndex, { buys, sells, fees }: OrderSums, proposal: ProposedOrder | null): number {
    const held = this.#stakes.portfolio.position(market).qty;
    const [closing, opening] = held > 0 ? [sells, buys] : [buys, sells];
    const cover = Math.abs(held);
    if (cover === 0 || closing.orders === 0) return buys.cost + sells.cost + fees;
    if (closing.qty <= cover) return opening.cost + fees;
    // With several closing orders, the position covers the cheapest ones.
    if (closing.orders === 1) return opening.cost + (closing.cost / closing.qty) * (closing.qty - cover) + fees;
    const resting = this.#stakes.orders.openIn(market);
    return collateral(held, proposal ? collateralTermsWith(resting, proposal) : resting.map(collateralTermsOf)) + fees;
  }
}

const emptySide = (): SideSums => ({ orders: 0, qty: 0, cost: 0 });

const emptyGroup = (isExclusive: boolean): Group => ({
  isExclusive,
  strikeLine: new StrikeLine(),
  markets: [],
  worstLoss: 0,
});

const worstOfGroup = ({ isExclusive, strikeLine: line }: Group, exposures: readonly MarketExposure[]): number =>
  Math.max(0, worstLoss(exposures, isExclusive, line));

const worstOfGroupWith = (after: MarketExposure, now: MarketExposure): number =>
  worstOfGroup(now.group, [...now.group.markets.filter((exposure) => exposure !== now), after]);

/** An order may fill in full or not at all. For each outcome, the worse of the two counts. */
function addOrder(
  sum: OrderSums,
  { side, price, qty }: Pick<ProposedOrder, 'side' | 'price' | 'qty'>,
  fee: number,
): void {
  const cost = openingPrice(side, price) * qty;
  // The outcome that the order acquires pays a dollar or nothing.
  const lossIfWorthless = cost + fee;
  const lossIfPaid = Math.max(0, lossIfWorthless - PAYOUT * qty);
  sum.fees += fee;
  sum.no += side === 'buy' ? lossIfWorthless : lossIfPaid;
  sum.yes += side === 'buy' ? lossIfPaid : lossIfWorthless;
  const sideSums = side === 'buy' ? sum.buys : sum.sells;
  sideSums.orders += 1;
  sideSums.qty += qty;
  sideSums.cost += cost;
}
