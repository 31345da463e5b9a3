// Cancels resting orders without an engine, which may be dead, hung or faulty. Lists the account's orders, cancels
// them, in batches where the venue takes batches, and repeats both until the venue's list is empty twice in a row. Must
// never place an order, and never treat a failed list as an empty list.
import { must } from '../../base/assert.ts';
import type { CancelCommand, ReadCommand } from '../../domain/venue-command.ts';
import type { EngineEvent, OrderReport, OrdersPage } from '../../domain/event.ts';
import { isOfNature } from '../../domain/event-kinds.ts';
import { clientIdFromVenue } from '../../domain/orders/client-order-id.ts';
import type { ClientOrderId, MarketIndex, VenueOrderId } from '../../domain/ids.ts';
import type { Micros } from '../../domain/units.ts';
import type { Logger } from '../../log.ts';
import type { Scheduler } from '../../transport/scheduler.ts';
import type { Answer, Venue } from '../../venue.ts';
import { CancelPace } from './cancel-pace.ts';

export interface CancelSweepOptions {
  readonly venue: Pick<Venue, 'gateway' | 'normalizer' | 'tickers' | 'capabilities'>;
  readonly now: () => Micros;
  readonly scheduler: Scheduler;
  readonly log: Logger;
  /** Selects the working orders of the account that are to be canceled. */
  readonly isOurs: (order: OrderReport, ticker: string) => boolean;
  /** Orders that are canceled before the first list. Default: none. */
  readonly known?: readonly CancelTarget[];
  /**
   * Time in which an order that was sent may still arrive. It runs from the start, and again from the last list that
   * shows an order: a bot that sends one order may have sent another. Until it has passed, an empty list does not end
   * the sweep.
   */
  readonly graceMs: number;
  /** Time after which the sweep gives up; `null` for never. */
  readonly withinMs: number | null;
  readonly signal?: AbortSignal;
}

/** An order to be canceled. */
export interface CancelTarget {
  readonly clientOrderId: ClientOrderId | null;
  readonly venueOrderId: VenueOrderId;
  readonly market: MarketIndex;
}

/** The result of a cancel sweep. */
export interface CancelSweepResult {
  /**
   * True: the venue's list was empty twice, and no order can arrive any more. From `listResting`, true: its one list
   * was empty.
   */
  readonly isDone: boolean;
  readonly canceled: number;
  /** Orders in the venue's last complete list; `null` when no list was complete. */
  readonly left: readonly ListedOrder[] | null;
  /** The latest problem, as text, or `null`. */
  readonly trouble: string | null;
}

/** An order found in the venue's list. */
export interface ListedOrder {
  readonly clientOrderId: string | null;
  readonly venueOrderId: string;
  readonly ticker: string;
}

/** The selected orders of a list, as far as it could be read. */
interface ListRead {
  readonly orders: readonly OrderReport[];
  readonly isComplete: boolean;
}

/** Cancels in flight at once where each is a request. */
const CANCELS_AT_ONCE = 8;
const PAUSE_MS = 100;
const TROUBLE_PAUSE_MS_MAX = 5000;
const PAGES_MAX = 1000;
/** The longest wait that an answer can impose: orders rest meanwhile. */
const ASKED_PAUSE_MS_MAX = 60_000;

/** Cancels every selected order, or gives up when the time has passed. Never rejects. */
export const runCancelSweep = (options: CancelSweepOptions): Promise<CancelSweepResult> =>
  new CancelSweep(options).run();

/** Reads the venue's list of working orders once. Never rejects. */
export const listResting = (options: Omit<CancelSweepOptions, 'graceMs'>): Promise<CancelSweepResult> =>
  new CancelSweep({ ...options, graceMs: 0 }).listOnce();

class CancelSweep {
  readonly #options: CancelSweepOptions;
  readonly #startedMs: number;
  readonly #signal: AbortSignal;
  #commandId = 0;
  #canceled = 0;
  #left: readonly ListedOrder[] | null = null;
  #trouble: string | null = null;
  #troubles = 0;
  /** Wait in milliseconds that the venue asked for in its last refusal of a read by rate limit. */
  #retryMs = 0;
  /** Known orders whose cancel was not accepted. Removed when it is, and all of them by the first complete list. */
  readonly #known: Map<VenueOrderId, CancelTarget>;
  readonly #pace: CancelPace;
  /** The most cancels in one request. 1 once a batch has canceled nothing, other than for its rate. */
  #batchMax: number;
  /** The cancels in the next request. Halved when a batch is refused for its rate, until a single cancel is refused. */
  #batchSize: number;

  constructor(options: CancelSweepOptions) {
    this.#options = options;
    const { venue, scheduler } = options;
    this.#pace = new CancelPace({ capabilities: venue.capabilities, scheduler });
    const { batchMax = 1 } = venue.capabilities;
    this.#batchMax = venue.gateway.sendBatch === undefined ? 1 : Math.min(batchMax, this.#pace.cancelsMax);
    this.#batchSize = this.#batchMax;
    this.#startedMs = options.scheduler.now();
    this.#known = new Map((options.known ?? []).map((target) => [target.venueOrderId, target]));
    this.#signal = options.signal ?? new AbortController().signal;
  }

