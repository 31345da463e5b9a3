// The run of a backtest answers like a session, and recording it changes nothing.
import { describe, expect, it } from 'vitest';
import { strategyName } from '../../src/domain/ids.ts';
import type { PlaceCommand } from '../../src/domain/venue-command.ts';
import type { BoundStrategy } from '../../src/strategy/strategy-definition.ts';
import { answersFrom } from '../../src/why/answer-why.ts';
import { orderChain } from '../../src/why/order-chain.ts';
import { RunFacts } from '../../src/why/run-facts.ts';
import quoter from '../../strategies/two-sided-quoter.ts';
import { activeTape, backtestOver } from '../support/tapes/active-tape.ts';

const strategies = (): BoundStrategy[] => [
  quoter.bind(strategyName('quoter'), { qtyContracts: 5, halfSpreadCents: 1 }),
];

describe('a run of a backtest', () => {
  it('answers why it traded, with the chain of the order, and decides as if it were not recorded', async () => {
    const plain = await backtestOver(activeTape(), strategies());
    const facts = new RunFacts({
      session: 'run',
      version: '1',
      toUs: Number.MAX_SAFE_INTEGER,
      onPassed: () => undefined,
    });
    const { listenTo, ...hooks } = facts.hooks;
    const placed: (PlaceCommand & { readonly leftAt: number })[] = [];
    const run = await backtestOver(activeTape(), [...listenTo(strategies())], {
      ...hooks,
      onDecision: (_text, command, at) => void (command.type === 'place' && placed.push({ ...command, leftAt: at })),
    });
    facts.finishRun();
    expect(run.decisionHash).toBe(plain.decisionHash);
    const prompt = placed.filter(({ createdAt, leftAt }) => leftAt - createdAt < 500_000);
    expect(prompt.length).toBeGreaterThan(20);
    for (const { ticker, createdAt, clientOrderId } of prompt.slice(0, 40)) {
      const [answer] = answersFrom(facts.store, { ticker, atUs: createdAt }, 0);
      expect(answer?.sentence).toMatch(
        answer?.isTraded ? / quoter traded RAIN-/ : / because the venue refused its order/,
      );
      const chain = orderChain(facts.store, clientOrderId, 0);
      expect(chain.hops.map(({ what }) => what)).toEqual(
        expect.arrayContaining(['cause', 'intent', 'risk', 'in-flight']),
      );
    }
    facts.store.close();
  });
});
