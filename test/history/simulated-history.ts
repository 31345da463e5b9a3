// Histories of simulated bots: a seed decides a bot's lives and deaths, and the exchange keeps its own ledger.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExchangeReader } from '../../src/exchange/machine/exchange-interface.ts';
import { type UpdateResult, updateHistory } from '../../src/history/history-index.ts';
import { openForReading } from '../../src/history/store/history-file.ts';
import type { HistoryStore, StoreRow } from '../../src/history/store/history-store.ts';
import { openLibsqlStore } from '../../src/history/store/libsql-store.ts';
import { TABLE_ORDER } from '../../src/history/store/history-schema.ts';
import type { HistoryAccount } from '../../src/history/queries/account-query.ts';
import type { Storage } from '../../src/tape/journal/storage.ts';
import { dialectNamed, USUAL_DIALECT } from '../simulation/dialect.ts';
import { ACCOUNT, scenarioOf } from '../simulation/scenario.ts';
import { Simulation } from '../simulation/simulation.ts';

/** A simulated bot's journal, and the exchange that it traded on. */
export interface SimulatedJournal {
  readonly storage: Storage;
  readonly exchange: ExchangeReader;
  readonly lives: number;
  readonly fills: number;
  readonly violation: unknown;
}

/** Runs a seed. */
export async function simulateJournal(seed: number, dialect = USUAL_DIALECT): Promise<SimulatedJournal> {
  const named = dialectNamed(dialect);
  const world = new Simulation(scenarioOf(seed, named), { dialect: named, onLine: undefined });
  await world.run();
  const { counts, violation } = world.result(10);
  const { lives = 0, fills = 0 } = counts;
  return { storage: world.readJournal(), exchange: world.exchange, lives, fills, violation };
}

/** The exchange's ledger of the bot's account, in the form of the history. */
export function ledgerOf(exchange: ExchangeReader): HistoryAccount {
  const positions = exchange
    .positions(ACCOUNT)
    .map(({ ticker, qty, cost, realized, fees }) => ({
      ticker,
      qty,
      costMicros: cost,
      realizedMicros: realized,
      feeMicros: fees,
    }))
    .toSorted((a, b) => (a.ticker < b.ticker ? -1 : 1));
  const balance = exchange.balance(ACCOUNT);
  const realizedMicros = positions.reduce((sum, position) => sum + position.realizedMicros, 0);
  return { cashMicros: balance?.cash ?? null, feeMicros: balance?.fees ?? 0, realizedMicros, positions };
}

/** A history in a folder of its own. */
export class HistoryFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'presage-history-'));

  update(storage: Storage, isRemade = false): Promise<UpdateResult> {
    return updateHistory({ dataFolder: this.path, isRemade, sources: [{ name: 'journal', storage }] });
  }

  read<T>(query: (store: HistoryStore) => T): T {
    const store = openForReading(this.path, openLibsqlStore);
    try {
      return query(store);
    } finally {
      store.close();
    }
  }

  /** Every row of every table. */
  rows(): Readonly<Record<string, readonly StoreRow[]>> {
    return this.read((store) =>
      Object.fromEntries(
        Object.entries(TABLE_ORDER).map(([table, order]) => [
          table,
          store.all(`SELECT * FROM ${table} ORDER BY ${order}`),
        ]),
      ),
    );
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
