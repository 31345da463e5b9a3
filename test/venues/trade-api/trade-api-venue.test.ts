// The assembled venue: its capabilities, and the inputs it refuses.
import { describe, expect, it } from 'vitest';
import { TickerTable, ticker } from '../../../src/domain/ids.ts';
import { micros } from '../../../src/domain/units.ts';
import type { WireProfile } from '../../../src/venues/trade-api/profiles/wire-profile.ts';
import { serviceProfile } from '../../../src/venues/trade-api/profiles/service-profile.ts';
import { type TradeApiVenueOptions, tradeApiVenue } from '../../../src/venues/trade-api/trade-api-venue.ts';
import { cancel, place } from './normalize/raw-input.ts';

const venueOf = (changes: Partial<TradeApiVenueOptions> = {}) =>
  tradeApiVenue({
    profile: serviceProfile,
    urls: { rest: 'http://127.0.0.1:9', feed: 'ws://127.0.0.1:9' },
    credential: null,
    clock: () => micros(0),
    random: () => 0,
    ...changes,
  });

describe('a venue', () => {
  it('has the capabilities of its profile', () => {
    const { name, capabilities } = venueOf();
    expect(name).toBe('service');
    expect(capabilities).toMatchObject({
      canAmend: true,
      qtyStep: 100,
      priceMin: 100,
      priceMax: 9900,
      timeInForce: ['gtc', 'gtd', 'ioc', 'fok'],
      limits: { read: serviceProfile.limits.read, trade: serviceProfile.limits.trade },
    });
    expect([capabilities.cost(place), capabilities.cost(cancel)]).toEqual([1, 1]);
  });

  it('takes its limits from the config if given', () => {
    const trade = { model: 'rolling-window', count: 3, windowMs: 500 } as const;
    expect(venueOf({ limits: { trade } }).capabilities.limits).toEqual({ read: serviceProfile.limits.read, trade });
  });

  it('numbers markets in the given table', () => {
    const tickers = new TickerTable();
    const { normalizer } = venueOf({ tickers });
    const bytes = new TextEncoder().encode(
      '{"type":"orderbook_snapshot","sid":1,"seq":1,"msg":{"market_ticker":"M-1"}}',
    );
    normalizer.normalize({ type: 'frame', at: micros(1), bytes }, () => {});
    expect(tickers.indexOf(ticker('M-1'))).toBe(0);
  });

  it('cannot be created without a key when its public feed needs one', () => {
    const profile: WireProfile = { ...serviceProfile, feed: { ...serviceProfile.feed, publicFeedNeedsKey: true } };
    expect(() => venueOf({ profile })).toThrow('needs a key');
  });

  it('sends nothing when the venue cannot be reached, and says why', async () => {
    const { gateway } = venueOf();
    const { outcome } = await gateway.send(
      {
        id: 1,
        type: 'read',
        lane: 'read',
        target: { what: 'status' },
        cursor: null,
        createdAt: micros(0),
        validUntil: null,
      },
      new AbortController().signal,
    );
    expect(outcome.type).toBe('not-sent');
    await gateway.stop();
  });
});
