// Scheduled fees of a series through every tool that makes one tape from another: kept at their time, known after a
// cut, and written once when several tapes have them.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type TickerTable, seriesTicker } from '../../../src/domain/ids.ts';
import { BakedWriter } from '../../../src/tape/baked/baked-writer.ts';
import { openBakedFile } from '../../../src/tape/baked/baked-reader.ts';
import { mergeTapes } from '../../../src/tape/tools/merge-tapes.ts';
import { type RowFact, rowFacts } from '../../../src/tape/tools/row-facts.ts';
import { TradeApiNormalizer } from '../../../src/venues/trade-api/normalize/trade-api-normalizer.ts';
import { kalshiProfile } from '../../../src/venues/trade-api/profiles/kalshi-profile.ts';
import { aMarket } from '../../support/engine/builders.ts';
import { MemoryDisk } from '../../support/tapes/memory-storage.ts';
import { RecordedSession, bakedTape } from '../../support/tapes/recorded-session.ts';
import { at, withTape, writeTape, withTapeFolder } from '../../support/tapes/random-facts.ts';
import { print as printRow, slice } from './tape-pieces.ts';
import { allSteps } from '../../support/tapes/all-steps.ts';

const plan = (second: number, ...hours: readonly number[]) =>
  ({
    kind: 'fees-scheduled',
    at: at(second),
    seriesTicker: seriesTicker('SERIES'),
    changes: hours.map((hour) => ({ at: at(hour * 3600), terms: { feeType: 'free', feeMultiplierPercent: 100 } })),
  }) as const;
const market: RowFact = { kind: 'other', row: { kind: 'market', at: at(0), market: aMarket(0) } };
const print = (after: number, id: string): RowFact => ({ kind: 'print', row: printRow(after, id) });
const factOf = (row: ReturnType<typeof plan>): RowFact => ({ kind: 'other', row });

const plansIn = (path: string) =>
  withTape(path, (source) =>
    [...rowFacts(source)].flatMap(({ row }) => ('kind' in row && row.kind === 'fees-scheduled' ? [row] : [])),
  );

describe('scheduled fees', () => {
  it('scheduled fees are on the tape baked from a recording', () => {
    withTapeFolder((folder) => {
      const [path, disk] = [join(folder, 'baked.arrow'), new MemoryDisk()];
      const change = { id: 'c', series_ticker: 'SERIES', fee_type: 'free', fee_multiplier: 1 };
      const body = { series_fee_change_arr: [{ ...change, scheduled_ts: '2026-12-01T00:00:00Z' }] };
      const recorded = new RecordedSession(disk.open()).feedUp();
      recorded.writeRead({ what: 'fee-changes', seriesTicker: seriesTicker('SERIES') }, body).journal.flush();
      const normalizer = (tickers: TickerTable) => new TradeApiNormalizer({ profile: kalshiProfile, tickers });
      bakedTape(disk.open(), path, { normalizerOf: (_profile, tickers) => normalizer(tickers) });
      const terms = { feeType: 'free', feeMultiplierPercent: 100 };
      const changes = [{ at: Date.parse('2026-12-01T00:00:00Z') * 1000, terms }];
      expect(plansIn(path)).toMatchObject([{ seriesTicker: 'SERIES', changes }]);
    });
  });

  it('a slice begins with the last scheduled fees before its cut', () => {
    withTapeFolder((folder) => {
      const [whole, piece] = [join(folder, 'whole.arrow'), join(folder, 'piece.arrow')];
      writeTape(whole, [market, factOf(plan(1, 1)), factOf(plan(2, 2, 3)), print(10, 'a'), print(20, 'b')]);
      slice(whole, piece, { from: at(15) });
      expect(plansIn(piece)).toEqual([plan(15, 2, 3)]);
    });
  });

  it('a merge writes scheduled fees once when several tapes have them, and again when they differ', () => {
    withTapeFolder((folder) => {
      const [one, other, merged] = ['one', 'other', 'merged'].map((name) => join(folder, `${name}.arrow`));
      writeTape(one!, [market, factOf(plan(1, 1)), print(10, 'a')]);
      writeTape(other!, [market, factOf(plan(2, 1)), factOf(plan(5, 2)), print(20, 'b')]);
      const sources = [openBakedFile(one!), openBakedFile(other!)];
      allSteps(mergeTapes({ sources, names: ['one', 'other'], writer: new BakedWriter(merged!) }));
      for (const source of sources) source.close();
      expect(plansIn(merged!)).toEqual([plan(1, 1), plan(5, 2)]);
    });
  });
});
