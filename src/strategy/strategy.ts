// What a strategy is: a value that names itself, its parameters and its markets, and answers events with intents.
// It is given no clock, random source, client, file or socket.
import type { ZodType } from 'zod';
import type { Print } from '../domain/event.ts';
import type { IntentOutcome, FillReport } from '../domain/event.ts';
import type { MarketIndex, StrategyName } from '../domain/ids.ts';
import type { Intent } from '../domain/intent.ts';
import type { Market, MarketStatus } from '../domain/market.ts';
import type { HaltScope } from '../domain/operator.ts';
import type { Order, OrderState } from '../domain/order.ts';
import type { Position } from '../domain/position.ts';
import type { Micros, Money } from '../domain/units.ts';
import type { BookTrust } from '../state/books.ts';
import type { StrategyView } from '../state/view.ts';

/** What a handler may answer: intents, in the order they should be tried; nothing means nothing. */
export type Intents = readonly Intent[] | void;

/** A live book changed. Borrowed: valid only during the call. */
export interface BookChanged {
  readonly market: MarketIndex;
  readonly at: Micros;
  /** Whether a best price, or the quantity at it, changed. */
  readonly isTouch: boolean;
}

/** A book came to be believed, or no longer is. Quotes on a book that is not live are withdrawn for you. */
export interface TrustChanged {
  readonly market: MarketIndex;
  readonly trust: BookTrust;
  readonly reason: string;
}

/** We traded. */
export interface OwnFill {
  readonly order: Order;
  readonly fill: FillReport;
  /** What the account holds in the market after it. */
  readonly position: Position;
}

/**
 * An order of ours moved along its life. What one event moves twice is told twice: by the first time the order is
 * further than `to` already.
 */
export interface OrderChanged {
  readonly order: Order;
  readonly from: OrderState;
  readonly to: OrderState;
  readonly why: string;
}

/**
 * A market of ours is new, or moved on in its life; `before` is `null` when it is new. The last that is told of one is
 * that it is `finalized`: a while later its number may be another market's, so whatever was kept by it must be let go.
 */
export interface MarketMoved {
  readonly market: Market;
  readonly before: MarketStatus | null;
}

/**
 * The operator, or a rule of risk, halted a scope that this strategy trades in, resumed it, or had everything in it
 * withdrawn. While halted every order is denied; after `withdrawn` one may quote again at once.
 */
export interface HaltChanged {
  readonly type: 'halted' | 'resumed' | 'withdrawn';
  readonly scope: HaltScope;
  readonly reason: string;
}

/** A position was paid out. */
export interface Settled {
  readonly market: Market;
  readonly paid: Money;
}

/** What a strategy listens to. Every handler gets an event and the view, and may answer with intents. */
export interface Handlers {
  onStart?(view: StrategyView): Intents;
  onBook?(event: BookChanged, view: StrategyView): Intents;
  onPrint?(event: Print, view: StrategyView): Intents;
  onTrust?(event: TrustChanged, view: StrategyView): Intents;
  onFill?(event: OwnFill, view: StrategyView): Intents;
  onOrder?(event: OrderChanged, view: StrategyView): Intents;
  onIntentOutcome?(event: IntentOutcome, view: StrategyView): Intents;
  onMarket?(event: MarketMoved, view: StrategyView): Intents;
  onSettled?(event: Settled, view: StrategyView): Intents;
  onHalt?(event: HaltChanged, view: StrategyView): Intents;
  onTimer?(name: string, view: StrategyView): Intents;
  onStop?(view: StrategyView): Intents;
}

/** Which of the session's markets a strategy trades. An absent member does not narrow the choice. */
export interface MarketSelector {
  readonly tickers?: readonly string[];
  readonly events?: readonly string[];
  /** Every event group of these series, also of groups that appear while the session runs. */
  readonly series?: readonly string[];
  /** Only markets of event groups whose outcomes exclude one another. */
  readonly isExclusive?: boolean;
}

/** What `setup` is given. */
export interface StrategyContext<Params> {
  readonly name: StrategyName;
  readonly params: Params;
}

/** A strategy as its author writes it. */
export interface StrategyDefinition<Params> {
  readonly name: string;
  readonly description?: string;
  /** The parameters' schema; YAML, command line and docs all read this one. */
  readonly params: ZodType<Params>;
  /** The markets it trades, by its parameters; default all of the session's. */
  readonly markets?: (params: Params) => MarketSelector;
  /** Makes the handlers of one running strategy, which may keep state between calls. */
  readonly setup: (context: StrategyContext<Params>) => Handlers;
}

/** A strategy with its parameters read: what the engine runs. */
export interface BoundStrategy {
  readonly name: StrategyName;
  readonly selector: MarketSelector;
  readonly handlers: Handlers;
}

/** A strategy whose parameters' type is sealed in: what a plugin file exports. */
export interface Strategy {
  readonly name: string;
  readonly description: string;
  readonly params: ZodType;
  /** Reads parameters and makes the handlers of one running strategy. */
  bind(name: StrategyName, params: unknown): BoundStrategy;
}

/**
 * Defines a strategy.
 * @example
 * export default defineStrategy({
 *   name: 'watcher',
 *   params: z.strictObject({}),
 *   setup: () => ({ onBook: (event, view) => void view.book(event.market).mid }),
 * });
 */
export function defineStrategy<Params>(definition: StrategyDefinition<Params>): Strategy {
  return {
    name: definition.name,
    description: definition.description ?? '',
    params: definition.params,
    bind(name, input) {
      const params = definition.params.parse(input);
      const selector = definition.markets?.(params) ?? {};
      return { name, selector, handlers: definition.setup({ name, params }) };
    },
  };
}
