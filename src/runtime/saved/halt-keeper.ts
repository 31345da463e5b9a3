// Keeps a session and its latch in agreement. A halt of the engine is written to disk, and a halt in the latch halts
// the engine. Must never lift a halt without an instruction to resume.
import type { StrategyName, Ticker } from '../../domain/ids.ts';
import type {
  Halt,
  HaltScope,
  SavedLedgers,
  LossBaseline,
  OperatorOrder,
  LimitOverride,
} from '../../domain/operator-order.ts';
import { type Halts, scopeKey } from '../../execution/operator/halts.ts';
import type { Notice } from '../../execution/engine-notice.ts';
import type { Logger } from '../../log.ts';
import type { Micros } from '../../domain/units.ts';
import { OPERATOR } from '../../state/account/orders.ts';
import type { Scheduler, Timer } from '../../transport/scheduler.ts';
import type { Latch } from './latch.ts';

export interface HaltKeeperOptions {
  readonly latch: Latch;
  readonly halts: Halts;
  readonly scheduler: Scheduler;
  readonly log: Logger;
  readonly submitOrder: (order: OperatorOrder) => void;
  /** Called when the latch cannot be read or written. Trading must stop. */
  readonly onFault: (fault: unknown) => void;
}

/** Interval of reading the latch. It is also read before new orders. */
const READ_EVERY_MS = 250;
const SAVE_FIGURES_EVERY_MS = 5000;

/** Keeps one session and its latch in agreement. */
export class HaltKeeper {
  readonly #options: HaltKeeperOptions;
  /** Overrides in force, by limit and strategy. Added when an override begins; removed when it ends. */
  readonly #overrides = new Map<string, LimitOverride>();
  #losses: LossBaseline | null = null;
  #areLossesWritten = true;
  #ledgers: SavedLedgers | null = null;
  #areLedgersWritten = true;
  #figuresSavedMs = 0;
  #timer: Timer | null = null;
  /** True: the latch was read in this turn of the event loop. Orders that are sent together need one read. */
  #isFresh = false;

  constructor(options: HaltKeeperOptions) {
    this.#options = options;
  }

  start(): void {
    const { scheduler } = this.#options;
    this.#timer = scheduler.after(READ_EVERY_MS, () => {
      this.start();
      this.#tryReadLatch();
      if (scheduler.now() - this.#figuresSavedMs >= SAVE_FIGURES_EVERY_MS) this.#try(() => this.#saveFigures());
    });
  }

  stop(): void {
    if (this.#timer) this.#options.scheduler.cancel(this.#timer);
    this.#timer = null;
    this.#try(() => this.#saveFigures());
  }

  #tryReadLatch(): void {
    this.#try(() => this.applyLatch());
  }

  #try(action: () => void): void {
    try {
      action();
    } catch (fault) {
      this.#options.onFault(fault);
    }
  }

  /** Halts the engine for each halt that is only in the latch. */
  applyLatch(): void {
    const { latch, halts, submitOrder } = this.#options;
    const known = new Set(halts.listHalts().map(({ scope, by }) => `${scopeKey(scope)} ${by}`));
    for (const { scope, by, reason } of latch.readHalts()) {
      const key = `${scopeKey(scope)} ${by}`;
      if (known.has(key)) continue;
      // The file HALT may stand beside the saved halt of the same command.
      known.add(key);
      submitOrder({ type: 'halt', scope, by, reason });
    }
  }

  /** Adds to an instruction the time at which its halt was saved: a process that slept learns of the halt late. */
  dateHalt(order: OperatorOrder): OperatorOrder {
    if (order.type !== 'halt') return order;
    const since = this.#savedTimeOf(order);
    return since === undefined ? order : { ...order, since };
  }

  /** Writes the halt of an instruction to disk, for the next session. Never throws: the session is ending. */
  saveHalt(order: OperatorOrder, now: Micros): void {
    if (order.type !== 'halt') return;
    const { scope, by, reason, since = now } = order;
    try {
      this.#options.latch.writeHalt({ scope, by, reason, since });
    } catch (fault) {
      this.#options.log.fatal({ err: fault, scope, by, reason }, 'the halt could not be saved');
    }
  }

  #savedTimeOf({ scope, by }: Pick<Halt, 'scope' | 'by'>): Micros | undefined {
    try {
      const halts = this.#options.latch.readHalts();
      return halts.find((halt) => halt.by === by && scopeKey(halt.scope) === scopeKey(scope))?.since;
    } catch {
      // The next read of the latch reports it.
      return undefined;
    }
  }

  /**
   * Called before a new order or an amend is sent. Returns a reason not to send it, or `null`. Orders of the operator's
   * own instructions always pass.
   */
  blockReason(strategy: StrategyName, ticker: Ticker): string | null {
    if (strategy === OPERATOR) return null;
    const { latch, scheduler } = this.#options;
    if (!this.#isFresh) {
      latch.refreshHalts();
      this.#isFresh = true;
      scheduler.soon(() => (this.#isFresh = false));
    }
    const halt = latch.blockingHalt(strategy, ticker);
    if (halt === null) return null;
    scheduler.soon(() => this.#tryReadLatch());
    return `halted by ${halt.by}: ${halt.reason}`;
  }

  /** Writes to disk what must outlive the session. */
  onNotice(notice: Notice): void {
    if (notice.type === 'halt') this.#options.latch.writeHalt(notice.halt);
    if (notice.type === 'resumed') this.#liftHalt(notice.scope);
    if (notice.type === 'losses') this.#onLosses(notice.standing);
    if (notice.type === 'books') this.#onLedgers(notice.books);
    if (notice.type === 'override') this.#onOverride(notice);
  }

  /** A new day is saved at once. A new peak may wait, because each write blocks everything else. */
  #onLosses(standing: LossBaseline): void {
    const isNewDay = this.#losses?.day !== standing.day;
    this.#losses = standing;
    this.#areLossesWritten = false;
    if (isNewDay) this.#saveFigures();
  }

  /**
   * The first ledgers of a session are saved at once, because a later session needs them to attribute fills to
   * strategies. Later ledgers may wait.
   */
  #onLedgers(ledgers: SavedLedgers): void {
    const isFirst = this.#ledgers === null;
    this.#ledgers = ledgers;
    this.#areLedgersWritten = false;
    if (isFirst) this.#saveFigures();
  }

  #saveFigures(): void {
    const { latch, scheduler } = this.#options;
    if (!this.#areLossesWritten && this.#losses !== null) {
      latch.writeLosses(this.#losses);
      this.#figuresSavedMs = scheduler.now();
    }
    this.#areLossesWritten = true;
    if (!this.#areLedgersWritten && this.#ledgers !== null) {
      latch.writeLedgers(this.#ledgers);
      this.#figuresSavedMs = scheduler.now();
    }
    this.#areLedgersWritten = true;
  }

  #onOverride({ change, override }: Extract<Notice, { type: 'override' }>): void {
    if (change === 'refused') return;
    const key = `${override.limit} ${override.strategy ?? ''}`;
    if (change === 'begun') this.#overrides.set(key, override);
    else this.#overrides.delete(key);
    this.#options.latch.writeOverrides([...this.#overrides.values()]);
  }

  /** If the file of a halt cannot be removed, the halt is lifted in memory only, and orders stay blocked. */
  #liftHalt(scope: HaltScope): void {
    try {
      this.#options.latch.liftHalts(scope);
    } catch (fault) {
      this.#options.log.error({ err: fault, scope }, 'the file of the halt could not be removed: orders stay blocked');
    }
  }
}
