// Carries intents to commands: quotes are planned, orders pass risk, cancels find their order wherever it is.
// Must never send what risk has not seen, and never forget a cancel until its order has ended.
import { must } from '../domain/assert.ts';
import type { CancelCommand, PlaceCommand, RequestCommand } from '../domain/command.ts';
import type { Denial } from '../domain/denial.ts';
import { type ClientOrderId, type MarketIndex, type StrategyName, clientOrderId } from '../domain/ids.ts';
import type { CancelIntent, Intent, PlaceIntent, QuoteIntent } from '../domain/intent.ts';
import { type Order, isFinished, leavesQty } from '../domain/order.ts';
import { closingQty } from '../domain/position.ts';
import type { Micros, Qty } from '../domain/units.ts';
import { check } from '../risk/check.ts';
import type { RiskLimits } from '../risk/limits.ts';
import type { Proposal, Readiness } from '../risk/proposal.ts';
import type { StateChange } from '../state/change.ts';
import type { State } from '../state/state.ts';
import type { Roster, Running } from '../strategy/roster.ts';
import { planQuote } from '../strategy/target-quotes.ts';
import type { Halts } from './halts.ts';
import type { Observer } from './notice.ts';
import type { Planner } from './planner.ts';

export interface DeskOptions {
  readonly state: State;
  readonly planner: Planner;
  readonly limits: RiskLimits;
  readonly qtyStep: Qty;
  /** An order that could not be sent within this long is dropped. Milliseconds. */
  readonly orderDelayMsMax: number;
  readonly observe: Observer;
  /** Takes an order's change of state that the desk itself made. */
  readonly onOrderChange: (change: OrderChange) => void;
  readonly nextCommandId: () => number;
  readonly readiness: () => Readiness;
  readonly halts: Halts;
}

type OrderChange = Extract<StateChange, { type: 'order' }>;

/** More answers than this within one step are an endless loop. */
const ANSWERS_MAX = 100;

/** The one place where orders are asked for, allowed, and withdrawn. */
export class Desk {
  readonly #options: DeskOptions;
  readonly #state: State;
  readonly #planner: Planner;
  /** Orders that must go, until they are gone. */
  readonly #unwanted = new Set<ClientOrderId>();
  /** Cancels on their way, by order. */
  readonly #cancelsOut = new Set<ClientOrderId>();
  /** Orders of which a cancel was lost, and those among them whose next one waits for its time. */
  readonly #lostOnce = new Set<ClientOrderId>();
  readonly #patient = new Set<ClientOrderId>();
  /** The latest quote of each strategy in each market. */
  readonly #quotes = new Map<string, QuoteIntent>();
  /** What is still to be carried out: strategies answer while we are in the midst of what they asked for before. */
  readonly #inbox: (() => void)[] = [];
  /** How often each strategy has answered since the inbox was last empty. */
  readonly #answers = new Map<StrategyName, number>();
  #isBusy = false;
  #session = '';
  #orderCount = 0;
  #roster: Roster | null = null;

  constructor(options: DeskOptions) {
    this.#options = options;
    this.#state = options.state;
    this.#planner = options.planner;
  }

  /** Begins a session, whose name makes its client order ids differ from any other's. */
  open(session: string, roster: Roster): void {
    this.#session = session;
    this.#roster = roster;
  }

