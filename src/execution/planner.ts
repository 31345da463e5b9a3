// Decides from the rate budgets and the time which commands go out now. Cancels leave before anything else, and keep a
// reserve that nothing else can touch, orders that only reduce included; so do probes among the reads. A command past
// its deadline is dropped, never sent late.
import { AssertionFault, must } from '../domain/assert.ts';
import { type BudgetKind, type Lane, type RequestCommand, budgetOf } from '../domain/command.ts';
import { type Micros, fromMillis } from '../domain/units.ts';
import type { BudgetRoom } from '../state/view-sources.ts';
import type { RateBudget } from './budget.ts';

/** How long to wait after the venue refused for rate without saying how long. `attempt` counts from 1. */
export type Backoff = (attempt: number, commandId: number) => Micros;

export interface PlannerOptions {
  readonly budgets: Readonly<Record<BudgetKind, RateBudget>>;
  /** What a command takes from its budget. */
  readonly cost: (command: RequestCommand) => number;
  /** Units of the trade budget that only cancels may use. */
  readonly cancelReserve: number;
  /** Units of the read budget that care may not use. */
  readonly careReserve: number;
  /** Requests of each budget that may be unanswered at once; cancels do not count. */
  readonly inFlightMax: Readonly<Record<BudgetKind, number>>;
  readonly backoff: Backoff;
  /** Commands that may wait in one lane; cancels are as many as there are orders, and are never refused. */
  readonly waitingMax?: number;
}

const TRADE_LANES: readonly Lane[] = ['cancel', 'reduce', 'new'];
const READ_LANES: readonly Lane[] = ['probe', 'read', 'care'];
const LANES: readonly Lane[] = [...TRADE_LANES, ...READ_LANES];
const WAITING_MAX = 1000;
/** No word of the venue's silences a budget for longer: cancels wait for it too. Microseconds. */
const PAUSE_MAX = fromMillis(60_000);

const NOTHING: readonly RequestCommand[] = [];

