// The strategies of simulated bots: the two that are shipped, as a user would set them up, and a nasty one.
// Must never be told more than their parameters: a replay makes them anew from its journal.
import { strategyName } from '../../src/domain/ids.ts';
import type { BoundStrategy } from '../../src/strategy/strategy.ts';
import groupArbitrage from '../../strategies/group-arbitrage.ts';
import twoSidedQuoter from '../../strategies/two-sided-quoter.ts';
import { nastyStrategy } from './nasty-strategy.ts';
import type { StrategyChoice } from './scenario.ts';

type Params = Readonly<Record<string, unknown>>;

/** What a life runs a strategy with. */
export function paramsOf(choice: StrategyChoice, seed: number): Params {
  switch (choice) {
    case 'quoter':
      return { events: ['RAIN-1'], qtyContracts: 5, halfSpreadCents: 1, inventoryMaxContracts: 30 };
    case 'arbitrage':
      return { isComplete: true, cooldownMs: 300, edgeCents: 0 };
    case 'nasty':
      return { seed };
  }
}

/** A strategy that runs. */
export function bindStrategy(name: string, params: Params): BoundStrategy {
  const strategy = { quoter: twoSidedQuoter, arbitrage: groupArbitrage, nasty: nastyStrategy }[name] ?? nastyStrategy;
  return strategy.bind(strategyName(name), params);
}
