// Order entry: turns intents into commands. Every order passes risk and then waits in the planner. Must never send an
// order that risk has not checked, nor send it a second time under another id.
import { assert, must } from '../../base/assert.ts';
import type { CancelCommand, DecreaseCommand, PlaceCommand, RequestCommand } from '../../domain/venue-command.ts';
import type { Denial } from '../../domain/denial.ts';
import { mintClientOrderId } from '../../domain/orders/client-order-id.ts';
import type { ClientOrderId, MarketIndex, StrategyName } from '../../domain/ids.ts';
import type { Intent, PlaceIntent, QuoteIntent } from '../../domain/intent.ts';
import { type Order, isFinished, leavesQty } from '../../domain/orders/order.ts';
import { closingQty } from '../../domain/position.ts';
import { NO_QTY } from '../../domain/units.ts';
import type { Proposal } from '../../risk/rules/proposal.ts';
import { ADOPTED } from '../../state/account/orders.ts';
import type { State } from '../../state/state.ts';
import type { StrategyRunner, RunningStrategy } from '../../strategy/strategy-runner.ts';
import { isQuoteMet, planQuote } from '../../strategy/quote-plan.ts';
import { Amends } from './amends.ts';
import { changeDenial } from './change-denial.ts';
import { Decreases } from './decreases.ts';
import type { OrderChange, OrderEntryOptions, OrderOwner, OwnChange } from './order-entry-options.ts';
import type { ChangeIntent } from './intent-tracker.ts';
import { IntentNotifier } from './intent-notifier.ts';
import { placeCommandOf, proposalOf } from './new-order.ts';
import type { Planner } from './planner.ts';
import { OrderCancels } from './order-cancels.ts';
import { Resends } from './resends.ts';
import { latestSend, sendDeadline } from './send-deadline.ts';
import { StandingQuotes } from './standing-quotes.ts';

/** Bound on the intent lists of one strategy within one step. More count as an endless loop. */
const ANSWERS_PER_STEP_MAX = 100;

/** Submits, denies and cancels orders. */
export class OrderEntry {
  readonly #options: OrderEntryOptions;
  readonly #state: State;
  readonly #planner: Planner;
  readonly #quotes = new StandingQuotes((market) => this.#roster?.callAtNextChange(market));
  /** Waiting tasks: a strategy may answer a callback while its earlier intents are being carried out. */
  readonly #inbox: (() => void)[] = [];
  /**
   * Number of intent lists from each strategy since the inbox was last empty. Added with a list; all removed when the
   * inbox is empty.
   */
  readonly #answerCounts = new Map<StrategyName, number>();
  #isRunning = false;
  #session = '';
  #orderCount = 0;
  #roster: StrategyRunner | null = null;

  readonly cancels: OrderCancels;
  readonly #decreases: Decreases;
  readonly #amends: Amends;
  readonly #resends: Resends;
  readonly intentNotifier: IntentNotifier;

