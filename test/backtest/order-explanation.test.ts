// The explanation of an order: every step of it, in order, and none of any other order.
import { describe, expect, it } from 'vitest';
import { OrderExplanation } from '../../backtest/order-explanation.ts';
import type { PlaceCommand } from '../../src/domain/venue-command.ts';
import { clientOrderId, strategyName, venueOrderId } from '../../src/domain/ids.ts';
import type { Order } from '../../src/domain/orders/order.ts';
import { contracts, micros } from '../../src/domain/units.ts';
import type { BoundStrategy } from '../../src/strategy/strategy-definition.ts';
import quoter from '../../strategies/two-sided-quoter.ts';
import { aPlace } from '../support/engine/builders.ts';
import { activeTape, backtestOver } from '../support/tapes/active-tape.ts';

const aQuoter = (): BoundStrategy =>
  quoter.bind(strategyName('quoter'), { qtyContracts: 5, halfSpreadCents: 1, toleranceCents: 0 });

interface Orders {
  readonly placed: PlaceCommand[];
  readonly filled: Set<string>;
  readonly notSent: string[];
}

/** Every order that was placed, those that filled, and those that were never sent. */
async function orders(): Promise<Orders> {
  const placed: PlaceCommand[] = [];
  const filled = new Set<string>();
  const notSent: string[] = [];
  await backtestOver(activeTape(), [aQuoter()], {
    onDecision: (_text, command) => void (command.type === 'place' && placed.push(command)),
    observe: (notice) => {
      if (notice.type === 'fill' && notice.order) filled.add(notice.order.clientOrderId);
      if (notice.type === 'order' && notice.to === 'not-sent') notSent.push(notice.order.clientOrderId);
    },
  });
  return { placed, filled, notSent };
}

async function storyOf(order: string): Promise<readonly string[] | null> {
  const explanation = new OrderExplanation(order);
  await backtestOver(activeTape(), [aQuoter()], explanation.observerOptions);
  return explanation.sentences()?.map(({ who, what }) => `${who}: ${what}`) ?? null;
}

describe('an explanation', () => {
  it('explains a filled order: why it was wanted, its latency, its queue, the prints, and the fill we learned of', async () => {
    const { placed, filled } = await orders();
    const order = placed.find(({ clientOrderId }) => filled.has(clientOrderId))!;
    const story = (await storyOf(order.clientOrderId))!;
    const text = story.join('\n');
    expect(story[0]).toMatch(
      /^bot: quoter wants to (buy|sell) 5 of RAIN-\d at \d+(?:\.\d+)?¢ \(gtc, post-only\): fair/,
    );
    expect(text).toContain('venue: the place arrives, 150.0 ms after it left');
    expect(text).toMatch(/venue: joined the (bid|ask) at \d+(?:\.\d+)?¢ behind/);
    expect(text).toMatch(/venue: filled \d+(?:\.\d+)? at/);
    expect(text).toMatch(/message: learns of a fill as maker: \d/);
    expect(story.at(-1)).toMatch(/^(bot|message): /);
  });

  it('explains how an order that did not fill was canceled', async () => {
    const { placed, filled } = await orders();
    const order = placed.find(({ clientOrderId }) => !filled.has(clientOrderId))!;
    const text = (await storyOf(order.clientOrderId))!.join('\n');
    expect(text).not.toContain('filled');
    expect(text).toMatch(/a cancel leaves|rejected by the venue/);
  });

  it('explains what an unsent order was for, and why it was not sent', async () => {
    const { notSent } = await orders();
    const story = (await storyOf(notSent[0]!))!;
    expect(story).toHaveLength(2);
    expect(story[0]).toMatch(
      /^bot: quoter wants to (buy|sell) 5 of RAIN-\d at \d+(?:\.\d+)?¢ \(gtc, post-only\): fair/,
    );
    expect(story[1]).toMatch(/^bot: queued -> not-sent: (canceled before it was sent|too late to send)$/);
  });

  it('lists the steps of one moment in the order in which they happen', () => {
    const explanation = new OrderExplanation('c-1');
    const { observe, observer, onExplanation } = explanation.observerOptions;
    const at = micros(5);
    const order = { ...aPlace(), state: 'working', changedAt: at } as unknown as Order;
    observer.onArrival!(aPlace(), at, micros(1));
    onExplanation({ at, orderId: 'v-1', what: 'joined the bid', ahead: 0, leaves: 1000 });
    observe({ type: 'order', order, from: 'in-flight', to: 'working', why: 'seen at the venue' });
    observer.beforeEvent!({
      kind: 'order-accepted',
      at,
      exchangeAt: null,
      clientOrderId: clientOrderId('c-1'),
      venueOrderId: venueOrderId('v-1'),
      filledQty: contracts(0),
      leavesQty: contracts(10),
      isFinished: false,
    });
    const steps = explanation.sentences()!.filter((each) => each.at === at);
    expect(steps.map(({ who, what }) => `${who}: ${what}`)).toEqual([
      'venue: the place arrives, 0.0 ms after it left',
      'venue: joined the bid',
      'bot: in-flight -> working: seen at the venue',
    ]);
  });

  it('changes nothing in the run, and is null when there is no such order', async () => {
    const plain = await backtestOver(activeTape(), [aQuoter()]);
    const explanation = new OrderExplanation('b1-7-zz');
    const observed = await backtestOver(activeTape(), [aQuoter()], explanation.observerOptions);
    expect(observed.decisionHash).toBe(plain.decisionHash);
    expect(explanation.sentences()).toBeNull();
  });
});
