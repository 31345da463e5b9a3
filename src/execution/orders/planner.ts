// Decides which commands leave now, by rate budgets and time. Each command waits in a lane, its class of priority.
// Cancels leave first among the trade requests, and have a reserve of the trade budget to themselves. Must never send a
// command after its deadline.
import { assert, AssertionFault, must } from '../../base/assert.ts';
import { type BudgetKind, type Lane, type RequestCommand, budgetOf } from '../../domain/venue-command.ts';
import { type Micros, fromMillis } from '../../domain/units.ts';
import type { BudgetRoom } from '../../state/view-sources.ts';
import type { RateBudget } from '../../domain/rate-budget.ts';

/**
 * The wait after a rate refusal that names no wait.
 * @param attempt The number of refusals in a row, from 1.
 */
export type Backoff = (attempt: number, commandId: number) => Micros;

export interface PlannerOptions {
  readonly budgets: Readonly<Record<BudgetKind, RateBudget>>;
  readonly cost: (command: RequestCommand) => number;
  /** Units of the trade budget that only cancels may use. */
  readonly cancelReserve: number;
  /** Units of the read budget that the lane `care` (regular comparisons with the venue) may not use. */
  readonly careReserve: number;
  /** Requests of each budget that may be unanswered at once. Cancels do not count. */
  readonly inFlightMax: Readonly<Record<BudgetKind, number>>;
  readonly backoff: Backoff;
  /** Commands that may wait in one lane. Cancels have no bound. Default: 1000. */
  readonly waitingMax?: number;
}

/** The lanes of each budget, the first to leave first. */
const LANES_OF: Readonly<Record<BudgetKind, readonly Lane[]>> = {
  trade: ['cancel', 'reduce', 'new'],
  read: ['probe', 'read', 'care'],
};
const WAITING_MAX = 1000;
/**
 * The longest pause that a venue can impose on a budget. It is bounded, because cancels wait for it, too. Microseconds.
 */
const PAUSE_MAX = fromMillis(60_000);

const NO_COMMANDS: readonly RequestCommand[] = [];

/** The commands that wait in one lane, the first to leave first. */
interface WaitingLane {
  readonly lane: Lane;
  readonly commands: RequestCommand[];
}

