// An exchange API with the `kalshi` dialect for tests of its feed: operations go straight to the exchange.
import { contracts } from '../../../src/domain/units.ts';
import type { Op } from '../../../src/exchange/machine/exchange-input.ts';
import type { Answer } from '../../../src/exchange/machine/exchange-output.ts';
import { kalshiProfile } from '../../../src/venues/trade-api/profiles/kalshi-profile.ts';
import type { JsonAnswer } from '../api/json-answer.ts';
import { type CollectedFeed, ApiHarness } from '../api/api-harness.ts';

/** An exchange API with the `kalshi` dialect; operations go straight to the exchange. */
export class KalshiFeedHarness extends ApiHarness {
  constructor(profile = kalshiProfile) {
    super({ profile });
  }

  submit(op: Op): Answer {
    const { answer } = this.session.submit(op);
    if (answer.type === 'refused') throw new Error(`${op.type} refused: ${JSON.stringify(answer.refusal)}`);
    return answer;
  }

  subscribed(name: string, params: Readonly<Record<string, unknown>>): CollectedFeed {
    const feed = this.openFeed(name);
    feed.send('subscribe', params);
    return feed;
  }

  createGroup(account: string, limit: number): string {
    const answer = this.submit({ type: 'create-group', account, limit: contracts(limit) });
    if (answer.type !== 'order-group') throw new Error(`answered ${answer.type}`);
    return answer.group.groupId;
  }
}

export const bodiesOf = (feed: CollectedFeed, type: string): unknown[] =>
  feed.ofType(type).map((message) => message.at('msg'));
export const lastMessage = (feed: CollectedFeed): JsonAnswer => {
  const message = feed.messages.at(-1);
  if (message === undefined) throw new Error('no message came');
  return message;
};
export const errorCodes = (feed: CollectedFeed): unknown[] =>
  feed.ofType('error').map((message) => message.at('msg.code'));
