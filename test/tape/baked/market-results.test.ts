// No row holds what was not known yet; and flipping changes every result and nothing else.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Market } from '../../../src/domain/market.ts';
import { PAYOUT, cents, contracts, micros, price } from '../../../src/domain/units.ts';
import { parseEventText } from '../../../src/tape/baked/event-text.ts';
import { asKnownAt, flipOutcomes } from '../../../src/tape/baked/market-results.ts';
import { openBakedFile } from '../../../src/tape/baked/baked-reader.ts';
import { type OtherEvent, RowKind, type RowSource } from '../../../src/tape/baked/tape-rows.ts';
import { BakedWriter, type BakedWriterOptions } from '../../../src/tape/baked/baked-writer.ts';
import { withTemporaryFolder, rowsOf } from '../../support/tapes/baked-rows.ts';
import { M0, M1, aMarket } from '../../support/engine/builders.ts';

const CLOSE = micros(1_795_000_000_000_000);
const BEFORE = micros(CLOSE - 1);
const settled: Market = aMarket(0, {
  closeAt: CLOSE,
  openAt: micros(0),
  status: 'finalized',
  result: 'yes',
  settlementValue: PAYOUT,
});

describe('a market as it was known', () => {
  it('a market before its close has no result, and the status of its clock', () => {
    const known = { result: null, settlementValue: null, status: 'active' };
    expect(asKnownAt(settled, BEFORE)).toEqual({ ...settled, ...known });
    expect(asKnownAt({ ...settled, openAt: CLOSE }, BEFORE)).toMatchObject({ ...known, status: 'initialized' });
    expect(asKnownAt({ ...settled, status: 'closed', result: null, settlementValue: null }, BEFORE)).toMatchObject(
      known,
    );
  });

  it('a market after its close has its published result, when it was determined', () => {
    expect(asKnownAt(settled, CLOSE)).toBe(settled);
    expect(asKnownAt({ ...settled, status: 'closed' }, CLOSE)).toMatchObject({
      status: 'closed',
      result: null,
      settlementValue: null,
    });
  });

  it('a market without anything from the future is the same object', () => {
    const open = aMarket(0);
    expect(asKnownAt(open, micros(5))).toBe(open);
    const paused = aMarket(0, { status: 'inactive', closeAt: CLOSE });
    expect(asKnownAt(paused, BEFORE)).toBe(paused);
  });
});

const market = (definition: Market, at = BEFORE): OtherEvent => ({ kind: 'market', at, market: definition });

/** A baked file of some events. */
function withRows(
  events: readonly OtherEvent[],
  options: BakedWriterOptions,
  see: (source: RowSource, assumptions: readonly string[]) => void,
): void {
  withTemporaryFolder((folder) => {
    const path = join(folder, 'rows.arrow');
    const rows = new BakedWriter(path, options);
    for (const number of [0, 1]) rows.marketNumber(`M-${number}`);
    rows.writeDelta({
      at: micros(1),
      exchangeAt: null,
      market: M0,
      side: 'bid',
      price: cents(40),
      change: contracts(1),
    });
    rows.writePrint({
      at: micros(1),
      exchangeAt: null,
      market: M0,
      side: 'buy',
      price: cents(40),
      qty: contracts(1),
      tradeId: '{"result":"yes"}',
    });
    for (const event of events) rows.writeOther(event);
    const { assumptions } = rows.finish({ source: 'test', venue: 'test', sourceHash: '' });
    const source = openBakedFile(path);
    see(source, assumptions);
    source.close();
  });
}

const eventsIn = (source: RowSource): OtherEvent[] =>
  rowsOf(source)
    .filter(({ kind }) => kind === RowKind.other)
    .map(({ text }) => parseEventText(text));

describe('rows of definitions', () => {
  it('definitions gathered later hold nothing of the future, and the facts report the removal', () => {
    withRows([market(settled), market(settled, CLOSE)], {}, (source, assumptions) => {
      const [before, after] = eventsIn(source);
      expect(before).toMatchObject({ market: { result: null, settlementValue: null, status: 'active' } });
      expect(after).toEqual(market(settled, CLOSE));
      expect(assumptions).toEqual([
        '1 definition of a market held more than was known at the time; the excess was removed.',
      ]);
    });
  });

  it('definitions that the venue sent at that time are kept unchanged', () => {
    withRows([market(settled)], { hasLiveDefinitions: true }, (source, assumptions) => {
      expect(eventsIn(source)).toEqual([market(settled)]);
      expect(assumptions).toEqual([]);
    });
  });

  it('flipped rows have every result reversed, and are otherwise the same', () => {
    const changed = { kind: 'market-changed', at: CLOSE, exchangeAt: null, market: M1 } as const;
    const events: OtherEvent[] = [
      market(settled, CLOSE),
      market(aMarket(1, { closeAt: CLOSE }), CLOSE),
      { ...changed, status: 'closed' },
      { ...changed, status: 'determined', result: 'no', settlementValue: price(0) },
      { ...changed, result: 'scalar', settlementValue: price(3300) },
      { ...changed, result: null, settlementValue: null },
      { kind: 'exchange-status', at: CLOSE, isActive: true, isTrading: false },
    ];
    withRows(events, {}, (source) => {
      expect(eventsIn(flipOutcomes(source))).toEqual([
        market({ ...settled, result: 'no', settlementValue: price(0) }, CLOSE),
        events[1],
        events[2],
        { ...changed, status: 'determined', result: 'yes', settlementValue: PAYOUT },
        { ...changed, result: 'scalar', settlementValue: price(6700) },
        events[5],
        events[6],
      ]);
      const [plain, flipped] = [rowsOf(source), rowsOf(flipOutcomes(source))];
      expect(flipped.slice(0, 2)).toEqual(plain.slice(0, 2));
      expect(flipped.map(({ text: _text, ...row }) => row)).toEqual(plain.map(({ text: _text, ...row }) => row));
      expect(rowsOf(flipOutcomes(flipOutcomes(source)))).toEqual(plain);
      expect(eventsIn(flipOutcomes(source, micros(CLOSE + 1)))).toEqual(events);
    });
  });
});