/** Commands waiting to be sent, and commands sent and unanswered. */
export class Planner {
  readonly #options: PlannerOptions;
  /** The waiting commands by budget, in the sequence in which their lanes leave. */
  readonly #waiting: Readonly<Record<BudgetKind, readonly WaitingLane[]>> = {
    trade: LANES_OF.trade.map((lane) => ({ lane, commands: [] })),
    read: LANES_OF.read.map((lane) => ({ lane, commands: [] })),
  };
  readonly #allLanes = [...this.#waiting.trade, ...this.#waiting.read];
  /** Requests sent and unanswered, by command id. Added when sent; removed when answered. */
  readonly #inFlight = new Map<number, RequestCommand>();
  readonly #inFlightCount: Record<BudgetKind, number> = { read: 0, trade: 0 };
  readonly #refusals: Record<BudgetKind, number> = { read: 0, trade: 0 };
  /** Time of the last rate refusal; `null` before the first. */
  readonly #refusedAt: Record<BudgetKind, Micros | null> = { read: null, trade: null };
  /**
   * Before this time no waiting command can leave or expire. A change of the lanes or the budgets outside `releaseDue`
   * sets it to 0.
   */
  #idleUntil: number = Number.POSITIVE_INFINITY;

  constructor(options: PlannerOptions) {
    const { cancelReserve, careReserve, inFlightMax } = options;
    assert(cancelReserve >= 0, 'the reserve for cancels must not be negative');
    assert(careReserve >= 0, 'the reserve against audits must not be negative');
    assert(inFlightMax.trade >= 1 && inFlightMax.read >= 1, 'at least one request of each budget must be allowed');
    this.#options = options;
  }

  get budgets(): PlannerOptions['budgets'] {
    return this.#options.budgets;
  }

  /**
   * Queues a command. Returns false when its lane is full.
   * @throws {AssertionFault} when the command would wait without end: the budget cannot hold its cost and the reserve
   *   that it must leave.
   */
  enqueue(command: RequestCommand): boolean {
    const needed = this.#options.cost(command) + this.#reserveFor(command.lane);
    const { capacity } = this.#options.budgets[budgetOf(command)];
    if (needed > capacity)
      throw new AssertionFault(
        `a ${command.type} needs ${needed} units, the reserve of its lane included, of at most ${capacity}`,
      );
    assert(!this.#inFlight.has(command.id), 'a command must not be queued while it is in flight');
    const waiting = commandsIn(this.#waiting[budgetOf(command)], command.lane);
    if (command.lane !== 'cancel' && waiting.length >= (this.#options.waitingMax ?? WAITING_MAX)) return false;
    waiting.push(command);
    this.#idleUntil = 0;
    return true;
  }

  /** True when a command queued now would leave at the next release, behind all that waits already. */
  wouldLeaveNow(command: RequestCommand, now: Micros): boolean {
    const kind = budgetOf(command);
    let units = this.#options.cost(command);
    let requests = this.#inFlightCount[kind];
    for (const { lane, commands } of this.#waiting[kind])
      for (const ahead of commands) {
        units += this.#options.cost(ahead);
        if (lane !== 'cancel') requests += 1;
      }
    if (requests >= this.#options.inFlightMax[kind]) return false;
    return this.#options.budgets[kind].canTake(units, now, this.#reserveFor(command.lane));
  }

  /** Removes and returns the waiting commands that are unwanted. The others keep their places. */
  removeWaiting(isUnwanted: (command: RequestCommand) => boolean): readonly RequestCommand[] {
    const removed: RequestCommand[] = [];
    for (const { commands } of this.#allLanes) {
      if (commands.length === 0) continue;
      let kept = 0;
      for (const command of commands)
        if (isUnwanted(command)) removed.push(command);
        else commands[kept++] = command;
      commands.length = kept;
    }
    if (removed.length > 0) this.#idleUntil = 0;
    return removed;
  }

  /** True when a release now would certainly send nothing. */
  isIdle(now: Micros): boolean {
    return now < this.#idleUntil;
  }

  /**
   * Moves the commands that may leave now to `out`. Stops at commands past their deadline and returns them. The caller
   * handles the late commands and calls again until none is returned.
   */
  releaseDue(now: Micros, out: RequestCommand[]): readonly RequestCommand[] {
    if (now < this.#idleUntil) return NO_COMMANDS;
    const lateTrades = this.#releaseLanes('trade', now, out);
    if (lateTrades.length > 0) return lateTrades;
    const lateReads = this.#releaseLanes('read', now, out);
    if (lateReads.length > 0) return lateReads;
    this.#idleUntil = this.wakeAt(now) ?? Number.POSITIVE_INFINITY;
    return NO_COMMANDS;
  }

  #releaseLanes(kind: BudgetKind, now: Micros, out: RequestCommand[]): readonly RequestCommand[] {
    for (const { commands } of this.#waiting[kind]) {
      if (commands.length === 0) continue;
      let sentCount = 0;
      for (; sentCount < commands.length; sentCount++) {
        const command = must(commands[sentCount], 'waiting command');
        if (isLate(command, now) || !this.#canSend(command, now)) break;
        this.#send(command, now, out);
      }
      // Most often one command leaves, for which `splice` would make an array.
      if (sentCount === 1) commands.shift();
      else if (sentCount > 0) commands.splice(0, sentCount);
      const late = this.#removeLate(commands, now);
      if (late.length > 0) return late;
      // A lower lane must not use units that a higher lane waits for.
      if (commands.length > 0) break;
    }
    return NO_COMMANDS;
  }

  #removeLate(waiting: RequestCommand[], now: Micros): readonly RequestCommand[] {
    let count = 0;
    for (; count < waiting.length && isLate(must(waiting[count], 'waiting command'), now); count++);
    return count === 0 ? NO_COMMANDS : waiting.splice(0, count);
  }

  #canSend(command: RequestCommand, now: Micros): boolean {
    const kind = budgetOf(command);
    if (this.#isFull(command)) return false;
    return this.#options.budgets[kind].canTake(this.#options.cost(command), now, this.#reserveFor(command.lane));
  }

  /**
   * True when too many requests are in flight. Cancels have no bound. Where several reads may be in flight, one place
   * is left to probes.
   */
  #isFull(command: RequestCommand): boolean {
    const { lane } = command;
    if (lane === 'cancel') return false;
    const kind = budgetOf(command);
    const max = this.#options.inFlightMax[kind];
    return this.#inFlightCount[kind] >= (kind === 'trade' || lane === 'probe' ? max : Math.max(1, max - 1));
  }

  #send(command: RequestCommand, now: Micros, out: RequestCommand[]): void {
    const kind = budgetOf(command);
    this.#options.budgets[kind].holdUnits(this.#options.cost(command), now);
    assert(!this.#inFlight.has(command.id), 'a command in flight must not be sent again');
    assert(!isLate(command, now), 'a command must not be sent past its deadline');
    this.#inFlight.set(command.id, command);
    if (command.lane !== 'cancel') this.#inFlightCount[kind] += 1;
    assert(this.#inFlightCount[kind] <= this.#options.inFlightMax[kind], 'too many requests are in flight');
    out.push(command);
  }

  #reserveFor(lane: Lane): number {
    if (lane === 'care') return this.#options.careReserve;
    return lane === 'new' || lane === 'reduce' ? this.#options.cancelReserve : 0;
  }

  /** Settles a request that was answered and returns it; `undefined` when it is not in flight. */
  settleRequest(commandId: number, now: Micros): RequestCommand | undefined {
    const command = this.#inFlight.get(commandId);
    if (!command) return undefined;
    this.#inFlight.delete(commandId);
    this.#idleUntil = 0;
    const kind = budgetOf(command);
    if (command.lane !== 'cancel') this.#inFlightCount[kind] -= 1;
    assert(this.#inFlightCount[kind] >= 0, 'the number of requests in flight must not fall below 0');
    this.#options.budgets[kind].spendHeld(this.#options.cost(command), now);
    return command;
  }

  resetBackoff(kind: BudgetKind): void {
    this.#refusals[kind] = 0;
    this.#refusedAt[kind] = null;
  }

  /**
   * Handles a rate refusal: puts the command back at the head of its lane, behind earlier ones, and pauses the budget. The
   * venue names the pause, else the backoff does. For the backoff, refusals at one moment count as one, so that a batch
   * counts once.
   */
  deferCommand(command: RequestCommand, retryAfter: Micros | null, now: Micros): void {
    assert(!this.#inFlight.has(command.id), 'a command must be settled before it is queued again');
    const kind = budgetOf(command);
    if (this.#refusedAt[kind] !== now) this.#refusals[kind] += 1;
    this.#refusedAt[kind] = now;
    const wait = retryAfter ?? this.#options.backoff(this.#refusals[kind], command.id);
    assert(wait >= 0, 'a wait must not be negative');
    this.#options.budgets[kind].pauseUntil((now + Math.min(wait, PAUSE_MAX)) as Micros);
    const waiting = commandsIn(this.#waiting[kind], command.lane);
    const behind = waiting.findIndex(({ id }) => id > command.id);
    waiting.splice(behind < 0 ? waiting.length : behind, 0, command);
    this.#idleUntil = 0;
  }

  /**
   * The time at which a waiting command could leave or expires. `null` when nothing waits, or an answer must come
   * first.
   */
  wakeAt(now: Micros): Micros | null {
    const trade = headOf(this.#waiting.trade);
    const read = headOf(this.#waiting.read);
    // At most steps, nothing waits.
    if (trade === undefined && read === undefined) return null;
    const earliest = Math.min(this.#headAt(trade, now), this.#headAt(read, now));
    return Number.isFinite(earliest) ? (earliest as Micros) : null;
  }

  #headAt(head: RequestCommand | undefined, now: Micros): number {
    if (head === undefined) return Number.POSITIVE_INFINITY;
    const kind = budgetOf(head);
    // With too many requests in flight, the next answer wakes the planner.
    const sendableAt = this.#isFull(head)
      ? Number.POSITIVE_INFINITY
      : this.#options.budgets[kind].availableAt(this.#options.cost(head), now, this.#reserveFor(head.lane));
    return Math.min(sendableAt, head.validUntil === null ? Number.POSITIVE_INFINITY : head.validUntil + 1);
  }

  /**
   * Cost of the first waiting command if only the budget keeps it from leaving, else 0. The lane `care` does not count.
   */
  shortfall(kind: BudgetKind, now: Micros): number {
    for (const { lane, commands } of this.#waiting[kind]) {
      const head = commands[0];
      if (head && lane !== 'care') return this.#isFull(head) || this.#canSend(head, now) ? 0 : this.#options.cost(head);
    }
    return 0;
  }

  /** Units that orders, or reads, could use now and at most, without the reserve for cancels. */
  roomNow(kind: BudgetKind, now: Micros): BudgetRoom {
    const reserve = kind === 'trade' ? this.#options.cancelReserve : 0;
    const budget = this.#options.budgets[kind];
    assert(reserve <= budget.capacity, 'the reserve for cancels must fit the budget');
    return { available: Math.max(0, budget.peekAvailable(now) - reserve), capacity: budget.capacity - reserve };
  }

  /**
   * Time at which a number of units is free, with no further requests. Infinite while requests in flight must be
   * answered first.
   */
  roomFreeAt(kind: BudgetKind, units: number, now: Micros): Micros {
    return this.#options.budgets[kind].availableAt(units, now, kind === 'trade' ? this.#options.cancelReserve : 0);
  }

  isWaiting(matches: (command: RequestCommand) => boolean): boolean {
    return this.#allLanes.some(({ commands }) => commands.some(matches));
  }

  isWaitingOrSent(matches: (command: RequestCommand) => boolean): boolean {
    return this.isWaiting(matches) || [...this.#inFlight.values()].some(matches);
  }

  waitingByLane(): Readonly<Record<Lane, number>> {
    const countIn = (lane: Lane): number => commandsIn(this.#allLanes, lane).length;
    return {
      cancel: countIn('cancel'),
      reduce: countIn('reduce'),
      new: countIn('new'),
      probe: countIn('probe'),
      read: countIn('read'),
      care: countIn('care'),
    };
  }

  get cancelReserve(): number {
    return this.#options.cancelReserve;
  }

  get load(): { readonly waiting: number; readonly inFlight: number } {
    const waiting = this.#allLanes.reduce((sum, { commands }) => sum + commands.length, 0);
    return { waiting, inFlight: this.#inFlight.size };
  }
}

/** The command that leaves first; `undefined` when none waits. */
function headOf(lanes: readonly WaitingLane[]): RequestCommand | undefined {
  for (const { commands } of lanes) if (commands.length > 0) return commands[0];
  return undefined;
}

/** The commands of one of the lanes. */
const commandsIn = (lanes: readonly WaitingLane[], wanted: Lane): RequestCommand[] =>
  must(
    lanes.find(({ lane }) => lane === wanted),
    `lane ${wanted}`,
  ).commands;

const isLate = (command: RequestCommand, now: Micros): boolean =>
  command.validUntil !== null && now > command.validUntil;
