// Requests reads and assembles their pages. Most failed reads are requested again later, after a growing wait. Must
// never deliver part of a list: an incomplete list proves nothing.
import { assert } from '../../base/assert.ts';
import type { ReadCommand, ReadLane, ReadTarget } from '../../domain/venue-command.ts';
import type {
  BalanceRead,
  EngineEvent,
  FillReport,
  FillsPage,
  MarketsListed,
  OrderFound,
  OrderReport,
  OrdersPage,
  PositionReport,
  PositionsPage,
  ReadFailed,
  SettlementReport,
  SettlementsPage,
} from '../../domain/event.ts';
import { isOfNature } from '../../domain/event-kinds.ts';
import type { Micros, Money } from '../../domain/units.ts';

/**
 * A completed read. `askedAt` is the time at which its first page was requested. The read may contain nothing newer.
 */
export type CompletedRead = { readonly askedAt: Micros; readonly at: Micros } & (
  | { readonly what: 'positions'; readonly rows: readonly PositionReport[] }
  | {
      readonly what: 'orders';
      readonly target: Extract<ReadTarget, { what: 'orders' }>;
      readonly rows: readonly OrderReport[];
    }
  | { readonly what: 'fills'; readonly since: Micros | null; readonly rows: readonly FillReport[] }
  | { readonly what: 'settlements'; readonly rows: readonly SettlementReport[] }
  | { readonly what: 'balance'; readonly available: Money }
  | {
      readonly what: 'order';
      readonly target: Extract<ReadTarget, { what: 'order' }>;
      readonly order: OrderReport | null;
    }
  | { readonly what: 'markets' }
);

type Page = PositionsPage | OrdersPage | FillsPage | SettlementsPage;

interface Pending {
  readonly target: ReadTarget;
  readonly lane: ReadLane;
  readonly askedAt: Micros;
  readonly pages: readonly Page[];
  readonly pageCount: number;
  /** The cursors of the pages requested so far, apart from the first page. */
  readonly cursors: ReadonlySet<string>;
  readonly attempts: number;
}

interface Retry extends Pick<Pending, 'target' | 'lane' | 'attempts'> {
  readonly at: Micros;
}

export interface VenueReaderOptions {
  /** Queues a request. Returns false when too many reads are waiting. */
  readonly enqueue: (command: ReadCommand) => boolean;
  readonly nextCommandId: () => number;
  /** Called when a list has endless pages: it is started again later. */
  readonly onEndless: (target: ReadTarget, reason: string) => void;
}

const RETRY_FIRST_MS = 500;
const RETRY_MS_MAX = 10_000;
const PAGES_MAX = 1000;
const NEW_READ = {
  lane: 'read',
  pages: [],
  pageCount: 0,
  cursors: new Set<string>(),
  attempts: 0,
} as const satisfies Partial<Pending>;

/** Keeps the reads that are waiting, in flight or to be retried. */
export class VenueReader {
  readonly #options: VenueReaderOptions;
  /** Reads waiting or in flight, by command. Added when queued; removed when answered, or when they fail. */
  readonly #pending = new Map<number, Pending>();
  /** The single-answer read that was answered last. Its content may still prove unreadable. */
  #answered: { readonly commandId: number; readonly pending: Pending } | null = null;
  /** Reads to be requested again. Added when the queue is full or a read fails; removed when they are due. */
  #retries: Retry[] = [];
  /** The earliest time of a retry; infinite without any. Microseconds. */
  #retryAt = Number.POSITIVE_INFINITY;

  constructor(options: VenueReaderOptions) {
    this.#options = options;
  }

  requestRead(target: ReadTarget, now: Micros, lane: ReadLane = 'read'): void {
    this.#send({ ...NEW_READ, lane, target, askedAt: now }, { cursor: null, now });
  }

