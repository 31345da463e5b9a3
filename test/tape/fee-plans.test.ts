// What is planned for the fees of a series, through all that makes one tape of another: it is told where it was told, still
// known behind a cut, and told once where several tapes tell it.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type TickerTable, seriesTicker } from '../../src/domain/ids.ts';
import { BakedWriter } from '../../src/tape/baked/writer.ts';
import { openBaked } from '../../src/tape/baked/reader.ts';
import { mergeTapes } from '../../src/tape/merge.ts';
import { type RowFact, rowFacts } from '../../src/tape/row-facts.ts';
import { TradeApiNormalizer } from '../../src/venues/trade-api/normalize.ts';
import { kalshiProfile } from '../../src/venues/trade-api/profiles/kalshi.ts';
import { aMarket } from '../support/engine/builders.ts';
import { MemoryDisk } from '../support/memory-storage.ts';
import { Recorded, baked } from '../support/recorded.ts';
import { at, reading, tapeOf, withFolder } from '../support/row-tapes.ts';
import { print as printRow, slice } from './pieces.ts';

const plan = (told: number, ...hours: readonly number[]) =>
  ({
    kind: 'fees-scheduled',
    at: at(told),
    seriesTicker: seriesTicker('SERIES'),
    changes: hours.map((hour) => ({ at: at(hour * 3600), terms: { feeType: 'free', feeMultiplierPercent: 100 } })),
  }) as const;
const market: RowFact = { kind: 'other', row: { kind: 'market', at: at(0), market: aMarket(0) } };
const print = (after: number, id: string): RowFact => ({ kind: 'print', row: printRow(after, id) });
const factOf = (row: ReturnType<typeof plan>): RowFact => ({ kind: 'other', row });

const plansIn = (path: string) =>
  reading(path, (source) =>
    [...rowFacts(source)].flatMap(({ row }) => ('kind' in row && row.kind === 'fees-scheduled' ? [row] : [])),
  );

describe('what is planned for fees', () => {
  it('is on the tape that is made of a recording', () => {
    withFolder((folder) => {
      const [path, disk] = [join(folder, 'baked.arrow'), new MemoryDisk()];
      const change = { id: 'c', series_ticker: 'SERIES', fee_type: 'free', fee_multiplier: 1 };
      const body = { series_fee_change_arr: [{ ...change, scheduled_ts: '2026-12-01T00:00:00Z' }] };
      const recorded = new Recorded(disk.open()).up();
      recorded.asked({ what: 'fee-changes', seriesTicker: seriesTicker('SERIES') }, body).journal.flush();
      const normalizer = (tickers: TickerTable) => new TradeApiNormalizer({ profile: kalshiProfile, tickers });
      baked(disk.open(), path, { reading: (_profile, tickers) => normalizer(tickers) });
      const terms = { feeType: 'free', feeMultiplierPercent: 100 };
      const changes = [{ at: Date.parse('2026-12-01T00:00:00Z') * 1000, terms }];
      expect(plansIn(path)).toMatchObject([{ seriesTicker: 'SERIES', changes }]);
    });
  });

  it('is known behind a cut as it was told last', () => {
    withFolder((folder) => {
      const [whole, piece] = [join(folder, 'whole.arrow'), join(folder, 'piece.arrow')];
      tapeOf(whole, [market, factOf(plan(1, 1)), factOf(plan(2, 2, 3)), print(10, 'a'), print(20, 'b')]);
      slice(whole, piece, { from: at(15) });
      expect(plansIn(piece)).toEqual([plan(15, 2, 3)]);
    });
  });

  it('is told once where several tapes tell it, and again when it is otherwise', () => {
    withFolder((folder) => {
      const [one, other, merged] = ['one', 'other', 'merged'].map((name) => join(folder, `${name}.arrow`));
      tapeOf(one!, [market, factOf(plan(1, 1)), print(10, 'a')]);
      tapeOf(other!, [market, factOf(plan(2, 1)), factOf(plan(5, 2)), print(20, 'b')]);
      const sources = [openBaked(one!), openBaked(other!)];
      mergeTapes({ sources, names: ['one', 'other'], writer: new BakedWriter(merged!) });
      for (const source of sources) source.close();
      expect(plansIn(merged!)).toEqual([plan(1, 1), plan(5, 2)]);
    });
  });
});
