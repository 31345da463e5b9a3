// The service profile, and the extensions of the kalshi profile, against every recorded answer of the real exchange
// from its whole-cent era. The recordings stay where they are: beside the repository, not in it.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Ticker } from '../../../../src/domain/ids.ts';
import type { Micros, Money, Qty } from '../../../../src/domain/units.ts';
import * as today from '../../../../src/venues/trade-api/profiles/kalshi-market.ts';
import { extensions } from '../../../../src/venues/trade-api/profiles/kalshi-extensions.ts';
import {
  count,
  flag,
  integer,
  maybeText,
  name,
  time,
} from '../../../../src/venues/trade-api/profiles/service-forms.ts';
import { candle } from '../../../../src/venues/trade-api/profiles/service-market.ts';
import { serviceProfile } from '../../../../src/venues/trade-api/profiles/service-profile.ts';
import { type Codec, codecOf } from '../../../../src/venues/trade-api/wire/codec.ts';
import type * as Wire from '../../../../src/venues/trade-api/wire/wire-records.ts';
import type { RecordSpec } from '../../../../src/venues/trade-api/wire/record-spec.ts';
import { marketOf } from '../../../../src/venues/trade-api/normalize/domain-values.ts';
import { TickerTable } from '../../../../src/domain/ids.ts';
import { RECORDINGS } from '../../../support/runner/recordings-folder.ts';

const classic = `${RECORDINGS}kalshi-rest-2026-01/`;
const isAbsent = !existsSync(classic);
const why = isAbsent ? ' (skipped: the recordings beside the repository are absent)' : '';

/** Files that a test has read. */
const read = new Set<string>();

function recorded(file: string): unknown {
  read.add(file);
  const found = JSON.parse(readFileSync(`${classic}${file}_response.json`, 'utf8')) as { readonly response: unknown };
  return found.response;
}

function decode<T>(spec: RecordSpec<T>, json: unknown): { readonly value: T; readonly notes: readonly string[] } {
  const notes: string[] = [];
  const codec: Codec<T> = codecOf(spec);
  return { value: codec.decode(json, (kind) => notes.push(kind)), notes };
}

const { records } = serviceProfile;

// Records that the service dialect lacks, in the format of that time: the present records with the earlier number
// formats.
const classicCandles = { kind: 'list', of: { kind: 'record', of: candle }, wire: 'candlesticks' } as const;
const candlesBatch: RecordSpec<Wire.CandlesBatchAnswer> = {
  name: 'candles_batch',
  fields: {
    markets: {
      kind: 'list',
      of: {
        kind: 'record',
        of: { name: 'named_candles', fields: { ticker: name('market_ticker'), candles: classicCandles } },
      },
      wire: 'markets',
    },
  },
};
const eventCandles: RecordSpec<Wire.EventCandlesAnswer> = {
  name: 'event_candles',
  fields: {
    ...today.eventCandles.fields,
    candles: {
      kind: 'list',
      of: { kind: 'list', of: { kind: 'record', of: candle } },
      wire: 'market_candlesticks',
    },
  },
};
const queuePosition: RecordSpec<Wire.QueuePositionRecord> = {
  name: 'queue_position',
  fields: { orderId: name('order_id'), ticker: name('market_ticker'), ahead: count('queue_position') },
};
const queuePositions: RecordSpec<Wire.QueuePositionsAnswer> = {
  name: 'queue_positions',
  fields: { positions: { kind: 'list', of: { kind: 'record', of: queuePosition }, wire: 'queue_positions' } },
};

interface Incentive {
  readonly id: string;
  readonly ticker: Ticker;
  readonly kind: string;
  readonly from: Micros;
  readonly until: Micros;
  readonly reward: Money;
  readonly discount: number;
  readonly target: Qty;
  readonly isPaid: boolean;
}
const incentive: RecordSpec<Incentive> = {
  name: 'incentive',
  fields: {
    id: name('id'),
    ticker: name('market_ticker'),
    kind: name('incentive_type'),
    from: time('start_date'),
    until: time('end_date'),
    reward: { kind: 'money', form: 'centicents', wire: 'period_reward' },
    discount: integer('discount_factor_bps'),
    target: count('target_size'),
    isPaid: flag('paid_out'),
  },
};
const incentives: RecordSpec<Wire.PageRecord<Incentive>> = {
  name: 'incentives',
  fields: {
    rows: { kind: 'list', of: { kind: 'record', of: incentive }, wire: 'incentive_programs' },
    cursor: maybeText('next_cursor'),
  },
};

