// Builds the request of a command in the profile's wire format. Must never send a price or a quantity that the wire
// cannot hold exactly.
import type {
  AmendCommand,
  DecreaseCommand,
  MarketFilter,
  PlaceCommand,
  ReadCommand,
  ReadTarget,
  RequestCommand,
} from '../../../domain/venue-command.ts';
import type { Command } from '../../../domain/venue-command.ts';
import { isFeedCommand } from '../../../domain/venue-command.ts';
import { type VenueGuards, NO_VENUE_GUARDS, guardExpiryOf } from './venue-guards.ts';
import { type Endpoint, type EndpointName, type WireProfile, endpointOf, pathOf } from '../profiles/wire-profile.ts';
import type { Micros } from '../../../domain/units.ts';
import { OrderTexts } from './order-texts.ts';
import { type Codec, codecOf } from '../wire/codec.ts';
import { NO_QUERY } from '../wire/query-record.ts';
import type * as Wire from '../wire/wire-records.ts';

/** A request, before it is signed. */
export interface BuiltRequest {
  readonly endpoint: Endpoint;
  /** Path from the root, with the query. */
  readonly path: string;
  readonly body: string | null;
}

/** The query string of a request. Members that the endpoint does not take are left out. */
export function queryOf(profile: WireProfile, name: EndpointName, parameters: Partial<Wire.QueryRecord>): string {
  const { query } = endpointOf(profile, name);
  return query === undefined ? '' : codecOf(query).encodeQuery({ ...NO_QUERY, ...parameters });
}

/** The endpoint that executes a request. */
export function endpointNameFor(command: RequestCommand): EndpointName {
  switch (command.type) {
    case 'place':
      return 'createOrder';
    case 'cancel':
      return 'cancelOrder';
    case 'amend':
      return 'amendOrder';
    case 'decrease':
      return 'decreaseOrder';
    case 'read':
      return READS[command.target.what];
  }
}

const READS: Readonly<Record<ReadTarget['what'], EndpointName>> = {
  status: 'status',
  limits: 'limits',
  balance: 'balance',
  positions: 'positions',
  orders: 'orders',
  order: 'order',
  fills: 'fills',
  settlements: 'settlements',
  market: 'market',
  markets: 'markets',
  event: 'event',
  events: 'events',
  series: 'series',
  book: 'book',
  'fee-changes': 'seriesFeeChanges',
  'queue-positions': 'queuePositions',
};

/** Budget costs that replace the profile's. */
export type EndpointCosts = Readonly<Partial<Record<EndpointName, number>>>;

const NO_COSTS: EndpointCosts = {};

/** Returns the budget cost of each command, from the venue's list or the profile. Feed commands cost nothing. */
export function costsOf(profile: WireProfile, costs = NO_COSTS): (command: Command) => number {
  const known = new Map<EndpointName, number>();
  const findCost = (name: EndpointName): number => {
    const cost = costs[name] ?? endpointOf(profile, name).cost;
    known.set(name, cost);
    return cost;
  };
  return (command) => {
    if (isFeedCommand(command)) return 0;
    const name = endpointNameFor(command);
    return known.get(name) ?? findCost(name);
  };
}

/** Builds requests in the wire format of one profile, with the venue guards of one session. */
export class RequestBuilder {
  readonly #profile: WireProfile;
  readonly #guards: VenueGuards;
  readonly #createPath: string;
  readonly #newOrders: OrderTexts;
  readonly #amend: Codec<Wire.AmendOrderRecord>;
  readonly #decrease: Codec<Wire.DecreaseOrderRecord>;

  constructor(profile: WireProfile, guards: VenueGuards = NO_VENUE_GUARDS) {
    this.#profile = profile;
    this.#guards = guards;
    this.#createPath = pathOf(profile, 'createOrder');
    this.#newOrders = new OrderTexts(profile.records.createOrder);
    this.#amend = codecOf(profile.records.amendOrder);
    this.#decrease = codecOf(profile.records.decreaseOrder);
  }

  get createPath(): string {
    return this.#createPath;
  }

