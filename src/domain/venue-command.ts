// Commands of the engine. Each goes to the venue's gateway or its feed, sent by the executor: alone, or in a batch.
import type {
  ClientOrderId,
  EventTicker,
  MarketIndex,
  SeriesTicker,
  StrategyName,
  Ticker,
  VenueOrderId,
} from './ids.ts';
import type { OrderTerms, Side } from './orders/order-terms.ts';
import type { Micros, Price, Qty } from './units.ts';

/** Lanes (classes of priority) of orders and their changes. A cancel never waits behind a request of another lane. */
export type TradeLane = 'cancel' | 'reduce' | 'new';
/**
 * Lanes of reads, highest priority first: lookups of unknown orders, reads that the session needs, and regular
 * comparisons with the venue.
 */
export type ReadLane = 'probe' | 'read' | 'care';
export type Lane = TradeLane | ReadLane;
/** The rate budget of a request: `read` for queries, `trade` for orders and their changes. The feed has none. */
export type BudgetKind = 'read' | 'trade';

interface CommandBase {
  /** Sequence number within the session; answers carry it. */
  readonly id: number;
  readonly createdAt: Micros;
  /** Latest time at which the command may be sent; `null` when it never becomes too old. */
  readonly validUntil: Micros | null;
}

/** Send a new order. */
export interface PlaceCommand extends CommandBase, OrderTerms {
  readonly type: 'place';
  readonly lane: 'new' | 'reduce';
  readonly clientOrderId: ClientOrderId;
  readonly strategy: StrategyName;
  readonly ticker: Ticker;
}

/** Cancel a resting order. */
export interface CancelCommand extends CommandBase {
  readonly type: 'cancel';
  readonly lane: 'cancel';
  readonly clientOrderId: ClientOrderId;
  readonly venueOrderId: VenueOrderId;
  readonly ticker: Ticker;
}

/** Change a resting order's price or total quantity. The order loses its place in the queue unless it only shrinks. */
export interface AmendCommand extends CommandBase {
  readonly type: 'amend';
  readonly lane: 'new' | 'reduce';
  readonly clientOrderId: ClientOrderId;
  readonly venueOrderId: VenueOrderId;
  readonly ticker: Ticker;
  readonly side: Side;
  readonly price: Price;
  /** Total quantity: the quantity already filled plus the quantity that should remain. */
  readonly qty: Qty;
}

/** Shrink a resting order in place. */
export interface DecreaseCommand extends CommandBase {
  readonly type: 'decrease';
  readonly lane: 'reduce';
  readonly clientOrderId: ClientOrderId;
  readonly venueOrderId: VenueOrderId;
  readonly ticker: Ticker;
  readonly leavesQty: Qty;
}

/** Subject of a read. Lists come a page at a time. */
export type ReadTarget =
  | { readonly what: 'status' }
  | { readonly what: 'limits' }
  | { readonly what: 'balance' }
  | { readonly what: 'positions' }
  | { readonly what: 'orders'; readonly status: 'working' | 'any'; readonly since: Micros | null }
  /** `ticker` is the order's market, where known. The market determines the order's shard. */
  | { readonly what: 'order'; readonly venueOrderId: VenueOrderId; readonly ticker?: Ticker }
  | { readonly what: 'fills'; readonly since: Micros | null }
  | { readonly what: 'settlements'; readonly since: Micros | null }
  | { readonly what: 'market'; readonly ticker: Ticker }
  | { readonly what: 'markets'; readonly by: MarketFilter }
  | { readonly what: 'event'; readonly eventTicker: EventTicker }
  /**
   * Event groups of a series, each with all its markets. A market of the group closes later than `closesAfter` (sent in
   * whole seconds).
   */
  | { readonly what: 'events'; readonly seriesTicker: SeriesTicker; readonly closesAfter: Micros | null }
  | { readonly what: 'series'; readonly seriesTicker: SeriesTicker }
  /** Quantity ahead of our orders in these markets. */
  | { readonly what: 'queue-positions'; readonly tickers: readonly Ticker[] }
  | { readonly what: 'fee-changes'; readonly seriesTicker: SeriesTicker }
  | { readonly what: 'book'; readonly market: MarketIndex; readonly ticker: Ticker };

/** Selects the markets to list. */
export type MarketFilter =
  | { readonly tickers: readonly Ticker[] }
  | { readonly eventTicker: EventTicker }
  | { readonly seriesTicker: SeriesTicker };

