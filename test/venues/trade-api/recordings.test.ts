// The service profile against answers of the real exchange from its whole-cent days. The recordings stay where they are:
// beside the repository, not in it.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { serviceProfile } from '../../../src/venues/trade-api/profiles/service.ts';
import { type Codec, codecOf } from '../../../src/venues/trade-api/wire/codec.ts';
import { parseError } from '../../../src/venues/trade-api/wire/errors.ts';
import type { RecordSpec } from '../../../src/venues/trade-api/wire/spec.ts';
import { marketOf } from '../../../src/venues/trade-api/normalize-records.ts';
import { TickerTable } from '../../../src/domain/ids.ts';

const folder = fileURLToPath(new URL('../../../../shared/data/', import.meta.url));
const classic = `${folder}kalshi-rest-2026-01/`;
const isAbsent = !existsSync(classic);
const why = isAbsent ? ' (skipped: the recordings beside the repository are absent)' : '';

function recorded(file: string): unknown {
  const found = JSON.parse(readFileSync(`${classic}${file}_response.json`, 'utf8')) as { readonly response: unknown };
  return found.response;
}

function decode<T>(spec: RecordSpec<T>, json: unknown): { readonly value: T; readonly notes: readonly string[] } {
  const notes: string[] = [];
  const codec: Codec<T> = codecOf(spec);
  return { value: codec.decode(json, (kind) => notes.push(kind)), notes };
}

const { records } = serviceProfile;

describe.skipIf(isAbsent)(`recorded answers of the whole-cent wire${why}`, () => {
  it('a market is read whole, and nothing of it is unknown', () => {
    const { value, notes } = decode(records.market, recorded('market_single'));
    expect(notes).toEqual([]);
    expect(marketOf(value.market, new TickerTable())).toMatchObject({ status: 'active', grid: { cellCount: 999 } });
  });

  it('an event group is read with its markets', () => {
    const { value, notes } = decode(records.event, recorded('event_single'));
    expect(notes).toEqual([]);
    expect(value.event).toMatchObject({ eventTicker: 'KXELONMARS-99', isExclusive: false });
    expect(value.markets).toMatchObject([{ bestBid: 600, bestAsk: 700, lastPrice: 600, volume: 3_500_100 }]);
  });

  it('a page of event groups is read, and where the next begins', () => {
    const { value, notes } = decode(records.events, recorded('events_list'));
    expect(notes).toEqual([]);
    expect(value.rows).toHaveLength(5);
    expect(value.cursor).not.toBeNull();
  });

  it('a series is read with its fees', () => {
    const { value, notes } = decode(records.series, recorded('series_single'));
    expect(notes).toEqual([]);
    expect(value.series).toMatchObject({ ticker: 'CO2', feeType: 'quadratic', feeMultiplierPercent: 100 });
  });

  it('public trades are read, the taker’s outcome as a side', () => {
    const { value, notes } = decode(records.prints, recorded('trades_list'));
    expect(notes).toEqual([]);
    expect(value.rows[0]).toMatchObject({ side: 'sell', price: 600, qty: 100, at: 1_768_230_020_897_212 });
  });

  it('candles are read, with nothing where nothing traded', () => {
    const { value, notes } = decode(records.candles, recorded('series_candlesticks'));
    expect(notes).toEqual([]);
    expect(value.candles.length).toBeGreaterThan(50);
    expect(value.candles[0]).toMatchObject({
      endAt: 1_760_500_800_000_000,
      bid: { open: 800 },
      ask: { close: 1100 },
      price: { open: null, previous: 1100 },
      openInterest: 1_243_200,
    });
  });

  it('the status is read', () => {
    expect(decode(records.status, recorded('exchange_status'))).toEqual({
      value: { isActive: true, isTrading: true, canTransfer: null, resumeAt: null, shards: null },
      notes: [],
    });
  });

  it('a settlement whose value was made up for privacy is refused by name', () => {
    expect(() => decode(records.settlements, recorded('portfolio_settlements'))).toThrow(
      'settlement.value: expected whole cents, 0 to 100, found 4559',
    );
  });
});

const later = `${folder}kalshi-rest-2026-06/`;
describe.skipIf(!existsSync(later))(`recorded refusals${why}`, () => {
  it.each([
    ['auth__bad_signature', 401, 'authentication_error'],
    ['auth__missing_signature_header', 401, 'signature_is_missing_from_headers'],
    ['auth__skew_minus5min', 401, 'header_timestamp_expired'],
    ['orders__cancel_executed', 404, 'not_found'],
    ['orders__duplicate_client_order_id', 409, 'order_already_exists'],
    ['orders__insufficient_balance', 400, 'insufficient_balance'],
    ['orders__invalid_price_structure', 400, 'invalid_price'],
    ['orders__post_only_cross', 400, 'invalid_order'],
  ])('%s is read as %d %s', (file, status, code) => {
    expect(parseError(status, readFileSync(`${later}${file}.json`, 'utf8')).code).toBe(code);
  });
});