describe.skipIf(isAbsent)(`recorded answers of the whole-cent wire${why}`, () => {
  it('reads a market completely, with nothing unknown', () => {
    const { value, notes } = decode(records.market, recorded('market_single'));
    expect(notes).toEqual([]);
    expect(marketOf(value.market, new TickerTable())).toMatchObject({ status: 'active', grid: { cellCount: 999 } });
  });

  it('reads an event group with its markets', () => {
    const { value, notes } = decode(records.event, recorded('event_single'));
    expect(notes).toEqual([]);
    expect(value.event).toMatchObject({ eventTicker: 'KXELONMARS-99', isExclusive: false });
    expect(value.markets).toMatchObject([{ bestBid: 600, bestAsk: 700, lastPrice: 600, volume: 3_500_100 }]);
  });

  it('reads a page of event groups and its cursor', () => {
    const { value, notes } = decode(records.events, recorded('events_list'));
    expect(notes).toEqual([]);
    expect(value.rows).toHaveLength(5);
    expect(value.cursor).not.toBeNull();
  });

  it('reads a series with its fees', () => {
    const { value, notes } = decode(records.series, recorded('series_single'));
    expect(notes).toEqual([]);
    expect(value.series).toMatchObject({ ticker: 'CO2', feeType: 'quadratic', feeMultiplierPercent: 100 });
  });

  it('reads public trades, with the taker’s outcome as a side', () => {
    const { value, notes } = decode(records.prints, recorded('trades_list'));
    expect(notes).toEqual([]);
    expect(value.rows[0]).toMatchObject({ side: 'sell', price: 600, qty: 100, at: 1_768_230_020_897_212 });
  });

  it('reads candles, with `null` when nothing traded', () => {
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

  it('reads the exchange’s status', () => {
    expect(decode(records.status, recorded('exchange_status'))).toEqual({
      value: { isActive: true, isTrading: true, canTransfer: null, resumeAt: null, shards: null },
      notes: [],
    });
  });

  it('passes over a settlement whose value was altered for privacy, and notes the field', () => {
    const { value, notes } = decode(records.settlements, recorded('portfolio_settlements'));
    expect(notes).toEqual(['record settlement.value']);
    expect(value.rows).toEqual([]);
  });

  it('reads the weekly hours, with two periods for a day with a break', () => {
    const { value, notes } = decode(extensions.schedule, recorded('exchange_schedule'));
    expect(notes).toEqual([]);
    const [week] = value.schedule.weeks;
    expect(week).toMatchObject({
      thursday: [
        { opens: '00:00', closes: '03:00' },
        { opens: '05:00', closes: '00:00' },
      ],
      sunday: [{ opens: '00:00', closes: '00:00' }],
    });
    expect(value.schedule.maintenance).toEqual([]);
  });

  it('reads data freshness, scheduled fee changes, and an order group without orders', () => {
    expect(decode(extensions.userDataTimestamp, recorded('user_data_timestamp'))).toEqual({
      value: { asOf: 1_768_485_738_848_643 },
      notes: [],
    });
    expect(decode(extensions.seriesFeeChanges, recorded('series_fee_changes'))).toEqual({
      value: { changes: [] },
      notes: [],
    });
    expect(decode(extensions.group, recorded('order_group_single'))).toEqual({
      value: { limit: null, isArmed: false, orderIds: [], shard: null },
      notes: [],
    });
  });

  it('reads candles of several markets and of an event group like those of one market', () => {
    const single = decode(records.candles, recorded('series_candlesticks')).value.candles;
    const batch = decode(candlesBatch, recorded('candlesticks_batch'));
    expect(batch.notes).toEqual([]);
    expect(batch.value.markets).toEqual([{ ticker: 'KXELONMARS-99', candles: single }]);
    const group = decode(eventCandles, recorded('event_candlesticks'));
    expect(group.notes).toEqual([]);
    expect(group.value).toMatchObject({ tickers: ['KXELONMARS-99'], endAt: 1_768_440_670_000_000 });
    expect(group.value.candles[0]).toHaveLength(90);
  });

  it('reads queue positions as whole contracts', () => {
    const { value, notes } = decode(queuePositions, recorded('order_queue_positions'));
    expect(notes).toEqual([]);
    expect(value.positions.map(({ ahead }) => ahead)).toEqual([100, 200, 10_300]);
  });

  it('reads incentive programs, which the bot never requests', () => {
    const { value, notes } = decode(incentives, recorded('incentive_programs'));
    expect(notes).toEqual([]);
    expect(value.rows).toHaveLength(5);
    expect(value.rows[0]).toMatchObject({ ticker: 'KXLOWTPHIL-26JAN15-T24', reward: 20_000_000, isPaid: false });
  });

  it('reads every recording', () => {
    const files = readdirSync(classic).filter((file) => file.endsWith('.json'));
    expect(files.map((file) => file.replace('_response.json', '')).toSorted()).toEqual([...read].toSorted());
    expect(read.size).toBe(16);
  });
});