  /** Carries out a strategy's intents, in order; when it is answering what we tell it meanwhile, right afterwards. */
  take(running: Running, intents: readonly Intent[]): void {
    const answers = (this.#answers.get(running.name) ?? 0) + 1;
    this.#answers.set(running.name, answers);
    if (answers > ANSWERS_MAX) return this.#roster?.halt(running, 'it answers what becomes of its intents without end');
    this.#soon(() => {
      for (const intent of intents) if (running.haltedBy === null) this.#takeOne(running, intent);
    });
  }

  /** Does one thing after the other: a plan is never made of a state that another plan is half way through changing. */
  #soon(task: () => void): void {
    this.#inbox.push(task);
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      for (let next = this.#inbox.shift(); next; next = this.#inbox.shift()) next();
    } finally {
      this.#isBusy = false;
      this.#answers.clear();
    }
  }

  #takeOne(running: Running, intent: Intent): void {
    switch (intent.type) {
      case 'quote':
        this.#quotes.set(quoteKey(running, intent.market), intent);
        return this.#takeQuote(running, intent);
      case 'place':
        return this.#place(running, intent);
      case 'cancel':
        return this.#takeCancel(running, intent);
      case 'cancel-all':
        return this.#cancelAllOf(running, intent.market);
      case 'timer':
        running.timers.set(intent.name, intent.at);
        return;
      case 'forecast':
        return this.#options.observe({ type: 'forecast', strategy: running.name, forecast: intent });
    }
  }

  #takeQuote(running: Running, quote: QuoteIntent): void {
    const plan = planQuote(quote, running.view.orders(quote.market));
    for (const cancel of plan.cancels) this.cancel(cancel.clientOrderId);
    for (const place of plan.places) this.#place(running, place);
  }

  #takeCancel(running: Running, intent: CancelIntent): void {
    if (this.#state.orders.get(intent.clientOrderId)?.strategy === running.name) this.cancel(intent.clientOrderId);
  }

  #cancelAllOf(running: Running, market: MarketIndex | undefined): void {
    for (const key of this.#quotes.keys())
      if (market === undefined ? key.startsWith(`${running.index} `) : key === quoteKey(running, market))
        this.#quotes.delete(key);
    for (const order of this.#state.orders.allOpen())
      if (order.strategy === running.name && (market === undefined || order.market === market))
        this.cancel(order.clientOrderId);
  }

  /** Withdraws everything of a strategy. */
  withdraw(running: Running): void {
    this.#cancelAllOf(running, undefined);
  }

  /** Withdraws everything of everybody in one market, and forgets what was to be quoted there. */
  withdrawMarket(market: MarketIndex): void {
    for (const [key, quote] of this.#quotes) if (quote.market === market) this.#quotes.delete(key);
    for (const order of this.#state.orders.openIn(market).slice()) this.cancel(order.clientOrderId);
  }

  /** Withdraws everything. */
  withdrawAll(): void {
    this.#quotes.clear();
    for (const order of this.#state.orders.allOpen()) this.cancel(order.clientOrderId);
  }

  #place(running: Running, intent: PlaceIntent): void {
    if (running.haltedBy !== null) return;
    const proposal = this.#propose(running, intent);
    const { limits, qtyStep, readiness, halts, observe } = this.#options;
    const halt = halts.blocking(running.name, this.#state.tickers.tickerOf(intent.market));
    const denial = check(proposal, { state: this.#state, limits, qtyStep, readiness: readiness(), halt });
    if (denial) return this.#deny(running, intent, denial);
    const command = this.#command(running, intent, proposal);
    this.#state.orders.add(command, intent.reason ?? '');
    this.#planner.enqueue(command);
    observe({ type: 'approved', strategy: running.name, intent, clientOrderId: command.clientOrderId });
    const { strategy, clientOrderId: id } = command;
    this.#tell(running, { kind: 'approved', at: this.#state.now, strategy, intent, clientOrderId: id });
  }

  #deny(running: Running, intent: PlaceIntent, denial: Denial): void {
    this.#options.observe({ type: 'denied', strategy: running.name, intent, denial });
    this.#tell(running, { kind: 'denied', at: this.#state.now, strategy: running.name, intent, denial });
  }

  #tell(running: Running, outcome: Parameters<NonNullable<Running['handlers']['onIntentOutcome']>>[0]): void {
    this.#roster?.ask(running, (handlers, view) => handlers.onIntentOutcome?.(outcome, view));
  }

  #propose(running: Running, intent: PlaceIntent): Proposal {
    const { market, side, price, qty } = intent;
    return {
      strategy: running.name,
      market,
      side,
      price,
      qty,
      timeInForce: intent.timeInForce ?? 'gtc',
      postOnly: intent.postOnly ?? false,
      reduceOnly: intent.reduceOnly ?? false,
      expiresAt: intent.expiresAt ?? null,
    };
  }

  #command(running: Running, intent: PlaceIntent, proposal: Proposal): PlaceCommand {
    const { now, portfolio, tickers } = this.#state;
    const held = portfolio.position(intent.market).qty;
    this.#orderCount += 1;
    const isReducing = closingQty(held, proposal) === proposal.qty;
    return {
      ...proposal,
      type: 'place',
      lane: isReducing ? 'reduce' : 'new',
      id: this.#options.nextCommandId(),
      clientOrderId: clientOrderId(`${this.#session}-${running.index}-${this.#orderCount.toString(36)}`),
      ticker: tickers.tickerOf(intent.market),
      createdAt: now,
      validUntil: intent.validUntil ?? ((now + this.#options.orderDelayMsMax * 1000) as Micros),
    };
  }

  /** Withdraws an order, wherever it is: takes it back if unsent, cancels it once the venue has named it. */
  cancel(id: ClientOrderId): void {
    const order = this.#state.orders.get(id);
    if (!order || isFinished(order.state)) return;
    this.#unwanted.add(id);
    if (order.state === 'queued') return this.#takeBack(order);
    this.#sendCancel(order);
  }

  #takeBack(order: Order): void {
    if (this.#takeOut('place', order.clientOrderId)) this.drop(order.clientOrderId, 'withdrawn before it was sent');
  }

  /** Takes an order's waiting command out of the planner. `false` when none waits. */
  #takeOut(type: 'place' | 'cancel', id: ClientOrderId): boolean {
    const isIt = (command: RequestCommand): boolean => command.type === type && command.clientOrderId === id;
    return this.#planner.withdraw(isIt).length > 0;
  }

  #sendCancel(order: Order): void {
    const { clientOrderId: id, venueOrderId } = order;
    if (venueOrderId === null || this.#cancelsOut.has(id) || this.#state.orders.isEnding(id)) return;
    this.#cancelsOut.add(id);
    this.#move(order, 'request-cancel', 'cancel wanted');
    const command: CancelCommand = {
      type: 'cancel',
      lane: 'cancel',
      id: this.#options.nextCommandId(),
      clientOrderId: id,
      venueOrderId,
      ticker: this.#state.tickers.tickerOf(order.market),
      createdAt: this.#state.now,
      validUntil: null,
    };
    this.#planner.enqueue(command);
  }

  #move(order: Order, change: 'request-cancel' | 'drop' | 'send' | 'retry' | 'lose', why: string): void {
    const from = order.state;
    this.#state.orders.move(order.clientOrderId, change, this.#state.now);
    if (order.state !== from) this.#options.onOrderChange({ type: 'order', order, from, to: order.state, why });
  }

  /** Ends an order that was never sent. */
  drop(id: ClientOrderId, why: string): void {
    this.#move(must(this.#state.orders.get(id), `order ${id}`), 'drop', why);
  }

  /** The venue does not know an order that it should: whether it still rests must be found out. */
  doubt(id: ClientOrderId, why: string): void {
    this.#move(must(this.#state.orders.get(id), `order ${id}`), 'lose', why);
  }

  /** A place command is on its way. */
  sent(command: PlaceCommand): void {
    this.#move(must(this.#state.orders.get(command.clientOrderId), 'sent order'), 'send', 'sent');
  }

  /** The venue refused a command for rate: it waits in the planner again, unless its order is no longer wanted. */
  deferred(command: RequestCommand): void {
    if (command.type !== 'place') return;
    const order = must(this.#state.orders.get(command.clientOrderId), 'deferred order');
    this.#move(order, 'retry', 'refused for rate');
    // Should the feed have told of it against the venue's own word, it must not be sent a second time.
    if (order.state !== 'queued') this.#takeOut('place', order.clientOrderId);
    else if (this.#unwanted.has(command.clientOrderId)) this.#takeBack(order);
  }

  /** A cancel may not have arrived: the first time it is sent again at once, after that when `insistAll` says so. */
  cancelLost(id: ClientOrderId): void {
    this.#cancelsOut.delete(id);
    if (this.#lostOnce.has(id)) this.#patient.add(id);
    this.#lostOnce.add(id);
    this.insist(id);
  }

  /** Sends again every cancel that was lost more than once: called at the pace of the upkeep. */
  insistAll(): void {
    const waiting = [...this.#patient];
    this.#patient.clear();
    for (const id of waiting) this.insist(id);
  }

  /** A cancel came back, whatever it said. */
  cancelReturned(id: ClientOrderId): void {
    this.#cancelsOut.delete(id);
  }

  /** Sends the cancel of an order that must go, if it can be sent now and none is on its way. */
  insist(id: ClientOrderId): void {
    const order = this.#state.orders.get(id);
    if (
      order &&
      this.#unwanted.has(id) &&
      !this.#patient.has(id) &&
      !isFinished(order.state) &&
      order.state !== 'unknown'
    )
      this.#sendCancel(order);
  }

  /** Reacts to an order's change of state: cancels what is unwanted, and puts quotes back once their way is clear. */
  afterChange({ order, from }: OrderChange): void {
    const id = order.clientOrderId;
    if (!isFinished(order.state)) {
      // Nobody counts on an order that was given up for gone: should it rest after all, it is withdrawn.
      if (isFinished(from)) this.#unwanted.add(id);
      return this.insist(id);
    }
    this.#lostOnce.delete(id);
    this.#patient.delete(id);
    const wasUnwanted = this.#unwanted.delete(id);
    // A cancel that has not left yet has become needless.
    if (this.#cancelsOut.delete(id)) this.#takeOut('cancel', id);
    if (wasUnwanted && leavesQty(order) > 0) this.#requote(order);
  }

  #requote(order: Order): void {
    const running = this.#roster?.named(order.strategy);
    if (!running) return;
    this.#soon(() => {
      const quote = this.#quotes.get(quoteKey(running, order.market));
      if (quote) this.#takeQuote(running, quote);
    });
  }
}

const quoteKey = (running: Running, market: MarketIndex): string => `${running.index} ${market}`;
