// Runs over random tapes: a strategy with drawn actions, an engine that sends drawn feed commands, a session that may
// be interrupted, and the whole outcome for comparison. Must never draw anything itself.
import * as fc from 'fast-check';
import { Backtest } from '../../../backtest/backtest-run.ts';
import type { Command } from '../../../src/domain/venue-command.ts';
import type { EngineEvent } from '../../../src/domain/event.ts';
import { type MarketIndex, strategyName } from '../../../src/domain/ids.ts';
import type { Intent } from '../../../src/domain/intent.ts';
import type { TimeInForce } from '../../../src/domain/orders/order.ts';
import { type Price, type Qty, cents, micros } from '../../../src/domain/units.ts';
import { Engine, type EngineOptions } from '../../../src/engine.ts';
import type { StrategyView } from '../../../src/state/strategy-view.ts';
import type { Handlers } from '../../../src/strategy/strategy-definition.ts';
import { canonicalJson } from '../../../src/tape/format/canonical-json.ts';
import { TapeFillSimulator } from '../../../src/venues/simulated/matching/fill-simulator.ts';
import type { ExplanationStep } from '../../../src/venues/simulated/simulator-interfaces.ts';
import { aBacktestConfig, backtestOptions } from './active-tape.ts';
import { WILD_MARKETS, type WildStep, wildSteps, wildTape, wildTicker } from './wild-tape.ts';

/** An action of the strategy, after `wait` calls. */
interface Action {
  readonly wait: number;
  readonly type: 'rest' | 'rest-far' | 'take' | 'cancel' | 'decrease' | 'quote' | 'cancel-all';
  readonly market: number;
  readonly isBuy: boolean;
  readonly away: number;
  readonly qty: number;
  readonly timeInForce: Exclude<TimeInForce, 'gtd'>;
  readonly isPostOnly: boolean;
}

/** An additional feed command of the engine, after `wait` events. */
interface ExtraFeedCommand {
  readonly wait: number;
  readonly type: 'subscribe' | 'unsubscribe' | 'resync' | 'renew' | 'reconnect';
  readonly market: number;
}

export interface WildCase {
  readonly steps: readonly WildStep[];
  readonly blockRows: number;
  readonly actions: readonly Action[];
  readonly feedCommands: readonly ExtraFeedCommand[];
  /**
   * Steps of the driver per turn, and the number of turns after which the run is interrupted; `null` for no
   * interruption.
   */
  readonly turn: number;
  readonly endsAfter: number | null;
  readonly simulation: Record<string, unknown>;
  /** True when the run makes the explanation of every order. */
  readonly isExplained: boolean;
}

const market = fc.nat({ max: WILD_MARKETS - 1 });
const wait = fc.oneof({ weight: 8, arbitrary: fc.nat({ max: 8 }) }, fc.integer({ min: 20, max: 60 }));

/**
 * Types of actions, repeated by their frequency. The book changes for a long time before a trade reaches an order that
 * rests far away.
 */
const TYPES: readonly Action['type'][] = [
  ...(['rest', 'rest', 'rest-far', 'rest-far', 'rest-far', 'take', 'take'] as const),
  ...(['quote', 'cancel', 'decrease', 'cancel-all'] as const),
];

const actions: fc.Arbitrary<Action[]> = fc.array(
  fc.record({
    wait,
    type: fc.constantFrom(...TYPES),
    market,
    isBuy: fc.boolean(),
    away: fc.nat({ max: 3 }),
    qty: fc.integer({ min: 1, max: 12 }),
    timeInForce: fc.constantFrom<Action['timeInForce']>('gtc', 'ioc', 'fok'),
    isPostOnly: fc.boolean(),
  }),
  { maxLength: 25, size: 'max' },
);

const feedCommands: fc.Arbitrary<ExtraFeedCommand[]> = fc.array(
  fc.record({
    wait: fc.nat({ max: 40 }),
    type: fc.constantFrom<ExtraFeedCommand['type']>('subscribe', 'unsubscribe', 'resync', 'renew', 'reconnect'),
    market,
  }),
  { maxLength: 5 },
);

