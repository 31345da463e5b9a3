// Baking a tape: only its public part is baked, no gap is bridged, and the same tape gives the same bytes.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ticker } from '../../../src/domain/ids.ts';
import type { MarketIndex } from '../../../src/domain/ids.ts';
import { bakeTape } from '../../../src/tape/tools/bake-tape.ts';
import { BAKER_VERSION } from '../../../src/tape/baked/baked-format.ts';
import { RowKind } from '../../../src/tape/baked/tape-rows.ts';
import { deflatePacker } from '../../../src/tape/format/packed-block.ts';
import { TapeFault } from '../../../src/tape/format/tape-fault.ts';
import { sourceHashOf } from '../../../src/tape/journal/source-hash.ts';
import { type PlainRow, withTemporaryFolder, withTemporaryFolderAsync } from '../../support/tapes/baked-rows.ts';
import { MemoryDisk } from '../../support/tapes/memory-storage.ts';
import {
  SESSION_START,
  RECORDER_MANIFEST,
  RecordedSession,
  bakedTape,
  serviceNormalizer,
} from '../../support/tapes/recorded-session.ts';
import { place, start } from '../../support/tapes/journal-entries.ts';

const kindsOf = (rows: readonly PlainRow[]): number[] => rows.map(({ kind }) => kind);
const eventsIn = (rows: readonly PlainRow[]) =>
  rows.filter(({ kind }) => kind === RowKind.other).map(({ text }) => JSON.parse(text));

const MARKET = {
  ticker: 'M-1',
  event_ticker: 'E-1',
  title: 'Will it rain?',
  status: 'active',
  open_time: '2026-01-01T00:00:00Z',
  close_time: '2027-01-01T00:00:00Z',
  result: '',
};

