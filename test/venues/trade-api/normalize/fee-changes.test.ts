// Scheduled fee changes and fee waivers, from the wire to the facts that risk uses.
import { describe, expect, it } from 'vitest';
import type { EngineEvent } from '../../../../src/domain/event.ts';
import { TickerTable, seriesTicker } from '../../../../src/domain/ids.ts';
import { kalshiProfile } from '../../../../src/venues/trade-api/profiles/kalshi-profile.ts';
import { serviceProfile } from '../../../../src/venues/trade-api/profiles/service-profile.ts';
import { tradeApiReplayParts } from '../../../../src/venues/trade-api/replay-parts.ts';
import { RequestBuilder } from '../../../../src/venues/trade-api/rest/request-builder.ts';
import { AT, answered, normalizing, read } from './raw-input.ts';

const KXRAIN = seriesTicker('KXRAIN');
const planned = read({ what: 'fee-changes', seriesTicker: KXRAIN });
const eventsOf = (changes: readonly unknown[]): EngineEvent[] => {
  const body = { series_fee_change_arr: changes };
  return normalizing(kalshiProfile).normalize(answered(planned, 200, { body }));
};
const change = (over: object): object => ({
  id: 'c-1',
  series_ticker: 'KXRAIN',
  fee_type: 'quadratic',
  fee_multiplier: 0.5,
  scheduled_ts: '2024-01-01T00:00:00Z',
  ...over,
});
const JANUARY = Date.UTC(2024, 0, 1) * 1000;

describe('scheduled fee changes of a series', () => {
  it('requests scheduled fee changes by series', () => {
    const { endpoint, path } = new RequestBuilder(kalshiProfile).buildRequest(planned);
    expect([endpoint.method, endpoint.budget, path]).toEqual([
      'GET',
      'read',
      '/trade-api/v2/series/fee_changes?series_ticker=KXRAIN',
    ]);
  });

  it('emits fee changes in order of time, without those in force and those of other series', () => {
    const events = eventsOf([
      change({ id: 'later', scheduled_ts: '2024-02-01T00:00:00Z', fee_multiplier: 1 }),
      change({}),
      change({ id: 'past', scheduled_ts: '2023-11-14T22:13:20Z' }),
      change({ id: 'other', series_ticker: 'KXSNOW' }),
    ]);
    expect(events.filter(({ kind }) => kind !== 'answered')).toEqual([
      {
        kind: 'fees-scheduled',
        at: AT,
        seriesTicker: 'KXRAIN',
        changes: [
          { at: JANUARY, terms: { feeType: 'quadratic', feeMultiplierPercent: 50 } },
          { at: JANUARY + 31 * 86_400_000_000, terms: { feeType: 'quadratic', feeMultiplierPercent: 100 } },
        ],
      },
    ]);
  });

  it('emits an empty list when no fee change is scheduled', () => {
    expect(eventsOf([]).filter(({ kind }) => kind === 'fees-scheduled')).toMatchObject([{ changes: [] }]);
  });

  it('reads fee changes only in dialects with the endpoint', () => {
    const can = [kalshiProfile, serviceProfile].map(
      (profile) => tradeApiReplayParts({ profile, tickers: new TickerTable() }).capabilities.canReadFeeChanges,
    );
    expect(can).toEqual([true, false]);
  });
});