/** Commands waiting to be sent, and those sent and unanswered. */
export class Planner {
  readonly #options: PlannerOptions;
  readonly #waiting: Record<Lane, RequestCommand[]> = {
    cancel: [],
    reduce: [],
    new: [],
    probe: [],
    read: [],
    care: [],
  };
  readonly #inFlight = new Map<number, RequestCommand>();
  readonly #inFlightCount: Record<BudgetKind, number> = { read: 0, trade: 0 };
  readonly #refusals: Record<BudgetKind, number> = { read: 0, trade: 0 };
  /**
   * Before this time nothing that waits can go or becomes too late; infinite when nothing waits. Whatever changes what
   * waits, or what may go, sets it back.
   */
  #stirsAt: number = Number.POSITIVE_INFINITY;

  constructor(options: PlannerOptions) {
    this.#options = options;
  }

  get budgets(): PlannerOptions['budgets'] {
    return this.#options.budgets;
  }

  /**
   * Lets a command wait its turn. `false` when so many wait already that it would only wait in vain: it was not taken.
   * @throws {AssertionFault} when its budget could never hold what it costs: it would wait for ever. The setup refuses
   * a config that could lead here.
   */
  enqueue(command: RequestCommand): boolean {
    const needed = this.#options.cost(command) + this.#reserveFor(command.lane);
    const { capacity } = this.#options.budgets[budgetOf(command)];
    if (needed > capacity)
      throw new AssertionFault(
        `a ${command.type} needs ${needed} units, what its lane must leave included, of at most ${capacity}`,
      );
    const waiting = this.#waiting[command.lane];
    if (command.lane !== 'cancel' && waiting.length >= (this.#options.waitingMax ?? WAITING_MAX)) return false;
    waiting.push(command);
    this.#stirsAt = 0;
    return true;
  }

  /** Takes back commands that have not been sent. */
  withdraw(isUnwanted: (command: RequestCommand) => boolean): RequestCommand[] {
    const withdrawn: RequestCommand[] = [];
    for (const lane of LANES) {
      const waiting = this.#waiting[lane];
      if (waiting.length === 0) continue;
      withdrawn.push(...waiting.filter(isUnwanted));
      this.#waiting[lane] = waiting.filter((command) => !isUnwanted(command));
    }
    this.#stirsAt = 0;
    return withdrawn;
  }

  /** Whether letting go now would let nothing go: most events find it so, and need not look further. */
  isStill(now: Micros): boolean {
    return now < this.#stirsAt;
  }

  /** Moves what may go now to `out`; returns what is too late to go at all. */
  release(now: Micros, out: RequestCommand[]): readonly RequestCommand[] {
    if (now < this.#stirsAt) return NOTHING;
    const late: RequestCommand[] = [];
    this.#releaseLanes(TRADE_LANES, now, { out, late });
    this.#releaseLanes(READ_LANES, now, { out, late });
    this.#stirsAt = this.wakeAt(now) ?? Number.POSITIVE_INFINITY;
    return late;
  }

  #releaseLanes(lanes: readonly Lane[], now: Micros, to: { out: RequestCommand[]; late: RequestCommand[] }): void {
    for (const lane of lanes) {
      const waiting = this.#waiting[lane];
      let taken = 0;
      for (; taken < waiting.length; taken++) {
        const command = must(waiting[taken], 'waiting command');
        if (isLate(command, now)) to.late.push(command);
        else if (!this.#canSend(command, now)) break;
        else this.#send(command, now, to.out);
      }
      if (taken > 0) waiting.splice(0, taken);
      // What a better lane still waits for must not be eaten by a worse one.
      if (waiting.length > 0) return;
    }
  }

  #canSend(command: RequestCommand, now: Micros): boolean {
    const kind = budgetOf(command);
    if (this.#isFull(command)) return false;
    return this.#options.budgets[kind].canTake(this.#options.cost(command), now, this.#reserveFor(command.lane));
  }

  /** Whether there is no room in flight. Cancels have room of their own, and one place among the reads is the probes'. */
  #isFull(command: RequestCommand): boolean {
    const { lane } = command;
    if (lane === 'cancel') return false;
    const kind = budgetOf(command);
    const max = this.#options.inFlightMax[kind];
    return this.#inFlightCount[kind] >= (kind === 'trade' || lane === 'probe' ? max : Math.max(1, max - 1));
  }

  #send(command: RequestCommand, now: Micros, out: RequestCommand[]): void {
    const kind = budgetOf(command);
    this.#options.budgets[kind].hold(this.#options.cost(command), now);
    this.#inFlight.set(command.id, command);
    if (command.lane !== 'cancel') this.#inFlightCount[kind] += 1;
    out.push(command);
  }

  #reserveFor(lane: Lane): number {
    if (lane === 'care') return this.#options.careReserve;
    return lane === 'new' || lane === 'reduce' ? this.#options.cancelReserve : 0;
  }

  /** A request came back. Returns it; `undefined` when it was not one of ours. */
  settle(commandId: number, now: Micros): RequestCommand | undefined {
    const command = this.#inFlight.get(commandId);
    if (!command) return undefined;
    this.#inFlight.delete(commandId);
    this.#stirsAt = 0;
    const kind = budgetOf(command);
    if (command.lane !== 'cancel') this.#inFlightCount[kind] -= 1;
    this.#options.budgets[kind].spend(this.#options.cost(command), now);
    return command;
  }

  /** The venue took a request within its limits: waits start small again. */
  relax(kind: BudgetKind): void {
    this.#refusals[kind] = 0;
  }

  /**
   * The venue refused for rate: waits as told, or longer each time, but a minute at the most; and puts the command back
   * first in its lane.
   */
  defer(command: RequestCommand, retryAfter: Micros | null, now: Micros): void {
    const kind = budgetOf(command);
    this.#refusals[kind] += 1;
    const wait = retryAfter ?? this.#options.backoff(this.#refusals[kind], command.id);
    this.#options.budgets[kind].pauseUntil((now + Math.min(wait, PAUSE_MAX)) as Micros);
    this.#waiting[command.lane].unshift(command);
    this.#stirsAt = 0;
  }

  /** When something waiting could go, or becomes too late; `null` when nothing waits. */
  wakeAt(now: Micros): Micros | null {
    let earliest: number = Number.POSITIVE_INFINITY;
    for (const lanes of [TRADE_LANES, READ_LANES])
      for (const lane of lanes) {
        const head = this.#waiting[lane][0];
        if (!head) continue;
        earliest = Math.min(earliest, this.#headAt(head, now));
        break;
      }
    return Number.isFinite(earliest) ? (earliest as Micros) : null;
  }

  #headAt(head: RequestCommand, now: Micros): number {
    const kind = budgetOf(head);
    // A full house is woken by the answer that makes room.
    const sendableAt = this.#isFull(head)
      ? Number.POSITIVE_INFINITY
      : this.#options.budgets[kind].availableAt(this.#options.cost(head), now, this.#reserveFor(head.lane));
    return Math.min(sendableAt, head.validUntil === null ? Number.POSITIVE_INFINITY : head.validUntil + 1);
  }

  /** The units that what waits for want of them alone needs; 0 when nothing does. Who only cares for a budget's rest is not asked. */
  shortOf(kind: BudgetKind, now: Micros): number {
    for (const lane of kind === 'trade' ? TRADE_LANES : READ_LANES) {
      const head = this.#waiting[lane][0];
      if (head && lane !== 'care') return this.#isFull(head) || this.#canSend(head, now) ? 0 : this.#options.cost(head);
    }
    return 0;
  }

  /** The units that orders, or reads, could take now, and could at most: what is kept for cancels is none of them. */
  room(kind: BudgetKind, now: Micros): BudgetRoom {
    const kept = kind === 'trade' ? this.#options.cancelReserve : 0;
    const budget = this.#options.budgets[kind];
    return { available: Math.max(0, budget.peek(now) - kept), capacity: budget.capacity - kept };
  }

  /** When there is room for so many units, if nothing is taken before; infinite while what is under way must end first. */
  roomAt(kind: BudgetKind, units: number, now: Micros): Micros {
    return this.#options.budgets[kind].availableAt(units, now, kind === 'trade' ? this.#options.cancelReserve : 0);
  }

  isWaiting(isWanted: (command: RequestCommand) => boolean): boolean {
    return LANES.some((lane) => this.#waiting[lane].some(isWanted));
  }

  /** Whether a command waits, or was sent and is unanswered. */
  isUnderWay(isWanted: (command: RequestCommand) => boolean): boolean {
    return this.isWaiting(isWanted) || [...this.#inFlight.values()].some(isWanted);
  }

  /** Commands not yet sent, and sent and unanswered. */
  get load(): { readonly waiting: number; readonly inFlight: number } {
    const waiting = LANES.reduce((sum, lane) => sum + this.#waiting[lane].length, 0);
    return { waiting, inFlight: this.#inFlight.size };
  }
}

const isLate = (command: RequestCommand, now: Micros): boolean =>
  command.validUntil !== null && now > command.validUntil;