  /**
   * The request of a command.
   * @throws {WireFault} when the wire cannot hold a value of the command.
   * @throws {RangeError} when the dialect has no such endpoint, or a part of the path is missing.
   */
  buildRequest(command: RequestCommand): BuiltRequest {
    const name = endpointNameFor(command);
    const endpoint = endpointOf(this.#profile, name);
    switch (command.type) {
      case 'place':
        return {
          endpoint,
          path: this.#createPath,
          body: this.#newOrders.bodyOf(this.#createRecord(command)),
        };
      case 'cancel':
        return { endpoint, path: this.#orderPath(name, command, command.ticker), body: null };
      case 'amend': {
        const body = JSON.stringify(this.#amend.encode(amendRecord(command)));
        return { endpoint, path: this.#orderPath(name, command), body };
      }
      case 'decrease': {
        const body = JSON.stringify(this.#decrease.encode(decreaseRecord(command)));
        return { endpoint, path: this.#orderPath(name, command), body };
      }
      case 'read':
        return { endpoint, path: this.#readPath(name, command), body: null };
    }
  }

  /** The path of an order. Without a body, the query names the market: the venue may need it to find the order. */
  #orderPath(
    name: EndpointName,
    { venueOrderId }: { readonly venueOrderId: string },
    ticker: Wire.QueryRecord['ticker'] = null,
  ): string {
    const { subaccount } = this.#guards;
    return (
      pathOf(this.#profile, name, { orderId: venueOrderId }) + queryOf(this.#profile, name, { ticker, subaccount })
    );
  }

  #createRecord(command: PlaceCommand): Wire.CreateOrderRecord {
    const { timeInForce } = command;
    const { cancelOnPause, groupId, subaccount } = this.#guards;
    return {
      ticker: command.ticker,
      clientOrderId: command.clientOrderId,
      side: command.side,
      outcome: null,
      price: command.price,
      qty: command.qty,
      // The wire sends good-till-date as `gtc` with an expiry time.
      timeInForce: timeInForce === 'gtd' ? 'gtc' : timeInForce,
      postOnly: command.postOnly,
      reduceOnly: command.reduceOnly,
      selfTrade: this.#profile.abilities.selfTrade,
      cancelOnPause: cancelOnPause ? true : null,
      expiresAt: this.#expiryOf(command),
      groupId,
      subaccount,
      // Without a shard, the venue uses the market's own.
      shard: null,
    };
  }

  #expiryOf({ timeInForce, expiresAt, createdAt }: PlaceCommand): Micros | null {
    if (timeInForce === 'gtd') return expiresAt;
    return timeInForce === 'gtc' ? guardExpiryOf(createdAt, this.#guards) : null;
  }

  #readPath(name: EndpointName, command: ReadCommand): string {
    const { target } = command;
    switch (target.what) {
      case 'market':
      case 'book':
        return pathOf(this.#profile, name, { ticker: target.ticker });
      case 'event': {
        const { eventTicker } = target;
        return pathOf(this.#profile, name, { eventTicker }) + queryOf(this.#profile, name, { withMarkets: true });
      }
      case 'events': {
        const { seriesTicker, closesAfter } = target;
        const filters = { seriesTicker, minCloseAt: closesAfter, withMarkets: true };
        return this.#listPath(name, { ...filters, ...this.#pageParameters(name, command) });
      }
      case 'series':
        return pathOf(this.#profile, name, { seriesTicker: target.seriesTicker });
      case 'fee-changes':
        return this.#listPath(name, { seriesTicker: target.seriesTicker });
      case 'order':
        return this.#orderPath(name, target, target.ticker);
      case 'status':
      case 'limits':
        return pathOf(this.#profile, name);
      case 'markets':
        return this.#listPath(name, { ...filterOf(target.by), ...this.#pageParameters(name, command) });
      case 'balance':
        return this.#accountPath(name, {});
      case 'queue-positions':
        return this.#accountPath(name, { tickers: target.tickers });
      case 'positions':
        return this.#accountPath(name, this.#pageParameters(name, command));
      case 'orders': {
        const orderStatus = target.status === 'working' ? 'working' : null;
        return this.#accountPath(name, { ...this.#pageParameters(name, command), orderStatus, minAt: target.since });
      }
      case 'fills':
      case 'settlements':
        return this.#accountPath(name, { ...this.#pageParameters(name, command), minAt: target.since });
    }
  }

  #pageParameters(name: EndpointName, { cursor }: ReadCommand): Partial<Wire.QueryRecord> {
    return { cursor, limit: endpointOf(this.#profile, name).pageSize?.max ?? null };
  }

  #listPath(name: EndpointName, parameters: Partial<Wire.QueryRecord>): string {
    return pathOf(this.#profile, name) + queryOf(this.#profile, name, parameters);
  }

  #accountPath(name: EndpointName, parameters: Partial<Wire.QueryRecord>): string {
    return this.#listPath(name, { ...parameters, subaccount: this.#guards.subaccount });
  }
}

function filterOf(by: MarketFilter): Partial<Wire.QueryRecord> {
  if ('tickers' in by) return { tickers: by.tickers };
  return 'eventTicker' in by ? { eventTicker: by.eventTicker } : { seriesTicker: by.seriesTicker };
}

const amendRecord = ({ ticker, side, price, qty, clientOrderId }: AmendCommand): Wire.AmendOrderRecord => ({
  ticker,
  side,
  price,
  qty,
  clientOrderId,
  newClientOrderId: null,
  shard: null,
});

const decreaseRecord = ({ ticker, leavesQty }: DecreaseCommand): Wire.DecreaseOrderRecord => ({
  reduceBy: null,
  reduceTo: leavesQty,
  ticker,
  shard: null,
});
