// Reads the facts of one session from its journal. Inputs go through the venue's normalizer; commands are read as they
// are. Must never depend on the place where the last reading stopped: the needed state is saved.
import { z } from 'zod';
import type {
  ClockLeapt,
  ClockStepped,
  EngineEvent,
  FeedDown,
  FeedUp,
  OperatorOrdered,
  OrdersPage,
  SessionStarted,
  SessionStopping,
} from '../../domain/event.ts';
import { type MarketIndex, TickerTable, ticker } from '../../domain/ids.ts';
import type { HaltScope } from '../../domain/operator-order.ts';
import type { RequestCommand } from '../../domain/venue-command.ts';
import { isFeedCommand } from '../../domain/venue-command.ts';
import { namedLimitText } from '../../risk/limit-text.ts';
import { PaperNormalizer } from '../../runtime/paper/paper-normalizer.ts';
import { answerOf, commandsOf, inputOf, noticesOf } from '../../tape/format/input-lines.ts';
import type { Entry } from '../../tape/format/tape-line.ts';
import type { Normalizer } from '../../venue.ts';
import { profileByName } from '../../venues/trade-api/profiles/profile-registry.ts';
import { tradeApiReplayParts } from '../../venues/trade-api/replay-parts.ts';
import type { EventFact, FactPlace, MarketFact, SessionFact } from './fact-rows.ts';
import type { FactTables } from './fact-tables.ts';
import { MarketFacts } from './market-facts.ts';
import { NO_OPENING, OpeningFacts, openingStateSchema } from './opening-facts.ts';
import { type OrderFactEvent, OrderFacts } from './order-facts.ts';

/** State of a session that is kept between two readings. */
export const sessionStateSchema = z.object({
  /** Unanswered requests, as the journal holds them. */
  requests: z.array(z.record(z.string(), z.unknown())),
  /** Tickers by market number. */
  tickers: z.array(z.string()),
  causeSeq: z.nullable(z.int()),
  opening: openingStateSchema,
  /** The pages read of a list of resting orders: their ids at the venue and ours. `null` while no list is being read. */
  listed: z
    .nullable(z.array(z.object({ venueOrderId: z.string(), clientOrderId: z.nullable(z.string()) })))
    .default(null),
});
export type SessionState = z.output<typeof sessionStateSchema>;

export const newSessionState = (tickers: readonly string[]): SessionState => ({
  requests: [],
  tickers: [...tickers],
  causeSeq: null,
  opening: NO_OPENING,
  listed: null,
});

export interface SessionFactsOptions {
  readonly tables: FactTables;
  readonly session: SessionFact;
  readonly state: SessionState;
}

/** Reads one session. */
export class SessionFacts {
  readonly session: SessionFact;
  readonly #tables: FactTables;
  readonly #tickers = new TickerTable();
  readonly #markets: (MarketFact | null)[] = [];
  readonly #normalizer: Normalizer | null;
  /** Unanswered requests by number. Added when sent; removed when answered. */
  readonly #requests = new Map<number, RequestCommand>();
  readonly #orders: OrderFacts;
  readonly #marketFacts: MarketFacts;
  readonly #opening: OpeningFacts;
  #causeSeq: number | null;
  #listed: SessionState['listed'];
  #answered: RequestCommand | null = null;
  #place: FactPlace;

  constructor({ tables, session, state }: SessionFactsOptions) {
    this.session = session;
    this.#tables = tables;
    this.#causeSeq = state.causeSeq;
    this.#listed = state.listed;
    this.#place = { sessionId: session.id, seq: 0, atUs: session.last_us };
    for (const name of state.tickers) this.#tickers.internTicker(ticker(name));
    // tidy: as (the journal holds the command as this program wrote it)
    for (const request of state.requests as unknown as RequestCommand[]) this.#requests.set(request.id, request);
    const marketOf = (index: MarketIndex): MarketFact | null => this.#marketOf(index);
    const scope = session.is_paper === 1 ? session.name : '';
    this.#orders = new OrderFacts({ tables, marketOf, scope });
    this.#marketFacts = new MarketFacts({ tables, marketOf });
    this.#opening = new OpeningFacts({ tables, session, marketOf, state: state.opening });
    this.#normalizer = normalizerOf(session, this.#tickers);
  }

