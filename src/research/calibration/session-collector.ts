// Collects the facts of a session from its requests, answers and events. Must never take part in a decision: it only
// reads.
import type { OwnChange } from '../../../backtest/parity/tape-without-own.ts';
import type { RequestWay } from '../../config/simulation-config.ts';
import { type EventOf, isOfNature } from '../../domain/event-kinds.ts';
import type { EngineEvent, FillReport, OrderReport } from '../../domain/event.ts';
import type { TickerTable } from '../../domain/ids.ts';
import type { PlaceCommand, RequestCommand } from '../../domain/venue-command.ts';
import { EvenSample } from '../../report/record/even-sample.ts';
import type { FeedTime, RestingSpell, SessionFacts, Trip } from './calibration-facts.ts';

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

interface OpenTrip extends Mutable<Trip> {
  readonly orderId: string | null;
}

interface OpenSpell extends Mutable<Omit<RestingSpell, 'fills' | 'cuts' | 'positions'>> {
  readonly fills: { at: number; qty: number }[];
  readonly cuts: Mutable<RestingSpell['cuts'][number]>[];
  readonly positions: { at: number; ahead: number }[];
  leaves: number;
  /** False for an order that filled before it rested: it is in our changes of the book, and is none to judge a queue by. */
  readonly isJudged: boolean;
}

interface OwnOrder {
  readonly command: PlaceCommand;
  spell: OpenSpell | null;
  /** Quantity of all fills that were reported. */
  filledQty: number;
  /** Quantity of fills that the answer to the order has counted, and that were not reported yet. */
  unreportedQty: number;
  /** True once it has rested, or will not any more. */
  hasBegun: boolean;
  /** When the venue canceled it, by the venue's clock; `null` while that is not known. */
  canceledAt: number | null;
  /** When the feed first showed it, by our clock. */
  shownAt: number | null;
  canceledShownAt: number | null;
}

interface BeginningSpell {
  readonly qty: number;
  readonly at: number;
  readonly venueAt: number;
}

/** Most messages of the feed that are kept. */
const FEED_MAX = 50_000;

const WAYS: Readonly<Record<RequestCommand['type'], RequestWay>> = {
  place: 'order',
  cancel: 'cancel',
  amend: 'amend',
  decrease: 'decrease',
  read: 'read',
};

/** Collects one session. */
export class SessionCollector {
  readonly #name: string;
  readonly #tickers: TickerTable;
  readonly #orders = new Map<string, OwnOrder>();
  readonly #idByVenueId = new Map<string, string>();
  readonly #trips: OpenTrip[] = [];
  readonly #feed = new EvenSample<FeedTime>(FEED_MAX);
  readonly #spells: OpenSpell[] = [];
  readonly #changes: OwnChange[] = [];
  readonly #taken = new Set<string>();
  readonly #knownFills = new Set<string>();
  #from: number | null = null;
  #to = 0;
  /** The request whose answer is being read; `null` between answers. */
  #answered: { readonly askedAt: number; readonly at: number; readonly trip: OpenTrip } | null = null;

  constructor(name: string, tickers: TickerTable) {
    this.#name = name;
    this.#tickers = tickers;
  }

