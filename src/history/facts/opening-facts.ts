// The account's figures at a session's opening: the last cash and positions listed before its first order. Must never
// take cash for exact while orders rest that the session did not place.
import { z } from 'zod';
import type { BalanceRead, OrderReport, OrdersPage, PositionsPage } from '../../domain/event.ts';
import type { MarketIndex } from '../../domain/ids.ts';
import type { MarketFact, SessionFact } from './fact-rows.ts';
import type { FactTables } from './fact-tables.ts';

/** Cash and positions must be requested within this time of each other. Microseconds. */
const APART_US_MAX = 1_000_000;

const rowSchema = z.tuple([z.string(), z.int(), z.int(), z.int(), z.int()]);
const listSchema = z.object({ askedUs: z.int(), rows: z.array(rowSchema) });

/** State of an opening that is kept between two readings. */
export const openingStateSchema = z.object({
  isOpen: z.boolean(),
  /** Positions as ticker, quantity, cost, realized profit and fees. `pages` is a list whose last page is missing. */
  pages: z.nullable(listSchema),
  positions: z.nullable(listSchema),
  cash: z.nullable(z.object({ askedUs: z.int(), micros: z.int() })),
  pair: z.nullable(z.object({ askedUs: z.int(), micros: z.int(), rows: z.array(rowSchema) })),
  /** Resting orders that the session did not place: the venue's id and ours. */
  resting: z.array(z.tuple([z.string(), z.nullable(z.string())])),
});
export type OpeningState = z.output<typeof openingStateSchema>;

export const NO_OPENING: OpeningState = {
  isOpen: false,
  pages: null,
  positions: null,
  cash: null,
  pair: null,
  resting: [],
};

export interface OpeningFactsOptions {
  readonly tables: FactTables;
  readonly session: SessionFact;
  readonly marketOf: (index: MarketIndex) => MarketFact | null;
  readonly state: OpeningState;
}

/** Collects the figures until the first order. */
export class OpeningFacts {
  readonly #options: OpeningFactsOptions;
  readonly #state: OpeningState;
  readonly #resting: Map<string, string | null>;

  constructor(options: OpeningFactsOptions) {
    this.#options = options;
    this.#state = { ...options.state };
    this.#resting = new Map(options.state.resting);
  }

  get state(): OpeningState {
    return { ...this.#state, resting: [...this.#resting] };
  }

  /** Adds a page of positions. `isFirst` is true for a list's first page. */
  addPositions({ askedAt, rows, cursor }: PositionsPage, isFirst: boolean): void {
    if (this.#state.isOpen) return;
    const pages = isFirst ? { askedUs: askedAt, rows: [] } : this.#state.pages;
    if (pages === null) return;
    const named = rows.flatMap(({ market, qty, cost, realized, fees }): OpeningRow[] => {
      const ticker = this.#options.marketOf(market)?.ticker;
      return ticker === undefined ? [] : [[ticker, qty, cost, realized, fees]];
    });
    const all = { askedUs: pages.askedUs, rows: [...pages.rows, ...named] };
    this.#state.pages = cursor === null ? null : all;
    if (cursor !== null) return;
    this.#state.positions = all;
    this.#pairFigures();
  }

  setCash({ askedAt, available }: BalanceRead): void {
    if (this.#state.isOpen) return;
    this.#state.cash = { askedUs: askedAt, micros: available };
    this.#pairFigures();
  }

  #pairFigures(): void {
    const { positions, cash } = this.#state;
    if (positions === null || cash === null) return;
    if (Math.abs(positions.askedUs - cash.askedUs) > APART_US_MAX) return;
    const askedUs = Math.max(positions.askedUs, cash.askedUs);
    this.#state.pair = { askedUs, micros: cash.micros, rows: positions.rows };
  }

  /** Sets the resting orders. `isFirst` is true for a list's first page. */
  setResting({ rows }: OrdersPage, isFirst: boolean): void {
    if (this.#state.isOpen) return;
    if (isFirst) this.#resting.clear();
    for (const row of rows) this.recordReport(row);
  }

  recordReport({ status, venueOrderId, clientOrderId }: OrderReport): void {
    if (this.#state.isOpen) return;
    if (status === 'working') this.#resting.set(venueOrderId, clientOrderId);
    else this.#resting.delete(venueOrderId);
  }

  recordCancel(clientOrderId: string): void {
    if (this.#state.isOpen) return;
    for (const [venueId, clientId] of this.#resting) if (clientId === clientOrderId) this.#resting.delete(venueId);
  }

  /** Opens the account at the session's first order: the engine has then accepted the figures. */
  openAccount(): void {
    if (this.#state.isOpen) return;
    this.#state.isOpen = true;
    const { pair } = this.#state;
    if (pair === null) return;
    const { tables, session } = this.#options;
    session.opened_us = pair.askedUs;
    session.opened_cash_micros = this.#resting.size === 0 ? pair.micros : null;
    const rows = pair.rows.map(([ticker, qty, cost, realized, fees]) => {
      const market = tables.marketNamed(ticker);
      if (qty !== 0) tables.describeMarket(market, { is_ours: 1 });
      return [market, { qty, cost, realized, fees }] as const;
    });
    tables.setOpening(session, rows);
    this.#resting.clear();
    Object.assign(this.#state, { ...NO_OPENING, isOpen: true });
  }
}

type OpeningRow = z.output<typeof rowSchema>;
