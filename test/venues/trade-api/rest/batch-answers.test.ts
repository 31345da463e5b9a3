// One answer to a batch gives each of its orders an outcome. No order counts as refused when it may have been executed.
import { describe, expect, it } from 'vitest';
import { clientOrderId, venueOrderId } from '../../../../src/domain/ids.ts';
import type { AnswerOutcome } from '../../../../src/venue.ts';
import { kalshiProfile } from '../../../../src/venues/trade-api/profiles/kalshi-profile.ts';
import { serviceProfile } from '../../../../src/venues/trade-api/profiles/service-profile.ts';
import { splitOutcome } from '../../../../src/venues/trade-api/rest/batch-answers.ts';
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

  it('gives each order its own entry, and leaves one without an entry open', () => {
    const { outcomes } = splitOutcome(kalshiProfile, places, answered(201, { orders: [taken('a'), taken('b')] }));
    expect(outcomes).toMatchObject([
      { status: 201, body: JSON.stringify(taken('a')) },
      { status: 201, body: JSON.stringify(taken('b')) },
      { type: 'unknown', reason: 'the answer to the batch has no readable entry for it' },
    ]);
  });

  it('leaves only the order open whose entry cannot be read, or says two things of it', () => {
    const broken = { ...taken('a'), fill_count: {} };
    const both = { ...taken('b'), error: { code: 'invalid_price', message: 'no' } };
    const bodies = [broken, both, { ...taken('c'), error: null }];
    expect(kindsOf(answered(201, { orders: bodies }))).toEqual(['order-unknown', 'order-unknown', 'order-accepted']);
  });

  it('leaves an order open whose entries say different things of it, in either sequence', () => {
    const other = { ...taken('b'), order_id: 'v-other' };
    for (const entries of [
      [taken('a'), refused('a', 'invalid_price')],
      [refused('a', 'invalid_price'), taken('a')],
      [taken('a'), refused('a', 'invalid_price'), refused('a', 'invalid_price')],
      [refused('a', 'invalid_price'), { ...taken('a'), fill_count: {} }],
    ])
      expect(kindsOf(answered(201, { orders: [...entries, taken('b'), other, taken('c'), taken('c')] }))).toEqual([
        'order-unknown',
        'order-unknown',
        'order-accepted',
      ]);
    const done = { order_id: 'a', client_order_id: 'x', reduced_by: '1.00', ts_ms: 1 };
    const gone = { order_id: 'a', error: { code: 'not_found', message: 'not found' } };
    expect(kindsOf(answered(200, { orders: [done, gone] }), cancels)[0]).toBe('cancel-lost');
  });

  it.each([
    ['order_already_exists', 'order-unknown'],
    ['insufficient_balance', 'order-rejected'],
    ['available_balance_too_low', 'order-rejected'],
    ['user_not_found', 'order-rejected'],
    ['bad_request', 'order-rejected'],
    ['order_ticker_mismatch', 'order-rejected'],
    ['trading_is_paused', 'order-rejected'],
    ['order_group_triggered', 'order-rejected operator'],
    ['internal_server_error', 'order-unknown'],
    ['a_code_of_tomorrow', 'order-unknown'],
    ['too_many_requests', 'rate-limited'],
  ])('takes an entry with the code %s for: %s', (code, kind) => {
    expect(kindsOf(answered(201, { orders: [refused('a', code), taken('b'), taken('c')] }))[0]).toBe(kind);
  });

  it.each(['constructor', 'toString', '__proto__'])('takes a code for a text alone, also the code %s', (code) => {
    const { outcomes } = splitOutcome(kalshiProfile, places, answered(201, { orders: [refused('a', code)] }));
    expect(outcomes[0]).toMatchObject({ type: 'answered', status: 500 });
    const { normalize } = normalizing(kalshiProfile);
    const outcome = answered(400, { error: { code, message: 'no' } });
    const events = normalize({ type: 'answer', at: micros(2), askedAt: micros(1), command: place, outcome });
    expect(events).toContainEqual(expect.objectContaining({ kind: 'order-rejected', code, message: 'no' }));
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
    ['a known id', answered(409, { code: 'order_already_exists' }), 'order-unknown', 'cancel-lost', null],
    ['a pause', answered(409, { code: 'trading_is_paused' }), 'order-unknown', 'cancel-lost', null],
    ['a refused signature', answered(401, { code: 'unauthorized' }), 'order-not-sent', 'cancel-lost', null],
    ['a success that cannot be read', answered(201, '{"orders":[{}]}'), 'order-unknown', 'cancel-lost', null],
    ['a success that is no JSON', answered(201, 'ok'), 'order-unknown', 'cancel-lost', null],
    ['a success without entries', answered(201, { orders: [] }), 'order-unknown', 'cancel-lost', null],
    ['a refusal for the rate', answered(429, ''), 'rate-limited', 'rate-limited', 'rate'],
    ['a refusal of batches', answered(404, 'no such page'), 'order-not-sent', 'cancel-lost', 'batch'],
    ['a refusal of the request', answered(400, { code: 'bad' }), 'order-not-sent', 'cancel-lost', 'batch'],
  ])('with %s is taken for no more than it says', (...row) => {
    const [, outcome, ofPlace, ofCancel, cause] = row;
    const kinds = kindsOf(outcome).map((kind) => kind.replace('unrecognized ', ''));
    expect(new Set(kinds)).toEqual(new Set([ofPlace]));
    const cancelKinds = kindsOf(outcome, cancels).map((kind) => kind.replace('unrecognized ', ''));
    expect(new Set(cancelKinds)).toEqual(new Set([ofCancel]));
    for (const profile of [kalshiProfile, serviceProfile])
      expect(splitOutcome(profile, places, outcome).refusal?.cause ?? null).toBe(cause);
  });

  it('claims of no order that it arrived, although the whole answer says that an id is known', () => {
    const { outcomes } = splitOutcome(kalshiProfile, places, answered(409, { code: 'order_already_exists' }));
    for (const outcome of outcomes) expect(outcome).toMatchObject({ type: 'unknown' });
  });

  it('halts the account when the order group has triggered', () => {
    const kinds = kindsOf(answered(409, { code: 'order_group_triggered' }));
    expect(new Set(kinds)).toEqual(new Set(['order-rejected operator']));
  });
});
