// Known bugs, each of which removes one safeguard: the simulation must find every one, or it proves nothing. Must fail
// loudly when the source no longer has the text that a planted bug replaces.
import type { Patch } from './bundle.ts';

/** A bug to plant. */
export interface PlantedBug {
  readonly name: string;
  /** The safeguard that it removes. */
  readonly breaks: string;
  readonly patches: readonly Patch[];
  /** Dialect whose simulations show it; the default one when absent. */
  readonly dialect?: string;
}

const plant = (name: string, breaks: string, ...patches: Patch[]): PlantedBug => ({ name, breaks, patches });
const at =
  (file: string) =>
  (find: string, replace: string): Patch => ({ file, find, replace });

const gateway = at('src/venues/trade-api/rest/trade-api-gateway.ts');
const batchAnswers = at('src/venues/trade-api/rest/batch-answers.ts');
const portfolio = at('src/state/account/portfolio.ts');
const books = at('src/state/books/order-books.ts');
const sequence = at('src/venues/trade-api/normalize/feed-subscriptions.ts');
const planner = at('src/execution/orders/planner.ts');
const answers = at('src/venues/trade-api/normalize/answer-normalizer.ts');
const reconcile = at('src/execution/session/reconciliation.ts');
const loop = at('src/runtime/session/live-loop.ts');
const feedPlan = at('src/venues/trade-api/feed/subscription-plan.ts');
const session = at('src/execution/session/trading-session.ts');
const budget = at('src/domain/rate-budget.ts');
const keeper = at('src/runtime/saved/halt-keeper.ts');
const latch = at('src/runtime/saved/latch.ts');
const equity = at('src/state/account/equity.ts');
const opening = at('src/execution/session/account-opening.ts');

