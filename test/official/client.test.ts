// Runs the venue's own published client against the local exchange: a table of calls, each with its expected answer.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CALLS } from './calls.ts';
import { Desk, type DeskOptions, outcomeOf } from './desk.ts';

describe('the official client at the local exchange', () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await (await Desk.open()).live();
  });
  afterAll(() => desk.stop());

  it.each(CALLS.map((row) => [row.call, row] as const))('%s', async (_name, { run, status, body }) => {
    const outcome = await outcomeOf(run(desk));
    expect({ status: outcome.status, isRejected: outcome.isRejected }).toEqual({ status, isRejected: status >= 400 });
    if (typeof body === 'object') expect(outcome.data).toMatchObject(body as object);
    else expect(outcome.data).toEqual(body);
  });
});

describe('a refusal of the official client', () => {
  const turnedAway: readonly (readonly [string, DeskOptions, object])[] = [
    [
      'names a signature made with another key',
      { hasWrongKey: true },
      { code: 'authentication_error', message: 'authentication_error', details: 'INCORRECT_API_KEY_SIGNATURE' },
    ],
    [
      'names an unknown key',
      { keyId: '00000000-0000-0000-0000-000000000000' },
      { code: 'authentication_error', message: 'authentication_error', details: 'NOT_FOUND' },
    ],
    [
      'names a missing signature',
      { lostHeader: 'KALSHI-ACCESS-SIGNATURE' },
      { code: 'signature_is_missing_from_headers', message: 'signature is missing from headers' },
    ],
    [
      'names the timestamp of a clock that is behind',
      { aheadMs: 20_000 },
      { code: 'header_timestamp_expired', message: 'header timestamp expired' },
    ],
    [
      'names the timestamp of a clock that is ahead',
      { aheadMs: -20_000 },
      { code: 'header_timestamp_expired', message: 'header timestamp expired' },
    ],
  ];
  it.each(turnedAway)('%s', async (_how, options, error) => {
    const desk = await Desk.open(options);
    try {
      expect(await outcomeOf(desk.portfolio.getBalance())).toEqual({ status: 401, data: { error }, isRejected: true });
    } finally {
      await desk.stop();
    }
  });

  it('names an exhausted rate limit, without a time for the next attempt', async () => {
    const desk = await Desk.open({ isStarved: true });
    try {
      await desk.placed();
      await desk.placed();
      const refused = await desk.orders.createOrderV2(desk.order()).catch((error: unknown) => error);
      expect(refused).toMatchObject({
        response: {
          status: 429,
          data: { error: { code: 'too_many_requests', message: 'too many requests' } },
          headers: expect.not.objectContaining({ 'retry-after': expect.anything() as unknown }) as unknown,
        },
      });
    } finally {
      await desk.stop();
    }
  });
});
