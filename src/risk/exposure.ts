// What may be lost from here: by market, by event group, in all, whichever orders fill and whatever the outcomes are.
// Counts every unfinished order, sent or not, unknown or not. Reckoned anew from the state each time: nothing to forget.
import type { EventTicker, MarketIndex } from '../domain/ids.ts';
import type { Strike } from '../domain/market.ts';
import { leavesQty } from '../domain/order.ts';
import { type Position, collateral, openingPrice, valueOf } from '../domain/position.ts';
import { type Money, PAYOUT, type Price, type Qty, money } from '../domain/units.ts';
import { type Holdings, pledgeOf } from '../state/equity.ts';
import type { FeeBook, Feeable } from './fee-book.ts';
import { type Stake, worstLoss } from './outcomes.ts';

/** An order that is asked for. */
export interface Asked extends Feeable {
  readonly market: MarketIndex;
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
  no: number;
  yes: number;
  strike: Strike | null;
  /** The measure that it was last part of. */
  round: number;
  held: Qty;
  /** Cost of what is held. */
  cost: number;
  /** What each side's orders cost if nothing held covers them. */
  buys: number;
  sells: number;
  /** What all its orders may be charged. */
  fees: number;
}

interface Group {
  readonly name: EventTicker;
  readonly parts: Part[];
  round: number;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Lists of event groups' markets are kept for the next measure; settled groups leave theirs behind. */
const GROUPS_KEPT_MAX = 1000;

const NOTHING = money(0);
const YES_LOST = 0 as Price;

/** Measures the account. */
export class Exposure {
  readonly #held: Holdings;
  readonly #fees: FeeBook;
  readonly #parts: (Part | undefined)[] = [];
  readonly #groups = new Map<EventTicker, Group>();
  readonly #touched: MarketIndex[] = [];
  readonly #inRound: Group[] = [];
  readonly #now: Mutable<Exposed> = { group: NOTHING, account: NOTHING, pledged: NOTHING, market: NOTHING };
  readonly #then: Mutable<Exposed> = { ...this.#now };
  /** What the markets lose that no description has come of: each stands alone. */
  #alone = 0;
  #round = 0;

  constructor(held: Holdings, fees: FeeBook) {
    this.#held = held;
    this.#fees = fees;
  }

  /** What may be lost if the proposal is let out too, or, without it, from what there is now. */
  measure(proposal: Asked, isAdded: boolean): Exposed {
    const { portfolio, orders } = this.#held;
    this.#round += 1;
    this.#touched.length = 0;
    if (this.#groups.size > GROUPS_KEPT_MAX) this.#groups.clear();
    for (const [market, position] of portfolio.positions()) if (position.qty !== 0) hold(this.#part(market), position);
    for (const order of orders.unfinished()) {
      const { market, side, price, postOnly } = order;
      const qty = leavesQty(order);
      if (qty > 0) this.#mayFill(market, { side, price, qty, postOnly });
    }
    if (isAdded) this.#mayFill(proposal.market, proposal);
    return this.#conclude(proposal, isAdded);
  }

  #part(market: MarketIndex): Part {
    const part = (this.#parts[market] ??= newPart());
    if (part.round === this.#round) return part;
    part.round = this.#round;
    part.no = part.yes = part.cost = part.buys = part.sells = part.fees = 0;
    part.held = 0 as Qty;
    this.#touched.push(market);
    return part;
  }

  /** An order may fill in full or not at all: of the two, the worse one counts at each outcome. */
  #mayFill(market: MarketIndex, order: Feeable): void {
    const { side, price, qty } = order;
    const part = this.#part(market);
    const fee = this.#fees.most(market, order);
    const cost = openingPrice(side, price) * qty;
    // The outcome that it acquires pays a dollar or nothing.
    const lost = cost + fee;
    const won = Math.max(0, lost - PAYOUT * qty);
    part.fees += fee;
    part[side === 'buy' ? 'buys' : 'sells'] += cost;
    part.no += side === 'buy' ? lost : won;
    part.yes += side === 'buy' ? won : lost;
  }

  #conclude(proposal: Asked, isAdded: boolean): Exposed {
    const result = isAdded ? this.#then : this.#now;
    result.group = NOTHING;
    let pledged = 0;
    for (const market of this.#touched) {
      const own = isAdded && market === proposal.market ? proposal : null;
      pledged += this.#pledgeOf(market, own);
    }
    result.pledged = money(pledged);
    const part = this.#part(proposal.market);
    result.market = money(part.cost + this.#pledgeOf(proposal.market, isAdded ? proposal : null));
    this.#gather();
    this.#sumUp(proposal.market, result);
    return result;
  }

  /** Cash that a market's orders may take: what is held covers those that would only close it. */
  #pledgeOf(market: MarketIndex, proposal: Asked | null): number {
    const part = this.#part(market);
    const isCovered = part.held > 0 ? part.sells > 0 : part.held < 0 && part.buys > 0;
    if (!isCovered) return part.buys + part.sells + part.fees;
    const pledges = this.#held.orders.openIn(market).map(pledgeOf);
    if (proposal) pledges.push({ side: proposal.side, price: proposal.price, leavesQty: proposal.qty });
    return collateral(part.held, pledges) + part.fees;
  }

  /** Puts every market that counts to its event group. */
  #gather(): void {
    const { markets } = this.#held;
    this.#inRound.length = 0;
    this.#alone = 0;
    for (const index of this.#touched) {
      const market = markets.get(index);
      const part = this.#part(index);
      if (market) this.#addTo(market.eventTicker, part).strike = market.strike ?? null;
      else this.#alone += Math.max(0, part.no, part.yes);
    }
  }

  #addTo(name: EventTicker, part: Part): Part {
    const known = this.#groups.get(name);
    const group = known ?? { name, parts: [], round: 0 };
    if (!known) this.#groups.set(name, group);
    if (group.round !== this.#round) {
      group.round = this.#round;
      group.parts.length = 0;
      this.#inRound.push(group);
    }
    group.parts.push(part);
    return part;
  }

  #sumUp(market: MarketIndex, result: Mutable<Exposed>): void {
    const { markets } = this.#held;
    const own = markets.get(market)?.eventTicker;
    let account = this.#alone;
    for (const { name, parts } of this.#inRound) {
      const worst = Math.max(0, worstLoss(parts, markets.group(name)?.isExclusive ?? false));
      account += worst;
      if (name === own) result.group = money(worst);
    }
    result.account = money(account);
  }
}

const newPart = (): Part => ({
  no: 0,
  yes: 0,
  strike: null,
  round: 0,
  held: 0 as Qty,
  cost: 0,
  buys: 0,
  sells: 0,
  fees: 0,
});

function hold(part: Part, { qty, cost }: Position): void {
  part.held = qty;
  part.cost = cost;
  part.no = cost - valueOf(qty, YES_LOST);
  part.yes = cost - valueOf(qty, PAYOUT);
}
