// Makes the derived rows from the facts: money of each fill, payouts, positions, days, and cash that no fill explains.
// Must never read anything but the tables.
import type { Side } from '../../domain/orders/order.ts';
import type { HistoryStore } from '../store/history-store.ts';
import { type DayPrice, dayOf, foldDays } from './daily-fold.ts';
import { type FoldFill, type FoldOpening, type FoldSettlement, type MarketFold, foldMarket } from './market-fold.ts';

interface OpeningRow {
  readonly id: number;
  readonly opened_us: number;
  readonly opened_cash_micros: number | null;
}

interface FillRow {
  readonly id: number;
  readonly at_us: number;
  readonly venue_us: number | null;
  readonly order_session: number | null;
  readonly strategy: string;
  readonly side: Side;
  readonly price: number;
  readonly qty: number;
  readonly fee_micros: number;
}

/** Makes derived rows again. */
export class DerivedTables {
  readonly #store: HistoryStore;

  constructor(store: HistoryStore) {
    this.#store = store;
  }

  /** Makes the rows of markets with new facts, and of our markets without a payout. */
  deriveMarkets(touched: ReadonlySet<number>): void {
    const sessions = this.#store.all<OpeningRow>(
      'SELECT id, opened_us, opened_cash_micros FROM session WHERE opened_us IS NOT NULL ORDER BY id',
    );
    const lastDay = this.#lastDay();
    for (const { id } of this.#store.all<{ id: number; settled_us: number | null }>(
      'SELECT id FROM market WHERE is_ours = 1 ORDER BY id',
    ))
      if (touched.has(id) || !this.#isOver(id)) this.#deriveMarket(id, sessions, lastDay);
    this.#deriveCash(sessions);
  }

  #isOver(market: number): boolean {
    const sql =
      'SELECT m.id FROM market m LEFT JOIN position p ON p.market_id = m.id WHERE m.id = ? AND m.settled_us IS NOT NULL AND coalesce(p.qty, 0) = 0';
    return this.#store.all(sql, [market]).length > 0;
  }

  #lastDay(): number {
    const [row] = this.#store.all<{ at: number | null }>('SELECT max(last_us) AS at FROM session');
    return dayOf(row?.at ?? 0);
  }

  #deriveMarket(market: number, sessions: readonly OpeningRow[], lastDay: number): void {
    const fold = foldMarket({
      fills: this.#fillsOf(market),
      openings: this.#openingsOf(market, sessions),
      settlements: this.#settlementsOf(market),
    });
    const prices = this.#store.all<DayPrice>('SELECT day, yes FROM price WHERE market_id = ? ORDER BY day', [market]);
    this.#writeFold(market, fold, prices.at(-1)?.yes ?? null);
    this.#store.run('DELETE FROM mark WHERE market_id = ?', [market]);
    for (const row of foldDays({ steps: fold.steps, prices, lastDay })) {
      const { day, strategy, fills, contracts, cash, fees, paid, moved, qty, value, profit } = row;
      const values = [day, market, strategy, fills, contracts, cash, fees, paid, moved, qty, value, profit];
      this.#store.run('INSERT INTO mark VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)', values);
    }
  }

  #fillsOf(market: number): FoldFill[] {
    const rows = this.#store.all<FillRow>(
      `SELECT f.id, f.at_us, f.venue_us, o.session_id AS order_session, f.strategy, f.side, f.price, f.qty, f.fee_micros
        FROM fill f LEFT JOIN "order" o ON o.id = f.order_id WHERE f.market_id = ? ORDER BY f.id`,
      [market],
    );
    return rows.map((row) => ({
      id: row.id,
      atUs: row.at_us,
      venueUs: row.venue_us,
      orderSession: row.order_session,
      strategy: row.strategy,
      side: row.side,
      price: row.price,
      qty: row.qty,
      fee: row.fee_micros,
    }));
  }

  /** The venue's figures at each opening. A market missing from an opening was not held. */
  #openingsOf(market: number, sessions: readonly OpeningRow[]): FoldOpening[] {
    const rows = this.#store.all<Omit<FoldOpening, 'askedUs' | 'yes'>>(
      `SELECT session_id AS session, qty, cost_micros AS cost, realized_micros AS realized, fee_micros AS fees
        FROM opening_position WHERE market_id = ?`,
      [market],
    );
    const bySession = new Map(rows.map((row) => [row.session, row]));
    const prices = this.#store.all<{ session: number; yes: number }>(
      'SELECT session_id AS session, yes FROM price_before WHERE market_id = ?',
      [market],
    );
    const priceBySession = new Map(prices.map(({ session, yes }) => [session, yes]));
    const nothing = { qty: 0, cost: 0, realized: 0, fees: 0 };
    return sessions.map(({ id, opened_us }) => ({
      ...(bySession.get(id) ?? { session: id, ...nothing }),
      askedUs: opened_us,
      yes: priceBySession.get(id) ?? null,
    }));
  }

  #settlementsOf(market: number): readonly FoldSettlement[] {
    return this.#store.all<FoldSettlement>(
      'SELECT at_us AS atUs, price, until_session AS until FROM settlement WHERE market_id = ? ORDER BY session_id',
      [market],
    );
  }

  #writeFold(market: number, fold: MarketFold, yes: number | null): void {
    this.#writeMoney(market, fold);
    for (const table of ['payout', 'flow', 'adjustment', 'position'])
      this.#store.run(`DELETE FROM ${table} WHERE market_id = ?`, [market]);
    const { payouts, position, flows, adjustments } = fold;
    for (const { session, atUs, qty, price, paid, realized } of payouts)
      this.#store.run('INSERT INTO payout VALUES (?, ?, ?, ?, ?, ?, ?)', [
        market,
        session,
        atUs,
        qty,
        price,
        paid,
        realized,
      ]);
    for (const [session, micros] of flows)
      this.#store.run('INSERT INTO flow VALUES (?, ?, ?)', [session, market, micros]);
    for (const { session, ours, theirs } of adjustments)
      this.#store.run('INSERT INTO adjustment VALUES (?, ?, ?, ?)', [session, market, ours, theirs]);
    // Nothing was ever held in a market without fills.
    if (fold.fills.length === 0 && adjustments.length === 0) return;
    const { qty, cost, realized, fees } = position;
    const values = [market, qty, cost, realized, fees, yes];
    this.#store.run('INSERT INTO position VALUES (?, ?, ?, ?, ?, ?)', values);
  }

  /** Writes the money of the fills whose money is new or has changed. */
  #writeMoney(market: number, { fills }: MarketFold): void {
    const sql = 'SELECT id, cash_micros AS cash, realized_micros AS realized FROM fill WHERE market_id = ?';
    const rows = this.#store.all<{ id: number; cash: number | null; realized: number | null }>(sql, [market]);
    const stored = new Map(rows.map((row) => [row.id, row]));
    for (const { id, cash, realized } of fills) {
      const before = stored.get(id);
      if (before?.cash === cash && before.realized === realized) continue;
      this.#store.run('UPDATE fill SET cash_micros = ?, realized_micros = ? WHERE id = ?', [cash, realized, id]);
    }
  }

  /**
   * Compares each opening's cash with the last opening's cash plus our own changes since. The rest is a deposit, a
   * withdrawal or an unseen trade, and never profit.
   */
  #deriveCash(sessions: readonly OpeningRow[]): void {
    this.#store.run('DELETE FROM cash_move', []);
    const flows = new Map(
      this.#store
        .all<{ session: number; micros: number }>(
          'SELECT session_id AS session, sum(micros) AS micros FROM flow GROUP BY session_id',
        )
        .map(({ session, micros }) => [session, micros]),
    );
    const unseen = new Set(
      this.#store
        .all<{ session: number }>('SELECT DISTINCT session_id AS session FROM adjustment')
        .map((r) => r.session),
    );
    let cash: number | null = null;
    for (const { id, opened_us: at, opened_cash_micros: opened } of sessions) {
      if (opened !== null) {
        const kind = cash === null ? 'opening' : unseen.has(id) ? 'not in the journals' : 'deposit';
        const micros = opened - (cash ?? 0);
        if (micros !== 0)
          this.#addCashMove(id, at, { micros, kind: kind === 'deposit' && micros < 0 ? 'withdrawal' : kind });
        cash = opened;
      }
      if (cash !== null) cash += flows.get(id) ?? 0;
    }
  }

  #addCashMove(
    session: number,
    at: number,
    { micros, kind }: { readonly micros: number; readonly kind: string },
  ): void {
    this.#store.run('INSERT INTO cash_move VALUES (?, ?, ?, ?)', [session, at, micros, kind]);
  }
}
