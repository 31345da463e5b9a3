// The test subject of the contracts, and short ways to talk to a venue through its port alone.
import type {
  AmendCommand,
  CancelCommand,
  DecreaseCommand,
  OrderBatch,
  UnnumberedFeedCommand,
  PlaceCommand,
  ReadCommand,
  ReadTarget,
  RequestCommand,
} from '../../src/domain/venue-command.ts';
import type { EngineEvent, EventKind } from '../../src/domain/event.ts';
import {
  type EventTicker,
  type SeriesTicker,
  type Ticker,
  type VenueOrderId,
  clientOrderId,
  strategyName,
} from '../../src/domain/ids.ts';
import type { Side } from '../../src/domain/orders/order.ts';
import { type Micros, type Money, type Price, type Qty, micros } from '../../src/domain/units.ts';
import type { Venue } from '../../src/venue.ts';

/** Abilities that a venue may lack, or cannot show in a test. */
export type VenueAbility =
  | 'watching-without-key'
  | 'amend'
  | 'decrease'
  | 'post-only'
  | 'reduce-only'
  | 'lookup'
  /** Others see our orders and trades. */
  | 'being-seen';

/** An order of another trader. */
export interface OtherTradersOrder {
  readonly ticker: Ticker;
  readonly side: Side;
  readonly price: Price;
  readonly qty: Qty;
}

/** A venue with one account of ours, which has cash, no orders and no positions; and other traders. */
export interface ContractSubject {
  readonly venue: Venue;
  /** The same exchange without a key; `null` where there is none. */
  readonly watcher: Venue | null;
  /** Open markets of one event group, with whole cents and empty books. */
  readonly markets: readonly [Ticker, Ticker];
  readonly eventTicker: EventTicker;
  readonly seriesTicker: SeriesTicker;
  readonly cash: Money;
  /** Places an order of another trader that may rest; resolves once the venue knows of it. */
  rival(order: OtherTradersOrder): Promise<void>;
  /** Places an order of a third trader. */
  bystander(order: OtherTradersOrder): Promise<void>;
  stop(): Promise<void>;
}

/** Makes a fresh subject for each test. */
export interface ContractOptions {
  readonly make: () => Promise<ContractSubject>;
  /** The abilities that this venue lacks, with the reason: their tests are skipped by name. */
  readonly lacks?: Readonly<Partial<Record<VenueAbility, string>>>;
}

export type EventOf<Kind extends EventKind> = Extract<EngineEvent, { kind: Kind }>;

/** Numbers the orders of all tests. */
let orders = 0;

/** A conversation with a venue: requests, and every event so far. */
export class VenueConversation {
  readonly events: EngineEvent[] = [];
  readonly #venue: Venue;
  readonly #waiting = new Set<() => void>();
  #lastCommand = 0;

  constructor(venue: Venue) {
    this.#venue = venue;
  }

  /** Starts the feed. */
  startFeed(): void {
    this.#venue.feed.start((input) => this.#venue.normalizer.normalize(input, this.#note));
  }

  subscribe(tickers: readonly Ticker[]): void {
    for (const ticker of tickers) this.#venue.tickers.internTicker(ticker);
    this.#venue.feed.send({ ...this.#base(), type: 'subscribe', lane: 'read', tickers });
  }

  /** Sends a feed command. */
  sendFeedCommand(ask: UnnumberedFeedCommand): void {
    this.#venue.feed.send({ ...this.#base(), lane: 'read', ...ask });
  }

  resync(tickers: readonly Ticker[]): void {
    this.sendFeedCommand({ type: 'resync', tickers });
  }

  readonly #note = (event: EngineEvent): void => {
    // Events of books are borrowed.
    this.events.push(structuredClone(event));
    for (const look of this.#waiting) look();
  };

  /** All events of a kind so far. */
  eventsOf<Kind extends EventKind>(kind: Kind): EventOf<Kind>[] {
    return this.events.filter((event): event is EventOf<Kind> => event.kind === kind);
  }

