// Keeps a session and its latch the same: what the engine halts is written down, what others write down halts
// the engine, and no order leaves past a halt that is written. Must never lift what it was not told to.
import type { PlaceCommand } from '../domain/command.ts';
import type { HaltScope, KeptBooks, LossStanding, OperatorOrder, Override } from '../domain/operator.ts';
import { type Halts, scopeKey } from '../execution/halts.ts';
import type { Notice } from '../execution/notice.ts';
import type { Logger } from '../log.ts';
import { OPERATOR } from '../state/orders.ts';
import type { Scheduler, Timer } from '../transport/scheduler.ts';
import type { Latch } from './latch.ts';

export interface HaltKeeperOptions {
  readonly latch: Latch;
  readonly halts: Halts;
  readonly scheduler: Scheduler;
  readonly log: Logger;
  /** Lets an order of the operator enter the engine. */
  readonly operate: (order: OperatorOrder) => void;
  /** The latch cannot be read: trading must stop. */
  readonly onFault: (fault: unknown) => void;
}

/** How often the latch is looked at when nothing leaves. */
const LOOK_EVERY_MS = 250;
const KEEP_FIGURES_EVERY_MS = 5000;

/** Between one session and its latch. */
export class HaltKeeper {
  readonly #options: HaltKeeperOptions;
  /** Overrides in force, by limit and strategy. */
  readonly #overrides = new Map<string, Override>();
  #losses: LossStanding | null = null;
  #areLossesWritten = true;
  #books: KeptBooks | null = null;
  #areBooksWritten = true;
  #figuresKeptMs = 0;
  #timer: Timer | null = null;
  /** Whether the latch was read in this turn of the loop: orders that leave together need one look. */
  #isFresh = false;

  constructor(options: HaltKeeperOptions) {
    this.#options = options;
  }

  /** Begins to look. */
  start(): void {
    const { scheduler } = this.#options;
    this.#timer = scheduler.after(LOOK_EVERY_MS, () => {
      this.start();
      this.#look();
      if (scheduler.now() - this.#figuresKeptMs >= KEEP_FIGURES_EVERY_MS) this.#try(() => this.#keepFigures());
    });
  }

  stop(): void {
    if (this.#timer) this.#options.scheduler.cancel(this.#timer);
    this.#timer = null;
    this.#try(() => this.#keepFigures());
  }

  #look(): void {
    this.#try(() => this.look());
  }

  #try(act: () => void): void {
    try {
      act();
    } catch (fault) {
      this.#options.onFault(fault);
    }
  }

  /** Halts the engine for whatever the latch holds and the engine does not know. */
  look(): void {
    const { latch, halts, operate } = this.#options;
    const known = new Set(halts.list().map(({ scope, by }) => `${scopeKey(scope)} ${by}`));
    for (const { scope, by, reason } of latch.halts())
      if (!known.has(`${scopeKey(scope)} ${by}`)) operate({ type: 'halt', scope, by, reason });
  }

  /** Asked before a new order leaves: a reason not to send it, or `null`. The operator's own orders pass. */
  gate({ strategy, ticker }: PlaceCommand): string | null {
    if (strategy === OPERATOR) return null;
    const { latch, scheduler } = this.#options;
    if (!this.#isFresh) {
      latch.refresh();
      this.#isFresh = true;
      scheduler.soon(() => (this.#isFresh = false));
    }
    const halt = latch.blocking(strategy, ticker);
    if (halt === null) return null;
    scheduler.soon(() => this.#look());
    return `halted by ${halt.by}: ${halt.reason}`;
  }

  /** Writes down what the engine tells. */
  take(notice: Notice): void {
    if (notice.type === 'halt') this.#options.latch.write(notice.halt);
    if (notice.type === 'resumed') this.#lift(notice.scope);
    if (notice.type === 'losses') this.#noteLosses(notice.standing);
    if (notice.type === 'books') this.#noteBooks(notice.books);
    if (notice.type === 'override') this.#noteOverride(notice);
  }

  /** A new day is kept at once. A new peak may wait a little: waiting for the disk holds everything up. */
  #noteLosses(standing: LossStanding): void {
    const isNewDay = this.#losses?.day !== standing.day;
    this.#losses = standing;
    this.#areLossesWritten = false;
    if (isNewDay) this.#keepFigures();
  }

  /** The first of a session at once: what a later one trades is told apart by it. The others may wait. */
  #noteBooks(books: KeptBooks): void {
    const isFirst = this.#books === null;
    this.#books = books;
    this.#areBooksWritten = false;
    if (isFirst) this.#keepFigures();
  }

  #keepFigures(): void {
    const { latch, scheduler } = this.#options;
    if (!this.#areLossesWritten && this.#losses !== null) {
      latch.writeLosses(this.#losses);
      this.#figuresKeptMs = scheduler.now();
    }
    this.#areLossesWritten = true;
    if (!this.#areBooksWritten && this.#books !== null) {
      latch.writeBooks(this.#books);
      this.#figuresKeptMs = scheduler.now();
    }
    this.#areBooksWritten = true;
  }

  #noteOverride({ change, override }: Extract<Notice, { type: 'override' }>): void {
    if (change === 'refused') return;
    const key = `${override.limit} ${override.strategy ?? ''}`;
    if (change === 'begun') this.#overrides.set(key, override);
    else this.#overrides.delete(key);
    this.#options.latch.writeOverrides([...this.#overrides.values()]);
  }

  /** A halt that cannot be taken off the disk is lifted in memory only: the gate stays shut, which is the safe side. */
  #lift(scope: HaltScope): void {
    try {
      this.#options.latch.lift(scope);
    } catch (fault) {
      this.#options.log.error({ err: fault, scope }, 'the halt could not be taken off the disk: the gate stays shut');
    }
  }
}
