// The public part of a frame: nothing of a private message, and never the id of an order of ours.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { serviceProfile } from '../../../../src/venues/trade-api/profiles/service-profile.ts';
import { publicPartFilter } from '../../../../src/venues/trade-api/feed/public-frame.ts';

const part = publicPartFilter(serviceProfile.feed);
const seen = (text: string): string | null => {
  const bytes = part(new TextEncoder().encode(text));
  return bytes === null ? null : new TextDecoder().decode(bytes);
};
const { fill, order, position, delta, print } = serviceProfile.feed.messages;

describe('the public part of a frame', () => {
  it.each([fill, order, position])('drops a message of type $type, whatever its spacing', ({ type }) => {
    expect(seen(`{"type":"${type}","sid":3,"msg":{"order_id":"o1"}}`)).toBeNull();
    expect(seen(`{ "sid": 3, "msg": {"order_id":"o1"}, "type" : "${type}" }`)).toBeNull();
  });

  it.each([delta, print])('keeps a message of type $type completely', ({ type }) => {
    const text = `{"type":"${type}","sid":2,"seq":7,"msg":{"market_ticker":"RAIN-26-A","delta":-4}}`;
    expect(seen(text)).toBe(text);
  });

  it('keeps a frame completely when a market is named like a private message', () => {
    const text = `{"type":"${delta.type}","sid":2,"seq":7,"msg":{"market_ticker":"${fill.type}","delta":-4}}`;
    expect(seen(text)).toBe(text);
  });

  it('drops an unreadable frame that looks private', () => {
    expect(seen(`{"type":"${fill.type}","msg":{"order_id":"o1"`)).toBeNull();
  });

  it('never contains the client order id of an order of ours', () => {
    const name = fc.string({ unit: 'binary', minLength: 6, maxLength: 20 });
    fc.assert(
      fc.property(name, fc.boolean(), (id, isSpaced) => {
        const own = `"client_order_id"${isSpaced ? ' : ' : ':'}${JSON.stringify(`mine${id}`)}`;
        const found = seen(`{"type":"${delta.type}","sid":2,"seq":7,"msg":{${own},"delta":-4}}`);
        expect(found).not.toContain('mine');
        expect(JSON.parse(found ?? '')).toMatchObject({ msg: { client_order_id: '', delta: -4 } });
      }),
    );
  });
});