  /** Resolves once an event of a kind has come; only the test's own timeout limits it. */
  waitForEvent<Kind extends EventKind>(
    kind: Kind,
    isIt: (event: EventOf<Kind>) => boolean = () => true,
  ): Promise<EventOf<Kind>> {
    return new Promise((resolve) => {
      const look = (): void => {
        const found = this.eventsOf(kind).find(isIt);
        if (found === undefined) return;
        this.#waiting.delete(look);
        resolve(found);
      };
      this.#waiting.add(look);
      look();
    });
  }

  /** Sends a request; returns the events of its answer, the first of which must be `answered`. */
  async sendRequest(command: RequestCommand, signal = new AbortController().signal): Promise<readonly EngineEvent[]> {
    const answer = await this.#venue.gateway.send(command, signal);
    const events: EngineEvent[] = [];
    this.#venue.normalizer.normalize(answer, (event) => events.push(structuredClone(event)));
    this.events.push(...events);
    return events;
  }

  /** Sends a batch; returns the events of the answer to each of its commands. */
  async sendBatch(
    commands: OrderBatch['commands'],
    signal = new AbortController().signal,
  ): Promise<readonly (readonly EngineEvent[])[]> {
    const sent = await this.#venue.gateway.sendBatch?.({ type: 'batch', commands }, signal);
    if (sent === undefined) throw new Error('this venue takes no batches');
    const events = sent.answers.map((answer) => {
      const own: EngineEvent[] = [];
      this.#venue.normalizer.normalize(answer, (event) => own.push(structuredClone(event)));
      return own;
    });
    this.events.push(...events.flat());
    return events;
  }

  /** The orders that rest at the venue. */
  async workingOrders(): Promise<EventOf<'orders'>['rows']> {
    return (await this.requestEvent(this.read({ what: 'orders', status: 'working', since: null }), 'orders')).rows;
  }

  /** Sends a request whose answer must contain an event of a kind. */
  async requestEvent<Kind extends EventKind>(command: RequestCommand, kind: Kind): Promise<EventOf<Kind>> {
    const events = await this.sendRequest(command);
    const found = events.find((event): event is EventOf<Kind> => event.kind === kind);
    if (found === undefined) throw new Error(`expected ${kind}, found ${JSON.stringify(events)}`);
    return found;
  }

  read(target: ReadTarget, cursor: string | null = null): ReadCommand {
    return { ...this.#base(), type: 'read', lane: 'read', target, cursor };
  }

  place(
    order: { readonly ticker: Ticker; readonly price: Price; readonly qty: Qty } & Partial<PlaceCommand>,
  ): PlaceCommand {
    orders += 1;
    return {
      ...this.#base(),
      type: 'place',
      lane: 'new',
      clientOrderId: clientOrderId(`contract-${orders}`),
      strategy: strategyName('contract'),
      market: this.#venue.tickers.internTicker(order.ticker),
      side: 'buy',
      timeInForce: 'gtc',
      postOnly: false,
      reduceOnly: false,
      expiresAt: null,
      ...order,
    };
  }

  cancel({ clientOrderId, ticker }: PlaceCommand, venueOrderId: VenueOrderId): CancelCommand {
    return { ...this.#base(), type: 'cancel', lane: 'cancel', clientOrderId, venueOrderId, ticker };
  }

  amend(
    order: PlaceCommand,
    venueOrderId: VenueOrderId,
    terms: { readonly price: Price; readonly qty: Qty },
  ): AmendCommand {
    const { clientOrderId, ticker, side } = order;
    return { ...this.#base(), type: 'amend', lane: 'new', clientOrderId, venueOrderId, ticker, side, ...terms };
  }

  decrease(order: PlaceCommand, venueOrderId: VenueOrderId, leavesQty: Qty): DecreaseCommand {
    const { clientOrderId, ticker } = order;
    return { ...this.#base(), type: 'decrease', lane: 'reduce', clientOrderId, venueOrderId, ticker, leavesQty };
  }

  #base(): { readonly id: number; readonly createdAt: Micros; readonly validUntil: null } {
    this.#lastCommand += 1;
    return { id: this.#lastCommand, createdAt: micros(Date.now() * 1000), validUntil: null };
  }
}