/** Read something through the read budget. */
export interface ReadCommand extends CommandBase {
  readonly type: 'read';
  readonly lane: ReadLane;
  readonly target: ReadTarget;
  readonly cursor: string | null;
}

/** The answers about the venue are public. */
const READ_SUBJECTS: Readonly<Record<ReadTarget['what'], 'venue' | 'account'>> = {
  status: 'venue',
  market: 'venue',
  markets: 'venue',
  event: 'venue',
  events: 'venue',
  series: 'venue',
  'fee-changes': 'venue',
  book: 'venue',
  limits: 'account',
  balance: 'account',
  positions: 'account',
  orders: 'account',
  order: 'account',
  fills: 'account',
  settlements: 'account',
  'queue-positions': 'account',
};

/** True when the answer is public; all other reads are about an account. */
export const isPublicRead = ({ what }: ReadTarget): boolean => READ_SUBJECTS[what] === 'venue';

/** Stream these markets from now on. */
export interface SubscribeCommand extends CommandBase {
  readonly type: 'subscribe';
  readonly lane: 'read';
  readonly tickers: readonly Ticker[];
}

/** Stop streaming these markets. */
export interface UnsubscribeCommand extends CommandBase {
  readonly type: 'unsubscribe';
  readonly lane: 'read';
  readonly tickers: readonly Ticker[];
}

/** Ask the feed for fresh snapshots of these markets. */
export interface ResyncCommand extends CommandBase {
  readonly type: 'resync';
  readonly lane: 'read';
  readonly tickers: readonly Ticker[];
}

/** Cancel the book subscriptions of these markets, and subscribe to them again. */
export interface RenewCommand extends CommandBase {
  readonly type: 'renew';
  readonly lane: 'read';
  readonly tickers: readonly Ticker[];
}

/** Cancel the subscriptions to the private channels (fills, orders, positions), and subscribe to them again. */
export interface RenewPrivateCommand extends CommandBase {
  readonly type: 'renew-private';
  readonly lane: 'read';
}

/** Close the feed's connection and open a new one. */
export interface ReconnectCommand extends CommandBase {
  readonly type: 'reconnect';
  readonly lane: 'read';
  readonly reason: string;
}

export type OrderCommand = PlaceCommand | CancelCommand | AmendCommand | DecreaseCommand;

/** A command that may add risk: it gives an order its terms. */
export type TermsCommand = PlaceCommand | AmendCommand;

/** A command that may leave in a batch. */
export type BatchedCommand = PlaceCommand | CancelCommand;
/** Two or more new orders, or two or more cancels, that leave in one request. The venue executes each by itself. */
export interface OrderBatch {
  readonly type: 'batch';
  /** All of one type. */
  readonly commands: readonly BatchedCommand[];
}

export type RequestCommand = OrderCommand | ReadCommand;
export type FeedCommand =
  | SubscribeCommand
  | UnsubscribeCommand
  | ResyncCommand
  | RenewCommand
  | RenewPrivateCommand
  | ReconnectCommand;
/** A command to the feed before it has a number. */
export type UnnumberedFeedCommand = FeedCommand extends infer Each
  ? Each extends FeedCommand
    ? Omit<Each, 'lane' | keyof CommandBase>
    : never
  : never;
export type Command = RequestCommand | FeedCommand;

/** True for a command that may add risk. A decrease and a cancel lower it. */
export const givesTerms = (command: Command): command is TermsCommand =>
  command.type === 'place' || command.type === 'amend';

/** The budget a request draws on. */
export const budgetOf = (command: RequestCommand): BudgetKind => (command.type === 'read' ? 'read' : 'trade');

const RECEIVERS = {
  place: 'gateway',
  cancel: 'gateway',
  amend: 'gateway',
  decrease: 'gateway',
  read: 'gateway',
  subscribe: 'feed',
  unsubscribe: 'feed',
  resync: 'feed',
  renew: 'feed',
  'renew-private': 'feed',
  reconnect: 'feed',
} as const satisfies Record<RequestCommand['type'], 'gateway'> & Record<FeedCommand['type'], 'feed'>;

/** True when the feed receives the command, not the gateway. */
export const isFeedCommand = (command: Command): command is FeedCommand => RECEIVERS[command.type] === 'feed';
