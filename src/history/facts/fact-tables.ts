// Writes facts into the tables as the journal lists them, and finds earlier facts. A history made again from the same
// journal gets the same ids. Must never write the same fact twice.
import type { FillReport } from '../../domain/event.ts';
import type { HistoryStore, StoreRow, StoreValue } from '../store/history-store.ts';
import { dayOf } from '../account/daily-fold.ts';
import type { EventFact, FactPlace, MarketFact, OrderFact, SessionFact, SettlementFact } from './fact-rows.ts';

/** A fill, with its market and its order. */
export interface FillFact {
  readonly fill: FillReport;
  readonly place: FactPlace;
  /** Name of a paper session, which has an account of its own; otherwise empty. */
  readonly scope: string;
  readonly market: MarketFact;
  readonly order: OrderFact | null;
}

/** Live sessions with the profile of a session. A paper session has an account of its own. */
const SAME_ACCOUNT = `SELECT id FROM session WHERE is_paper = 0 AND profile IS (SELECT profile FROM session WHERE id = ?)`;

interface NextIds {
  session: number;
  market: number;
  order: number;
  fill: number;
}

/** The tables of facts, with recent rows in memory. */
export class FactTables {
  readonly #store: HistoryStore;
  /** True while memory holds every row. The database is then never asked. */
  readonly #isComplete: boolean;
  readonly #next: NextIds;
  /** All markets by ticker. Added when a journal names one; never removed. */
  readonly #markets = new Map<string, MarketFact>();
  readonly #changedMarkets = new Set<MarketFact>();
  /** Series of event groups. Added when a journal describes the group; never removed. */
  readonly #seriesByGroup = new Map<string, string>();
  /** Orders read or written. Added at the first use; never removed during an update. */
  readonly #orders = new Map<string, OrderFact>();
  readonly #orderByVenueId = new Map<string, OrderFact>();
  readonly #changedOrders = new Set<OrderFact>();
  /** Orders in memory without an end. Added and removed as orders change. */
  readonly #open = new Set<OrderFact>();
  #knowsOpen: boolean;
  /** Number of states written of each order. Added at the first state; never removed during an update. */
  readonly #stateCounts = new Map<number, number>();
  /** Keys of fills read or written. Added at the first use; never removed during an update. */
  readonly #fillKeys = new Set<string>();
  /** Markets whose money must be counted again. Added by a new fact; removed by `takeTouched`. */
  readonly #touched = new Set<number>();
  /** Venue ids of unknown orders that have fills. Added with such a fill; removed when the order becomes known. */
  readonly #orphanOrders = new Set<string>();
  #eventPlace = { sessionId: -1, seq: -1, count: 0 };

  /** @param isComplete true for an empty history. */
  constructor(store: HistoryStore, isComplete: boolean) {
    this.#store = store;
    this.#isComplete = isComplete;
    this.#knowsOpen = isComplete;
    const [next] = store.all<NextIds>(
      `SELECT (SELECT coalesce(max(id), 0) + 1 FROM session) AS session,
        (SELECT coalesce(max(id), 0) + 1 FROM market) AS market,
        (SELECT coalesce(max(id), 0) + 1 FROM "order") AS "order",
        (SELECT coalesce(max(id), 0) + 1 FROM fill) AS fill`,
    );
    this.#next = { ...(next ?? { session: 1, market: 1, order: 1, fill: 1 }) };
    for (const row of store.all<MarketFact>('SELECT * FROM market')) this.#markets.set(row.ticker, { ...row });
    for (const { name, series } of store.all<{ name: string; series: string }>('SELECT name, series FROM event_group'))
      this.#seriesByGroup.set(name, series);
    for (const { venue_id } of store.all<{ venue_id: string }>('SELECT venue_id FROM fill WHERE order_id IS NULL'))
      this.#orphanOrders.add(venue_id);
  }

  /** The session with a name; `null` when no journal has it. */
  sessionNamed(name: string): SessionFact | null {
    const [row] = this.#store.all<SessionFact>('SELECT * FROM session WHERE name = ?', [name]);
    return row === undefined ? null : { ...row };
  }

  /** Adds a session, with the last price of each of our markets before it. */
  addSession(session: Omit<SessionFact, 'id'>): SessionFact {
    const added: SessionFact = { id: this.#next.session++, ...session };
    this.#insert('session', added);
    this.#store.run(
      `INSERT INTO price_before SELECT ?, p.market_id, p.yes FROM price p JOIN market m ON m.id = p.market_id
        WHERE m.is_ours = 1 AND m.settled_us IS NULL AND p.day = (SELECT max(day) FROM price WHERE market_id = m.id)`,
      [added.id],
    );
    return added;
  }

