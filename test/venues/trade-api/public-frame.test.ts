// What of a frame anyone may see: nothing of a private message, and never the name of an order of ours.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { serviceProfile } from '../../../src/venues/trade-api/profiles/service.ts';
import { publicPart } from '../../../src/venues/trade-api/public-frame.ts';

const part = publicPart(serviceProfile.feed);
const seen = (text: string): string | null => {
  const bytes = part(new TextEncoder().encode(text));
  return bytes === null ? null : new TextDecoder().decode(bytes);
};
const { fill, order, position, delta, print } = serviceProfile.feed.messages;

describe('what of a frame anyone may see', () => {
  it.each([fill, order, position])('is nothing of a message of type $type, however it is spaced', ({ type }) => {
    expect(seen(`{"type":"${type}","sid":3,"msg":{"order_id":"o1"}}`)).toBeNull();
    expect(seen(`{ "sid": 3, "msg": {"order_id":"o1"}, "type" : "${type}" }`)).toBeNull();
  });

  it.each([delta, print])('is all of a message of type $type', ({ type }) => {
    const text = `{"type":"${type}","sid":2,"seq":7,"msg":{"market_ticker":"RAIN-26-A","delta":-4}}`;
    expect(seen(text)).toBe(text);
  });

  it('is all of it where a market is called as a private message is', () => {
    const text = `{"type":"${delta.type}","sid":2,"seq":7,"msg":{"market_ticker":"${fill.type}","delta":-4}}`;
    expect(seen(text)).toBe(text);
  });

  it('is nothing of what cannot be read and looks private', () => {
    expect(seen(`{"type":"${fill.type}","msg":{"order_id":"o1"`)).toBeNull();
  });

  it('never has the name of an order of ours', () => {
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