  /** The state for the next reading. */
  get state(): SessionState {
    return {
      // tidy: as (a command is a record of plain values)
      requests: [...this.#requests.values()] as unknown as SessionState['requests'],
      tickers: this.#tickers.tickersByIndex().flatMap((name) => (name === undefined ? [] : [name])),
      causeSeq: this.#causeSeq,
      opening: this.#opening.state,
      listed: this.#listed,
    };
  }

  /**
   * Reads the next entry of the session.
   * @throws {TapeFault} when the entry cannot be read.
   */
  readEntry(entry: Entry): void {
    this.#place = { sessionId: this.session.id, seq: entry.seq, atUs: entry.at };
    this.session.last_us = Math.max(this.session.last_us, entry.at);
    if (entry.kind === 'segment') return;
    if (entry.kind === 'end') return this.#endSession(entry);
    if (entry.kind === 'commands') return this.#readCommands(entry);
    if (entry.kind === 'notices') return this.#readNotices(entry);
    this.#causeSeq = entry.seq;
    // The request may be in a file that is no longer kept.
    if (entry.kind === 'answer' && !this.#requests.has(answerOf(entry).id)) return;
    const input = inputOf(entry, (id) => this.#requests.get(id));
    if (input === null) return;
    if (input.type === 'event') return this.#readEvent(input.event);
    this.#answered = input.type === 'answer' ? input.command : null;
    if (input.type === 'answer') this.#requests.delete(input.command.id);
    this.#normalizer?.normalize(input, this.#readEvent);
    this.#answered = null;
  }

  #readCommands(entry: Entry): void {
    for (const command of commandsOf(entry)) {
      if (command.type === 'place') this.#opening.openAccount();
      if (!isFeedCommand(command)) this.#requests.set(command.id, command);
      this.#orders.recordCommand(command, this.#place, this.#causeSeq);
    }
  }

  #readNotices(entry: Entry): void {
    for (const notice of noticesOf(entry)) {
      if (notice.type === 'alarm') this.#addEvent({ kind: 'alarm', code: notice.code, text: notice.text });
      else {
        const { scope, by, reason } = notice.halt;
        this.#addEvent({ kind: 'halt', code: by, scope: scopeText(scope), who: by, text: reason });
      }
    }
  }

  #endSession(entry: Entry): void {
    const { reason } = endSchema.parse(JSON.parse(entry.payload.toString()));
    this.session.ended_us = entry.at;
    this.session.how = reason;
    if (this.session.is_paper === 1) this.#orders.endPaperOrders(this.#place);
    this.#addEvent({ kind: 'session', code: 'end', text: reason });
  }

  writeChanges(): void {
    this.#marketFacts.writePrices();
    this.#tables.saveSession(this.session);
  }

  /** Ends a session without an end in its journal, because another session began. */
  markCrashed(seq: number): void {
    this.session.how = 'crashed';
    this.#place = { sessionId: this.session.id, seq, atUs: this.session.last_us };
    if (this.session.is_paper === 1) this.#orders.endPaperOrders(this.#place);
    this.#addEvent({ kind: 'session', code: 'crash', text: 'the session ended without an orderly end' });
  }