describe('a baked tape', () => {
  it("a baked tape has the public feed, at both of its times, and the venue's answers to public reads", () => {
    withTemporaryFolder((folder) => {
      const disk = new MemoryDisk();
      new RecordedSession(disk.open(), { manifest: RECORDER_MANIFEST })
        .feedUp()
        .writeRead({ what: 'market', ticker: ticker('M-1') }, { market: MARKET })
        .writeSnapshot('M-1', [
          [42, 13],
          [41, 2],
        ])
        .writeDelta('M-1', -3)
        .writeMessage('trade', {
          trade_id: 't-1',
          market_ticker: 'M-1',
          yes_price: 43,
          count: 4,
          taker_side: 'no',
          ts: 1_795_000_000,
        })
        .journal.flush();
      const { facts, rows, tickers } = bakedTape(disk.open(), join(folder, 'x.arrow'));
      expect(tickers).toEqual(['M-1', 'M-2']);
      expect(eventsIn(rows)).toMatchObject([{ kind: 'market', market: { ticker: 'M-1', index: 0, result: null } }]);
      const [, ...book] = rows;
      const empty = { market: 0, text: '' };
      expect(book).toEqual([
        { ...empty, kind: RowKind.snapshot, at: SESSION_START + 30, venueAt: 0, price: 0, qty: 3 },
        { ...empty, kind: RowKind.bidLevel, at: SESSION_START + 30, venueAt: 0, price: 4200, qty: 1300 },
        { ...empty, kind: RowKind.bidLevel, at: SESSION_START + 30, venueAt: 0, price: 4100, qty: 200 },
        { ...empty, kind: RowKind.askLevel, at: SESSION_START + 30, venueAt: 0, price: 4500, qty: 700 },
        { ...empty, kind: RowKind.bid, at: SESSION_START + 40, venueAt: 1_795_000_000_000_000, price: 4200, qty: -300 },
        {
          ...empty,
          kind: RowKind.sell,
          at: SESSION_START + 50,
          venueAt: 1_795_000_000_000_000,
          price: 4300,
          qty: 400,
          text: 't-1',
        },
      ]);
      expect(facts).toMatchObject({
        source: 'service',
        venue: 'service',
        from: SESSION_START + 10,
        to: SESSION_START + 50,
        gaps: [],
      });
    });
  });

  it("a baked tape has nothing of the recorder's own", () => {
    withTemporaryFolder((folder) => {
      const disk = new MemoryDisk();
      const recorded = new RecordedSession(disk.open(), { manifest: RECORDER_MANIFEST, of: 'journal' });
      recorded.journal.writeInput(start('s1', SESSION_START));
      recorded
        .feedUp()
        .writeCommands(place(1, SESSION_START))
        .writeRead({ what: 'balance' }, { balance: 777_000 })
        .writeFrame(
          JSON.stringify({
            type: 'fill',
            sid: 2,
            seq: 1,
            msg: { trade_id: 'own', market_ticker: 'M-1', order_id: 'mine' },
          }),
        )
        .writeSnapshot('M-1')
        .journal.flush();
      const { rows } = bakedTape(disk.open(), join(folder, 'x.arrow'));
      expect(kindsOf(rows)).toEqual([RowKind.snapshot, RowKind.bidLevel, RowKind.askLevel]);
      expect(readFileSync(join(folder, 'x.arrow'), 'latin1')).not.toMatch(/mine|s1-maker|777/);
    });
  });

  it('a baked tape numbers markets itself, even where the recorder reused numbers', () => {
    withTemporaryFolder((folder) => {
      const disk = new MemoryDisk();
      const poll = { orderbook: { yes: [[40, 2]], no: [] } };
      new RecordedSession(disk.open(), { manifest: RECORDER_MANIFEST })
        .feedUp()
        .writeSnapshot('M-9')
        .writeRead({ what: 'book', market: 1 as MarketIndex, ticker: ticker('M-9') }, poll)
        .journal.flush();
      const { rows, tickers } = bakedTape(disk.open(), join(folder, 'x.arrow'));
      expect(tickers).toEqual(['M-1', 'M-2', 'M-9']);
      expect(eventsIn(rows)).toMatchObject([{ kind: 'book-poll', market: 2, bids: [[4000, 200]] }]);
    });
  });

  it('a baked tape reports what could not be read', () => {
    withTemporaryFolder((folder) => {
      const disk = new MemoryDisk();
      new RecordedSession(disk.open(), { manifest: RECORDER_MANIFEST })
        .feedUp()
        .writeFrame('{"type":"weather"}')
        .writeFrame('{"type":"weather"}')
        .journal.flush();
      const { facts } = bakedTape(disk.open(), join(folder, 'x.arrow'));
      expect(facts.assumptions).toContain('What could not be read was left out: 2 × type weather.');
    });
  });
});

