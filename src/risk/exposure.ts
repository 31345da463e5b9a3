// What may be lost from here: by market, by event group, in all, whichever orders fill and whatever the outcomes are.
// Counts every unfinished order, sent or not, unknown or not. Reckoned from the state each time; what the orders of a
// market come to is kept for as long as none of them changes.
import type { EventTicker, MarketIndex } from '../domain/ids.ts';
import type { Strike } from '../domain/market.ts';
import { leavesQty } from '../domain/order.ts';
import { collateral, openingPrice, valueOf } from '../domain/position.ts';
import { type Money, PAYOUT, type Price, type Qty, money } from '../domain/units.ts';
import type { Stakes } from '../state/equity.ts';
import { pledgeOf } from '../state/order-pledges.ts';
import type { FeeBook, Feeable } from './fee-book.ts';
import { type Stake, worstLoss } from './outcomes.ts';
import { StrikeLine } from './strike-line.ts';

/** An order that is asked for. */
export interface Asked extends Feeable {
  readonly market: MarketIndex;
  readonly qty: Qty;
}

/** What may be lost. Borrowed: the next measure of the same kind writes over it. */
export interface Exposed {
  /** The worst loss of the proposal's event group. */
  readonly group: Money;
  /** The worst losses of all event groups, added up; a group that can only gain makes no room for others. */
  readonly account: Money;
  /** Cash that all unfinished orders may take, the proposal's and fees among them. */
  readonly pledged: Money;
  /** Cost of what is held and pledged in the proposal's market, fees of unfinished orders among it. */
  readonly market: Money;
}

/** One market's part, used again from measure to measure. */
interface Part extends Stake {
  readonly market: MarketIndex;
  no: number;
  yes: number;
  readonly strike: Strike | null;
  /** `null` for a market that no description has come of: it stands alone. */
  readonly group: Group | null;
  /** The measure that it was last part of. */
  round: number;
  held: Qty;
  /** Cost of what is held. */
  cost: number;
  readonly orders: OrderSum;
}

/** What the orders of a market come to. */
interface OrderSum {
  /** The market's revision that it is of; -1 when the order that is asked for is among them. */
  revision: number;
  readonly buys: SideSum;
  readonly sells: SideSum;
  /** What they may lose, whichever fill, if NO or YES comes true. */
  no: number;
  yes: number;
  /** What they all may be charged. */
  fees: number;
}

/** The orders of one side of a market. */
interface SideSum {
  orders: number;
  qty: number;
  /** What they cost if nothing held covers them. */
  cost: number;
}

interface Group {
  readonly name: EventTicker;
  readonly isExclusive: boolean;
  readonly line: StrikeLine;
  /** The markets that are part of the measure. */
  readonly parts: Part[];
  round: number;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const NOTHING = money(0);
const NONE: SideSum = { orders: 0, qty: 0, cost: 0 };
const NOT_HELD = 0 as Qty;
const YES_LOST = 0 as Price;

/** Measures the account, or what is one strategy's own. */
export class Exposure {
  readonly #held: Stakes;
  readonly #fees: FeeBook;
  #parts: (Part | undefined)[] = [];
  #groups = new Map<EventTicker, Group>();
  readonly #touched: Part[] = [];
  readonly #inRound: Group[] = [];
  readonly #now: Mutable<Exposed> = { group: NOTHING, account: NOTHING, pledged: NOTHING, market: NOTHING };
  readonly #then: Mutable<Exposed> = { ...this.#now };
  #round = 0;
  #revision = -1;

  constructor(held: Stakes, fees: FeeBook) {
    this.#held = held;
    this.#fees = fees;
  }

  /** What may be lost if the proposal is let out too, or, without it, from what there is now. */
  measure(proposal: Asked, isAdded: boolean): Exposed {
    this.#begin();
    this.#touchAll();
    if (isAdded) addOrder(this.#orders(proposal.market), proposal, this.#charge(proposal, proposal.qty));
    const own = this.#touch(proposal.market);
    for (const part of this.#touched) weigh(part);
    // What is only asked for is of this measure alone.
    if (isAdded) own.orders.revision = -1;
    return this.#conclude(proposal, isAdded);
  }

  /** What may be lost from what there is now, over all event groups. */
  total(): Money {
    this.#begin();
    this.#touchAll();
    for (const part of this.#touched) weigh(part);
    return money(this.#sumOfGroups(this.#joinAll(), null));
  }

  #touchAll(): void {
    const { portfolio, orders } = this.#held;
    for (const [market, position] of portfolio.positions()) if (position.qty !== 0) this.#touch(market);
    for (const market of orders.busyMarkets()) {
      const { buys, sells } = this.#orders(market);
      if (buys.orders + sells.orders > 0) this.#touch(market);
    }
  }

  #begin(): void {
    this.#round += 1;
    this.#touched.length = 0;
    this.#inRound.length = 0;
    if (this.#held.markets.revision === this.#revision) return;
    this.#revision = this.#held.markets.revision;
    this.#parts = [];
    this.#groups = new Map();
  }

  #part(market: MarketIndex): Part {
    return (this.#parts[market] ??= this.#newPart(market));
  }

  /** Makes a market part of the measure. */
  #touch(market: MarketIndex): Part {
    const part = this.#part(market);
    if (part.round === this.#round) return part;
    part.round = this.#round;
    const { qty, cost } = this.#held.portfolio.position(market);
    part.held = qty;
    part.cost = qty === 0 ? 0 : cost;
    this.#orders(market);
    this.#touched.push(part);
    return part;
  }

  /** What the orders of a market come to now. */
  #orders(market: MarketIndex): OrderSum {
    const { orders } = this.#held;
    const sum = this.#part(market).orders;
    const revision = orders.revisionOf(market);
    if (sum.revision === revision) return sum;
    clear(sum, revision);
    for (const order of orders.openIn(market)) {
      const qty = leavesQty(order);
      if (qty > 0) addOrder(sum, { side: order.side, price: order.price, qty }, this.#charge(order, qty));
    }
    return sum;
  }

  #charge(order: Omit<Asked, 'qty'>, qty: Qty): number {
    return this.#fees.most(order.market, order, qty);
  }

  #newPart(index: MarketIndex): Part {
    const market = this.#held.markets.get(index);
    return {
      market: index,
      no: 0,
      yes: 0,
      strike: market?.strike ?? null,
      group: market ? this.#group(market.eventTicker) : null,
      round: 0,
      held: NOT_HELD,
      cost: 0,
      orders: { revision: -1, buys: { ...NONE }, sells: { ...NONE }, no: 0, yes: 0, fees: 0 },
    };
  }

  #group(name: EventTicker): Group {
    const known = this.#groups.get(name);
    if (known) return known;
    const isExclusive = this.#held.markets.group(name)?.isExclusive ?? false;
    const group = { name, isExclusive, line: new StrikeLine(), parts: [], round: 0 };
    this.#groups.set(name, group);
    return group;
  }