  async run(): Promise<CancelSweepResult> {
    await this.#cancelAll([...this.#known.values()]);
    let quietFromMs = 0;
    for (let empty = 0; empty < 2;) {
      if (this.#isOver()) return this.#result(false);
      const isSettled = this.#elapsedMs() - quietFromMs >= this.#options.graceMs;
      const { orders, isComplete } = await this.#readList();
      if (orders.length > 0) quietFromMs = this.#elapsedMs();
      if (isComplete) empty = orders.length === 0 && isSettled ? empty + 1 : 0;
      if (isComplete) this.#known.clear();
      for (const { venueOrderId } of orders) this.#known.delete(venueOrderId);
      await this.#cancelAll([...orders, ...this.#known.values()]);
      if (!isComplete) await this.#pauseForTrouble();
      else if (empty < 2) await this.#pause(Math.max(PAUSE_MS, this.#retryMs));
    }
    return this.#result(true);
  }

  /** Reads complete lists until one succeeds or the time has passed. */
  async listOnce(): Promise<CancelSweepResult> {
    while (!this.#isOver()) {
      const { orders, isComplete } = await this.#readList();
      if (isComplete) return this.#result(orders.length === 0);
      await this.#pauseForTrouble();
    }
    return this.#result(false);
  }

  #result(isDone: boolean): CancelSweepResult {
    return { isDone, canceled: this.#canceled, left: this.#left, trouble: this.#trouble };
  }

  #elapsedMs(): number {
    return this.#options.scheduler.now() - this.#startedMs;
  }

