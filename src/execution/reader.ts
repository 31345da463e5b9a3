// Asks for reads and puts their pages together. A list is told only when its last page has come: an incomplete list
// proves nothing. A read that failed is asked again, later each time.
import type { ReadCommand, ReadLane, ReadTarget } from '../domain/command.ts';
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
} from '../domain/event.ts';
import type { Micros, Money } from '../domain/units.ts';

/** A read that has come in whole. `askedAt` is when its first page was asked for: it may know nothing newer. */
export type Completed = { readonly askedAt: Micros; readonly at: Micros } & (
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
  /** How many pages have come. */
  readonly pageCount: number;
  readonly attempts: number;
}

export interface ReaderOptions {
  /** `false` when too many reads wait already. */
  readonly enqueue: (command: ReadCommand) => boolean;
  readonly nextCommandId: () => number;
}

const RETRY_FIRST_MS = 500;
const RETRY_MS_MAX = 10_000;
const PAGES_MAX = 1000;
/** A read of which nothing has come yet. */
const FIRST = { lane: 'read', pages: [], pageCount: 0, attempts: 0 } as const satisfies Partial<Pending>;

/** Reads under way. */
export class Reader {
  readonly #options: ReaderOptions;
  readonly #pending = new Map<number, Pending>();
  /** The plain read that was answered last: what it said may yet prove unreadable. */
  #answered: { readonly commandId: number; readonly pending: Pending } | null = null;
  readonly #retries: (Pick<Pending, 'target' | 'lane' | 'attempts'> & { readonly at: Micros })[] = [];

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  /** Asks for something to be read. */
  ask(target: ReadTarget, now: Micros, lane: ReadLane = 'read'): void {
    this.#send({ ...FIRST, lane, target, askedAt: now }, { cursor: null, now });
  }

  /** Asks unless the same kind of read is under way; a list of working orders is not a list of all. */
  askOnce(target: ReadTarget, now: Micros, lane: ReadLane = 'read'): void {
    const isSame = (other: ReadTarget): boolean =>
      other.what === target.what &&
      (other.what !== 'orders' || target.what !== 'orders' || other.status === target.status);
    if (!this.#isUnderWay(isSame)) this.ask(target, now, lane);
  }

  #send(pending: Pending, { cursor, now }: { readonly cursor: string | null; readonly now: Micros }): void {
    const id = this.#options.nextCommandId();
    const { target, lane } = pending;
    const isTaken = this.#options.enqueue({ type: 'read', lane, id, target, cursor, createdAt: now, validUntil: null });
    if (isTaken) this.#pending.set(id, pending);
    else this.#retryLater(pending, now);
  }

  /** Takes an event that belongs to a read; tells what is complete by it. */
  take(event: EngineEvent): Completed | null {
    switch (event.kind) {
      case 'positions':
      case 'orders':
      case 'fills':
      case 'settlements':
        return this.#takePage(event);
      case 'balance':
        return this.#takeBalance(event);
      case 'order-found':
        return this.#takeOrder(event);
      case 'markets-listed':
        return this.#takeMarkets(event);
      case 'read-failed':
        this.#takeFailure(event);
        return null;
      default:
        return null;
    }
  }

  /** A request came back: reads whose answers are plain facts, with no pages to put together, end here. */
  takeAnswered(commandId: number): void {
    const pending = this.#pending.get(commandId);
    if (!pending || !PLAIN.has(pending.target.what)) return;
    this.#pending.delete(commandId);
    this.#answered = { commandId, pending };
  }

