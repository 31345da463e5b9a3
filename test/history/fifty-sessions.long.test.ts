// Histories of more than fifty sessions with crashes, compared with the exchange's own ledger. Must never be loosened for a
// failing seed.
import { describe, expect, it } from 'vitest';
import { readAccount } from '../../src/history/queries/account-query.ts';
import { listSessions } from '../../src/history/queries/history-queries.ts';
import { HistoryFolder, ledgerOf, simulateJournal } from './simulated-history.ts';

const SEEDS = Array.from({ length: 26 }, (_, index) => index + 101);
/** Seeds in the dialect of an exchange with late reads. */
const OTHER_SEEDS = [1, 2, 3, 4, 5];
const PATIENCE_MS = 900_000;

const failures = async (
  seeds: readonly number[],
  dialect?: string,
): Promise<{ bad: string[]; crashes: number; sessions: number }> => {
  const bad: string[] = [];
  let crashes = 0;
  let sessions = 0;
  for (const seed of seeds) {
    const { storage, exchange, violation } = await simulateJournal(seed, dialect);
    expect(violation, `seed ${seed}`).toBeNull();
    const folder = new HistoryFolder();
    await folder.update(storage);
    const ours = JSON.stringify(folder.read(readAccount));
    const theirs = JSON.stringify(ledgerOf(exchange));
    if (ours !== theirs) bad.push(`seed ${seed}: the history has ${ours}, the ledger ${theirs}`);
    const rows = folder.read((store) => listSessions(store).rows);
    sessions += rows.length;
    crashes += rows.filter(({ how }) => how === 'crashed').length;
    const before = folder.rows();
    await folder.update(storage, true);
    if (JSON.stringify(before) !== JSON.stringify(folder.rows())) bad.push(`seed ${seed}: made again, rows differ`);
    folder.remove();
  }
  return { bad, crashes, sessions };
};

describe('the history of many sessions with crashes', () => {
  it(
    "equals the exchange's ledger to the millionth, and itself when made again",
    { timeout: PATIENCE_MS },
    async () => {
      const { bad, crashes, sessions } = await failures(SEEDS);
      expect(bad).toEqual([]);
      expect(sessions).toBeGreaterThan(50);
      expect(crashes).toBeGreaterThan(25);
    },
  );

  it('equals the ledger of an exchange with late reads, too', { timeout: PATIENCE_MS }, async () => {
    expect((await failures(OTHER_SEEDS, 'kalshi')).bad).toEqual([]);
  });
});