describe('a gap in the recording', () => {
  it('a feed that was down makes every book suspect when it begins, and is listed until the feed is up again', () => {
    withTemporaryFolder((folder) => {
      const disk = new MemoryDisk();
      new RecordedSession(disk.open(), { manifest: RECORDER_MANIFEST })
        .feedUp()
        .writeSnapshot('M-1')
        .feedDown('reset')
        .feedUp()
        .writeSnapshot('M-1')
        .journal.flush();
      const { facts, rows } = bakedTape(disk.open(), join(folder, 'x.arrow'));
      expect(facts.gaps).toEqual([
        { from: SESSION_START + 30, to: SESSION_START + 40, reason: 'the feed was down: reset', tickers: [] },
      ]);
      expect(eventsIn(rows)).toEqual([
        { kind: 'feed-gap', at: SESSION_START + 30, markets: [], reason: 'the feed was down: reset' },
      ]);
    });
  });

  it("the gap between two sessions is listed until the second one's feed is up", async () => {
    await withTemporaryFolderAsync(async (folder) => {
      const disk = new MemoryDisk();
      await new RecordedSession(disk.open(), { manifest: RECORDER_MANIFEST }).feedUp().writeSnapshot('M-1').close();
      await new RecordedSession(disk.open(), { manifest: RECORDER_MANIFEST, at: SESSION_START + 5000 })
        .feedUp()
        .writeSnapshot('M-1')
        .close();
      const { facts, rows } = bakedTape(disk.open(), join(folder, 'x.arrow'));
      expect(facts.gaps).toEqual([
        { from: SESSION_START + 20, to: SESSION_START + 5010, reason: 'between two sessions', tickers: [] },
      ]);
      expect(eventsIn(rows)).toMatchObject([{ kind: 'feed-gap', at: SESSION_START + 20, markets: [] }]);
      expect(facts).toMatchObject({ from: SESSION_START + 10, to: SESSION_START + 5020 });
    });
  });

  it('a gap by lost messages is listed up to the snapshot of the last book concerned', () => {
    withTemporaryFolder((folder) => {
      const disk = new MemoryDisk();
      new RecordedSession(disk.open(), { manifest: RECORDER_MANIFEST })
        .feedUp()
        .writeSnapshot('M-1')
        .writeSnapshot('M-2')
        .skipMessages(3)
        .writeDelta('M-1')
        .writeSnapshot('M-2')
        .writeDelta('M-2')
        .writeSnapshot('M-1')
        .journal.flush();
      const { facts, rows } = bakedTape(disk.open(), join(folder, 'x.arrow'));
      const reason = 'sequence of subscription 1: expected 3, found 6';
      expect(facts.gaps).toEqual([
        { from: SESSION_START + 40, to: SESSION_START + 70, reason, tickers: ['M-1', 'M-2'] },
      ]);
      expect(eventsIn(rows)).toEqual([{ kind: 'feed-gap', at: SESSION_START + 40, markets: [0, 1], reason }]);
    });
  });

  it('a book that had no snapshot after a gap leaves the gap listed until the end of the tape', () => {
    withTemporaryFolder((folder) => {
      const disk = new MemoryDisk();
      new RecordedSession(disk.open(), { manifest: RECORDER_MANIFEST })
        .feedUp()
        .writeSnapshot('M-1')
        .skipMessages(1)
        .writeDelta('M-1')
        .writeDelta('M-1')
        .feedDown('bye')
        .journal.flush();
      const { facts } = bakedTape(disk.open(), join(folder, 'x.arrow'));
      expect(facts.gaps.map(({ from, to }) => [from - SESSION_START, to - SESSION_START])).toEqual([
        [30, 50],
        [50, 50],
      ]);
    });
  });
});

