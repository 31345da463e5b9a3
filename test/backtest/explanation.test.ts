// The story of an order: every step of it, in order, and nothing of any other order.
import { describe, expect, it } from 'vitest';
import { Explanation } from '../../backtest/explanation.ts';
import type { PlaceCommand } from '../../src/domain/command.ts';
import { strategyName } from '../../src/domain/ids.ts';
import type { BoundStrategy } from '../../src/strategy/strategy.ts';
import quoter from '../../strategies/two-sided-quoter.ts';
import { livelyTape, runOver } from '../support/lively-tape.ts';

const aQuoter = (): BoundStrategy =>
  quoter.bind(strategyName('quoter'), { qtyContracts: 5, halfSpreadCents: 1, toleranceCents: 0 });

/** Every order that was placed, and the fills of it. */
async function orders(): Promise<{ readonly placed: PlaceCommand[]; readonly filled: Set<string> }> {
  const placed: PlaceCommand[] = [];
  const filled = new Set<string>();
  await runOver(livelyTape(), [aQuoter()], {
    onDecision: (_text, command) => void (command.type === 'place' && placed.push(command)),
    observe: (notice) => void (notice.type === 'fill' && notice.order && filled.add(notice.order.clientOrderId)),
  });
  return { placed, filled };
}

async function storyOf(order: string): Promise<readonly string[] | null> {
  const explanation = new Explanation(order);
  await runOver(livelyTape(), [aQuoter()], explanation.options);
  return explanation.story()?.map(({ who, what }) => `${who}: ${what}`) ?? null;
}

describe('an explanation', () => {
  it('tells of an order that filled why it was wanted, its ways, its queue, what traded, and what we were told', async () => {
    const { placed, filled } = await orders();
    const order = placed.find(({ clientOrderId }) => filled.has(clientOrderId))!;
    const story = (await storyOf(order.clientOrderId))!;
    const text = story.join('\n');
    expect(story[0]).toMatch(
      /^bot: quoter wants to (buy|sell) 5\.00 of RAIN-\d at \$0\.\d{4} \(gtc, post-only\): fair/,
    );
    expect(text).toContain('venue: the place arrives, 150.0 ms after it left');
    expect(text).toMatch(/venue: joined the (bid|ask) at \$0\.\d{4} behind/);
    expect(text).toMatch(/venue: filled \d+\.\d\d at/);
    expect(text).toMatch(/told: told of a fill as maker: \d/);
    expect(story.at(-1)).toMatch(/^(bot|told): /);
  });

  it('tells of an order that did not fill how it was withdrawn', async () => {
    const { placed, filled } = await orders();
    const order = placed.find(({ clientOrderId }) => !filled.has(clientOrderId))!;
    const text = (await storyOf(order.clientOrderId))!.join('\n');
    expect(text).not.toContain('filled');
    expect(text).toMatch(/a cancel leaves|rejected by the venue/);
  });

  it('changes nothing of what it listens to, and knows when there is no such order', async () => {
    const plain = await runOver(livelyTape(), [aQuoter()]);
    const explanation = new Explanation('b1-7-zz');
    const listened = await runOver(livelyTape(), [aQuoter()], explanation.options);
    expect(listened.decisionHash).toBe(plain.decisionHash);
    expect(explanation.story()).toBeNull();
  });
});