  #marketOf(index: MarketIndex): MarketFact | null {
    const known = this.#markets[index];
    if (known !== undefined) return known;
    const name = this.#tickers.tickersByIndex()[index];
    const market = name === undefined ? null : this.#tables.marketNamed(name);
    this.#markets[index] = market;
    return market;
  }

  readonly #readEvent = (event: EngineEvent): void => {
    switch (event.kind) {
      case 'book-delta':
        return;
      case 'order-accepted':
      case 'order-rejected':
      case 'order-not-sent':
      case 'order-unknown':
      case 'cancel-refused':
      case 'cancel-lost':
      case 'amend-accepted':
      case 'amend-refused':
      case 'amend-lost':
      case 'fill':
      case 'fills':
      case 'position-updated':
      case 'cancel-accepted':
      case 'order-updated':
      case 'order-found':
      case 'orders':
        return this.#recordOrderEvent(event);
      case 'positions':
        return this.#opening.addPositions(event, this.#isFirstPage());
      case 'balance':
        return this.#opening.setCash(event);
      case 'market':
      case 'market-changed':
      case 'event-group':
      case 'settlements':
      case 'ticker':
      case 'book-snapshot':
      case 'book-poll':
        return this.#marketFacts.recordEvent(event, this.#place);
      case 'rate-limited':
        if (this.#answered?.type === 'place') this.#orders.recordDeferred(this.#answered.clientOrderId, this.#place);
        return;
      case 'start':
        return this.#recordStart(event);
      case 'operator':
        return this.#recordOperator(event);
      case 'stop':
      case 'feed-down':
      case 'feed-up':
      case 'clock-stepped':
      case 'clock-leapt':
        return this.#recordIncident(event);
      case 'print':
      case 'feed-gap':
      case 'feed-heard':
      case 'feed-channel':
      case 'feed-untold':
      case 'markets-appeared':
      case 'markets-listed':
      case 'series':
      case 'fees-changed':
      case 'fees-scheduled':
      case 'exchange-status':
      case 'answered':
      case 'read-failed':
      case 'queue-positions':
      case 'timer':
      case 'unrecognized':
    }
  };

  #recordOrderEvent(event: OrderFactEvent): void {
    if (event.kind === 'cancel-accepted') this.#opening.recordCancel(event.clientOrderId);
    else if (event.kind === 'orders' && this.#isWorkingList()) this.#opening.setResting(event, this.#isFirstPage());
    else if ((event.kind === 'order-updated' || event.kind === 'order-found') && event.order !== null)
      this.#opening.recordReport(event.order);
    this.#orders.recordEvent(event, this.#place);
    if (event.kind === 'orders' && this.#isWorkingList()) this.#addListed(event);
  }

  /** Adds a page of resting orders. The last page ends what no page holds. A paper account has no earlier orders. */
  #addListed({ rows, cursor }: OrdersPage): void {
    const before = this.#isFirstPage() ? [] : this.#listed;
    if (before === null || this.session.is_paper === 1) return;
    const ids = rows.map(({ venueOrderId, clientOrderId }) => ({ venueOrderId, clientOrderId }));
    const all = [...before, ...ids];
    this.#listed = cursor === null ? null : all;
    if (cursor === null) this.#orders.endUnlisted(all, this.#place);
  }

  #recordIncident(event: SessionStopping | FeedDown | FeedUp | ClockStepped | ClockLeapt): void {
    switch (event.kind) {
      case 'stop':
        return this.#addEvent({ kind: 'session', code: 'stop', text: event.reason });
      case 'feed-down':
        return this.#addEvent({ kind: 'feed', code: 'down', text: event.reason });
      case 'feed-up':
        return this.#addEvent({ kind: 'feed', code: 'up', text: `connection ${event.connection}` });
      case 'clock-stepped':
        return this.#addEvent({ kind: 'clock', code: 'stepped', text: `set forward by ${event.by} microseconds` });
      case 'clock-leapt':
        return this.#addEvent({ kind: 'clock', code: event.verdict, text: `differs by ${event.by} microseconds` });
    }
  }

  #isFirstPage(): boolean {
    return this.#answered?.type === 'read' && this.#answered.cursor === null;
  }

  #isWorkingList(): boolean {
    const target = this.#answered?.type === 'read' ? this.#answered.target : null;
    return target?.what === 'orders' && target.status === 'working';
  }

  /** Numbers the markets of the restored state as the engine does. Messages of a paper account use these numbers. */
  #recordStart({ carried }: SessionStarted): void {
    const { books, halts, unresolved } = carried;
    const named = [
      ...(books?.others ?? []),
      ...(books?.books ?? []).flatMap(({ positions }) => positions),
      ...unresolved,
    ];
    for (const each of named) this.#tickers.internTicker(each.ticker);
    this.#addEvent({ kind: 'session', code: 'start', text: `session ${this.session.name} began` });
    for (const { scope, by, reason } of halts)
      this.#addEvent({ kind: 'halt', code: 'still-in-force', scope: scopeText(scope), who: by, text: reason });
  }

  #recordOperator({ order }: OperatorOrdered): void {
    const named: unknown = Reflect.get(order, 'who');
    const by = order.type === 'halt' ? order.by : 'operator';
    const who = typeof named === 'string' ? named : by;
    if (order.type === 'override') {
      const { limit, value, strategy, reason } = order.override;
      const scope = strategy === null ? 'account' : `strategy ${strategy}`;
      const text = `${limit} is ${namedLimitText(limit, value)}: ${reason}`;
      return this.#addEvent({ kind: 'override', code: limit, scope, who, text });
    }
    const scope = order.type === 'flatten' ? 'account' : scopeText(order.scope);
    this.#addEvent({ kind: order.type, code: by, scope, who, text: order.reason });
  }

  #addEvent({ scope = '', who = '', ...event }: Pick<EventFact, 'kind' | 'code' | 'text'> & Partial<EventFact>): void {
    this.#tables.addEvent(this.#place, { ...event, scope, who });
  }
}

const endSchema = z.object({ reason: z.string() });

function scopeText(scope: HaltScope): string {
  switch (scope.type) {
    case 'account':
      return 'account';
    case 'strategy':
      return `strategy ${scope.strategy}`;
    case 'market':
      return `market ${scope.ticker}`;
  }
}

/**
 * Creates a session's normalizer; `null` for a venue unknown to this version. Sequence numbers are ignored: a fact
 * counts even after a lost message.
 */
function normalizerOf({ profile: name, is_paper }: SessionFact, tickers: TickerTable): Normalizer | null {
  const profile = name === null ? undefined : profileByName(name);
  if (!profile) return null;
  const unnumbered = { ...profile, feed: { ...profile.feed, numbers: 'ignored' as const } };
  const { normalizer } = tradeApiReplayParts({ profile: unnumbered, tickers });
  return is_paper === 1 ? new PaperNormalizer(normalizer) : normalizer;
}
