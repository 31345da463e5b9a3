// Definitions of an import's markets: as listed, even when listed after their end, and never ahead of their time.
import { describe, expect, it } from 'vitest';
import { must } from '../../../src/base/assert.ts';
import type { EngineEvent } from '../../../src/domain/event.ts';
import type { Definitions } from '../../../src/tape/import/import-formats.ts';
import { captureWire } from '../../../src/venues/trade-api/captures/capture-dialects.ts';
import { changeOf, linesOf, snapshotOf } from '../../support/tapes/captured-messages.ts';
import { type ImportResult, importTexts, kindsOf } from '../../support/tapes/imported-tape.ts';

const MARKET = {
  ticker: 'S-1-A',
  event_ticker: 'S-1',
  title: 'Above one?',
  status: 'finalized',
  open_time: '2026-01-01T00:00:00Z',
  close_time: '2026-01-02T12:00:00Z',
  can_close_early: true,
  result: 'yes',
  settlement_timer_seconds: 60,
  price_level_structure: 'deci_cent',
  price_ranges: [{ start: '0.0000', end: '1.0000', step: '0.0010' }],
  strike_type: 'greater',
  floor_strike: 1,
  yes_bid_dollars: '0.9900',
  yes_bid_size_fp: '3.00',
  settlement_value_dollars: '1.0000',
};
const EVENT = { event_ticker: 'S-1', series_ticker: 'S', title: 'One', mutually_exclusive: true };
const SERIES = {
  ticker: 'S',
  title: 'Ones',
  category: 'Numbers',
  frequency: 'daily',
  fee_type: 'quadratic',
  fee_multiplier: 0.5,
};

function read(json: unknown): { readonly definitions: Definitions; readonly notes: readonly string[] } {
  const notes: string[] = [];
  return { definitions: captureWire.readDefinitions(json, (kind) => notes.push(kind)), notes };
}

const trades = (...hours: readonly string[]): string =>
  ['ticker,ts,price,quantity,direction', ...hours.map((hour) => `S-1-A,2026-01-02T${hour}:00Z,0.5,1,yes`)].join('\n');
const importing = (text: string, json: unknown): Promise<ImportResult> =>
  importTexts('trades-csv', [text], { definitions: read(json).definitions });
const eventsOf = ({ facts }: ImportResult): EngineEvent[] =>
  facts.flatMap((fact) => (fact.kind === 'other' ? [fact.row] : []));
const at = (time: string): number => Date.parse(`2026-01-02T${time}Z`) * 1000;

