// One answer to a batch gives each of its orders an outcome. No order counts as refused when it may have been executed.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clientOrderId, venueOrderId } from '../../../../src/domain/ids.ts';
import type { AnswerOutcome } from '../../../../src/venue.ts';
import { kalshiProfile } from '../../../../src/venues/trade-api/profiles/kalshi-profile.ts';
import { serviceProfile } from '../../../../src/venues/trade-api/profiles/service-profile.ts';
import { splitOutcome } from '../../../../src/venues/trade-api/rest/batch-answers.ts';
import { listTexts } from '../../../../src/venues/trade-api/wire/json-record.ts';
import { cancel, normalizing, place } from '../normalize/raw-input.ts';
import { micros } from '../../../../src/domain/units.ts';

const places = ['a', 'b', 'c'].map((name, id) => ({ ...place, id, clientOrderId: clientOrderId(name) }));
const cancels = ['a', 'b'].map((name, id) => ({ ...cancel, id, venueOrderId: venueOrderId(name) }));
const answered = (status: number, body: unknown): AnswerOutcome => ({
  type: 'answered',
  status,
  body: typeof body === 'string' ? body : JSON.stringify(body),
  retryAfter: null,
  venueAt: null,
});
const taken = (name: string) => ({
  order_id: `v-${name}`,
  client_order_id: name,
  fill_count: '0.00',
  remaining_count: '1.00',
  ts_ms: 1_700_000_000_000,
});
const refused = (name: string, code: string) => ({ client_order_id: name, error: { code, message: 'no' } });

/** The kind of event that each order gets. */
const kindsOf = (outcome: AnswerOutcome, commands: typeof places | typeof cancels = places): readonly string[] => {
  const { normalize } = normalizing(kalshiProfile);
  const { outcomes } = splitOutcome(kalshiProfile, commands, outcome);
  return commands.map((command, index) => {
    const answer = { type: 'answer', at: micros(2), askedAt: micros(1), command, outcome: outcomes[index]! } as const;
    const kinds = normalize(answer).map(({ kind }) => kind);
    return kinds.filter((kind) => kind !== 'answered').join(' ');
  });
};

describe('an answer with an entry for each order', () => {
  it('is matched by the names in its entries, whatever their sequence', () => {
    const body = { orders: [taken('c'), refused('a', 'invalid_price'), taken('b')] };
    expect(kindsOf(answered(201, body))).toEqual(['order-rejected', 'order-accepted', 'order-accepted']);
  });

  it('gives each order the text of its own entry, as it came', () => {
    const body = `{"orders" : [ ${JSON.stringify(taken('a')).replace('1.00', String.raw`1\u002e00`)} , ${JSON.stringify(taken('b'))}] }`;
    const { outcomes } = splitOutcome(kalshiProfile, places, answered(201, body));
    expect(outcomes).toMatchObject([
      { status: 201, body: JSON.stringify(taken('a')).replace('1.00', String.raw`1\u002e00`) },
      { status: 201, body: JSON.stringify(taken('b')) },
      { type: 'unknown', reason: 'the answer to the batch does not name the order' },
    ]);
  });

  it.each([
    ['order_already_exists', 'order-unknown'],
    ['insufficient_balance', 'order-rejected'],
    ['order_group_triggered', 'order-rejected operator'],
    ['internal_server_error', 'order-unknown'],
    ['a_code_of_tomorrow', 'order-unknown'],
    ['too_many_requests', 'rate-limited'],
  ])('takes an entry with the code %s for: %s', (code, kind) => {
    expect(kindsOf(answered(201, { orders: [refused('a', code), taken('b'), taken('c')] }))[0]).toBe(kind);
  });

  it('ends no order that its cancel did not end', () => {
    const done = { order_id: 'a', client_order_id: 'x', reduced_by: '1.00', ts_ms: 1 };
    const gone = { order_id: 'b', error: { code: 'not_found', message: 'not found' } };
    const broken = { order_id: 'b', error: { code: 'internal_server_error', message: 'sorry' } };
    expect(kindsOf(answered(200, { orders: [gone, done] }), cancels)).toEqual(['cancel-accepted', 'cancel-refused']);
    expect(kindsOf(answered(200, { orders: [done, broken] }), cancels)).toEqual(['cancel-accepted', 'cancel-lost']);
  });
});

describe('an answer to the batch as a whole', () => {
  it.each([
    ['no answer', { type: 'unknown', reason: 'timeout' } as const, 'order-unknown', 'cancel-lost', null],
    ['nothing sent', { type: 'not-sent', reason: 'refused' } as const, 'order-not-sent', 'cancel-lost', null],
    ['a fault of the venue', answered(500, ''), 'order-unknown', 'cancel-lost', null],
    ['a timeout at the venue', answered(408, ''), 'order-unknown', 'cancel-lost', null],
    ['a conflict', answered(409, ''), 'order-unknown', 'cancel-lost', null],
    ['a success that cannot be read', answered(201, '{"orders":[{}]}'), 'order-unknown', 'cancel-lost', null],
    ['a success that is no JSON', answered(201, 'ok'), 'order-unknown', 'cancel-lost', null],
    ['a success without entries', answered(201, { orders: [] }), 'order-unknown', 'cancel-lost', null],
    ['a refusal for the rate', answered(429, ''), 'rate-limited', 'rate-limited', 'rate'],
    ['a refusal of batches', answered(404, 'no such page'), 'order-not-sent', 'cancel-lost', 'batch'],
    ['a refusal of the request', answered(400, { code: 'bad' }), 'order-not-sent', 'cancel-lost', 'batch'],
  ])('with %s is taken for no more than it says', (...row) => {
    const [, outcome, ofPlace, ofCancel, refusedFor] = row;
    const kinds = kindsOf(outcome).map((kind) => kind.replace('unrecognized ', ''));
    expect(new Set(kinds)).toEqual(new Set([ofPlace]));
    const cancelKinds = kindsOf(outcome, cancels).map((kind) => kind.replace('unrecognized ', ''));
    expect(new Set(cancelKinds)).toEqual(new Set([ofCancel]));
    for (const profile of [kalshiProfile, serviceProfile])
      expect(splitOutcome(profile, places, outcome).refusedFor).toBe(refusedFor);
  });
});

describe('the texts of a list', () => {
  it('are those of its elements, whatever they hold', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { maxLength: 6 }), fc.nat({ max: 3 }), (values, indent) => {
        const texts = listTexts(JSON.stringify({ 'first [': 1, orders: values, more: [1] }, null, indent));
        expect(texts.map((text): unknown => JSON.parse(text))).toEqual(
          values.map((value): unknown => JSON.parse(JSON.stringify(value))),
        );
      }),
    );
  });

  it('are none where there is no list', () => {
    expect(listTexts('{"a":"[1]"}')).toEqual([]);
  });
});
