// An exchange API with the `kalshi` dialect for tests of its feed: operations go straight to the exchange.
import { contracts } from '../../../src/domain/units.ts';
import type { Op } from '../../../src/exchange/input.ts';
import type { Answer } from '../../../src/exchange/output.ts';
import { kalshiProfile } from '../../../src/venues/trade-api/profiles/kalshi.ts';
import type { Found } from './found.ts';
import { type QuietFeed, QuietHall } from './quiet-hall.ts';

/** An exchange API with the `kalshi` dialect; operations go straight to the exchange. */
export class FeedHall extends QuietHall {
  constructor(profile = kalshiProfile) {
    super({ profile });
  }

  submit(op: Op): Answer {
    const { answer } = this.session.submit(op);
    if (answer.type === 'refused') throw new Error(`${op.type} refused: ${JSON.stringify(answer.refusal)}`);
    return answer;
  }

  subscribed(name: string, params: Readonly<Record<string, unknown>>): QuietFeed {
    const feed = this.feed(name);
    feed.send('subscribe', params);
    return feed;
  }

  group(account: string, limit: number): string {
    const answer = this.submit({ type: 'create-group', account, limit: contracts(limit) });
    if (answer.type !== 'order-group') throw new Error(`answered ${answer.type}`);
    return answer.group.groupId;
  }
}

export const bodies = (feed: QuietFeed, type: string): unknown[] => feed.of(type).map((message) => message.at('msg'));
export const last = (feed: QuietFeed): Found => {
  const message = feed.messages.at(-1);
  if (message === undefined) throw new Error('no message came');
  return message;
};
export const codes = (feed: QuietFeed): unknown[] => feed.of('error').map((message) => message.at('msg.code'));
