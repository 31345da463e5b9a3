// Cancels resting orders without an engine, which may be dead, hung or faulty. Lists the account's orders, cancels
// them, and repeats both until the venue's list is empty twice in a row. Must never place an order, and never treat a
// failed list as an empty list.
import type { CancelCommand, ReadCommand } from '../../domain/venue-command.ts';
import type { EngineEvent, OrderReport, OrdersPage } from '../../domain/event.ts';
import { isOfNature } from '../../domain/event-kinds.ts';
import { clientIdFromVenue } from '../../domain/orders/client-order-id.ts';
import type { ClientOrderId } from '../../domain/ids.ts';
import type { Micros } from '../../domain/units.ts';
import type { Logger } from '../../log.ts';
import type { Scheduler } from '../../transport/scheduler.ts';
import type { Venue } from '../../venue.ts';

export interface CancelSweepOptions {
  readonly venue: Pick<Venue, 'gateway' | 'normalizer' | 'tickers'>;
  readonly now: () => Micros;
  readonly scheduler: Scheduler;
  readonly log: Logger;
  /** Selects the working orders of the account that are to be canceled. */
  readonly isOurs: (order: OrderReport, ticker: string) => boolean;
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

const CANCELS_AT_ONCE = 8;
const PAUSE_MS = 100;
const TROUBLE_PAUSE_MS_MAX = 5000;
const PAGES_MAX = 1000;

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
  /** Wait in milliseconds that the venue asked for in its last refusal by rate limit. */
  #retryMs = 0;

  constructor(options: CancelSweepOptions) {
    this.#options = options;
    this.#startedMs = options.scheduler.now();
    this.#signal = options.signal ?? new AbortController().signal;
  }

  async run(): Promise<CancelSweepResult> {
    let quietFromMs = 0;
    for (let empty = 0; empty < 2;) {
      if (this.#isOver()) return this.#result(false);
      const isSettled = this.#elapsedMs() - quietFromMs >= this.#options.graceMs;
      const orders = await this.#readList();
      if (orders === null) {
        await this.#pauseForTrouble();
        continue;
      }
      if (orders.length > 0) quietFromMs = this.#elapsedMs();
      empty = orders.length === 0 && isSettled ? empty + 1 : 0;
      if (orders.length > 0) await this.#cancelAll(orders);
      if (empty < 2) await this.#pause(Math.max(PAUSE_MS, this.#retryMs));
    }
    return this.#result(true);
  }

  /** Reads complete lists until one succeeds or the time has passed. */
  async listOnce(): Promise<CancelSweepResult> {
    while (!this.#isOver()) {
      const orders = await this.#readList();
      if (orders !== null) return this.#result(orders.length === 0);
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

  /** Returns the selected orders of all pages, or `null` when a page failed or there were too many pages. */
  async #readList(): Promise<OrderReport[] | null> {
    const rows: OrderReport[] = [];
    let cursor: string | null = null;
    for (let pages = 0; pages < PAGES_MAX; pages++) {
      const page = await this.#readPage(cursor);
      if (page === null) return null;
      rows.push(...page.rows);
      cursor = page.cursor;
      if (cursor === null) break;
    }
    if (cursor !== null) return null;
    this.#troubles = 0;
    const ours = rows.filter((row) => row.status === 'working' && this.#options.isOurs(row, this.#tickerOf(row)));
    this.#left = ours.map((row) => ({
      clientOrderId: row.clientOrderId,
      venueOrderId: row.venueOrderId,
      ticker: this.#tickerOf(row),
    }));
    return ours;
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

  async #cancelAll(orders: readonly OrderReport[]): Promise<void> {
    const waiting = [...orders];
    const cancelWaiting = async (): Promise<void> => {
      for (let next = waiting.shift(); next && !this.#isOver(); next = waiting.shift()) await this.#cancel(next);
    };
    await Promise.all(Array.from({ length: Math.min(CANCELS_AT_ONCE, orders.length) }, cancelWaiting));
  }

  async #cancel(order: OrderReport): Promise<void> {
    const command: CancelCommand = {
      type: 'cancel',
      lane: 'cancel',
      id: (this.#commandId += 1),
      clientOrderId: gatewayIdOf(order),
      venueOrderId: order.venueOrderId,
      ticker: this.#options.venue.tickers.tickerOf(order.market),
      createdAt: this.#options.now(),
      validUntil: null,
    };
    const events = await this.#request(command);
    const isCanceled = events.some(({ kind }) => kind === 'cancel-accepted');
    if (isCanceled) this.#canceled += 1;
    const { clientOrderId: id, venueOrderId } = command;
    this.#options.log.warn({ clientOrderId: id, venueOrderId, isCanceled }, 'cancel sent outside the engine');
    // The rate limit would refuse the other cancels of this round, too.
    if (events.some(({ kind }) => kind === 'rate-limited')) await this.#pauseForTrouble();
  }

  async #request(command: ReadCommand | CancelCommand): Promise<EngineEvent[]> {
    const { gateway, normalizer } = this.#options.venue;
    const events: EngineEvent[] = [];
    const answer = await gateway.send(command, this.#signal);
    try {
      normalizer.normalize(answer, (event) => void events.push(event));
    } catch (fault) {
      // A sweep may run because something is broken. An unreadable answer therefore ends nothing: the request is
      // repeated.
      this.#onTrouble(`an answer that cannot be read: ${String(fault)}`);
      return [];
    }
    for (const event of events) this.#onEvent(event);
    return events;
  }

  #onTrouble(trouble: string): void {
    this.#troubles += 1;
    this.#trouble = trouble;
    this.#options.log.warn({ trouble }, 'canceling meets trouble');
  }

  #onEvent(event: EngineEvent): void {
    const trouble = troubleOf(event);
    if (trouble !== null) this.#onTrouble(trouble);
    if (event.kind === 'rate-limited') this.#retryMs = (event.retryAfter ?? 0) / 1000;
    else if (event.kind === 'answered' && event.ok) this.#retryMs = 0;
  }
}

/** Returns the client order id for the gateway. An order without an id gets one from its venue order id. */
const gatewayIdOf = ({ clientOrderId: id, venueOrderId }: OrderReport): ClientOrderId =>
  id ?? clientIdFromVenue(venueOrderId);

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
