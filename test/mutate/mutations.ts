// Planted bugs that a careful reader could overlook: each is one change of the source that the tests of its room must
// notice. Must never overlap: each bug is planted alone.
import type { Patch } from '../simulation/run/bundle.ts';

/** The rooms with planted bugs, and the test folders that run against them. */
export const ROOMS = {
  state: ['test/state', 'test/risk', 'test/engine'],
  risk: ['test/risk', 'test/engine'],
  execution: ['test/execution', 'test/engine'],
  runtime: ['test/runtime'],
  exchange: ['test/exchange'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type Room = keyof typeof ROOMS;

/** One planted bug. */
export interface Mutation extends Patch {
  readonly room: Room;
  /** Wrong behavior, in one sentence. */
  readonly name: string;
}

const inFile =
  (room: Room, file: string) =>
  (name: string, find: string, replace: string): Mutation => ({ room, file, name, find, replace });

/** Every mutation. */
export const MUTATIONS: readonly Mutation[] = [
  inFile('execution', 'src/execution/orders/planner.ts')(
    'orders that reduce a position use the budget that is reserved for cancels',
    "return lane === 'new' || lane === 'reduce' ? this.#options.cancelReserve : 0;",
    "return lane === 'new' ? this.#options.cancelReserve : 0;",
  ),
  inFile('state', 'src/state/account/orders.ts')(
    'an order that ended keeps the smaller quantity it waited for fills with',
    'order.qty = this.#endings.get(order.clientOrderId)?.asked ?? order.qty;',
    '',
  ),
  inFile('state', 'src/state/account/equity.ts')(
    'the position limit does not count orders of unknown state',
    "if (order.side === side) position += side === 'buy' ? countedLeaves(order) : 0 - countedLeaves(order);",
    "if (order.side === side && order.state !== 'unknown')\n      position += side === 'buy' ? countedLeaves(order) : 0 - countedLeaves(order);",
  ),
  inFile('state', 'src/domain/orders/order.ts')(
    'an amend counts with its new price alone before its answer',
    "const isWorse = side === 'buy' ? amend.price > price : amend.price < price;",
    'const isWorse = true;',
  ),
  inFile('state', 'src/domain/orders/order.ts')(
    'an amend counts with its new quantity alone before its answer',
    'amend !== null && amend.qty > qty ? amend.qty : qty;',
    'amend !== null ? amend.qty : qty;',
  ),
  inFile('state', 'src/state/account/order-events.ts')(
    'an amend whose answer is lost counts as refused',
    "change: 'lose-amend', why",
    "change: 'refuse-amend', why",
  ),
  inFile('state', 'src/state/account/orders.ts')(
    'an order ends when its old quantity has traded, although a larger one may be in force',
    'const isAll = order.filledQty >= countedQty(order);',
    'const isAll = order.filledQty >= order.qty;',
  ),
  inFile('state', 'src/state/account/order-events.ts')(
    'a report with the old terms settles an unanswered amend',
    'if (amend === null || report.price !== amend.price) return false;\n  return price !== amend.price || report.filledQty + report.leavesQty === amend.qty;',
    'return amend !== null && price > 0 && report.price > 0;',
  ),
  inFile('risk', 'src/risk/exposure/exposure.ts')(
    'an amended order counts twice',
    'if (order === proposal?.amended) continue;',
    '',
  ),
  inFile('risk', 'src/risk/exposure/counted-terms.ts')(
    'an amend is checked with its new quantity alone',
    'leavesQty: leaves > qty ? leaves : qty,',
    'leavesQty: qty,',
  ),
  inFile('execution', 'src/execution/orders/amends.ts')(
    'an order that must end is amended',
    ' && !cancels.isUnwanted(id)',
    ' && cancels !== undefined',
  ),
  inFile('execution', 'src/execution/orders/amends.ts')(
    'an amend waits for the budget in place of a cancel',
    'if (!planner.wouldLeaveNow(command, state.now)) return cancels.cancelOrder(id);',
    '',
  ),
  inFile('execution', 'src/execution/orders/order-entry.ts')(
    'an order whose amend may still arrive goes on',
    "if (order.state === 'working' && order.amend !== null) return this.cancelOrder(id);",
    '',
  ),
  inFile('execution', 'src/strategy/quote-plan.ts')(
    'a quote is amended across an own order',
    'const amends = plan.amends.filter(({ order: { side }, price }) => !isHeldBack({ side, price }));',
    'const { amends } = plan;',
  ),
  inFile('runtime', 'src/runtime/saved/latch.ts')(
    'a second halt within one tick of the folder’s modification time is not read',
    'const isOld = changedAtMs !== null && this.#now() / 1000 - changedAtMs > TIMES_APART_MS;',
    'const isOld = changedAtMs !== null;',
  ),
  inFile('execution', 'src/execution/orders/order-entry.ts')(
    'an order that only partly closes a position is sent in the lane of orders that reduce',
    'const isReducing = closingQty(held, proposal) === proposal.qty;',
    'const isReducing = closingQty(held, proposal) > 0;',
  ),
  inFile('execution', 'src/execution/orders/order-entry.ts')(
    'a canceled order is sent again',
    'if (this.cancels.isUnwanted(id) || risk.check(order, readiness()) !== null) return false;',
    'if (risk.check(order, readiness()) !== null) return false;',
  ),
  inFile('execution', 'src/execution/session/order-watch.ts')(
    'an order that was sent again is dropped within its grace period',
    'return agoMs < graceMs || (agoMs < policy.unknownMsMax && isSending(id));',
    'return agoMs < policy.unknownMsMax && isSending(id);',
  ),
  inFile('execution', 'src/execution/session/account-opening.ts')(
    'one empty list of positions opens the account flat',
    'if (rows.length === 0 && !this.#isEmptyConfirmed) {',
    'if (rows.length < 0 && !this.#isEmptyConfirmed) {',
  ),
  inFile('state', 'src/state/feed/feed-health.ts')(
    'the private channels count as up again when only one of them is granted again',
    'for (const name of PRIVATE) this.#granted.delete(name);',
    '',
  ),
  inFile('state', 'src/state/strategies/ledger-handover.ts')(
    'a restart gives a strategy what another party bought meanwhile',
    '=== (this.#othersQty.get(market) ?? 0);',
    '>= (this.#othersQty.get(market) ?? 0);',
  ),
  inFile('state', 'src/state/account/portfolio.ts')(
    'a settlement before the account opens is paid into the opening cash',
    'if (before.qty === 0 || !this.#isOpen) return NO_MONEY;',
    'if (before.qty === 0) return NO_MONEY;',
  ),
  inFile('state', 'src/state/account/order-events.ts')(
    'a lost answer makes an order unknown that the feed has shown working',
    'if (order && order.venueOrderId !== null && !DOUBTFUL.has(order.state)) return;',
    '',
  ),
  inFile('risk', 'src/risk/exposure/exposure.ts')(
    'an order whose fee exceeds its profit counts no loss in the outcome that it wins',
    'const lossIfPaid = Math.max(0, lossIfWorthless - PAYOUT * qty);',
    'const lossIfPaid = 0 * lossIfWorthless;',
  ),
  inFile('risk', 'src/risk/losses/losses.ts')(
    'a restart after midnight measures the new day’s loss from yesterday’s equity',
    `    this.applyEquity(equity, now);
  }

  /** Raises the peak if the equity is higher.`,
    `  }

  /** Raises the peak if the equity is higher.`,
  ),
  inFile('risk', 'src/risk/rules/market-rules.ts')(
    'an order that trades at once may be priced against a book with one side',
    'return onlySide === null || !postOnly ? null : 2 * onlySide;',
    'return onlySide === null ? null : 2 * onlySide + 0 * Number(postOnly);',
  ),
  inFile('risk', 'src/risk/rules/rate-rules.ts')(
    'an order that has traded in part still denies an equal one as a duplicate',
    'if (!isEqual || order === amended || order.filledQty > 0 || ageMs >= duplicateWindowMs) continue;',
    'if (!isEqual || order === amended || ageMs >= duplicateWindowMs) continue;',
  ),
  inFile('execution', 'src/execution/session/ledger-watch.ts')(
    'a suspicion about a market that is in no list and has no position is never checked again',
    "for (const subject of this.#suspicions.keys()) if (subject !== 'cash') markets.add(subject);",
    '',
  ),
  inFile('execution', 'src/execution/session/venue-reader.ts')(
    'a list of several pages is dated by its last page',
    'const askedAt = pending.pageCount === 0 ? page.askedAt : pending.askedAt;',
    'const { askedAt } = page;',
  ),
  inFile('execution', 'src/execution/orders/decreases.ts')(
    'an order that the venue refuses to decrease gets another decrease instead of a cancel',
    'if (leavesQty(order) > left) this.#ineffective.add(id);',
    '',
  ),
  inFile('execution', 'src/execution/orders/order-cancels.ts')(
    'an order that was given up and rests after all is not canceled',
    'if (isFinished(from)) this.#unwanted.add(id);',
    '',
  ),
  inFile('runtime', 'src/runtime/session/command-executor.ts')(
    'an order that waited beyond its deadline in the queue is sent',
    "if (command.validUntil !== null && now() > command.validUntil) return 'it waited beyond its deadline';",
    '',
  ),
  inFile('runtime', 'src/runtime/watchdog/bot-watchdog.ts')(
    'the watchdog counts the time it slept as silence of the bot',
    'this.#silentMs += Math.min(now - this.#checkedAt, 2 * this.#checkMs);',
    'this.#silentMs += now - this.#checkedAt;',
  ),
  inFile('runtime', 'src/runtime/operator/operator-service.ts')(
    'cancel-all reports orders placed after it as left over',
    "const left = order.type === 'cancel-all' ? open.filter((resting) => before.includes(resting)) : open;",
    'const left = open;',
  ),
  inFile('runtime', 'src/runtime/saved/halt-keeper.ts')(
    'the first figures of a session’s strategies wait for the timer',
    'const isFirst = this.#ledgers === null;',
    'const isFirst = this.#ledgers !== null && false;',
  ),
  inFile('exchange', 'src/exchange/machine/match-plan.ts')(
    'an order that meets two orders of one account lets the second close what the first has closed',
    'const held = this.#held.get(maker.holding) ?? heldQty(maker.holding);',
    'const held = heldQty(maker.holding);',
  ),
  inFile('exchange', 'src/exchange/markets/market-transitions.ts')(
    'orders that rested through a halt survive the reactivation',
    "if (from === 'inactive' && to === 'active') cancelAllInMarket(state, market, 'HaltCancel');",
    '',
  ),
  inFile('exchange', 'src/exchange/accounts/order-group-limits.ts')(
    'an order group triggers one contract above its limit',
    'tradedQty(group, state.now) >= group.limit',
    'tradedQty(group, state.now) > group.limit',
  ),
  inFile('exchange', 'src/exchange/accounts/cash-transfers.ts')(
    'a transfer moves cash that is reserved for resting orders',
    'const missing = money(op.amount - (account.cash - account.reserved));',
    'const missing = money(op.amount - account.cash);',
  ),
];