  constructor(options: OrderEntryOptions) {
    this.#options = options;
    this.#state = options.state;
    this.#planner = options.planner;
    this.cancels = new OrderCancels({
      ...options,
      changeState: (order, change, why) => this.#changeState(order, change, why),
      onCancel: (strategy) => options.risk.countCancel(strategy),
    });
    this.intentNotifier = new IntentNotifier(options);
    this.#decreases = new Decreases({
      ...options,
      cancel: (id) => this.cancelOrder(id),
      onRequested: (order) => {
        this.intentNotifier.onDecreaseStage(order.clientOrderId, 'queued');
        this.#changeState(order, 'request-amend', 'decrease requested');
      },
      enqueue: (order, command) => {
        if (!this.#planner.enqueue(command)) this.#onLaneFull(order, command);
      },
    });
    this.#resends = new Resends({ ...options, cancels: this.cancels });
    this.#amends = new Amends({
      ...options,
      cancels: this.cancels,
      onRequested: (order) => this.#changeState(order, 'request-amend', 'amend requested'),
    });
  }

  /** Starts a session. Its name is part of every client order id. */
  startSession(session: string, roster: StrategyRunner): void {
    assert(session !== '', 'a session must have a name');
    assert(this.#session === '', 'order entry must be started once');
    this.#session = session;
    this.#roster = roster;
    this.intentNotifier.useRoster(roster);
  }

  /** Carries out a strategy's intents one after the other. Intents from callbacks are carried out afterwards. */
  submitIntents(running: RunningStrategy, intents: readonly Intent[]): void {
    if (this.#isRunning) return this.#submitLater(running, intents);
    // Most answers come alone. They need no place in the inbox, and allocate nothing.
    this.#isRunning = true;
    try {
      this.#carryOutAll(running, intents);
      this.#emptyInbox();
    } finally {
      this.#endTurn();
    }
  }

  #submitLater(running: RunningStrategy, intents: readonly Intent[]): void {
    const answers = (this.#answerCounts.get(running.name) ?? 0) + 1;
    this.#answerCounts.set(running.name, answers);
    if (answers >= ANSWERS_PER_STEP_MAX)
      return this.#roster?.haltStrategy(running, 'it answers the outcomes of its intents in an endless loop');
    this.#inbox.push(() => this.#carryOutAll(running, intents));
  }

  #carryOutAll(running: RunningStrategy, intents: readonly Intent[]): void {
    for (const intent of intents) if (running.haltedBy === null) this.#carryOut(running, intent);
  }

  /** Runs a task. Intents from callbacks in it are carried out afterwards: none may see the state while it changes. */
  holdIntents(task: () => void): void {
    if (this.#isRunning) return task();
    this.#isRunning = true;
    try {
      task();
      this.#emptyInbox();
    } finally {
      this.#endTurn();
    }
  }

  #emptyInbox(): void {
    for (let next = this.#inbox.shift(); next; next = this.#inbox.shift()) next();
  }

  #endTurn(): void {
    this.#isRunning = false;
    if (this.#answerCounts.size > 0) this.#answerCounts.clear();
  }

  #carryOut(running: RunningStrategy, intent: Intent): void {
    switch (intent.type) {
      case 'quote':
        if (this.#state.markets.get(intent.market)) this.#quotes.setQuote(running, intent);
        return this.#applyQuote(running, intent);
      case 'place':
        return this.#place(running, intent);
      case 'cancel':
      case 'decrease':
        return this.#changeOrder(running, intent);
      case 'cancel-all':
        return this.#cancelAllOf(running, intent.market, (id) => this.cancelOrder(id));
      case 'timer':
        return this.#roster?.setTimer(running, intent);
      case 'forecast':
        return this.#options.observe({ type: 'forecast', strategy: running.name, forecast: intent });
    }
  }

  #applyQuote(running: RunningStrategy, quote: QuoteIntent): void {
    const open = running.view.orders(quote.market);
    if (isQuoteMet(quote, open)) return;
    const { canShrink, canMove } = this.#options;
    const plan = planQuote(quote, open, { canDecrease: canShrink, canAmend: canMove && running.haltedBy === null });
    for (const cancel of plan.cancels) this.cancelOrder(cancel.clientOrderId);
    for (const shrink of plan.decreases) this.#decreases.sendDecrease(shrink.clientOrderId, shrink.leavesQty);
    for (const amend of plan.amends) this.#amends.moveOrder(amend);
    for (const place of plan.places) this.#place(running, place);
  }

  #changeOrder(running: RunningStrategy, intent: ChangeIntent): void {
    const id = intent.clientOrderId;
    const order = this.#state.orders.get(id);
    if (order) this.#roster?.callAtNextChange(order.market);
    const denial = changeDenial(order, intent, { strategy: running.name, qtyStep: this.#options.qtyStep });
    if (denial || !order) return denial ? this.intentNotifier.onDenied(running, intent, denial) : undefined;
    this.#quotes.adjustQuote(running, order, intent.type === 'cancel' ? NO_QTY : intent.leavesQty);
    this.intentNotifier.onChangeRequested(running, order, intent);
    // A strategy that failed in its callback has had all its orders canceled.
    if (running.haltedBy !== null) return;
    if (intent.type === 'cancel' || intent.leavesQty === 0) this.cancelOrder(id);
    else this.#decreases.requestDecrease(id, intent.leavesQty);
  }

  /** Cancels all orders of a strategy and drops its quotes, in one market or everywhere. */
  cancelStrategy(running: RunningStrategy, market?: MarketIndex): void {
    this.#cancelAllOf(running, market, (id) => this.cancels.cancelAtOnce(id));
  }

  #cancelAllOf(running: RunningStrategy, market: MarketIndex | undefined, cancel: (id: ClientOrderId) => void): void {
    this.#quotes.dropQuotes(running, market);
    for (const order of this.#openOrders(market ?? null))
      if (order.strategy === running.name) cancel(order.clientOrderId);
  }

  /** Cancels all orders in one market except adopted ones, and drops the quotes. */
  cancelMarket(market: MarketIndex): void {
    this.forgetMarket(market);
    this.#cancelEach(this.#openOrders(market));
  }

  /** Cancels adopted orders, in one market or in all. Only a person may request this. */
  cancelAdopted(market: MarketIndex | null): void {
    for (const order of this.#openOrders(market))
      if (order.strategy === ADOPTED) this.cancels.cancelAtOnce(order.clientOrderId);
  }

  #openOrders(market: MarketIndex | null): readonly Order[] {
    const { orders } = this.#state;
    return market === null ? orders.allOpen() : orders.openIn(market).slice();
  }

  #cancelEach(orders: readonly Order[]): void {
    for (const order of orders) if (order.strategy !== ADOPTED) this.cancels.cancelAtOnce(order.clientOrderId);
  }

  /** Drops the quotes in a market. Its index will be reused. */
  forgetMarket(market: MarketIndex): void {
    this.#quotes.dropQuotesIn(market);
  }

  /** Cancels all orders except adopted ones, and drops all quotes. */
  cancelAll(): void {
    this.#quotes.dropAll();
    this.#cancelEach(this.#state.orders.allOpen());
  }

  #place(running: RunningStrategy, intent: PlaceIntent): void {
    if (running.haltedBy !== null) return;
    const { risk, readiness } = this.#options;
    const blocked = this.#options.blockingDenial(intent.market);
    if (blocked) return this.intentNotifier.onDenied(running, intent, blocked);
    const placed = this.#submit(running, intent, (proposal) => risk.check(proposal, readiness()));
    if ('code' in placed) this.intentNotifier.onDenied(running, intent, placed);
  }

  /** Places an order that closes a position for the operator, whatever is halted. Returns the denial, or `null`. */
  placeForOperator(operator: OrderOwner, intent: PlaceIntent): Denial | null {
    const { risk, readiness } = this.#options;
    const placed = this.#submit(operator, intent, (proposal) => risk.checkFlatten(proposal, readiness()));
    return 'code' in placed ? placed : null;
  }

  #submit(
    orderer: OrderOwner,
    intent: PlaceIntent,
    check: (proposal: Proposal) => Denial | null,
  ): PlaceCommand | Denial {
    const proposal = proposalOf(orderer.name, intent);
    const { risk, observe } = this.#options;
    const denial = check(proposal);
    if (denial) return denial;
    risk.countOrder(orderer.name);
    const command = this.#placeCommand(orderer, intent, proposal);
    const order = this.#state.orders.addOrder(command, intent.reason ?? '');
    this.#resends.onPlaced(order.clientOrderId, intent);
    observe({ type: 'approved', strategy: orderer.name, intent, clientOrderId: command.clientOrderId });
    assert(order.state === 'queued', 'a new order must wait in the planner first');
    const isQueued = this.#planner.enqueue(command);
    this.intentNotifier.onPlaced(order, intent);
    if (!isQueued) this.#onLaneFull(order, command);
    return command;
  }

  /** Ends an order, or gives up a decrease, because too many commands of its lane (class of priority) wait. */
  #onLaneFull(order: Order, command: PlaceCommand | DecreaseCommand): void {
    const why = `too many ${command.lane === 'new' ? 'new' : 'reducing'} orders wait to be sent`;
    this.#changeState(order, command.type === 'place' ? 'drop' : 'refuse-amend', why);
  }

  #placeCommand(running: OrderOwner, intent: PlaceIntent, proposal: Proposal): PlaceCommand {
    const { now, portfolio, tickers } = this.#state;
    assert(this.#session !== '', 'no order may be placed before the session has started');
    const held = portfolio.position(intent.market).qty;
    this.#orderCount += 1;
    const isReducing = closingQty(held, proposal) === proposal.qty;
    const { orderDelayMsMax, expiryStep } = this.#options;
    const { validUntil, expiresAt } = intent;
    return placeCommandOf(proposal, {
      lane: isReducing ? 'reduce' : 'new',
      id: this.#options.nextCommandId(),
      clientOrderId: mintClientOrderId({ session: this.#session, place: running.index, number: this.#orderCount }),
      ticker: tickers.tickerOf(intent.market),
      createdAt: now,
      validUntil: sendDeadline({ validUntil, expiresAt, expiryStep }, latestSend(now, orderDelayMsMax)),
    });
  }

  cancelOrder(id: ClientOrderId): void {
    this.cancels.cancelOrder(id);
  }

  #changeState(order: Order, change: OwnChange, why: string): void {
    const from = order.state;
    this.#state.orders.applyChange(order.clientOrderId, change, this.#state.now);
    if (order.state !== from) this.#options.actions.reactToOrder({ type: 'order', order, from, to: order.state, why });
  }

  dropOrder(id: ClientOrderId, why: string): void {
    this.#changeState(must(this.#state.orders.get(id), `order ${id}`), 'drop', why);
  }

  /** Marks an order unknown: its answer is overdue, or the venue should know it and does not. It must be looked up. */
  markUnknown(id: ClientOrderId, why: string): void {
    this.cancels.onUnanswered(id);
    this.#changeState(must(this.#state.orders.get(id), `order ${id}`), 'lose', why);
  }

  /** Sends an unknown order once more. Returns false when nothing was queued. */
  resendOrder(id: ClientOrderId): boolean {
    return this.#resends.resendOrder(id);
  }

  onSent(command: RequestCommand): void {
    if (command.type === 'decrease') this.intentNotifier.onDecreaseStage(command.clientOrderId, 'sent');
    if (command.type !== 'place') return;
    this.#changeState(must(this.#state.orders.get(command.clientOrderId), 'sent order'), 'send', 'sent');
  }

  /** Ends an order, or gives up its change, because its command waited past its deadline. */
  onTooLate(command: RequestCommand): void {
    if (command.type === 'amend') return this.#amends.giveUpAmend(command.clientOrderId);
    if (command.type !== 'place' && command.type !== 'decrease') return;
    const order = must(this.#state.orders.get(command.clientOrderId), 'late order');
    this.#changeState(order, command.type === 'place' ? 'drop' : 'refuse-amend', 'too late to send');
  }

  /**
   * Handles a rate refusal. The command waits in the planner again, unless its order no longer needs it. In place of an
   * amend, a cancel leaves as soon as it may.
   */
  onDeferred(command: RequestCommand): void {
    if (command.type === 'amend') {
      this.cancels.removeWaiting('amend', command.clientOrderId);
      return this.#amends.giveUpAmend(command.clientOrderId);
    }
    if (command.type === 'cancel' || command.type === 'decrease') {
      if (!this.#isChangeDue(command)) this.cancels.removeWaiting(command.type, command.clientOrderId);
      return;
    }
    if (command.type !== 'place') return;
    const order = must(this.#state.orders.get(command.clientOrderId), 'deferred order');
    this.#changeState(order, 'retry', 'refused for rate');
    // The feed may have reported the order despite the refusal. Then it must not be sent a second time.
    if (order.state !== 'queued') this.cancels.removeWaiting('place', order.clientOrderId);
    else if (this.cancels.isUnwanted(command.clientOrderId)) this.cancels.dropUnsent(order);
  }

  /** False when the order has ended meanwhile, or a cancel has made its decrease pointless. */
  #isChangeDue({ type, clientOrderId: id }: CancelCommand | DecreaseCommand): boolean {
    const { orders } = this.#state;
    const state = orders.get(id)?.state;
    if (state === undefined || isFinished(state) || orders.isAwaitingFills(id)) return false;
    return type === 'cancel' || state === 'pending-amend';
  }

  /** Reacts to an order's change of state: retries cancels, and places quotes again once nothing is in their way. */
  onOrderChange({ order, from }: OrderChange): void {
    const id = order.clientOrderId;
    // The order's state is known now. A command that still waits would send the order a second time.
    if (from === 'unknown' || (from === 'queued' && order.state !== 'in-flight'))
      this.cancels.removeWaiting('place', id);
    this.#decreases.onOrderChange(order);
    this.#amends.onOrderChange(order);
    if (isFinished(order.state)) {
      this.#resends.onOrderEnded(id);
      const wasUnwanted = this.cancels.onOrderEnded(order);
      if (wasUnwanted && leavesQty(order) > 0) this.#placeQuoteAgain(order);
      return;
    }
    this.cancels.onOrderAlive(order, from);
    // A lookup showed the old terms, but the amend may still arrive. After a cancel, it can do nothing.
    if (order.state === 'working' && order.amend !== null) return this.cancelOrder(id);
    const left = this.#decreases.takeWaitingDecrease(order);
    if (left !== undefined) this.#decreases.sendDecrease(id, left);
    // A changed quote had to wait until the state of this order was known.
    if (order.state === 'working' && (from === 'pending-amend' || from === 'unknown')) this.#placeQuoteAgain(order);
  }

  #placeQuoteAgain(order: Order): void {
    const running = this.#roster?.strategyNamed(order.strategy);
    if (!running) return;
    const apply = (): void => {
      const quote = this.#quotes.quoteOf(running, order.market);
      if (quote) this.#applyQuote(running, quote);
    };
    if (this.#isRunning) this.#inbox.push(apply);
    else this.holdIntents(apply);
  }
}
