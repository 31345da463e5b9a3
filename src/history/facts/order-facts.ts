// The life of orders in the journal: commands, answers, reports and fills become states with times and reasons. Must
// never lose a fill, nor let an ended order rest again.
import type { AmendAccepted, AmendRefused, FillReport, FillsPage, OrderFound, OrdersPage } from '../../domain/event.ts';
import type { EventOf } from '../../domain/event-kinds.ts';
import type { AmendCommand, Command, DecreaseCommand, PlaceCommand } from '../../domain/venue-command.ts';
import type { MarketIndex } from '../../domain/ids.ts';
import type { FactPlace, HistoryOrderState, MarketFact, OrderFact } from './fact-rows.ts';
import type { FactTables } from './fact-tables.ts';
import { type TimedReport, amendedTerms, isAllTraded, reportedTerms } from './amended-terms.ts';

const ENDED: ReadonlySet<HistoryOrderState> = new Set(['filled', 'canceled', 'expired', 'rejected', 'not-sent']);
/** States that a report of the venue overrules, because the order did arrive. */
const DOUBTFUL: ReadonlySet<HistoryOrderState> = new Set(['in-flight', 'queued', 'unknown', 'rejected', 'not-sent']);

/** An event about orders. */
export type OrderFactEvent = EventOf<'account'> | OrderFound | OrdersPage | FillsPage;

export interface OrderFactsOptions {
  readonly tables: FactTables;
  /** The market with a number; `null` for a number unknown in this session. */
  readonly marketOf: (index: MarketIndex) => MarketFact | null;
  /** Name of a paper session, which has an account of its own; otherwise empty. */
  readonly scope: string;
}

/** An order of a list: our id, and the venue's. */
export interface ListedOrder {
  readonly clientOrderId: string | null;
  readonly venueOrderId: string;
}

interface Transition {
  readonly state: HistoryOrderState;
  readonly why: string;
}

/** Follows the orders of one session, and earlier sessions' orders in its journal. */
export class OrderFacts {
  readonly #options: OrderFactsOptions;
  readonly #tables: FactTables;

  constructor(options: OrderFactsOptions) {
    this.#options = options;
    this.#tables = options.tables;
  }

  /** Records a command that left. `causeSeq` is the journal entry that led to the command. */
  recordCommand(command: Command, place: FactPlace, causeSeq: number | null): void {
    switch (command.type) {
      case 'place':
        return this.#recordPlace(command, place, causeSeq);
      case 'cancel':
        return this.#changeById(command.clientOrderId, place, { state: 'pending-cancel', why: 'cancel sent' });
      case 'amend':
      case 'decrease':
        return this.#recordChange(command, place);
      case 'read':
      case 'subscribe':
      case 'unsubscribe':
      case 'resync':
      case 'renew':
      case 'renew-private':
      case 'reconnect':
    }
  }

