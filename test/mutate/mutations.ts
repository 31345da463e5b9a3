// Bugs that a careful reader could overlook, one change of the source each, by the room whose tests must notice it.
// Must never overlap with one another: each is planted alone.
import type { Patch } from '../simulation/bundle.ts';

/** The rooms that mutations are kept for, and the test folders that run against a mutation of the room. */
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
  /** What the changed program does wrong, in a sentence. */
  readonly name: string;
}

const inFile =
  (room: Room, file: string) =>
  (name: string, find: string, replace: string): Mutation => ({ room, file: `src/${file}`, name, find, replace });

const planner = inFile('execution', 'execution/planner.ts');
const desk = inFile('execution', 'execution/desk.ts');
const orderWatch = inFile('execution', 'execution/order-watch.ts');
const opening = inFile('execution', 'execution/opening.ts');
const orders = inFile('state', 'state/orders.ts');
const equity = inFile('state', 'state/equity.ts');
const latch = inFile('runtime', 'runtime/latch.ts');
const state = (file: string) => inFile('state', `state/${file}.ts`);
const risk = (file: string) => inFile('risk', `risk/${file}.ts`);
const execution = (file: string) => inFile('execution', `execution/${file}.ts`);
const runtime = (file: string) => inFile('runtime', `runtime/${file}.ts`);
const exchange = (file: string) => inFile('exchange', `exchange/${file}.ts`);