  saveSession({ id, last_us, ended_us, how, opened_us, opened_cash_micros }: SessionFact): void {
    this.#store.run(
      `UPDATE session SET last_us = ?, ended_us = ?, how = ?, opened_us = ?, opened_cash_micros = ? WHERE id = ?`,
      [last_us, ended_us, how, opened_us, opened_cash_micros, id],
    );
  }

  allMarkets(): Iterable<MarketFact> {
    return this.#markets.values();
  }

  marketNamed(ticker: string): MarketFact {
    const known = this.#markets.get(ticker);
    if (known !== undefined) return known;
    const unknown = { event_group: null, title: null, status: null, close_us: null, result: null };
    const id = this.#next.market++;
    const market: MarketFact = { id, ticker, ...unknown, settlement_price: null, settled_us: null, is_ours: 0 };
    this.#markets.set(ticker, market);
    this.#insert('market', market);
    return market;
  }

  describeMarket(market: MarketFact, facts: Partial<Omit<MarketFact, 'id' | 'ticker'>>): void {
    if (!hasNews(market, facts)) return;
    if (facts.settled_us !== undefined || facts.settlement_price !== undefined) this.#touched.add(market.id);
    Object.assign(market, facts);
    this.#changedMarkets.add(market);
  }

  /** Adds a settlement of a market. */
  addSettlement({ id }: MarketFact, { sessionId, atUs, price }: SettlementFact): void {
    this.#store.run('INSERT OR IGNORE INTO settlement VALUES (?, ?, ?, ?, NULL)', [id, sessionId, atUs, price]);
    this.#touched.add(id);
  }

  /** Ends the settlements of earlier sessions, because the market is open again. Returns false when there are none. */
  endSettlements({ id }: MarketFact, sessionId: number): boolean {
    const sql = `UPDATE settlement SET until_session = ? WHERE market_id = ? AND until_session IS NULL AND session_id < ?`;
    return this.#store.run(sql, [sessionId, id, sessionId]) > 0;
  }

  describeGroup(name: string, series: string): void {
    if (this.#seriesByGroup.get(name) === series) return;
    this.#seriesByGroup.set(name, series);
    this.#store.run('INSERT OR REPLACE INTO event_group VALUES (?, ?)', [name, series]);
  }

  addOrder(order: Omit<OrderFact, 'id'>): OrderFact {
    const added: OrderFact = { id: this.#next.order++, ...order };
    this.#orders.set(added.client_id, added);
    this.#followOpen(added);
    this.#insert('"order"', added);
    return added;
  }

  orderOf(clientId: string | null): OrderFact | null {
    if (clientId === null) return null;
    const known = this.#orders.get(clientId);
    if (known !== undefined || this.#isComplete) return known ?? null;
    return this.#rememberOrder(this.#store.all<OrderFact>('SELECT * FROM "order" WHERE client_id = ?', [clientId])[0]);
  }

  orderOfVenueId(venueId: string): OrderFact | null {
    const known = this.#orderByVenueId.get(venueId);
    if (known !== undefined || this.#isComplete) return known ?? null;
    const sql = 'SELECT * FROM "order" WHERE venue_id = ? ORDER BY id DESC LIMIT 1';
    return this.#rememberOrder(this.#store.all<OrderFact>(sql, [venueId])[0]);
  }

  #rememberOrder(row: OrderFact | undefined): OrderFact | null {
    if (row === undefined) return null;
    // An order changed in memory is newer than its row.
    const order = this.#orders.get(row.client_id) ?? { ...row };
    this.#orders.set(order.client_id, order);
    if (order.venue_id !== null) this.#orderByVenueId.set(order.venue_id, order);
    this.#followOpen(order);
    return order;
  }

  /** Orders of earlier sessions with the same profile that have no end as far as the history knows. */
  openBefore({ sessionId }: FactPlace): readonly OrderFact[] {
    const earlier = this.#allOpen().filter(({ session_id }) => session_id < sessionId);
    if (earlier.length === 0) return [];
    const ids = new Set(this.#store.all<{ id: number }>(SAME_ACCOUNT, [sessionId]).map(({ id }) => id));
    return earlier.filter(({ session_id }) => ids.has(session_id));
  }

  /** Orders of a session that have no end as far as the history knows. */
  openIn({ sessionId }: FactPlace): readonly OrderFact[] {
    return this.#allOpen().filter(({ session_id }) => session_id === sessionId);
  }

  #allOpen(): readonly OrderFact[] {
    if (!this.#knowsOpen) {
      this.#knowsOpen = true;
      for (const row of this.#store.all<OrderFact>('SELECT * FROM "order" WHERE ended_us IS NULL'))
        this.#rememberOrder(row);
    }
    return [...this.#open];
  }

  #followOpen(order: OrderFact): void {
    if (order.ended_us === null) this.#open.add(order);
    else this.#open.delete(order);
  }

  changeOrder(order: OrderFact, facts: Partial<OrderFact>): void {
    Object.assign(order, facts);
    if (order.venue_id !== null) this.#orderByVenueId.set(order.venue_id, order);
    this.#followOpen(order);
    this.#changedOrders.add(order);
  }

  /** Gives an order its fills that had only the venue's order id. */
  claimFills(order: OrderFact, venueId: string): void {
    if (!this.#orphanOrders.delete(venueId)) return;
    const changed = this.#store.run(
      `UPDATE fill SET order_id = ?, client_id = ?, session_id = ?, strategy = ? WHERE venue_id = ? AND order_id IS NULL
        AND market_id = ?`,
      [order.id, order.client_id, order.session_id, order.strategy, venueId, order.market_id],
    );
    if (changed === 0) return;
    const [sum] = this.#store.all<{ qty: number }>('SELECT sum(qty) AS qty FROM fill WHERE order_id = ?', [order.id]);
    this.changeOrder(order, { filled: sum?.qty ?? order.filled });
    this.#touched.add(order.market_id);
  }

  addOrderState(order: OrderFact, { seq, atUs }: FactPlace, why: string): void {
    const n = (this.#stateCounts.get(order.id) ?? this.#storedStates(order.id)) + 1;
    this.#stateCounts.set(order.id, n);
    this.#store.run('INSERT INTO order_state VALUES (?, ?, ?, ?, ?, ?)', [order.id, n, seq, atUs, order.state, why]);
  }

  #storedStates(orderId: number): number {
    if (this.#isComplete) return 0;
    const sql = 'SELECT count(*) AS n FROM order_state WHERE order_id = ?';
    return this.#store.all<{ n: number }>(sql, [orderId])[0]?.n ?? 0;
  }

  /** Adds a fill. Returns false for a fill already known. */
  addFill({ fill, place, scope, market, order }: FillFact): boolean {
    const key = `${fill.tradeId} ${fill.venueOrderId} ${scope}`;
    if (this.#hasFill(key, [fill.tradeId, fill.venueOrderId, scope])) return false;
    this.#fillKeys.add(key);
    this.#touched.add(market.id);
    if (order === null) this.#orphanOrders.add(fill.venueOrderId);
    this.#insert('fill', {
      id: this.#next.fill++,
      scope,
      trade_id: fill.tradeId,
      venue_id: fill.venueOrderId,
      client_id: order?.client_id ?? fill.clientOrderId,
      order_id: order?.id ?? null,
      session_id: order?.session_id ?? place.sessionId,
      seq: place.seq,
      at_us: place.atUs,
      venue_us: fill.exchangeAt,
      market_id: market.id,
      strategy: order?.strategy ?? '',
      side: fill.side,
      price: fill.price,
      qty: fill.qty,
      fee_micros: fill.fee,
      is_taker: fill.liquidity === 'taker' ? 1 : 0,
      cash_micros: null,
      realized_micros: null,
    });
    return true;
  }

  #hasFill(key: string, values: readonly StoreValue[]): boolean {
    if (this.#fillKeys.has(key)) return true;
    if (this.#isComplete) return false;
    const sql = 'SELECT id FROM fill WHERE trade_id = ? AND venue_id = ? AND scope = ?';
    return this.#store.all(sql, values).length > 0;
  }

  /** Sets the account's figures at a session's opening, in place of the session's earlier figures. */
  setOpening(session: SessionFact, rows: readonly (readonly [market: MarketFact, figures: OpeningFigures])[]): void {
    this.#store.run('DELETE FROM opening_position WHERE session_id = ?', [session.id]);
    for (const [{ id }, { qty, cost, realized, fees }] of rows) {
      // A market that was paid out may still be listed: the payout then belongs to this session.
      this.#touched.add(id);
      const values = [session.id, id, qty, cost, realized, fees];
      this.#store.run('INSERT INTO opening_position VALUES (?, ?, ?, ?, ?, ?)', values);
    }
  }

  /** Sets the last known price of YES on a day, unless a later one is known. Two journals may have prices of one day. */
  setPrice(
    market: MarketFact,
    { day, atUs, yes }: { readonly day: number; readonly atUs: number; readonly yes: number },
  ) {
    this.#store.run(
      `INSERT INTO price VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET at_us = excluded.at_us, yes = excluded.yes
        WHERE excluded.at_us >= at_us`,
      [market.id, day, atUs, yes],
    );
    if (market.is_ours === 1) this.#touched.add(market.id);
  }

  /** Sets the last best prices of a minute. */
  setQuote({ id }: MarketFact, { atUs, bestBid, bestAsk }: TouchFact): void {
    this.#store.run(
      `INSERT INTO quote VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET at_us = excluded.at_us, bid = excluded.bid,
        ask = excluded.ask WHERE excluded.at_us >= at_us`,
      [dayOf(atUs), id, minuteOf(atUs) % MINUTES_PER_DAY, atUs, bestBid, bestAsk],
    );
  }

  /** Removes quotes from days before the kept days. */
  dropOldQuotes(lastUs: number): void {
    this.#store.run('DELETE FROM quote WHERE day < ?', [dayOf(lastUs) - QUOTE_DAYS]);
  }

  addEvent({ sessionId, seq, atUs }: FactPlace, { kind, code, scope, who, text }: EventFact): void {
    const isSame = this.#eventPlace.sessionId === sessionId && this.#eventPlace.seq === seq;
    this.#eventPlace = { sessionId, seq, count: isSame ? this.#eventPlace.count + 1 : 0 };
    const values = [sessionId, seq, this.#eventPlace.count, atUs, kind, code, scope, who, text];
    this.#store.run('INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)', values);
  }

  /** Writes the changes that are still in memory. */
  writeChanges(): void {
    for (const market of this.#changedMarkets) {
      const { id, event_group, title, status, close_us, result, settlement_price, settled_us, is_ours } = market;
      this.#store.run(
        `UPDATE market SET event_group = ?, title = ?, status = ?, close_us = ?, result = ?, settlement_price = ?,
          settled_us = ?, is_ours = ? WHERE id = ?`,
        [event_group, title, status, close_us, result, settlement_price, settled_us, is_ours, id],
      );
    }
    for (const order of this.#changedOrders) {
      const { id, venue_id, price, qty, filled, state, ended_us, end_why } = order;
      const { terms_us, terms_venue_us, asked_qty } = order;
      this.#store.run(
        `UPDATE "order" SET venue_id = ?, price = ?, qty = ?, filled = ?, state = ?, ended_us = ?, end_why = ?,
          terms_us = ?, terms_venue_us = ?, asked_qty = ? WHERE id = ?`,
        [venue_id, price, qty, filled, state, ended_us, end_why, terms_us, terms_venue_us, asked_qty, id],
      );
    }
    this.#changedMarkets.clear();
    this.#changedOrders.clear();
  }

  /** Returns the markets whose money must be counted again, and forgets these markets. */
  takeTouched(): ReadonlySet<number> {
    const touched = new Set(this.#touched);
    this.#touched.clear();
    return touched;
  }

  #insert<Row extends object>(table: string, row: Row & { readonly [K in keyof Row]: StoreValue }): void {
    const values: StoreRow = { ...row };
    const names = Object.keys(values);
    const places = names.map(() => '?').join(', ');
    this.#store.run(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${places})`, Object.values(values));
  }
}

/** The best prices of a market at a time; `null` where a side is empty. */
export interface TouchFact {
  readonly atUs: number;
  readonly bestBid: number | null;
  readonly bestAsk: number | null;
}

/** Minute of a time, counted from the Unix epoch. */
export const minuteOf = (atUs: number): number => Math.floor(atUs / 60_000_000);
const MINUTES_PER_DAY = 1440;
/** Number of whole days of quotes kept before the last entry's day: ten thousand markets have many quotes. */
const QUOTE_DAYS = 3;

/** A position of an opening list. */
export interface OpeningFigures {
  readonly qty: number;
  readonly cost: number;
  readonly realized: number;
  readonly fees: number;
}

const hasNews = <T extends object>(known: T, facts: Partial<T>): boolean =>
  Object.entries(facts).some(([name, value]) => Reflect.get(known, name) !== value);