describe('definitions', () => {
  it.each([
    ['an event group with its markets, and a series', [{ event: EVENT, markets: [MARKET] }, { series: SERIES }]],
    [
      'a page of event groups that hold their markets',
      [{ events: [{ ...EVENT, markets: [MARKET] }], cursor: '' }, { series: [SERIES] }],
    ],
    ['bare records', [MARKET, EVENT, SERIES]],
    [
      'answers with their requests',
      [
        { _metadata: {}, response: { markets: [MARKET] } },
        { response: { event: EVENT } },
        { response: { series: SERIES } },
      ],
    ],
  ])('definitions are found in %s', (_name, json) => {
    const { definitions, notes } = read(json);
    expect(notes).toEqual([]);
    expect(definitions).toMatchObject({
      markets: [
        {
          ticker: 'S-1-A',
          result: 'yes',
          settlementValue: 10_000,
          settlementDelay: 60_000_000,
          grid: { cellCount: 999 },
        },
      ],
      groups: [{ eventTicker: 'S-1', isExclusive: true }],
      series: [{ ticker: 'S', feeType: 'quadratic', feeMultiplierPercent: 50 }],
    });
  });

  it('definitions in whole cents are read, too', () => {
    const { yes_bid_dollars: _bid, yes_bid_size_fp: _size, settlement_value_dollars: _value, ...rest } = MARKET;
    const { definitions, notes } = read({
      market: { ...rest, result: 'scalar', settlement_value: 40, yes_bid: 99, volume: 3 },
    });
    expect(notes).toEqual([]);
    expect(definitions.markets).toMatchObject([{ result: 'scalar', settlementValue: 4000 }]);
  });

  it('unreadable definitions are noted, and spoil no other', () => {
    const { definitions, notes } = read([
      { ...MARKET, status: 'asleep' },
      { ...MARKET, moon: 1 },
      7,
      { nothing: true },
    ]);
    expect(notes).toEqual(['record market.status', 'field market.moon', 'definition', 'definition']);
    expect(definitions.markets).toHaveLength(1);
  });

  it('definitions are at the beginning, without anything not known by then', async () => {
    const imported = await importing(trades('10:00', '11:00'), [MARKET, EVENT, SERIES]);
    const [series, group, market] = eventsOf(imported);
    expect(series).toMatchObject({ kind: 'series', at: at('10:00:00') });
    expect(group).toMatchObject({ kind: 'event-group', group: { isExclusive: true, tickers: ['S-1-A'] } });
    expect(market).toMatchObject({
      market: { status: 'active', result: null, settlementValue: null, strike: { type: 'greater', floor: 1 } },
    });
    expect(imported.report.facts.assumptions.join('\n')).not.toContain('have no definition');
  });

  it('definitions put a result at the close, and the payment later, also where the rows end before', async () => {
    const imported = await importing(trades('10:00', '11:00'), [MARKET, EVENT]);
    expect(kindsOf(imported).slice(2)).toEqual(['print', 'print', 'feed-gap', 'market-changed', 'market-changed']);
    expect(eventsOf(imported).slice(-2)).toMatchObject([
      { at: at('12:00:00'), status: 'determined', result: 'yes', settlementValue: 10_000 },
      { at: at('12:01:00'), status: 'finalized' },
    ]);
    expect(imported.report.facts.gaps).toEqual([
      { from: at('11:00:00'), to: at('12:01:00'), reason: 'the files end here', tickers: [] },
    ]);
    expect(imported.report.facts.assumptions).toContain(
      'The time when the result of 1 market was known is not given: the result is published at the market’s close.'.replace(
        '’',
        "'",
      ),
    );
  });

  it("definitions put the payment at the venue's time, and the result one settlement timer before", async () => {
    const paid = { ...MARKET, settlement_ts: '2026-01-02T23:48:07.25Z' };
    const imported = await importing(trades('10:00', '13:00'), [paid, EVENT]);
    expect(kindsOf(imported).slice(2)).toEqual(['print', 'print', 'feed-gap', 'market-changed', 'market-changed']);
    expect(eventsOf(imported).slice(-2)).toMatchObject([
      { at: at('23:47:07.250'), status: 'determined', result: 'yes', settlementValue: 10_000 },
      { at: at('23:48:07.250'), status: 'finalized' },
    ]);
    const assumptions = imported.report.facts.assumptions.join('\n');
    expect(assumptions).toContain(
      'The result of 1 market is taken to be known one settlement timer before its payment',
    );
    expect(assumptions).not.toContain("the result is published at the market's close");
  });

  it.each([
    ['the timer is longer than the time from the close to the payment', '12:00:30', '12:00:00', '12:00:30'],
    ['the payment comes before the close that is listed', '11:30:00', '11:29:00', '11:30:00'],
    ['the tape begins after the payment', '09:00:00', '10:00:00', '10:00:00'],
  ])('definitions put the result and the payment in order where %s', async (_name, paidAt, known, paid) => {
    const definition = { ...MARKET, settlement_ts: `2026-01-02T${paidAt}Z` };
    const imported = await importing(trades('10:00', '13:00'), [definition, EVENT]);
    const ends = eventsOf(imported).filter(({ kind }) => kind === 'market-changed');
    expect(ends).toMatchObject([
      { at: at(known), status: 'determined', result: 'yes' },
      { at: at(paid), status: 'finalized' },
    ]);
  });

  it('a result comes before the first delta at its time or later', async () => {
    const times = ['11:59:58', '11:59:59', '12:00:00', '12:00:30', '12:01:01', '12:01:02'];
    const changes = times.map((time, more) => changeOf(more + 2, { market: 'S-1-A', ms: at(time) / 1000 }));
    const text = linesOf(snapshotOf(1, { market: 'S-1-A' }), ...changes);
    const { definitions } = read([MARKET, EVENT, SERIES]);
    const { facts } = await importTexts('feed-jsonl', [text], { ending: '.jsonl', definitions });
    const kinds = facts.map(({ kind, row }) => (kind === 'other' ? row.kind : `${kind} ${row.at}`));
    const change = (time: string): string => `delta ${at(time)}`;
    expect(kinds.slice(kinds.indexOf(change('11:59:58')))).toEqual([
      ...['11:59:58', '11:59:59'].map(change),
      'market-changed',
      ...['12:00:00', '12:00:30'].map(change),
      'market-changed',
      ...['12:01:01', '12:01:02'].map(change),
    ]);
  });

  it('a result comes between the rows where they continue', async () => {
    const imported = await importing(trades('10:00', '12:00', '13:00'), [MARKET, EVENT]);
    expect(kindsOf(imported).slice(2)).toEqual(['print', 'market-changed', 'print', 'market-changed', 'print']);
    expect(imported.report.facts.gaps).toEqual([]);
  });

  it('definitions of markets without a row are left out', async () => {
    const other = { ...MARKET, ticker: 'S-2-A', event_ticker: 'S-2' };
    const imported = await importing(trades('10:00'), [MARKET, other, EVENT, { ...SERIES, ticker: 'T' }]);
    expect(kindsOf(imported).slice(0, 3)).toEqual(['event-group', 'market', 'print']);
    expect(imported.report.facts.assumptions).toContain('The fees of 1 event group have no definition.');
  });

  it('definitions yield to an end in the feed itself', async () => {
    const lines = [
      {
        type: 'orderbook_snapshot',
        sid: 1,
        seq: 1,
        msg: { market_ticker: 'S-1-A', yes_dollars_fp: [['0.4000', '1.00']] },
      },
      {
        type: 'orderbook_delta',
        sid: 1,
        seq: 2,
        msg: {
          market_ticker: 'S-1-A',
          price_dollars: '0.4100',
          delta_fp: '1.00',
          side: 'yes',
          ts_ms: at('10:00:00') / 1000,
        },
      },
      {
        type: 'market_lifecycle_v2',
        sid: 3,
        seq: 1,
        msg: { market_ticker: 'S-1-A', event_type: 'determined', result: 'no', determination_ts: at('10:30:00') / 1e6 },
      },
    ];
    const imported = await importTexts('feed-jsonl', [lines.map((line) => JSON.stringify(line)).join('\n')], {
      ending: '.jsonl',
      definitions: read([MARKET, EVENT]).definitions,
    });
    const last = must(eventsOf(imported).at(-1), 'an end');
    expect(last).toMatchObject({ kind: 'market-changed', at: at('10:30:00'), status: 'determined', result: 'no' });
    expect(kindsOf(imported).filter((kind) => kind === 'market-changed')).toHaveLength(1);
  });
});