/** Every mutation. */
export const MUTATIONS: readonly Mutation[] = [
  planner(
    'orders that reduce a position use the budget that is reserved for cancels',
    "return lane === 'new' || lane === 'reduce' ? this.#options.cancelReserve : 0;",
    "return lane === 'new' ? this.#options.cancelReserve : 0;",
  ),
  orders(
    'an order that ended keeps the smaller quantity it waited for fills with',
    'order.qty = this.#endings.get(order.clientOrderId)?.asked ?? order.qty;',
    '',
  ),
  equity(
    'the position limit does not count orders of unknown state',
    "if (order.side === side) position += side === 'buy' ? leavesQty(order) : 0 - leavesQty(order);",
    "if (order.side === side && order.state !== 'unknown')\n      position += side === 'buy' ? leavesQty(order) : 0 - leavesQty(order);",
  ),
  latch(
    'a second halt within one tick of the folder’s modification time is not read',
    'const isOld = changedAtMs !== null && this.#now() / 1000 - changedAtMs > TIMES_APART_MS;',
    'const isOld = changedAtMs !== null;',
  ),
  desk(
    'an order that only partly closes a position is sent in the lane of orders that reduce',
    'const isReducing = closingQty(held, proposal) === proposal.qty;',
    'const isReducing = closingQty(held, proposal) > 0;',
  ),
  desk(
    'a canceled order is sent again',
    'if (this.withdrawals.isUnwanted(id) || risk.check(order, readiness()) !== null) return false;',
    'if (risk.check(order, readiness()) !== null) return false;',
  ),
  orderWatch(
    'an order that was sent again is dropped within its grace period',
    'return agoMs < graceMs || (agoMs < policy.unknownMsMax && isSending(id));',
    'return agoMs < policy.unknownMsMax && isSending(id);',
  ),
  opening(
    'one empty list of positions opens the account flat',
    'if (rows.length === 0 && !this.#isEmptyConfirmed) {',
    'if (rows.length < 0 && !this.#isEmptyConfirmed) {',
  ),
  state('feed-health')(
    'the private channels count as up again when only one of them is granted again',
    'for (const name of PRIVATE) this.#granted.delete(name);',
    '',
  ),
  state('succession')(
    'a restart gives a strategy what another party bought meanwhile',
    '=== (this.#othersQty.get(market) ?? 0);',
    '>= (this.#othersQty.get(market) ?? 0);',
  ),
  state('portfolio')(
    'a settlement before the account opens is paid into the opening cash',
    'if (before.qty === 0 || !this.#isOpen) return NO_MONEY;',
    'if (before.qty === 0) return NO_MONEY;',
  ),
  state('order-events')(
    'a lost answer makes an order unknown that the feed has shown working',
    'if (order && order.venueOrderId !== null && !DOUBTFUL.has(order.state)) return;',
    '',
  ),
  risk('exposure')(
    'an order whose fee exceeds its profit counts no loss in the outcome that it wins',
    'const won = Math.max(0, lost - PAYOUT * qty);',
    'const won = 0 * lost;',
  ),
  risk('losses')(
    'a restart after midnight measures the new day’s loss from yesterday’s equity',
    `    this.take(equity, now);
  }

  /** Takes what the account is worth now. */`,
    `  }

  /** Takes what the account is worth now. */`,
  ),
  risk('market-rules')(
    'an order that trades at once may be priced against a book with one side',
    'return one === null || !postOnly ? null : 2 * one;',
    'return one === null ? null : 2 * one + 0 * Number(postOnly);',
  ),
  risk('pace-rules')(
    'an order that has traded in part still denies an equal one as a duplicate',
    'if (!isEqual || order.filledQty > 0 || ageMs >= duplicateWindowMs) continue;',
    'if (!isEqual || ageMs >= duplicateWindowMs) continue;',
  ),
  execution('ledger-watch')(
    'a suspicion about a market that no list and no position names is never looked at again',
    "for (const subject of this.#suspicions.keys()) if (subject !== 'cash') markets.add(subject);",
    '',
  ),
  execution('reader')(
    'a list of several pages is dated by its last page',
    'const askedAt = pending.pageCount === 0 ? page.askedAt : pending.askedAt;',
    'const { askedAt } = page;',
  ),
  execution('decreases')(
    'an order that the venue refuses to make smaller is asked for again instead of canceled',
    'if (leavesQty(order) > left) this.#stubborn.add(id);',
    '',
  ),
  execution('withdrawals')(
    'an order that was given up and rests after all is not canceled',
    'if (isFinished(from)) this.#unwanted.add(id);',
    '',
  ),
  runtime('executor')(
    'an order that waited beyond its deadline in the queue is sent',
    "if (command.validUntil !== null && now() > command.validUntil) return 'it waited beyond its deadline';",
    '',
  ),
  runtime('watchdog')(
    'the watchdog counts the time it slept as silence of the bot',
    'this.#silentMs += Math.min(now - this.#checkedAt, 2 * this.#checkMs);',
    'this.#silentMs += now - this.#checkedAt;',
  ),
  runtime('operator-service')(
    'cancel-all reports orders placed after it as left over',
    "const left = order.type === 'cancel-all' ? open.filter((resting) => before.includes(resting)) : open;",
    'const left = open;',
  ),
  runtime('halt-keeper')(
    'the first figures of a session’s strategies wait for the timer',
    'const isFirst = this.#ledgers === null;',
    'const isFirst = this.#ledgers !== null && false;',
  ),
  exchange('matching')(
    'an order that meets two orders of one account lets the second close what the first has closed',
    'const held = this.#held.get(maker.holding) ?? heldQty(maker.holding);',
    'const held = heldQty(maker.holding);',
  ),
  exchange('market-life')(
    'orders that rested through a halt survive the reactivation',
    "if (from === 'inactive' && to === 'active') sweepMarket(floor, market, 'HaltCancel');",
    '',
  ),
  exchange('order-groups')(
    'an order group triggers one contract above its limit',
    'tradedQty(group, floor.now) >= group.limit',
    'tradedQty(group, floor.now) > group.limit',
  ),
  exchange('transfers')(
    'a transfer moves cash that is reserved for resting orders',
    'const missing = money(op.amount - (account.cash - account.reserved));',
    'const missing = money(op.amount - account.cash);',
  ),
];