  #recordPlace(command: PlaceCommand, place: FactPlace, causeSeq: number | null): void {
    const { clientOrderId, ticker, strategy, side, price, qty } = command;
    const known = this.#tables.orderOf(clientOrderId);
    // An order refused for the rate limit is sent again.
    if (known !== null) return this.#change(known, place, { state: 'in-flight', why: 'sent again' });
    const market = this.#tables.marketNamed(ticker);
    this.#tables.describeMarket(market, { is_ours: 1 });
    const order = this.#tables.addOrder({
      session_id: place.sessionId,
      client_id: clientOrderId,
      venue_id: null,
      market_id: market.id,
      strategy,
      side,
      price,
      qty,
      filled: 0,
      state: 'in-flight',
      cause_seq: causeSeq,
      made_us: place.atUs,
      ended_us: null,
      end_why: null,
      terms_us: place.atUs,
      terms_venue_us: null,
      asked_qty: null,
    });
    this.#tables.addOrderState(order, place, 'sent');
  }

  #recordChange(command: AmendCommand | DecreaseCommand, place: FactPlace): void {
    const order = this.#tables.orderOf(command.clientOrderId);
    if (order === null || ENDED.has(order.state)) return;
    const asked = command.type === 'amend' ? command.qty : order.filled + command.leavesQty;
    this.#tables.changeOrder(order, { asked_qty: asked });
    this.#change(order, place, { state: 'pending-amend', why: `${command.type} sent` });
  }

  recordEvent(event: OrderFactEvent, place: FactPlace): void {
    switch (event.kind) {
      case 'order-accepted': {
        const order = this.#tables.orderOf(event.clientOrderId);
        if (order === null) return;
        this.#learnVenueId(order, event.venueOrderId);
        const isOver = event.isFinished && order.filled < order.qty && event.filledQty < order.qty;
        return this.#change(order, place, isOver ? OVER : { state: 'working', why: 'accepted' });
      }
      case 'order-rejected':
        return this.#changeById(event.clientOrderId, place, {
          state: 'rejected',
          why: `${event.code}: ${event.message}`,
        });
      case 'order-not-sent':
        return this.#changeById(event.clientOrderId, place, { state: 'not-sent', why: event.reason });
      case 'order-unknown':
        return this.#changeById(event.clientOrderId, place, { state: 'unknown', why: event.reason });
      case 'cancel-accepted':
        return this.#changeById(event.clientOrderId, place, { state: 'canceled', why: 'canceled' });
      case 'cancel-refused':
        return this.#resume(event.clientOrderId, place, `cancel refused: ${event.code}`);
      case 'cancel-lost':
        return this.#resume(event.clientOrderId, place, `cancel lost: ${event.reason}`);
      case 'amend-refused':
        return this.#recordRefusedChange(event, place);
      case 'amend-lost':
        return this.#resume(event.clientOrderId, place, `change lost: ${event.reason}`);
      case 'amend-accepted':
        return this.#recordAmend(event, place);
      case 'order-updated':
        return this.#recordReport({ report: event.order, atUs: place.atUs, askedUs: null }, place);
      case 'order-found':
        if (event.order === null) return;
        return this.#recordReport({ report: event.order, atUs: place.atUs, askedUs: event.askedAt }, place);
      case 'orders':
        for (const report of event.rows)
          this.#recordReport({ report, atUs: place.atUs, askedUs: event.askedAt }, place);
        return;
      case 'fill':
        return this.#recordFill(event.fill, place);
      case 'fills':
        for (const row of event.rows) this.#recordFill(row, place);
        return;
      case 'position-updated':
    }
  }

  /** Records that the venue refused an order for the rate limit. The order waits to be sent again. */
  recordDeferred(clientOrderId: string, place: FactPlace): void {
    this.#changeById(clientOrderId, place, { state: 'queued', why: 'the venue refused it for its rate' });
  }

  /** Sets an order back to work whose change the venue refused, or ends it when all of it has traded meanwhile. */
  #recordRefusedChange({ clientOrderId, code }: AmendRefused, place: FactPlace): void {
    const order = this.#tables.orderOf(clientOrderId);
    if (order === null) return;
    this.#tables.changeOrder(order, { asked_qty: null });
    this.#resume(clientOrderId, place, `change refused: ${code}`);
    if (!ENDED.has(order.state) && isAllTraded(order)) this.#change(order, place, TRADED);
  }

  /** Records a change that took effect, also of an order that ended before the answer came. */
  #recordAmend(event: AmendAccepted, place: FactPlace): void {
    const order = this.#tables.orderOf(event.clientOrderId);
    if (order === null) return;
    this.#tables.changeOrder(order, amendedTerms(order, event) ?? {});
    if (ENDED.has(order.state)) return;
    const { leavesQty } = event;
    if (leavesQty === 0 && order.filled >= order.qty && order.qty > 0) return this.#change(order, place, TRADED);
    if (leavesQty === 0) return this.#change(order, place, { state: 'canceled', why: 'changed to nothing' });
    this.#change(order, place, { state: 'working', why: 'changed' });
    if (isAllTraded(order)) this.#change(order, place, TRADED);
  }

  /**
   * Ends the orders of earlier sessions that a complete list of resting orders does not hold. Their end was not seen: no
   * session ran when the watchdog, an operator or the venue canceled them. A list of one venue says nothing of the orders
   * at another.
   */
  endUnlisted(rows: readonly ListedOrder[], place: FactPlace): void {
    const listed = new Set(rows.map((row) => this.#orderNamed(row)));
    for (const order of this.#tables.openBefore(place)) {
      if (listed.has(order)) continue;
      if (DOUBTFUL.has(order.state)) this.#endInDoubt(order, place);
      else this.#change(order, place, order.filled >= order.qty ? TRADED : OVER);
    }
  }

  /** Ends the orders of a paper session with the session: its account ends, too. */
  endPaperOrders(place: FactPlace): void {
    for (const order of this.#tables.openIn(place))
      this.#change(order, place, { state: 'canceled', why: 'ended with its paper session' });
  }

  /** Ends an order of which nothing says that it arrived. A later report of the venue overrules it. */
  #endInDoubt(order: OrderFact, place: FactPlace): void {
    this.#tables.changeOrder(order, { ended_us: place.atUs, end_why: OVER.why });
    this.#tables.addOrderState(order, place, OVER.why);
  }

  #recordReport(timed: TimedReport, place: FactPlace): void {
    const { report } = timed;
    const order = this.#orderNamed(report);
    if (order === null) return;
    this.#learnVenueId(order, report.venueOrderId);
    // A report of "working" is no news of an order whose end is certain.
    const isOver = ENDED.has(order.state) && !DOUBTFUL.has(order.state);
    if (!isOver || report.status !== 'working') this.#tables.changeOrder(order, reportedTerms(order, timed) ?? {});
    if (report.status === 'canceled') {
      const state = report.reason === 'ExpiryCancel' ? 'expired' : 'canceled';
      return this.#change(order, place, { state, why: report.reason ?? 'canceled' });
    }
    if (report.status === 'filled') return this.#change(order, place, TRADED);
    if (DOUBTFUL.has(order.state)) this.#change(order, place, { state: 'working', why: 'seen at the venue' });
  }

  #recordFill(fill: FillReport, place: FactPlace): void {
    if (fill.qty <= 0) return;
    const market = this.#options.marketOf(fill.market);
    if (market === null) return;
    const order = this.#orderNamed(fill);
    this.#tables.describeMarket(market, { is_ours: 1 });
    if (!this.#tables.addFill({ fill, place, scope: this.#options.scope, market, order })) return;
    if (order === null) return;
    this.#learnVenueId(order, fill.venueOrderId);
    this.#tables.changeOrder(order, { filled: order.filled + fill.qty });
    if (isAllTraded(order)) return this.#change(order, place, TRADED);
    if (DOUBTFUL.has(order.state)) this.#change(order, place, { state: 'working', why: 'traded in part' });
  }

  #orderNamed(named: ListedOrder): OrderFact | null {
    return this.#tables.orderOf(named.clientOrderId) ?? this.#tables.orderOfVenueId(named.venueOrderId);
  }

  #learnVenueId(order: OrderFact, venueId: string): void {
    if (order.venue_id === venueId) return;
    this.#tables.changeOrder(order, { venue_id: venueId });
    this.#tables.claimFills(order, venueId);
  }

  #changeById(clientOrderId: string, place: FactPlace, transition: Transition): void {
    const order = this.#tables.orderOf(clientOrderId);
    if (order !== null) this.#change(order, place, transition);
  }

  /** Sets an order back to work after a failed change. */
  #resume(clientOrderId: string, place: FactPlace, why: string): void {
    const order = this.#tables.orderOf(clientOrderId);
    if (order?.state === 'pending-cancel' || order?.state === 'pending-amend')
      this.#change(order, place, { state: 'working', why });
  }

  #change(order: OrderFact, place: FactPlace, { state, why }: Transition): void {
    if (order.state === state || !canFollow(order.state, state)) return;
    const end = ENDED.has(state) ? { ended_us: place.atUs, end_why: why } : { ended_us: null, end_why: null };
    this.#tables.changeOrder(order, { state, ...end });
    this.#tables.addOrderState(order, place, why);
  }
}

/** State of an order of which everything has traded. */
const TRADED: Transition = { state: 'filled', why: 'traded' };
/** State of an accepted order that may not rest. */
const OVER: Transition = { state: 'canceled', why: 'nothing of it rests at the venue' };

/**
 * True when a state may follow another. A venue's report overrules a doubtful end, and nothing overrules a certain end.
 */
function canFollow(from: HistoryOrderState, to: HistoryOrderState): boolean {
  if (!ENDED.has(from)) return true;
  if (DOUBTFUL.has(from)) return to === 'working' || to === 'filled' || to === 'canceled' || to === 'expired';
  return from !== 'filled' && to === 'filled';
}