  /**
   * Requests a read unless a read of its kind is pending. A list of working orders and a list of all orders are of
   * different kinds.
   */
  requestOnce(target: ReadTarget, now: Micros, lane: ReadLane = 'read'): void {
    const isSame = (other: ReadTarget): boolean =>
      other.what === target.what &&
      (other.what !== 'orders' || target.what !== 'orders' || other.status === target.status);
    if (!this.#isAnyPending(isSame)) this.requestRead(target, now, lane);
  }

  #send(pending: Pending, { cursor, now }: { readonly cursor: string | null; readonly now: Micros }): void {
    const id = this.#options.nextCommandId();
    assert(!this.#pending.has(id), 'each read must have a number of its own');
    const { target, lane } = pending;
    const isQueued = this.#options.enqueue({
      type: 'read',
      lane,
      id,
      target,
      cursor,
      createdAt: now,
      validUntil: null,
    });
    if (isQueued) this.#pending.set(id, pending);
    else this.#retryLater(pending, now);
  }

  /** Handles an event that belongs to a read. Returns the read when the event completes it. */
  acceptEvent(event: EngineEvent): CompletedRead | null {
    if (!isOfNature(event, 'answer')) return null;
    switch (event.kind) {
      case 'positions':
      case 'orders':
      case 'fills':
      case 'settlements':
        return this.#acceptPage(event);
      case 'balance':
        return this.#acceptBalance(event);
      case 'order-found':
        return this.#acceptOrder(event);
      case 'markets-listed':
        return this.#acceptMarkets(event);
      case 'read-failed':
        this.#acceptFailure(event);
        return null;
      // `onAnswered` ends reads with a single answer. The planner repeats a read that was refused because of the rate
      // limit.
      case 'answered':
      case 'rate-limited':
      case 'queue-positions':
        return null;
    }
  }

  /** Handles the answer to a request. A read whose answer arrives as an event of its own ends here. */
  onAnswered(commandId: number): void {
    const pending = this.#pending.get(commandId);
    if (!pending || !SINGLE_ANSWER.has(pending.target.what)) return;
    this.#pending.delete(commandId);
    assert(pending.pages.length === 0, 'a read with a single answer must have no pages');
    this.#answered = { commandId, pending };
  }

  #acceptPage(page: Page): CompletedRead | null {
    const pending = this.#removePending(page.commandId);
    if (!pending) return null;
    assert(pending.pages.length === pending.pageCount, 'no page of a list may be missing or counted twice');
    const askedAt = pending.pageCount === 0 ? page.askedAt : pending.askedAt;
    const list = { ...pending, askedAt, pages: [...pending.pages, page] };
    if (page.cursor === null) return completedRead(list, page);
    this.#requestNextPage(list, page.cursor, page.at);
    return null;
  }

  /** Requests the next page. A read with endless pages is started again later. */
  #requestNextPage(pending: Pending, cursor: string, now: Micros): void {
    const pageCount = pending.pageCount + 1;
    assert(pageCount <= PAGES_MAX, 'a list must have a bounded number of pages');
    const isRepeated = pending.cursors.has(cursor);
    if (!isRepeated && pageCount < PAGES_MAX) {
      const cursors = new Set(pending.cursors).add(cursor);
      return this.#send({ ...pending, pageCount, cursors }, { cursor, now });
    }
    const found = isRepeated ? 'the cursor of an earlier page' : 'a further page';
    this.#options.onEndless(pending.target, `page ${pageCount}: expected the end of the list, found ${found}`);
    this.#retryLater(pending, now);
  }

  #acceptBalance(event: BalanceRead): CompletedRead | null {
    const pending = this.#removePending(event.commandId);
    if (!pending) return null;
    return { what: 'balance', available: event.available, askedAt: event.askedAt, at: event.at };
  }

  #acceptOrder(event: OrderFound): CompletedRead | null {
    const pending = this.#removePending(event.commandId);
    if (pending?.target.what !== 'order') return null;
    const { order, askedAt, at } = event;
    return { what: 'order', target: pending.target, order, askedAt, at };
  }

  #acceptMarkets(event: MarketsListed): CompletedRead | null {
    const pending = this.#removePending(event.commandId);
    if (!pending) return null;
    if (event.cursor === null) return { what: 'markets', askedAt: pending.askedAt, at: event.at };
    this.#requestNextPage(pending, event.cursor, event.at);
    return null;
  }

  #removePending(commandId: number): Pending | undefined {
    const pending = this.#pending.get(commandId);
    this.#pending.delete(commandId);
    return pending;
  }

  #acceptFailure({ commandId, at: now, isRefused }: ReadFailed): void {
    const answered = this.#answered?.commandId === commandId ? this.#answered.pending : undefined;
    const pending = this.#removePending(commandId) ?? answered;
    this.#answered = null;
    // A refused read with a single answer is not repeated; a later event may request it again.
    if (pending && !(isRefused && SINGLE_ANSWER.has(pending.target.what))) this.#retryLater(pending, now);
  }

  #retryLater(pending: Pending, now: Micros): void {
    const waitMs = Math.min(RETRY_MS_MAX, RETRY_FIRST_MS * 2 ** pending.attempts);
    const at = (now + waitMs * 1000) as Micros;
    const { target, lane, attempts } = pending;
    this.#retries.push({ at, target, lane, attempts: attempts + 1 });
    this.#retryAt = Math.min(this.#retryAt, at);
  }

  retryDue(now: Micros): void {
    if (now < this.#retryAt) return;
    const due = this.#retries.filter(({ at }) => at <= now);
    this.#retries = this.#retries.filter(({ at }) => at > now);
    this.#retryAt = this.#retries.reduce((earliest, { at }) => Math.min(earliest, at), Number.POSITIVE_INFINITY);
    for (const { target, lane, attempts } of due)
      this.#send({ ...NEW_READ, lane, target, askedAt: now, attempts }, { cursor: null, now });
  }

  retryAt(): Micros | null {
    return Number.isFinite(this.#retryAt) ? (this.#retryAt as Micros) : null;
  }

  /** True when a read of this kind is waiting, in flight or to be retried. */
  isPending(what: ReadTarget['what']): boolean {
    return this.#isAnyPending((target) => target.what === what);
  }

  /** True when a list of our own figures is pending. */
  get isListing(): boolean {
    return this.#isAnyPending((target) => LISTS.has(target.what));
  }

  isLookingUp(venueOrderId: string): boolean {
    return this.#isAnyPending((target) => target.what === 'order' && target.venueOrderId === venueOrderId);
  }

  #isAnyPending(matches: (target: ReadTarget) => boolean): boolean {
    for (const { target } of this.#pending.values()) if (matches(target)) return true;
    return this.#retries.some(({ target }) => matches(target));
  }
}

/** Reads whose answers arrive as events of their own, without pages to assemble. */
const SINGLE_ANSWER: ReadonlySet<ReadTarget['what']> = new Set([
  'status',
  'limits',
  'market',
  'event',
  'series',
  'fee-changes',
  'book',
  'queue-positions',
]);

const LISTS: ReadonlySet<ReadTarget['what']> = new Set(['positions', 'orders', 'fills', 'settlements']);

function completedRead(pending: Pending, last: Page): CompletedRead | null {
  const { askedAt, target, pages } = pending;
  const { at } = last;
  switch (last.kind) {
    case 'positions':
      return { what: 'positions', rows: rowsOf(pages, isPositions), askedAt, at };
    case 'fills':
      if (target.what !== 'fills') return null;
      return { what: 'fills', since: target.since, rows: rowsOf(pages, isFills), askedAt, at };
    case 'settlements':
      return { what: 'settlements', rows: rowsOf(pages, isSettlements), askedAt, at };
    case 'orders':
      if (target.what !== 'orders') return null;
      return { what: 'orders', target, rows: rowsOf(pages, isOrders), askedAt, at };
  }
}

function rowsOf<P extends Page>(pages: readonly Page[], isKind: (page: Page) => page is P): P['rows'][number][] {
  const rows: P['rows'][number][] = [];
  for (const page of pages) if (isKind(page)) for (const row of page.rows) rows.push(row);
  return rows;
}
const isPositions = (page: Page): page is PositionsPage => page.kind === 'positions';
const isFills = (page: Page): page is FillsPage => page.kind === 'fills';
const isSettlements = (page: Page): page is SettlementsPage => page.kind === 'settlements';
const isOrders = (page: Page): page is OrdersPage => page.kind === 'orders';
