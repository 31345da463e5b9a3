// Runs the venue's own published client against the local exchange: a table of calls, each with its expected answer.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CALLS } from './client-calls.ts';
import { OfficialClient, type OfficialClientOptions, outcomeOf } from './official-client.ts';

describe('the official client at the local exchange', () => {
  let client: OfficialClient;
  beforeAll(async () => {
    client = await (await OfficialClient.open()).withHistory();
  });
  afterAll(() => client.stop());

  it.each(CALLS.map((row) => [row.call, row] as const))('%s', async (_name, { run, status, body }) => {
    const outcome = await outcomeOf(run(client));
    expect({ status: outcome.status, isRejected: outcome.isRejected }).toEqual({ status, isRejected: status >= 400 });
    if (typeof body === 'object') expect(outcome.data).toMatchObject(body as object);
    else expect(outcome.data).toEqual(body);
  });
});

describe('a refusal of the official client', () => {
  const turnedAway: readonly (readonly [string, OfficialClientOptions, object])[] = [
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
    const client = await OfficialClient.open(options);
    try {
      expect(await outcomeOf(client.portfolio.getBalance())).toEqual({
        status: 401,
        data: { error },
        isRejected: true,
      });
    } finally {
      await client.stop();
    }
  });

  it('names an exhausted rate limit, without a time for the next attempt', async () => {
    const client = await OfficialClient.open({ hasLowLimits: true });
    try {
      await client.placeOrder();
      await client.placeOrder();
      const refused = await client.orders.createOrderV2(client.newOrder()).catch((error: unknown) => error);
      expect(refused).toMatchObject({
        response: {
          status: 429,
          data: { error: { code: 'too_many_requests', message: 'too many requests' } },
          headers: expect.not.objectContaining({ 'retry-after': expect.anything() as unknown }) as unknown,
        },
      });
    } finally {
      await client.stop();
    }
  });
});
