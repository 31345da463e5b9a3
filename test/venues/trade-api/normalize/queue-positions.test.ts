// Queue positions of our orders, from the wire to the event.
import { describe, expect, it } from 'vitest';
import { ticker } from '../../../../src/domain/ids.ts';
import { kalshiProfile } from '../../../../src/venues/trade-api/profiles/kalshi-profile.ts';
import { serviceProfile } from '../../../../src/venues/trade-api/profiles/service-profile.ts';
import { RequestBuilder, costsOf } from '../../../../src/venues/trade-api/rest/request-builder.ts';
import { tradeApiReplayParts } from '../../../../src/venues/trade-api/replay-parts.ts';
import { TickerTable } from '../../../../src/domain/ids.ts';
import { AT, answered, normalizing, read } from './raw-input.ts';

const command = read({ what: 'queue-positions', tickers: [ticker('KXA'), ticker('KXB')] });
const eventsOf = (body: unknown) =>
  normalizing(kalshiProfile)
    .normalize(answered(command, 200, { body }))
    .filter(({ kind }) => kind !== 'answered');

describe('queue positions', () => {
  it('requests queue positions by market, for the subaccount if any, at the profile’s cost', () => {
    const { endpoint, path } = new RequestBuilder(kalshiProfile).buildRequest(command);
    expect([endpoint.method, endpoint.budget, path]).toEqual([
      'GET',
      'read',
      '/trade-api/v2/portfolio/orders/queue_positions?market_tickers=KXA%2CKXB',
    ]);
    expect(costsOf(kalshiProfile)(command)).toBe(10);
  });

  it('reports queue positions by the venue’s ids, in whole contracts and fractions', () => {
    const rows = [
      { order_id: 'v-1', market_ticker: 'KXA', queue_position_fp: '12.50' },
      { order_id: 'v-2', market_ticker: 'KXB', queue_position: 3 },
    ];
    expect(eventsOf({ queue_positions: rows })).toMatchObject([
      {
        kind: 'queue-positions',
        at: AT,
        rows: [
          { venueOrderId: 'v-1', aheadQty: 1250 },
          { venueOrderId: 'v-2', aheadQty: 300 },
        ],
      },
    ]);
  });

  it('fails the read when queue positions cannot be read', () => {
    expect(eventsOf({ queue_positions: [{ order_id: 'v-1' }] })).toMatchObject([
      { kind: 'read-failed', isRefused: false },
    ]);
  });

  it('reads queue positions only in dialects that have them', () => {
    const tells = [kalshiProfile, serviceProfile].map(
      (profile) => tradeApiReplayParts({ profile, tickers: new TickerTable() }).capabilities.canReadQueue,
    );
    expect(tells).toEqual([true, false]);
  });
});
