// The figures of the account, or of one strategy, for one proposed order. Expensive figures are computed when first
// read.
import { collateral, openingPrice } from '../../domain/position.ts';
import { type Money, notional, subtractMoney } from '../../domain/units.ts';
import type { Stakes } from '../../state/account/equity.ts';
import { collateralTermsOf } from '../../state/account/reserved-collateral.ts';
import { collateralTermsWith } from '../exposure/counted-terms.ts';
import type { ExposureFigures, Exposure } from '../exposure/exposure.ts';
import type { StrategyLimits } from '../risk-limits.ts';
import type { RiskSubject, Proposal } from './proposal.ts';

export interface RiskSubjectOptions {
  readonly of: RiskSubject['of'];
  readonly limits: StrategyLimits;
  readonly capital: RiskSubject['capital'];
  readonly stakes: Stakes;
  readonly exposure: Exposure;
}

/** The figures that rules compare for one proposed order. */
export class LazyRiskSubject implements RiskSubject {
  readonly of;
  readonly limits;
  readonly capital;
  readonly stakes;
  readonly #exposure: Exposure;
  readonly #proposal: Proposal;
  #addedReserved: Money | null = null;
  #exposed: ExposureFigures | null = null;

  constructor(proposal: Proposal, { of, limits, capital, stakes, exposure }: RiskSubjectOptions) {
    this.#proposal = proposal;
    this.of = of;
    this.limits = limits;
    this.capital = capital;
    this.stakes = stakes;
    this.#exposure = exposure;
  }

  get addedReserved(): Money {
    return (this.#addedReserved ??= addedCollateral(this.#proposal, this.stakes));
  }

  get exposureAfter(): ExposureFigures {
    return (this.#exposed ??= this.#exposure.measure(this.#proposal, true));
  }

  get exposureNow(): ExposureFigures {
    return this.#exposure.measure(this.#proposal, false);
  }
}

function addedCollateral(proposal: Proposal, { portfolio, orders }: Stakes): Money {
  const { market, side, price, qty, amended } = proposal;
  const held = portfolio.position(market).qty;
  const isCovered = side === 'buy' ? held < 0 : held > 0;
  if (!isCovered && amended === undefined) return notional(openingPrice(side, price), qty);
  const resting = orders.openIn(market);
  return subtractMoney(
    collateral(held, collateralTermsWith(resting, proposal)),
    collateral(held, resting.map(collateralTermsOf)),
  );
}
