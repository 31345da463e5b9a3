// A quoter sends the same commands by onOthersBest as by onBook, although the same answer has another effect than
// before: its quote was dropped or replaced meanwhile, or a cancel has failed. Then a level far from the best one changes.
import { describe, expect, it } from 'vitest';
import type { MarketIndex } from '../../../src/domain/ids.ts';
import type { Intent } from '../../../src/domain/intent.ts';
import type { HaltScope, OperatorOrder } from '../../../src/domain/operator-order.ts';
import { type Price, cents, contracts } from '../../../src/domain/units.ts';
import type { StrategyView } from '../../../src/state/strategy-view.ts';
import type { Handlers } from '../../../src/strategy/strategy-definition.ts';
import { M0, MAKER, tickerOf } from '../../support/engine/builders.ts';
import { EngineHarness, aQuote, aStrategy } from '../../support/engine/engine-harness.ts';

/** An action of the strategy itself, by a timer that is due while the test waits. */
interface Scene {
  readonly onTimer?: Handlers['onTimer'];
  readonly play: (harness: EngineHarness) => void;
}

/** The bid that the strategy wants: a cent below the best one of others. */
const wanted = (view: StrategyView, market: MarketIndex): Price =>
  ((view.othersBest(market, 'bid') ?? cents(45)) - 100) as Price;

const quoteBid = (market: MarketIndex, view: StrategyView): Intent[] => [
  aQuote({ market, bid: { price: wanted(view, market), qty: contracts(4) }, ask: null }),
];

/** A strategy in the same market that is called for the best price of others, too. */
const another = aStrategy({ onOthersBest: () => undefined }, 'another');

/** Milliseconds after the start at which the timer is due. */
const TIMER_AFTER = 100;

/** The commands about orders, each with its time. */
function commandsBy(name: 'onBook' | 'onOthersBest', { onTimer, play }: Scene): readonly string[] {
  const handlers: Handlers = {
    onStart: ({ at }) => [{ type: 'timer', name: 'act', at: (at + TIMER_AFTER * 1000) as typeof at }],
    ...(onTimer && { onTimer }),
    [name]: ({ market }: { market: MarketIndex }, view: StrategyView) => quoteBid(market, view),
  };
  const harness = new EngineHarness({ strategies: [aStrategy(handlers), another] }).startTrading();
  changeFar(harness);
  play(harness);
  return harness.sent
    .filter(({ command: { type } }) => type === 'place' || type === 'cancel' || type === 'decrease')
    .map(({ at, command }) => `${at}: ${JSON.stringify(command)}`);
}

/** Others bid more at a price. The message arrives at once. */
function addBid(harness: EngineHarness, at: number): void {
  const change = { market: M0, side: 'bid', price: cents(at), change: contracts(10) } as const;
  harness.step({ kind: 'book-delta', at: harness.now, exchangeAt: null, ...change });
}

const changeFar = (harness: EngineHarness): void => addBid(harness, 30);

/** The best bid moves, and the order is to be replaced. Its cancel takes a tenth of a second. */
function beginCancel(harness: EngineHarness): void {
  harness.venue.answerDelay = 100_000;
  harness.venue.feedDelay = 100_000;
  addBid(harness, 46);
  changeFar(harness);
}

/** The first order is replaced. Its successor is in flight for a tenth of a second. */
function beginPlace(harness: EngineHarness): void {
  addBid(harness, 46);
  harness.venue.answerDelay = 100_000;
  harness.venue.feedDelay = 100_000;
  harness.run(5);
  changeFar(harness);
}

const obey = (harness: EngineHarness, order: OperatorOrder): void =>
  harness.step({ kind: 'operator', at: harness.now, order });

/** The operator cancels all orders of a scope while a cancel is in flight. */
const canceledByOperator = (scope: HaltScope): Scene => ({
  play(harness) {
    beginCancel(harness);
    obey(harness, { type: 'cancel-all', scope, reason: 'test' });
    changeFar(harness);
    harness.run(300);
  },
});

const ITSELF: HaltScope = { type: 'strategy', strategy: MAKER };

const scenes: Record<string, Scene> = {
  'the operator cancels all orders while a cancel is in flight': canceledByOperator({ type: 'account' }),
  'the operator cancels the orders of the strategy': canceledByOperator(ITSELF),
  'the operator cancels the orders of the market': canceledByOperator({ type: 'market', ticker: tickerOf(0) }),
  'the strategy is resumed after a fault, and another one saw the book meanwhile': {
    play(harness) {
      obey(harness, { type: 'halt', scope: ITSELF, by: 'fault', reason: 'test' });
      harness.run(5);
      changeFar(harness);
      obey(harness, { type: 'resume', scope: ITSELF, reason: 'test' });
      changeFar(harness);
      harness.run(5);
    },
  },
  'another handler quotes nothing while a cancel is in flight': {
    onTimer: () => [aQuote({ bid: null, ask: null })],
    play(harness) {
      beginCancel(harness);
      harness.run(60);
      changeFar(harness);
      harness.run(300);
    },
  },
  'another handler cancels an order in flight': {
    onTimer: (_event, view) => view.orders(M0).map(({ clientOrderId }) => ({ type: 'cancel', clientOrderId })),
    play(harness) {
      beginPlace(harness);
      harness.run(50);
      changeFar(harness);
      harness.run(300);
    },
  },
  'the cancel of an unknown order fails': {
    play(harness) {
      // The order ends, but nothing says so.
      let cancels = 0;
      const cancel = () => ((cancels += 1) === 1 ? 'lose' : 'do');
      harness.venue.script = { cancel, reportsOrder: () => false, read: () => 'fail' };
      addBid(harness, 46);
      for (let number = 0; number < 6; number++) {
        harness.run(1000);
        changeFar(harness);
      }
      expect(harness.commands('cancel').length).toBeGreaterThan(2);
    },
  },
};

describe.each(Object.entries(scenes))('when %s', (_, scene) => {
  it('the commands are the same', () => {
    const commands = commandsBy('onBook', scene);
    expect(commands.length).toBeGreaterThan(2);
    expect(commandsBy('onOthersBest', scene)).toEqual(commands);
  });
});
