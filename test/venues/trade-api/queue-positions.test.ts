// Where our orders stand in their queues, from the wire to the event.
import { describe, expect, it } from 'vitest';
import { ticker } from '../../../src/domain/ids.ts';
import { kalshiProfile } from '../../../src/venues/trade-api/profiles/kalshi.ts';
import { serviceProfile } from '../../../src/venues/trade-api/profiles/service.ts';
import { RequestBuilder, costOf } from '../../../src/venues/trade-api/requests.ts';
import { tradeApiReading } from '../../../src/venues/trade-api/venue.ts';
import { TickerTable } from '../../../src/domain/ids.ts';
import { AT, answered, normalizing, read } from './input.ts';

const asked = read({ what: 'queue-positions', tickers: [ticker('KXA'), ticker('KXB')] });
const told = (body: unknown) =>
  normalizing(kalshiProfile)
    .tell(answered(asked, 200, { body }))
    .filter(({ kind }) => kind !== 'answered');

describe('positions in queues', () => {
  it('are asked for by markets, of a subaccount where there is one, and cost what the profile says', () => {
    const { endpoint, path } = new RequestBuilder(kalshiProfile).build(asked);
    expect([endpoint.method, endpoint.budget, path]).toEqual([
      'GET',
      'read',
      '/trade-api/v2/portfolio/orders/queue_positions?market_tickers=KXA%2CKXB',
    ]);
    expect(costOf(kalshiProfile, asked)).toBe(10);
  });

  it('are told by the venue’s ids, whole contracts and parts of them', () => {
    const rows = [
      { order_id: 'v-1', market_ticker: 'KXA', queue_position_fp: '12.50' },
      { order_id: 'v-2', market_ticker: 'KXB', queue_position: 3 },
    ];
    expect(told({ queue_positions: rows })).toMatchObject([
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

  it('that cannot be read are a failed read', () => {
    expect(told({ queue_positions: [{ order_id: 'v-1' }] })).toMatchObject([{ kind: 'read-failed', isRefused: false }]);
  });

  it('are told by the dialects that have them', () => {
    const tells = [kalshiProfile, serviceProfile].map(
      (profile) => tradeApiReading({ profile, tickers: new TickerTable() }).capabilities.tellsQueue,
    );
    expect(tells).toEqual([true, false]);
  });
});