const models = fc.record({
  queue: fc.constantFrom({ model: 'pessimistic' }, { model: 'power' }, { model: 'log' }),
  matching: fc.record({
    fillWhenCrossed: fc.boolean(),
    selfTrade: fc.constantFrom('cancel-resting', 'cancel-incoming'),
  }),
});

/** Generates cases with one of the given latencies. */
export const wildCases = (latencies: readonly object[]): fc.Arbitrary<WildCase> =>
  fc.record({
    steps: wildSteps,
    blockRows: fc.integer({ min: 1, max: 9 }),
    actions,
    feedCommands: fc.oneof(fc.constant([]), feedCommands),
    turn: fc.integer({ min: 1, max: 40 }),
    endsAfter: fc.option(fc.nat({ max: 200 }), { freq: 4 }),
    simulation: fc.tuple(models, fc.constantFrom(...latencies)).map(([model, latency]) => ({ ...model, latency })),
    isExplained: fc.boolean(),
  });

/** A number of turns that no run reaches. */
const TURNS_MAX = 50_000;

/** Returns the items of a list one by one, each after its `wait`. */
class Due<Item extends { readonly wait: number }> {
  readonly #items: readonly Item[];
  #next = 0;
  #waited = 0;

  constructor(items: readonly Item[]) {
    this.#items = items;
  }

