// What may be lost from here: by market, by event group, in all, whichever orders fill and whatever the outcomes are.
// Counts every unfinished order, sent or not, unknown or not. What each market comes to is kept until its orders or its
// position change, and the sums with it. Must never keep a figure of anything that has moved.
import type { EventTicker, MarketIndex } from '../domain/ids.ts';
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

/** What the orders of a market come to. */
interface OrderSum {
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

/** One market's part. */
interface Part extends Stake {
  readonly group: Group;
  /** Cost of what is held. */
  readonly cost: number;
  /** Cash that its orders may take. */
  readonly pledged: number;
  /** Whether nothing is held there, and nothing open. */
  readonly isEmpty: boolean;
}

/** Markets that are weighed together: an event group, or one that no description has come of, which stands alone. */
interface Group {
  readonly isExclusive: boolean;
  readonly line: StrikeLine;
  /** Those that are not empty. */
  readonly parts: Part[];
  /** What they may lose together; 0 where they can only gain. */
  worst: number;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const NOTHING = money(0);
const YES_LOST = 0 as Price;

/** Measures the account, or what is one strategy's own. */
export class Exposure {
  readonly #held: Stakes;
  readonly #fees: FeeBook;
  /** The markets that have moved since they were looked at. */
  readonly #stale = new Set<MarketIndex>();
  /** By market; all are of one revision of what is known of markets. */
  #parts: (Part | undefined)[] = [];
  #groups = new Map<EventTicker, Group>();
  #revision = -1;
  /** What all groups may lose, and the cash that all orders may take. */
  #worst = 0;
  #pledged = 0;
  readonly #now: Mutable<Exposed> = { group: NOTHING, account: NOTHING, pledged: NOTHING, market: NOTHING };
  readonly #then: Mutable<Exposed> = { ...this.#now };

  constructor(held: Stakes, fees: FeeBook) {
    this.#held = held;
    this.#fees = fees;
    held.orders.moved.follow(this.#stale);
    held.portfolio.moved.follow(this.#stale);
  }

  /** What may be lost if the proposal is let out too, or, without it, from what there is now. */
  measure(proposal: Asked, isAdded: boolean): Exposed {
    this.#catchUp();
    const now = this.#partOf(proposal.market);
    const then = isAdded ? this.#reckon(proposal.market, now.group, proposal) : now;
    const worst = isAdded ? worstWith(then, now) : now.group.worst;
    const result = isAdded ? this.#then : this.#now;
    result.group = money(worst);
    result.account = money(this.#worst - now.group.worst + worst);
    result.pledged = money(this.#pledged - now.pledged + then.pledged);
    result.market = money(then.cost + then.pledged);
    return result;
  }

  /** What may be lost from what there is now, over all event groups. */
  total(): Money {
    this.#catchUp();
    return money(this.#worst);
  }

  /** Looks at what has moved: at everything, where something is described anew. */
  #catchUp(): void {
    const { markets, portfolio, orders } = this.#held;
    if (markets.revision !== this.#revision) {
      this.#revision = markets.revision;
      this.#parts = [];
      this.#groups = new Map();
      this.#worst = this.#pledged = 0;
      for (const market of portfolio.positions().keys()) this.#stale.add(market);
      for (const market of orders.busyMarkets()) this.#stale.add(market);
    }
    for (const market of this.#stale) this.#look(market);
    this.#stale.clear();
  }

  #look(market: MarketIndex): void {
    const before = this.#partOf(market);
    const { group } = before;
    const after = this.#reckon(market, group, null);
    this.#parts[market] = after;
    this.#pledged += after.pledged - before.pledged;
    if (!before.isEmpty) group.parts.splice(group.parts.indexOf(before), 1);
    if (!after.isEmpty) group.parts.push(after);
    const { worst } = group;
    group.worst = worstOf(group, group.parts);
    this.#worst += group.worst - worst;
  }

  #partOf(market: MarketIndex): Part {
    return (this.#parts[market] ??= this.#emptyPart(market));
  }

  #emptyPart(market: MarketIndex): Part {
    const known = this.#held.markets.get(market);
    const group = known ? this.#group(known.eventTicker) : newGroup(false);
    return { no: 0, yes: 0, strike: known?.strike ?? null, group, cost: 0, pledged: 0, isEmpty: true };
  }

  #group(name: EventTicker): Group {
    const known = this.#groups.get(name);
    if (known) return known;
    const group = newGroup(this.#held.markets.group(name)?.isExclusive ?? false);
    this.#groups.set(name, group);
    return group;
  }

  /** A market's part as its position and its orders are, and with what is asked for. */
  #reckon(market: MarketIndex, group: Group, asked: Asked | null): Part {
    const { portfolio, markets } = this.#held;
    const { qty, cost: paid } = portfolio.position(market);
    const cost = qty === 0 ? 0 : paid;
    const sum = this.#sum(market, asked);
    return {
      no: sum.no + cost - valueOf(qty, YES_LOST),
      yes: sum.yes + cost - valueOf(qty, PAYOUT),
      strike: markets.get(market)?.strike ?? null,
      group,
      cost,
      pledged: this.#pledgeOf(market, sum, asked),
      isEmpty: qty === 0 && sum.buys.orders + sum.sells.orders === 0,
    };
  }

  /** What the orders of a market come to. */
  #sum(market: MarketIndex, asked: Asked | null): OrderSum {
    const sum: OrderSum = { buys: newSide(), sells: newSide(), no: 0, yes: 0, fees: 0 };
    for (const order of this.#held.orders.openIn(market)) {
      const qty = leavesQty(order);
      if (qty > 0) addOrder(sum, order, { qty, fee: this.#fees.most(market, order, qty) });
    }
    if (asked) addOrder(sum, asked, { qty: asked.qty, fee: this.#fees.most(market, asked, asked.qty) });
    return sum;
  }

  /** Cash that a market's orders may take: what is held covers those that would only close it. */
  #pledgeOf(market: MarketIndex, { buys, sells, fees }: OrderSum, asked: Asked | null): number {
    const held = this.#held.portfolio.position(market).qty;
    const [closing, opening] = held > 0 ? [sells, buys] : [buys, sells];
    const cover = Math.abs(held);
    if (cover === 0 || closing.orders === 0) return buys.cost + sells.cost + fees;
    if (closing.qty <= cover) return opening.cost + fees;
    // Of several orders the dearest is left uncovered: which, only their prices tell.
    if (closing.orders === 1) return opening.cost + (closing.cost / closing.qty) * (closing.qty - cover) + fees;
    const pledges = this.#held.orders.openIn(market).map(pledgeOf);
    if (asked) pledges.push({ side: asked.side, price: asked.price, leavesQty: asked.qty });
    return collateral(held, pledges) + fees;
  }
}

const newSide = (): SideSum => ({ orders: 0, qty: 0, cost: 0 });

const newGroup = (isExclusive: boolean): Group => ({ isExclusive, line: new StrikeLine(), parts: [], worst: 0 });

const worstOf = ({ isExclusive, line }: Group, parts: readonly Part[]): number =>
  Math.max(0, worstLoss(parts, isExclusive, line));

/** What a group may lose with another part of a market in place of the one that it has. */
const worstWith = (then: Part, now: Part): number =>
  worstOf(now.group, [...now.group.parts.filter((part) => part !== now), then]);

/** An order may fill in full or not at all: of the two, the worse one counts at each outcome. */
function addOrder(
  sum: OrderSum,
  { side, price }: Pick<Asked, 'side' | 'price'>,
  { qty, fee }: { readonly qty: Qty; readonly fee: number },
): void {
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
