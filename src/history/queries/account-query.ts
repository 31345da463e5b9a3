// The account according to the history. Must never round.
import { valueOf } from '../../domain/position.ts';
import { type Price, price, qty } from '../../domain/units.ts';
import { UNQUOTED_PRICE } from '../account/daily-fold.ts';
import type { HistoryStore } from '../store/history-store.ts';

/** A position in the history. Amounts in millionths of a dollar, quantities in hundredths of a contract. */
export interface HistoryPosition {
  readonly ticker: string;
  readonly qty: number;
  readonly costMicros: number;
  readonly realizedMicros: number;
  readonly feeMicros: number;
}

/** The account according to the history. */
export interface HistoryAccount {
  /** Cash; `null` until a session has opened the account. */
  readonly cashMicros: number | null;
  readonly feeMicros: number;
  readonly realizedMicros: number;
  readonly positions: readonly HistoryPosition[];
}

/** Reads the account as of the last entry of the journals. */
export function readAccount(store: HistoryStore): HistoryAccount {
  const positions = store.all<HistoryPosition>(
    `SELECT m.ticker, p.qty, p.cost_micros AS costMicros, p.realized_micros AS realizedMicros,
      p.fee_micros AS feeMicros FROM position p JOIN market m ON m.id = p.market_id ORDER BY m.ticker`,
  );
  const [cash] = store.all<{ micros: number | null }>(
    `SELECT opened_cash_micros + (SELECT coalesce(sum(micros), 0) FROM flow WHERE session_id >= s.id) AS micros
      FROM session s WHERE opened_cash_micros IS NOT NULL ORDER BY id DESC LIMIT 1`,
  );
  let feeMicros = 0;
  let realizedMicros = 0;
  for (const position of positions) {
    feeMicros += position.feeMicros;
    realizedMicros += position.realizedMicros;
  }
  return { cashMicros: cash?.micros ?? null, feeMicros, realizedMicros, positions };
}

/** A position that is held, as of the last entry of the journals. */
export interface HeldRow extends HistoryPosition {
  /** The last known price of YES, half a dollar for a market that was never quoted. */
  readonly mark: Price;
  /** Value at the mark. */
  readonly valueMicros: number;
  /** Time of the last entry. */
  readonly atUs: number;
}

/** Lists the positions that are held, by ticker. */
export function listHeld(store: HistoryStore, { market }: { readonly market?: string | undefined } = {}): HeldRow[] {
  const rows = store.all<HistoryPosition & { readonly yes: number | null; readonly atUs: number }>(
    `SELECT m.ticker, p.qty, p.cost_micros AS costMicros, p.realized_micros AS realizedMicros, p.fee_micros AS feeMicros,
      p.yes, (SELECT max(last_us) FROM session) AS atUs
      FROM position p JOIN market m ON m.id = p.market_id
      WHERE p.qty <> 0 AND m.ticker = coalesce(?, m.ticker) ORDER BY m.ticker`,
    [market ?? null],
  );
  return rows.map(({ yes, ...row }) => {
    const mark = yes === null ? UNQUOTED_PRICE : price(yes);
    return { ...row, mark, valueMicros: valueOf(qty(row.qty), mark) };
  });
}