  #conclude(proposal: Asked, isAdded: boolean): Exposed {
    const own = this.#part(proposal.market);
    let pledged = 0;
    for (const part of this.#touched) pledged += this.#pledgeOf(part, part === own && isAdded ? proposal : null);
    const result = isAdded ? this.#then : this.#now;
    result.group = NOTHING;
    result.pledged = money(pledged);
    result.market = money(own.cost + this.#pledgeOf(own, isAdded ? proposal : null));
    result.account = money(
      this.#sumOfGroups(this.#joinAll(), (group, worst) => {
        if (group === own.group) result.group = money(worst);
      }),
    );
    return result;
  }

  /** Lets every market join its group; what those may lose that stand alone. */
  #joinAll(): number {
    let alone = 0;
    for (const part of this.#touched) {
      if (part.group) this.#join(part.group, part);
      else alone += Math.max(0, part.no, part.yes);
    }
    return alone;
  }

  #sumOfGroups(alone: number, tell: ((group: Group, worst: number) => void) | null): number {
    let sum = alone;
    for (const group of this.#inRound) {
      const worst = Math.max(0, worstLoss(group.parts, group.isExclusive, group.line));
      sum += worst;
      tell?.(group, worst);
    }
    return sum;
  }

  #join(group: Group, part: Part): void {
    if (group.round !== this.#round) {
      group.round = this.#round;
      group.parts.length = 0;
      this.#inRound.push(group);
    }
    group.parts.push(part);
  }

  /** Cash that a market's orders may take: what is held covers those that would only close it. */
  #pledgeOf(part: Part, proposal: Asked | null): number {
    const { held } = part;
    const { buys, sells, fees } = part.orders;
    const [closing, opening] = held > 0 ? [sells, buys] : [buys, sells];
    const cover = Math.abs(held);
    if (cover === 0 || closing.orders === 0) return buys.cost + sells.cost + fees;
    if (closing.qty <= cover) return opening.cost + fees;
    // Of several orders the dearest is left uncovered: which, only their prices tell.
    if (closing.orders === 1) return opening.cost + (closing.cost / closing.qty) * (closing.qty - cover) + fees;
    return this.#sorted(part, proposal) + fees;
  }

  #sorted(part: Part, proposal: Asked | null): number {
    const pledges = this.#held.orders.openIn(part.market).map(pledgeOf);
    if (proposal) pledges.push({ side: proposal.side, price: proposal.price, leavesQty: proposal.qty });
    return collateral(part.held, pledges);
  }
}

/** What a market may lose, by what is held and by its orders. */
function weigh(part: Part): void {
  const { held, cost, orders } = part;
  part.no = orders.no + cost - valueOf(held, YES_LOST);
  part.yes = orders.yes + cost - valueOf(held, PAYOUT);
}

function clear(sum: OrderSum, revision: number): void {
  sum.revision = revision;
  sum.no = sum.yes = sum.fees = 0;
  Object.assign(sum.buys, NONE);
  Object.assign(sum.sells, NONE);
}

/** An order may fill in full or not at all: of the two, the worse one counts at each outcome. */
function addOrder(sum: OrderSum, { side, price, qty }: Pick<Asked, 'side' | 'price' | 'qty'>, fee: number): void {
  const cost = openingPrice(side, price) * qty;
  // The outcome that it acquires pays a dollar or nothing.
  const lost = cost + fee;
  const won = Math.max(0, lost - PAYOUT * qty);
  sum.fees += fee;
  sum.no += side === 'buy' ? lost : won;
  sum.yes += side === 'buy' ? won : lost;
  const ofSide = side === 'buy' ? sum.buys : sum.sells;
  ofSide.orders += 1;
  ofSide.qty += qty;
  ofSide.cost += cost;
}
