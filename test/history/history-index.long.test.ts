// The history of simulated bots against the exchange's own ledger, and against itself: read at once, in parts, again.
import { afterEach, describe, expect, it } from 'vitest';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { readAccount } from '../../src/history/queries/account-query.ts';
import { cutStorage, journalBytes } from './cut-storage.ts';
import { HistoryFolder, type SimulatedJournal, ledgerOf, simulateJournal } from './simulated-history.ts';

/** Seeds with several lives of the bot, deaths between them, fills and payouts. */
const SEEDS = [1, 4, 5];
const CUTS = 7;

const folders: HistoryFolder[] = [];
const newFolder = (): HistoryFolder => {
  const folder = new HistoryFolder();
  folders.push(folder);
  return folder;
};
afterEach(() => {
  for (const folder of folders.splice(0)) folder.remove();
});

const journals = new Map<number, SimulatedJournal>();
const journalOf = async (seed: number): Promise<SimulatedJournal> => {
  const journal = journals.get(seed) ?? (await simulateJournal(seed));
  journals.set(seed, journal);
  return journal;
};

describe('the history of simulated bots', () => {
  it.each(SEEDS)("equals the exchange's ledger to the millionth, seed %i", async (seed) => {
    const { storage, exchange, lives, violation } = await journalOf(seed);
    expect(violation).toBeNull();
    expect(lives).toBeGreaterThan(1);
    const folder = newFolder();
    await folder.update(storage);
    expect(folder.read(readAccount)).toEqual(ledgerOf(exchange));
  });

  it.each(SEEDS)('has the same rows when it is made again, seed %i', async (seed) => {
    const { storage } = await journalOf(seed);
    const folder = newFolder();
    await folder.update(storage);
    const rows = folder.rows();
    await folder.update(storage, true);
    expect(folder.rows()).toEqual(rows);
    expect(rows['fill']?.length).toBeGreaterThan(10);
  });

  it.each(SEEDS)('has the same rows whether the journal was read at once or in parts, seed %i', async (seed) => {
    const { storage } = await journalOf(seed);
    const random = xoroshiro128plus(seed);
    const bytes = journalBytes(storage);
    const cuts = Array.from({ length: CUTS }, () => uniformInt(random, 0, bytes)).toSorted((a, b) => a - b);
    const inParts = newFolder();
    for (const cut of [...cuts, bytes]) {
      await inParts.update(cutStorage(storage, cut));
      const atOnce = newFolder();
      await atOnce.update(cutStorage(storage, cut));
      expect(inParts.rows()).toEqual(atOnce.rows());
    }
  });

  it('reads nothing again when the journal has nothing new', async () => {
    const { storage } = await journalOf(1);
    const folder = newFolder();
    const first = await folder.update(storage);
    const rows = folder.rows();
    const second = await folder.update(storage);
    expect(folder.rows()).toEqual(rows);
    expect(first.remade).toBeNull();
    expect(second.remade).toBeNull();
  });

  it('has a quote for every market that was traded', async () => {
    const { storage } = await journalOf(1);
    const folder = newFolder();
    await folder.update(storage);
    const [counts] = folder.read((store) =>
      store.all<{ traded: number; quoted: number }>(
        `SELECT (SELECT count(DISTINCT market_id) FROM fill) AS traded,
          (SELECT count(DISTINCT f.market_id) FROM fill f JOIN price p ON p.market_id = f.market_id) AS quoted`,
      ),
    );
    expect(counts?.quoted).toBe(counts?.traded);
    expect(counts?.traded).toBeGreaterThan(1);
  });

  it("adds up to the account's profit by days, strategies and markets", async () => {
    const { storage } = await journalOf(1);
    const folder = newFolder();
    await folder.update(storage);
    const { cashMicros, positions } = folder.read(readAccount);
    const [sums] = folder.read((store) =>
      store.all<{ profit: number; value: number; moved: number }>(
        `SELECT (SELECT sum(profit_micros) FROM mark) AS profit, (SELECT sum(micros) FROM cash_move) AS moved,
          (SELECT coalesce(sum(value_micros), 0) FROM mark WHERE day = (SELECT max(day) FROM mark)) AS value`,
      ),
    );
    expect(positions.length).toBeGreaterThan(0);
    expect(sums?.profit).toBe((cashMicros ?? 0) + (sums?.value ?? 0) - (sums?.moved ?? 0));
    expect(sums?.profit).not.toBe(0);
  });
});