  onCommand(command: RequestCommand): void {
    if (command.type !== 'place') return;
    this.#orders.set(command.clientOrderId, {
      command,
      spell: null,
      filledQty: 0,
      unreportedQty: 0,
      hasBegun: false,
      canceledAt: null,
      shownAt: null,
      canceledShownAt: null,
    });
  }

  /** An answer has come. Its events follow, until `endAnswer`. */
  beginAnswer(command: RequestCommand, askedAt: number, at: number): void {
    const orderId = command.type === 'read' ? null : command.clientOrderId;
    const trip = { way: WAYS[command.type], askedAt, answeredAt: at, effectAt: null, shownAt: null, orderId };
    this.#trips.push(trip);
    this.#answered = { askedAt, at, trip };
  }

  endAnswer(): void {
    this.#answered = null;
  }

  onEvent(event: EngineEvent): void {
    this.#from ??= event.at;
    this.#to = event.at;
    if (isOfNature(event, 'book')) this.#onBook(event);
    else if (isOfNature(event, 'account')) this.#onAccount(event);
    else if (event.kind === 'fills') for (const fill of event.rows) this.#onFill(fill, event.at);
    else if (event.kind === 'queue-positions') this.#onPositions(event);
  }

  #onBook(event: EventOf<'book'>): void {
    if (event.kind === 'book-snapshot') return;
    const { at, exchangeAt } = event;
    if (exchangeAt !== null) this.#feed.push({ at, venueAt: exchangeAt });
  }

  #onPositions({ at: answeredAt, askedAt, rows }: Extract<EngineEvent, { kind: 'queue-positions' }>): void {
    const at = (askedAt + answeredAt) / 2;
    for (const { venueOrderId, aheadQty } of rows)
      this.#spellByVenueId(venueOrderId)?.positions.push({ at, ahead: aheadQty });
  }

  #onAccount(event: EventOf<'account'>): void {
    switch (event.kind) {
      case 'order-accepted': {
        this.#idByVenueId.set(event.venueOrderId, event.clientOrderId);
        if (this.#answered) this.#answered.trip.effectAt = event.exchangeAt;
        const rest = event.isFinished ? 0 : event.leavesQty;
        const from = { qty: rest, at: event.at, venueAt: this.#timeOf(event) };
        return this.#begin(event.clientOrderId, { ...from, filledQty: event.filledQty });
      }
      case 'order-updated':
        return this.#onUpdate(event.order, event.at);
      case 'order-rejected':
      case 'order-not-sent':
        this.#orders.delete(event.clientOrderId);
        return;
      case 'cancel-accepted': {
        const order = this.#orders.get(event.clientOrderId);
        if (order?.spell)
          this.#end(order.spell, order.canceledAt ?? this.#timeOf({ ...event, exchangeAt: null }), event.at);
        return;
      }
      case 'amend-accepted':
        if (this.#answered) this.#answered.trip.effectAt = event.exchangeAt ?? null;
        return this.#onAmended(event);
      case 'fill':
        return this.#onFill(event.fill, event.at);
      // These events say nothing about where an order rests.
      case 'amend-lost':
      case 'amend-refused':
      case 'cancel-lost':
      case 'cancel-refused':
      case 'order-unknown':
      case 'position-updated':
        return;
    }
  }

  /** The venue's time; the middle of the request where the venue gave none. */
  #timeOf({ at, exchangeAt }: { readonly at: number; readonly exchangeAt: number | null }): number {
    return exchangeAt ?? (this.#answered ? (this.#answered.askedAt + this.#answered.at) / 2 : at);
  }

  #spellByVenueId(venueOrderId: string): OpenSpell | null {
    return this.#orders.get(this.#idByVenueId.get(venueOrderId) ?? '')?.spell ?? null;
  }

  #begin(id: string, { filledQty = 0, ...from }: BeginningSpell & { readonly filledQty?: number }): void {
    const order = this.#orders.get(id);
    if (!order || order.hasBegun) return;
    order.hasBegun = true;
    order.unreportedQty = Math.max(0, filledQty - order.filledQty);
    const { ticker, side, price } = order.command;
    if (from.qty <= 0) return;
    this.#rest(order, { orderId: id, ticker, side, price, ...from, isJudged: filledQty === 0 });
  }

  #rest(
    order: OwnOrder,
    from: Pick<OpenSpell, 'orderId' | 'ticker' | 'side' | 'price' | 'isJudged'> & BeginningSpell,
  ): void {
    const { at, venueAt, ...terms } = from;
    const spell: OpenSpell = {
      ...terms,
      arrivedAt: venueAt,
      endedAt: null,
      endedBy: 'session',
      fills: [],
      cuts: [],
      positions: [],
      leaves: terms.qty,
    };
    order.spell = spell;
    this.#spells.push(spell);
    this.#changeBook(spell, spell.qty, at);
  }

  #changeBook({ orderId, ticker, side, price }: OpenSpell, change: number, at: number): void {
    const sentAt = this.#orders.get(orderId)?.command.createdAt ?? 0;
    this.#changes.push({ at, sentAt, ticker, isBid: side === 'buy', price, change });
  }

  #end(spell: OpenSpell, venueAt: number, at: number): void {
    if (spell.endedAt !== null) return;
    spell.endedAt = venueAt;
    spell.endedBy = 'canceled';
    if (spell.leaves > 0) this.#changeBook(spell, -spell.leaves, at);
    spell.leaves = 0;
  }

  #onUpdate(report: OrderReport, at: number): void {
    const id = report.clientOrderId ?? this.#idByVenueId.get(report.venueOrderId);
    const order = id === undefined ? undefined : this.#orders.get(id);
    if (id === undefined || !order) return;
    this.#idByVenueId.set(report.venueOrderId, id);
    order.shownAt ??= at;
    if (report.status === 'working' && report.filledQty === 0)
      this.#begin(id, { qty: report.leavesQty, at, venueAt: report.createdAt ?? at });
    if (report.status !== 'canceled') return;
    order.canceledAt = report.updatedAt;
    order.canceledShownAt = at;
    const { spell } = order;
    if (spell === null) return;
    // The feed is exact about the time, the answer is not.
    if (spell.endedAt !== null && spell.endedBy === 'canceled') spell.endedAt = report.updatedAt ?? spell.endedAt;
    else this.#end(spell, report.updatedAt ?? at, at);
  }

  #onAmended(event: Extract<EngineEvent, { kind: 'amend-accepted' }>): void {
    const order = this.#orders.get(event.clientOrderId);
    const spell = order?.spell;
    if (!order || !spell || spell.endedAt !== null) return;
    const { exchangeAt = null, filledQty = order.filledQty } = event;
    const venueAt = this.#timeOf({ at: event.at, exchangeAt });
    const price = event.price ?? spell.price;
    // Fills whose reports are still to come are no part of the change.
    const leaves = event.leavesQty + Math.max(0, filledQty - order.filledQty);
    if (price === spell.price && leaves <= spell.leaves) {
      const cut = spell.leaves - leaves;
      if (cut === 0) return;
      spell.cuts.push({ at: venueAt, qty: cut, ...(exchangeAt === null && { isOurTime: true }) });
      spell.leaves = leaves;
      this.#changeBook(spell, -cut, event.at);
      return;
    }
    this.#end(spell, venueAt, event.at);
    const { orderId, ticker, side, isJudged } = spell;
    const terms = { orderId, ticker, side, price, qty: event.leavesQty, isJudged };
    this.#rest(order, { ...terms, at: event.at, venueAt });
  }

  #onFill(fill: FillReport, at: number): void {
    const key = `${fill.tradeId} ${fill.venueOrderId}`;
    const id = fill.clientOrderId ?? this.#idByVenueId.get(fill.venueOrderId);
    const order = id === undefined ? undefined : this.#orders.get(id);
    if (!order || this.#knownFills.has(key)) return;
    this.#knownFills.add(key);
    const counted = Math.min(order.unreportedQty, fill.qty);
    order.unreportedQty -= counted;
    order.filledQty += fill.qty;
    if (fill.liquidity === 'taker') {
      this.#taken.add(fill.tradeId);
      const ticker = this.#tickers.tickerOf(fill.market);
      const isBid = order.command.side === 'sell';
      const sentAt = order.command.createdAt;
      this.#changes.push({ at, sentAt, ticker, isBid, price: fill.price, change: -fill.qty, isTaken: true });
      return;
    }
    // The fill may overtake the answer to the order.
    this.#begin(order.command.clientOrderId, { qty: order.command.qty, at, venueAt: fill.exchangeAt ?? at });
    const { spell } = order;
    if (spell === null) return;
    spell.fills.push({ at: fill.exchangeAt ?? at, qty: fill.qty });
    const gone = Math.min(spell.leaves, fill.qty - counted);
    if (gone > 0) this.#changeBook(spell, -gone, at);
    spell.leaves -= gone;
    if (spell.leaves > 0 || spell.endedAt !== null) return;
    spell.endedAt = fill.exchangeAt ?? at;
    spell.endedBy = 'filled';
  }

  /** The facts of the session until now. */
  facts(): SessionFacts {
    return {
      name: this.#name,
      from: this.#from ?? 0,
      to: this.#to,
      trips: this.#trips.map((trip) => this.#finished(trip)),
      feed: this.#feed.items,
      spells: this.#spells.flatMap(({ leaves: _leaves, isJudged, ...spell }) => (isJudged ? spell : [])),
      changes: this.#changes,
      taken: this.#taken,
    };
  }

  /** The feed has the time at which a cancel took effect; the answer to a cancel has none. */
  #finished({ orderId, ...trip }: OpenTrip): Trip {
    const order = orderId === null ? undefined : this.#orders.get(orderId);
    if (!order) return trip;
    if (trip.way === 'order') return { ...trip, shownAt: order.shownAt };
    if (trip.way !== 'cancel' || order.canceledAt === null) return trip;
    return { ...trip, effectAt: order.canceledAt, shownAt: order.canceledShownAt };
  }
}