  nextDue(): Item | null {
    const item = this.#items[this.#next];
    if (item === undefined || (this.#waited += 1) <= item.wait) return null;
    this.#next += 1;
    this.#waited = 0;
    return item;
  }
}

/** Additional distance of far orders, in ten-thousandths of a dollar. */
const FAR = 100;
/** Lifetime of an order that expires, per contract. Microseconds. */
const LASTS = 1_000_000;

function intentsOf(action: Action, view: StrategyView): readonly Intent[] {
  const index = action.market as MarketIndex;
  const { away, isBuy, type } = action;
  const orders = view.orders(index);
  const order = orders[away % Math.max(1, orders.length)];
  const qty = (action.qty * 100) as Qty;
  const [bid, ask] = [view.book(index).bestBid ?? cents(45), view.book(index).bestAsk ?? cents(55)];
  const lower = { price: (bid - away * 100) as Price, qty };
  const higher = { price: (ask + away * 100) as Price, qty };
  if (type === 'quote')
    return [{ type, market: index, bid: away === 3 ? null : lower, ask: away === 2 ? null : higher }];
  if (type === 'cancel-all') return [{ type, ...(isBuy && { market: index }) }];
  if (type === 'cancel') return order ? [{ type, clientOrderId: order.clientOrderId }] : [];
  if (type === 'decrease')
    return order ? [{ type, clientOrderId: order.clientOrderId, leavesQty: (away * 100) as Qty }] : [];
  const side = isBuy ? 'buy' : 'sell';
  const rest = isBuy ? lower : higher;
  if (type === 'rest-far') {
    const price = (rest.price + (isBuy ? -FAR : FAR)) as Price;
    const lapses = { timeInForce: 'gtd', expiresAt: micros(view.now + action.qty * LASTS) } as const;
    const terms =
      action.timeInForce === 'fok' ? lapses : { reduceOnly: action.timeInForce === 'ioc' && !action.isPostOnly };
    return [{ type: 'place', market: index, side, price, qty, postOnly: action.isPostOnly, ...terms }];
  }
  if (type === 'rest') return [{ type: 'place', market: index, side, ...rest, postOnly: action.isPostOnly }];
  const { timeInForce } = action;
  return [{ type: 'place', market: index, side, price: isBuy ? ask : bid, qty, timeInForce }];
}

/** Makes handlers that execute the drawn actions one after the other, at books and prints. */
function drawnHandlers(list: readonly Action[]): Handlers {
  const due = new Due(list);
  const answer = (view: StrategyView): readonly Intent[] => {
    const action = due.nextDue();
    return action === null || !view.markets.includes(action.market as MarketIndex) ? [] : intentsOf(action, view);
  };
  return { onBook: (_event, view) => answer(view), onPrint: (_event, view) => answer(view) };
}

/** An engine that also sends the drawn feed commands, which it does not need. */
class CommandingEngine extends Engine {
  readonly #due: Due<ExtraFeedCommand>;
  #commandId = 1_000_000;

  constructor(options: EngineOptions, list: readonly ExtraFeedCommand[]) {
    super(options);
    this.#due = new Due(list);
  }

  #addFeedCommand(commands: readonly Command[]): readonly Command[] {
    const extra = this.state.feed.isUp ? this.#due.nextDue() : null;
    if (extra === null) return commands;
    const base = { lane: 'read', id: (this.#commandId += 1), createdAt: this.state.now, validUntil: null } as const;
    const { type } = extra;
    if (type === 'reconnect') return [...commands, { ...base, type, reason: 'drawn' }];
    return [...commands, { ...base, type, tickers: [wildTicker(extra.market)] }];
  }

  override step(event: EngineEvent): readonly Command[] {
    return event.kind === 'book-delta' ? super.step(event) : this.#addFeedCommand(super.step(event));
  }
}

/** A run and its output so far. */
export interface WildRun {
  readonly backtest: Backtest;
  readonly lines: readonly string[];
}

/**
 * Prepares a run without starting it.
 * @param handlers In place of the drawn actions.
 */
export function wildRun(drawn: WildCase, handlers = drawnHandlers(drawn.actions)): WildRun {
  const { steps, blockRows, feedCommands, simulation, isExplained } = drawn;
  const lines: string[] = [];
  const strategy = { name: strategyName('quoter'), selector: {}, handlers };
  const options = backtestOptions(wildTape(steps, blockRows), [strategy], aBacktestConfig({ simulation }));
  const addExplanation = (step: ExplanationStep): void => void lines.push(`venue ${canonicalJson(step)}`);
  const backtest = new Backtest({
    ...options,
    // The engine reads books and lists as often as a live one, so that reads meet shared books.
    makeEngine: (parts) => new CommandingEngine({ ...parts, isFeedLossless: false }, feedCommands),
    onDecision: (text) => lines.push(text),
    observer: { beforeEvent: (event) => lines.push(`event ${event.kind} at ${event.at}`) },
    ...(isExplained && { onExplanation: addExplanation }),
  });
  return { backtest, lines };
}

/** Runs to the end, or until the run is interrupted. */
export function runWildCase({ backtest: { driver }, lines }: WildRun, { turn, endsAfter }: WildCase): void {
  for (let turns = 0; driver.runSteps(turn); turns++) {
    if (turns === endsAfter) driver.interruptRun();
    if (turns > TURNS_MAX) throw new Error(`the run does not end: ${lines.slice(-5).join('\n')}`);
  }
}

/** Returns the whole outcome of a run as lines. */
export function runOutcome({ backtest: { driver }, lines }: WildRun): readonly string[] {
  const { venue, engine } = driver;
  const { account, matching } = venue;
  const { books } = engine.state;
  const markets = Array.from({ length: WILD_MARKETS }, (_, number) => number as MarketIndex);
  const { phase, rowsPassed, eventCount, now, isInterrupted } = driver;
  const { cash, available, feesPaid, settled, traded, fills } = account;
  return [
    ...lines,
    canonicalJson({ phase, rows: rowsPassed, eventCount, now, isInterrupted }),
    canonicalJson({ cash, available, feesPaid, settled, traded, fills }),
    ...markets.map((each) =>
      canonicalJson([account.positionOf(each), matching.isBookKnown(each), matching.levelsOf(each)]),
    ),
    ...markets.map((each) => canonicalJson([books.trust(each), books.levels(each, 'bid'), books.levels(each, 'ask')])),
    `faults: ${matching instanceof TapeFillSimulator ? matching.faultCount : 'unknown'}`,
  ];
}
