// Reports the changed positions and losses of every strategy, for the next session. Must never report before the
// account is known: that would overwrite what an earlier session saved.
import type { SavedLedgers } from '../domain/operator-order.ts';
import { type Micros, fromSeconds } from '../domain/units.ts';
import type { State } from '../state/state.ts';
import type { RiskNotice } from './risk-notice.ts';
import type { LossWatch } from './losses/loss-watch.ts';
import type { StrategyLosses } from './losses/strategy-losses.ts';

/** Shortest time between two reports. Microseconds. */
const REPORT_INTERVAL = fromSeconds(1);

export interface LedgerReporterOptions {
  readonly state: State;
  readonly losses: StrategyLosses;
  readonly account: Pick<LossWatch, 'dayStart' | 'savedDayMarkets'>;
  readonly report: (notice: RiskNotice) => void;
}

export class LedgerReporter {
  readonly #options: LedgerReporterOptions;
  #reportedRevision = 0;
  #reportedDay: string | undefined;
  #reportedAt = Number.NEGATIVE_INFINITY;

  constructor(options: LedgerReporterOptions) {
    this.#options = options;
  }

  reportIfChanged(at: Micros): void {
    const { state, losses, account, report } = this.#options;
    const revision = state.ledgerHandover.revision + losses.revision;
    const day = account.dayStart?.day;
    const isSame = revision === this.#reportedRevision && day === this.#reportedDay;
    if (!state.portfolio.isOpen || isSame || at - this.#reportedAt < REPORT_INTERVAL) return;
    this.#reportedRevision = revision;
    this.#reportedDay = day;
    this.#reportedAt = at;
    let books: SavedLedgers | null = null;
    const read = (): SavedLedgers => (books ??= this.#ledgersAt(at));
    report({
      type: 'books',
      at,
      get books() {
        return read();
      },
    });
  }

  #ledgersAt(at: Micros): SavedLedgers {
    const { state, losses, account } = this.#options;
    const saved = state.ledgerHandover.saveLedgers(at);
    const dayMarkets = account.savedDayMarkets();
    return {
      ...saved,
      ...(dayMarkets !== null && { dayMarkets }),
      books: saved.books.map((ledger) => ({ ...ledger, losses: losses.figuresOf(ledger.strategy) })),
    };
  }
}