  #takePage(page: Page): Completed | null {
    const pending = this.#end(page.commandId);
    if (!pending) return null;
    const askedAt = pending.pageCount === 0 ? page.askedAt : pending.askedAt;
    const list = { ...pending, askedAt, pages: [...pending.pages, page] };
    if (page.cursor === null) return complete(list, page);
    this.#turnPage(list, page.cursor, page.at);
    return null;
  }

  /** Asks for the next page. A venue that hands out cursors for ever must not hold us for ever: we begin again, later. */
  #turnPage(pending: Pending, cursor: string, now: Micros): void {
    const pageCount = pending.pageCount + 1;
    if (pageCount < PAGES_MAX) this.#send({ ...pending, pageCount }, { cursor, now });
    else this.#retryLater(pending, now);
  }

  #takeBalance(event: BalanceRead): Completed | null {
    const pending = this.#end(event.commandId);
    if (!pending) return null;
    return { what: 'balance', available: event.available, askedAt: event.askedAt, at: event.at };
  }

  #takeOrder(event: OrderFound): Completed | null {
    const pending = this.#end(event.commandId);
    if (pending?.target.what !== 'order') return null;
    const { order, askedAt, at } = event;
    return { what: 'order', target: pending.target, order, askedAt, at };
  }

  #takeMarkets(event: MarketsListed): Completed | null {
    const pending = this.#end(event.commandId);
    if (!pending) return null;
    if (event.cursor === null) return { what: 'markets', askedAt: pending.askedAt, at: event.at };
    this.#turnPage(pending, event.cursor, event.at);
    return null;
  }

  #end(commandId: number): Pending | undefined {
    const pending = this.#pending.get(commandId);
    this.#pending.delete(commandId);
    return pending;
  }

  #takeFailure({ commandId, at: now, isRefused }: ReadFailed): void {
    const answered = this.#answered?.commandId === commandId ? this.#answered.pending : undefined;
    const pending = this.#end(commandId) ?? answered;
    this.#answered = null;
    // What is refused of one market or group stays refused, until somebody has a reason to ask anew.
    if (pending && !(isRefused && PLAIN.has(pending.target.what))) this.#retryLater(pending, now);
  }

  #retryLater(pending: Pending, now: Micros): void {
    const waitMs = Math.min(RETRY_MS_MAX, RETRY_FIRST_MS * 2 ** pending.attempts);
    const at = (now + waitMs * 1000) as Micros;
    const { target, lane, attempts } = pending;
    this.#retries.push({ at, target, lane, attempts: attempts + 1 });
  }

  /** Asks again for what failed and is due. */
  retry(now: Micros): void {
    if (this.#retries.length === 0) return;
    const due = this.#retries.filter(({ at }) => at <= now);
    for (const retry of due) {
      this.#retries.splice(this.#retries.indexOf(retry), 1);
      const { target, lane, attempts } = retry;
      this.#send({ ...FIRST, lane, target, askedAt: now, attempts }, { cursor: null, now });
    }
  }

  /** When the next failed read is asked again; `null` when none failed. */
  retryAt(): Micros | null {
    return this.#retries.reduce<Micros | null>(
      (earliest, { at }) => (earliest === null || at < earliest ? at : earliest),
      null,
    );
  }

  /** Whether a kind of read is under way or will be asked again. */
  isPending(what: ReadTarget['what']): boolean {
    return this.#isUnderWay((target) => target.what === what);
  }

  /** Whether a list of what is ours is under way, or will be asked for again. */
  get isListing(): boolean {
    return this.#isUnderWay((target) => LISTS.has(target.what));
  }

  /** Whether one order is being looked up. */
  isLookingUp(venueOrderId: string): boolean {
    return this.#isUnderWay((target) => target.what === 'order' && target.venueOrderId === venueOrderId);
  }

  #isUnderWay(isIt: (target: ReadTarget) => boolean): boolean {
    for (const { target } of this.#pending.values()) if (isIt(target)) return true;
    return this.#retries.some(({ target }) => isIt(target));
  }
}

/** Reads whose answers are told as events of their own, needing no pages put together. */
const PLAIN: ReadonlySet<ReadTarget['what']> = new Set([
  'status',
  'limits',
  'market',
  'event',
  'series',
  'fee-changes',
  'book',
  'queue-positions',
]);

/** Reads whose pages are put together. */
const LISTS: ReadonlySet<ReadTarget['what']> = new Set(['positions', 'orders', 'fills', 'settlements']);

function complete(pending: Pending, last: Page): Completed | null {
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

/** The rows of a list's pages of one kind: all of them, for a read has pages of no other. */
function rowsOf<P extends Page>(pages: readonly Page[], isKind: (page: Page) => page is P): P['rows'][number][] {
  const rows: P['rows'][number][] = [];
  for (const page of pages) if (isKind(page)) for (const row of page.rows) rows.push(row);
  return rows;
}
const isPositions = (page: Page): page is PositionsPage => page.kind === 'positions';
const isFills = (page: Page): page is FillsPage => page.kind === 'fills';
const isSettlements = (page: Page): page is SettlementsPage => page.kind === 'settlements';
const isOrders = (page: Page): page is OrdersPage => page.kind === 'orders';