  #isOver(): boolean {
    const { withinMs } = this.#options;
    return this.#signal.aborted || (withinMs !== null && this.#elapsedMs() >= withinMs);
  }

  #pauseForTrouble(): Promise<void> {
    const waitMs = Math.min(TROUBLE_PAUSE_MS_MAX, PAUSE_MS * 2 ** Math.min(this.#troubles, 10));
    return this.#pause(Math.max(waitMs, this.#retryMs));
  }

  #pause(forMs: number): Promise<void> {
    const { scheduler, withinMs } = this.#options;
    const leftMs = withinMs === null ? forMs : Math.max(0, withinMs - this.#elapsedMs());
    return new Promise((resolve) => {
      scheduler.after(Math.min(forMs, leftMs), resolve);
    });
  }

  /**
   * Reads the pages of the list until one fails. The orders of the pages before can be canceled: a page may fail again and
   * again.
   */
  async #readList(): Promise<ListRead> {
    const orders: OrderReport[] = [];
    const cursors = new Set<string>();
    let cursor: string | null = null;
    do {
      const page = await this.#readPage(cursor);
      if (page === null) return { orders, isComplete: false };
      orders.push(...page.rows.filter((row) => row.status === 'working' && this.#isOurs(row)));
      ({ cursor } = page);
      // A venue that does not know its own cursor any more sends the first page again.
      if (cursor !== null && (cursors.has(cursor) || cursors.size === PAGES_MAX)) {
        this.#onTrouble(`the list of working orders does not end: ${cursors.size + 1} pages were read`);
        return { orders, isComplete: false };
      }
      if (cursor !== null) cursors.add(cursor);
    } while (cursor !== null);
    this.#troubles = 0;
    this.#left = orders.map((row) => ({
      clientOrderId: row.clientOrderId,
      venueOrderId: row.venueOrderId,
      ticker: this.#tickerOf(row),
    }));
    return { orders, isComplete: true };
  }

  #isOurs(row: OrderReport): boolean {
    return this.#options.isOurs(row, this.#tickerOf(row));
  }

  #tickerOf({ market }: OrderReport): string {
    return this.#options.venue.tickers.tickerOf(market);
  }

  async #readPage(cursor: string | null): Promise<OrdersPage | null> {
    const command: ReadCommand = {
      type: 'read',
      lane: 'read',
      id: (this.#commandId += 1),
      target: { what: 'orders', status: 'working', since: null },
      cursor,
      createdAt: this.#options.now(),
      validUntil: null,
    };
    const events = await this.#request(command);
    return events.find((event) => event.kind === 'orders') ?? null;
  }

  async #cancelAll(orders: readonly CancelTarget[]): Promise<void> {
    const waiting = [...orders];
    while (this.#batchMax > 1 && waiting.length > 1 && (await this.#hasRoom()))
      await (this.#batchSize > 1 ? this.#cancelBatch(waiting) : this.#cancelNext(waiting));
    const cancelWaiting = async (): Promise<void> => {
      while (waiting.length > 0 && (await this.#hasRoom())) await this.#cancelNext(waiting);
    };
    await Promise.all(Array.from({ length: Math.min(CANCELS_AT_ONCE, waiting.length) }, cancelWaiting));
  }

  /** Waits until a cancel may leave. Returns false when the sweep is over. */
  async #hasRoom(): Promise<boolean> {
    while (!this.#isOver()) {
      const { waitMs } = this.#pace;
      if (waitMs === 0) return true;
      await this.#pause(waitMs);
    }
    return false;
  }

  async #cancelNext(waiting: CancelTarget[]): Promise<void> {
    const next = waiting.shift();
    if (next === undefined) return;
    const command = this.#cancelCommand(next);
    this.#onCanceled(command, await this.#request(command));
  }

  /** Sends the first of the waiting cancels as a batch. Those of a batch that the venue refused wait again. */
  async #cancelBatch(waiting: CancelTarget[]): Promise<void> {
    const targets = waiting.splice(0, this.#batchSize);
    const commands = targets.map((target) => this.#cancelCommand(target));
    const sent = this.#options.venue.gateway.sendBatch?.({ type: 'batch', commands }, this.#signal);
    const { answers, refusal } = await must(sent, 'a gateway that takes batches');
    const events = answers.map((answer) => this.#eventsOf(answer));
    this.#onEvents(events.flat(), targets.length);
    commands.forEach((command, index) => this.#onCanceled(command, events[index] ?? []));
    if (refusal !== null) waiting.unshift(...targets);
    if (refusal?.cause === 'rate') this.#batchSize = targets.length >> 1;
    else if (!events.flat().some(isAccepted)) this.#batchMax = 1;
  }

  #cancelCommand(order: CancelTarget): CancelCommand {
    return {
      type: 'cancel',
      lane: 'cancel',
      id: (this.#commandId += 1),
      clientOrderId: gatewayIdOf(order),
      venueOrderId: order.venueOrderId,
      ticker: this.#options.venue.tickers.tickerOf(order.market),
      createdAt: this.#options.now(),
      validUntil: null,
    };
  }

  #onCanceled({ clientOrderId, venueOrderId }: CancelCommand, events: readonly EngineEvent[]): void {
    const isCanceled = events.some(isAccepted);
    if (isCanceled) this.#canceled += 1;
    if (isCanceled && venueOrderId !== null) this.#known.delete(venueOrderId);
    this.#options.log.warn({ clientOrderId, venueOrderId, isCanceled }, 'cancel sent outside the engine');
  }

  async #request(command: ReadCommand | CancelCommand): Promise<readonly EngineEvent[]> {
    const events = this.#eventsOf(await this.#options.venue.gateway.send(command, this.#signal));
    this.#onEvents(events);
    return events;
  }

  #eventsOf(answer: Answer): readonly EngineEvent[] {
    const events: EngineEvent[] = [];
    try {
      this.#options.venue.normalizer.normalize(answer, (event) => void events.push(event));
      return events;
    } catch (fault) {
      // A sweep may run because something is broken. An unreadable answer therefore ends nothing: the request is
      // repeated.
      this.#onTrouble(`an answer that cannot be read: ${String(fault)}`);
      return [];
    }
  }

  /** Handles the events of one request. The orders of a batch may all have the same trouble, which counts once. */
  #onEvents(events: readonly EngineEvent[], requested = 1): void {
    for (const trouble of new Set(events.flatMap((event) => troubleOf(event) ?? []))) this.#onTrouble(trouble);
    for (const event of events) this.#onRate(event, requested);
  }

  #onTrouble(trouble: string): void {
    this.#troubles += 1;
    this.#trouble = trouble;
    this.#options.log.warn({ trouble }, 'canceling meets trouble');
  }

  #onRate(event: EngineEvent, requested: number): void {
    if (event.kind === 'rate-limited') {
      const retryMs = event.retryAfter === null ? null : Math.min(ASKED_PAUSE_MS_MAX, event.retryAfter / 1000);
      if (event.budget === 'read') this.#retryMs = retryMs ?? 0;
      else this.#onTradeRefused(requested, retryMs);
    } else if (event.kind === 'cancel-accepted') this.#pace.onAccepted();
    else if (event.kind === 'answered' && event.ok) this.#retryMs = 0;
  }

  /**
   * A refused batch halves at once, whatever wait the venue names for it: a bot may use the limit, too, and leave room for
   * fewer cancels.
   */
  #onTradeRefused(cancels: number, retryMs: number | null): void {
    if (cancels > 1) return;
    this.#pace.onRefused(this.#batchMax > 1 ? this.#batchMax : CANCELS_AT_ONCE, retryMs);
    this.#batchSize = this.#batchMax;
  }
}

const isAccepted = ({ kind }: EngineEvent): boolean => kind === 'cancel-accepted';

/** Returns the client order id for the gateway. An order without an id gets one from its venue order id. */
const gatewayIdOf = ({ clientOrderId: id, venueOrderId: venueId }: CancelTarget): ClientOrderId =>
  id ?? clientIdFromVenue(venueId);

function troubleOf(event: EngineEvent): string | null {
  // A sweep sends only cancels and reads, so no other request can be lost.
  if (event.kind === 'cancel-lost') return event.reason;
  if (!isOfNature(event, 'answer')) return null;
  switch (event.kind) {
    case 'rate-limited':
      return 'the venue refused for rate';
    case 'read-failed':
      return event.reason;
    case 'answered':
    case 'markets-listed':
    case 'order-found':
    case 'balance':
    case 'positions':
    case 'orders':
    case 'fills':
    case 'settlements':
    case 'queue-positions':
      return null;
  }
}
