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
];
