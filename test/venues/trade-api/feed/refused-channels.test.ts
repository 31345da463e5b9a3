// Refused channels of a feed plan: when they are requested again.
import { expect, test } from 'vitest';
import { type Ticker, ticker } from '../../../../src/domain/ids.ts';
import type { NumberedCommand } from '../../../../src/venues/trade-api/feed/subscription-command.ts';
import { SubscriptionPlan } from '../../../../src/venues/trade-api/feed/subscription-plan.ts';
import { serviceProfile } from '../../../../src/venues/trade-api/profiles/service-profile.ts';

const A = ticker('KX-A');
const B = ticker('KX-B');
const subscribe = (channel: string) => ({ kind: 'subscribe', channels: [channel], tickers: [A] });
const refuse = (id: number, tickers: readonly Ticker[] = []) =>
  ({ kind: 'refused', id, sid: null, code: 14, tickers }) as const;
const newPlan = (): SubscriptionPlan =>
  new SubscriptionPlan({ feed: serviceProfile.feed, hasKey: false, tickersPerCommand: 10 });

function drain(plan: SubscriptionPlan): NumberedCommand[] {
  const all: NumberedCommand[] = [];
  for (let sent = plan.takeNextCommand(); sent !== null; sent = plan.takeNextCommand()) all.push(sent);
  return all;
}

test('requests the refused channels of a market again, each by itself, once the market has a book', () => {
  const plan = newPlan();
  plan.addMarkets([A, B]);
  plan.connect();
  const { id } = drain(plan).at(-1)!;
  plan.applyReply({ kind: 'subscribed', id, channel: 'book', sid: 1 });
  expect(plan.hasRefused).toBe(false);
  plan.applyReply(refuse(id, [A, B]));
  expect(plan.hasRefused).toBe(true);
  plan.removeMarkets([B]);
  drain(plan);
  plan.retryRefused();
  plan.retryRefused();
  const [ticks, prints, ...more] = drain(plan);
  expect(more).toEqual([]);
  expect([ticks!.command, prints!.command]).toEqual([subscribe('ticker'), subscribe('prints')]);
  plan.applyReply(refuse(ticks!.id));
  plan.applyReply({ kind: 'subscribed', id: prints!.id, channel: 'prints', sid: 2 });
  plan.retryRefused();
  const [again] = drain(plan);
  expect(again!.command).toEqual(subscribe('ticker'));
  plan.applyReply({ kind: 'subscribed', id: again!.id, channel: 'ticker', sid: 3 });
  expect(plan.hasRefused).toBe(false);
});

test('leaves a refused market without a book to the request for its book', () => {
  const plan = newPlan();
  plan.addMarkets([A]);
  plan.connect();
  plan.applyReply(refuse(drain(plan).at(-1)!.id));
  plan.retryRefused();
  expect([plan.hasRefused, plan.hasNext]).toEqual([false, false]);
});