describe('baking', () => {
  it('baking is refused, and leaves no file, without a tape, with tapes of two venues, or without a known profile', () => {
    withTemporaryFolder((folder) => {
      const to = join(folder, 'x.arrow');
      const refused = (disk: MemoryDisk) => () =>
        bakeTape({ storage: disk.open(), to, normalizerOf: serviceNormalizer() });
      expect(refused(new MemoryDisk())).toThrow(TapeFault);
      const two = new MemoryDisk();
      new RecordedSession(two.open(), { manifest: RECORDER_MANIFEST }).feedUp().journal.flush();
      new RecordedSession(two.open(), { manifest: { ...RECORDER_MANIFEST, profile: 'other' }, at: SESSION_START + 99 })
        .feedUp()
        .journal.flush();
      expect(refused(two)).toThrow(/expected sessions of one venue, found one of service and one of other/);
      const cut = new MemoryDisk();
      const recorded = new RecordedSession(cut.open(), { manifest: RECORDER_MANIFEST, segmentBytesMax: 400 });
      recorded.feedUp().writeSnapshot('M-1').journal.flush();
      for (let n = 0; n < 9; n++) recorded.writeDelta('M-1').journal.flush();
      recorded.writeSnapshot('M-1').writeDelta('M-1').journal.flush();
      const [first = ''] = cut.fileNames();
      cut.delete(first);
      expect(refused(cut)).toThrow(/expected a session that names its wire profile/);
      const { counts, assumptions } = bakeTape({
        storage: cut.open(),
        to,
        normalizerOf: serviceNormalizer(),
        profile: 'service',
      });
      expect(counts).toMatchObject({ snapshot: 1, delta: 1 });
      expect(assumptions.join()).toMatch(/What could not be read was left out: \d+ × market of orderbook_delta/);
      expect(readdirSync(folder)).toEqual(['x.arrow']);
    });
  });

  it('baking refuses a damaged tape', () => {
    withTemporaryFolder((folder) => {
      const disk = new MemoryDisk();
      new RecordedSession(disk.open(), { manifest: RECORDER_MANIFEST })
        .feedUp()
        .writeSnapshot('M-1')
        .writeDelta('M-1')
        .journal.flush();
      const [name = ''] = disk.fileNames();
      disk.flipBit(name, disk.read(name).length * 8 - 100);
      expect(() => bakedTape(disk.open(), join(folder, 'x.arrow'))).toThrow(TapeFault);
      expect(readdirSync(folder)).toEqual([]);
    });
  });

  it('baking gives the same bytes and the same hash for the same tape, packed or not', async () => {
    await withTemporaryFolderAsync(async (folder) => {
      const [plain, packed] = [new MemoryDisk(), new MemoryDisk()];
      for (const [disk, packer] of [
        [plain, null],
        [packed, deflatePacker],
      ] as const) {
        const recorded = new RecordedSession(disk.open(), {
          manifest: RECORDER_MANIFEST,
          segmentBytesMax: 5000,
          packer,
        });
        recorded.feedUp().writeSnapshot('M-1');
        for (let n = 0; n < 300; n++) recorded.writeDelta('M-1').journal.flush();
        await recorded.close();
      }
      expect(packed.fileNames().length).toBeGreaterThan(3);
      expect(packed.fileNames()).not.toEqual(plain.fileNames());
      expect(sourceHashOf(packed.open())).toBe(sourceHashOf(plain.open()));
      bakedTape(plain.open(), join(folder, 'plain'));
      bakedTape(packed.open(), join(folder, 'packed'));
      expect(readFileSync(join(folder, 'packed')).equals(readFileSync(join(folder, 'plain')))).toBe(true);
    });
  });

  it('baking gives another hash to a tape that is longer, and to one that differs', () => {
    const [one, other] = [new MemoryDisk(), new MemoryDisk()];
    const recorded = new RecordedSession(one.open(), { manifest: RECORDER_MANIFEST })
      .feedUp()
      .writeSnapshot('M-1')
      .writeDelta('M-1', 5);
    recorded.journal.flush();
    new RecordedSession(other.open(), { manifest: RECORDER_MANIFEST })
      .feedUp()
      .writeSnapshot('M-1')
      .writeDelta('M-1', 6)
      .journal.flush();
    const names = new Set([sourceHashOf(one.open()), sourceHashOf(other.open())]);
    recorded.writeDelta('M-1');
    expect(() => recorded.journal.flush()).toThrow();
    new RecordedSession(one.open(), { manifest: RECORDER_MANIFEST, at: SESSION_START + 99 }).feedUp().journal.flush();
    expect(names.add(sourceHashOf(one.open())).size).toBe(3);
  });

  /** A change of a bake's content must raise the version, so that no run replays the content of an older one. */
  it('baking gives the bytes of its version', () => {
    withTemporaryFolder((folder) => {
      const disk = new MemoryDisk();
      new RecordedSession(disk.open(), { manifest: RECORDER_MANIFEST })
        .feedUp()
        .writeRead({ what: 'market', ticker: ticker('M-1') }, { market: MARKET })
        .writeSnapshot('M-1')
        .writeDelta('M-1', -2)
        .skipMessages(1)
        .writeDelta('M-1', 4)
        .feedDown('reset')
        .feedUp()
        .writeSnapshot('M-1')
        .journal.flush();
      bakedTape(disk.open(), join(folder, 'x.arrow'));
      const hash = createHash('sha256')
        .update(readFileSync(join(folder, 'x.arrow')))
        .digest('hex');
      expect({ version: BAKER_VERSION, hash }).toEqual({
        version: 4,
        hash: 'a6ec3f423946a31bfe88797daf5dfff8f4fb6beb4e5a785c56a21fd8ba514932',
      });
    });
  });
});
