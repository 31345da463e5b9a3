// The figures of the account, or of a strategy as if it were alone, for one proposed order. Expensive figures are
// computed when a rule first reads them.
import { collateral, openingPrice } from '../domain/position.ts';
import { type Money, notional, subtractMoney } from '../domain/units.ts';
import type { Stakes } from '../state/equity.ts';
import { pledgeOf } from '../state/order-pledges.ts';
import type { Exposed, Exposure } from './exposure.ts';
import type { StrategyLimits } from './limits.ts';
import type { Party, Proposal } from './proposal.ts';

/** The limits and positions of the account or of a strategy. */
export interface PartyFacts {
  readonly of: Party['of'];
  readonly limits: StrategyLimits;
  readonly capital: Party['capital'];
  readonly stakes: Stakes;
  readonly exposure: Exposure;
}

/** The figures that rules compare for one proposed order. */
export class PartyScene implements Party {
  readonly of;
  readonly limits;
  readonly capital;
  readonly stakes;
  readonly #exposure: Exposure;
  readonly #proposal: Proposal;
  #addedReserved: Money | null = null;
  #exposed: Exposed | null = null;

  constructor(proposal: Proposal, { of, limits, capital, stakes, exposure }: PartyFacts) {
    this.#proposal = proposal;
    this.of = of;
    this.limits = limits;
    this.capital = capital;
    this.stakes = stakes;
    this.#exposure = exposure;
  }

  get addedPledge(): Money {
    return (this.#addedReserved ??= addedPledge(this.#proposal, this.stakes));
  }

  get exposed(): Exposed {
    return (this.#exposed ??= this.#exposure.measure(this.#proposal, true));
  }

  get exposedBefore(): Exposed {
    return this.#exposure.measure(this.#proposal, false);
  }
}

function addedPledge({ market, side, price, qty }: Proposal, { portfolio, orders }: Stakes): Money {
  const held = portfolio.position(market).qty;
  const isCovered = side === 'buy' ? held < 0 : held > 0;
  if (!isCovered) return notional(openingPrice(side, price), qty);
  const resting = orders.openIn(market).map(pledgeOf);
  return subtractMoney(collateral(held, [...resting, { side, price, leavesQty: qty }]), collateral(held, resting));
}
