// Intents and public trades with which tests of the engine begin.
import type { Intent, PlaceIntent } from '../../../src/domain/intent.ts';
import { cents, contracts } from '../../../src/domain/units.ts';
import type { Handlers } from '../../../src/strategy/strategy-definition.ts';
import { M0 } from './builders.ts';
import type { EngineHarness } from './engine-harness.ts';

/** Ten contracts at 40 cents. */
export const buy = (over: Partial<PlaceIntent> = {}): PlaceIntent => ({
  type: 'place',
  market: M0,
  side: 'buy',
  price: cents(40),
  qty: contracts(10),
  ...over,
});

/** A strategy that answers the first public trade with some intents, once. */
export function once(intents: readonly Intent[], handlers: Handlers = {}): Handlers {
  let isDone = false;
  return {
    ...handlers,
    onPrint: () => {
      if (isDone) return undefined;
      isDone = true;
      return intents;
    },
  };
}

/** Makes a public trade, so that `once` answers. */
export const print = (harness: EngineHarness): void =>
  harness.venue.emitEvent({
    kind: 'print',
    exchangeAt: null,
    market: M0,
    tradeId: 'p' as never,
    side: 'buy',
    price: cents(50),
    qty: contracts(1),
  });