/** Every planted bug. */
export const PLANTED_BUGS: readonly PlantedBug[] = [
  plant(
    'blind retry',
    'a request is sent once',
    gateway(
      'return this.#outcomeOf(await this.#options.http.request(asked));',
      `const { http } = this.#options;
    const first = await http.request(asked);
    return this.#outcomeOf(first.type === 'unknown' ? await http.request(asked) : first);`,
    ),
  ),
  plant(
    'lost batch',
    'an order of a batch without an answer may have been executed',
    batchAnswers(
      'refusalOf(profile, outcome) : { each: outcome, refusal: null };',
      "refusalOf(profile, outcome) : { each: { type: 'not-sent', reason: 'lost' } as const, refusal: null };",
    ),
  ),
  plant(
    'fills counted',
    'a fill is identified by trade and order, and counted once',
    portfolio('if (this.hasFill(fill)) return false;', ''),
  ),
  plant(
    'snapshot merged',
    'a snapshot replaces the book',
    books('    this.#clear(market);\n    this.#set(market, EPOCH', '    this.#set(market, EPOCH'),
  ),
  plant(
    'gap ignored',
    'a skipped sequence number makes the books of its subscription suspect',
    sequence("return seq > expected ? 'gap' : 'repeat';", "return seq > expected ? 'next' : 'repeat';"),
  ),
  plant(
    'halt in memory only',
    'a halt outlives the session',
    keeper("if (notice.type === 'halt') this.#options.latch.writeHalt(notice.halt);", ''),
    latch('halts: [...this.readHalts(), ', 'halts: ['),
    keeper(
      'const halt = latch.blockingHalt(strategy, ticker);',
      'const halt = null as ReturnType<typeof latch.blockingHalt>;',
    ),
    keeper(
      'for (const { scope, by, reason } of latch.readHalts())',
      'for (const { scope, by, reason } of [] as ReturnType<typeof latch.readHalts>)',
    ),
  ),
  plant(
    'cancel behind new',
    'a cancel leaves before anything else',
    planner("trade: ['cancel', 'reduce', 'new'],", "trade: ['new', 'reduce', 'cancel'],"),
  ),
  plant(
    'unknown is rejected',
    'only the venue ends an order',
    answers(
      "if (outcome.type === 'unknown') return emitUnknown(outcome.reason);",
      "if (outcome.type === 'unknown') return emit({ kind: 'order-rejected', at, clientOrderId, code: 'lost', message: '' });",
    ),
  ),
  plant(
    'absent is gone at once',
    'a list that lacks an order proves nothing before the grace is over',
    reconcile('return askedAt - order.changedAt >= graceMs * 1000;', 'return askedAt >= 0 * graceMs;'),
  ),
  {
    ...plant(
      'late list trusted',
      'a lagging list does not make an order doubtful that was just accepted',
      reconcile('askedAt - namedAt >= graceMs * 1000;', 'askedAt - namedAt >= 0 * graceMs;'),
    ),
    dialect: 'kalshi',
  },
  plant(
    'in flight not counted',
    'risk counts orders that are queued, in flight or unknown',
    at('src/state/account/equity.ts')(
      'for (const order of held.orders.openIn(market))',
      "for (const order of held.orders.openIn(market).filter(({ state }) => state === 'working'))",
    ),
  ),
  plant(
    'journal after sending',
    'an order is on disk before its first byte leaves',
    loop('      journal.writeCommands(commands);\n', ''),
    loop(
      'else this.#held.push(...commands);',
      'else this.#held.push(...commands);\n    const sent = commands.slice();\n    this.#scheduler.soon(() => this.#options.journal?.writeCommands(sent));',
    ),
  ),
  plant(
    'resubscribe forgotten',
    'a new connection subscribes to everything again, and requests missing books',
    feedPlan("else if (!this.#isAwaited('book', ticker)) refused.push(ticker);", ''),
    feedPlan('this.#subscribe(this.#marketChannels, [...this.#wanted]);\n  }\n\n  disconnect', '}\n\n  disconnect'),
  ),
  plant(
    'orders not cleared at start',
    'orders that rest from before are canceled before anything is placed',
    session(
      'if (this.#isSatisfied() && this.#isListLateEnough() && this.orders.unsettledCount === 0) this.#load();',
      'this.#load();',
    ),
    at('src/execution/session/order-watch.ts')(
      "if (policy.unexpected === 'cancel') return actions.cancelOrder(orders.adoptOrder(report, now).clientOrderId);",
      "if (policy.unexpected === 'cancel') return void actions;",
    ),
  ),
  plant(
    'client ids used again',
    'no order id repeats one of an earlier session',
    at('src/domain/orders/client-order-id.ts')(
      'clientOrderId(`${session}-',
      'clientOrderId(`again${session.slice(0, 0)}-',
    ),
  ),
  plant(
    'budget not held',
    'a request counts against its budget until its answer, and a window longer',
    budget(
      '  holdUnits(cost: number): void {\n    this.#held += cost;',
      '  holdUnits(cost: number): void {\n    this.#held += 0 * cost;',
    ),
    budget('    this.#held -= cost;\n    this.takeUnits(cost, now);', '    void [cost, now];'),
  ),
  plant(
    'private feed ignored',
    'no orders are placed without the private channels of the feed',
    at('src/execution/feed/feed-watch.ts')(
      'if (hasKey && state.feed.privateFault !== null)',
      'if (hasKey && state.feed.privateFault === undefined)',
    ),
  ),
  plant(
    'settlement counted twice',
    'a market pays once',
    portfolio('this.#cash = addMoney(this.#cash, paid);', 'this.#cash = addMoney(addMoney(this.#cash, paid), paid);'),
  ),
  plant(
    'cancel reserve shared',
    'orders that reduce a position leave the budget that is reserved for cancels',
    planner(
      "return lane === 'new' || lane === 'reduce' ? this.#options.cancelReserve : 0;",
      "return lane === 'new' ? this.#options.cancelReserve : 0;",
    ),
  ),
  plant(
    'unknown orders not counted',
    'the position limit counts orders of unknown state',
    equity(
      "if (order.side === side) position += side === 'buy' ? countedLeaves(order) : 0 - countedLeaves(order);",
      "if (order.side === side && order.state !== 'unknown')\n      position += side === 'buy' ? countedLeaves(order) : 0 - countedLeaves(order);",
    ),
  ),
  plant(
    'unwanted order amended',
    'an order that must end is not amended',
    at('src/execution/orders/amends.ts')(' && !cancels.isUnwanted(id)', ' && cancels !== undefined'),
  ),
  plant(
    'canceled order sent again',
    'an order that its strategy canceled is not sent again',
    at('src/execution/orders/resends.ts')(
      'if (cancels.isUnwanted(id) || (validUntil !== undefined && now > validUntil)) return false;',
      'if (validUntil !== undefined && now > validUntil) return false;',
    ),
  ),
  plant(
    'one empty list of positions',
    'an account opens flat only when a second list of positions is empty too',
    opening('if (rows.length === 0 && !this.#isEmptyConfirmed) {', 'if (rows.length < 0 && !this.#isEmptyConfirmed) {'),
  ),
];
