// The pauses that a plan has begun, over the status that an operator has set. Must never lift an operator's own pause.
import type { ExchangeReader } from '../machine/exchange-interface.ts';
import type { ExchangeStatus, KeptIncident } from '../store/incident-file.ts';

type PauseOf = 'trading' | 'exchange';

export const statusOf = ({ isActive, isTrading }: ExchangeReader): ExchangeStatus => ({ isActive, isTrading });

export const isSameStatus = (a: ExchangeStatus, b: ExchangeStatus): boolean =>
  a.isActive === b.isActive && a.isTrading === b.isTrading;

/** Counts the pauses in force. */
export class PlannedPauses {
  readonly #counts = { trading: 0, exchange: 0 };
  /** The operator's status, and the one set by the plan; `null` without a pause in force. */
  #statuses: { readonly before: ExchangeStatus; readonly set: ExchangeStatus } | null = null;

  /**
   * Returns the status with one more pause.
   * @param found The status now. One that the plan has not set is the operator's.
   */
  begin(of: PauseOf, found: ExchangeStatus): ExchangeStatus {
    return this.#change(of, 1, found);
  }

  /** Returns the status with one pause less. */
  end(of: PauseOf, found: ExchangeStatus): ExchangeStatus {
    return this.#change(of, -1, found);
  }

  #change(of: PauseOf, by: 1 | -1, found: ExchangeStatus): ExchangeStatus {
    const known = this.#statuses;
    const before = known !== null && isSameStatus(found, known.set) ? known.before : found;
    this.#counts[of] += by;
    const { trading, exchange } = this.#counts;
    const isActive = before.isActive && exchange === 0;
    const set = { isActive, isTrading: isActive && before.isTrading && trading === 0 };
    this.#statuses = trading + exchange === 0 ? null : { before, set };
    return set;
  }

  /** The pauses in force, for a later process; `null` when there are none. */
  get kept(): Extract<KeptIncident, { type: 'pause' }> | null {
    return this.#statuses === null ? null : { type: 'pause', ...this.#statuses };
  }
}
