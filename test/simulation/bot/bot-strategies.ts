// The strategies of simulated bots: two shipped ones, set up as a user would, and a hostile one. Must never receive
// more than their parameters: a replay builds them again from the journal.
import { type ClientOrderId, strategyName } from '../../../src/domain/ids.ts';
import type { CancelIntent } from '../../../src/domain/intent.ts';
import type { BoundStrategy } from '../../../src/strategy/strategy-definition.ts';
import groupArbitrage from '../../../strategies/group-arbitrage.ts';
import twoSidedQuoter from '../../../strategies/two-sided-quoter.ts';
import { nastyStrategy } from './hostile-strategy.ts';
import type { StrategyChoice } from '../scenario.ts';

type Params = Readonly<Record<string, unknown>>;

/** The parameters of a strategy in one life. */
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

/** A strategy, bound to its parameters. */
export function bindStrategy(name: string, params: Params): BoundStrategy {
  const strategy = { quoter: twoSidedQuoter, arbitrage: groupArbitrage, nasty: nastyStrategy }[name] ?? nastyStrategy;
  return strategy.bind(strategyName(name), params);
}

/** The same strategy; `onCancel` receives every order that it wants canceled, before the engine does. */
export function observeCancels(strategy: BoundStrategy, onCancel: (id: ClientOrderId) => void): BoundStrategy {
  const observed = (answer: unknown): unknown => {
    if (Array.isArray(answer)) for (const intent of answer) if (isCancel(intent)) onCancel(intent.clientOrderId);
    return answer;
  };
  const handlers = new Proxy(strategy.handlers, {
    get(target, name) {
      const handler: unknown = Reflect.get(target, name);
      if (typeof handler !== 'function') return handler;
      return (...args: unknown[]) => observed(Reflect.apply(handler, target, args));
    },
  });
  return { ...strategy, handlers };
}

const isCancel = (intent: unknown): intent is CancelIntent =>
  typeof intent === 'object' && intent !== null && 'type' in intent && intent.type === 'cancel';
