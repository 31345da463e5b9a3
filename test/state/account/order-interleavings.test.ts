// Every order of arrival of an exchange's messages, within a small scope: two orders, six messages, some of them
// repeated. In every case the result is the exchange's truth: no fill lost or counted twice, no ghost order, none of
// our quantity uncounted meanwhile.
import { describe, expect, it } from 'vitest';
import type { EngineEvent, FillReport, OrderReport } from '../../../src/domain/event.ts';
import { clientOrderId, tradeId, venueOrderId } from '../../../src/domain/ids.ts';
import { type AmendedTerms, countedLeaves, isFinished } from '../../../src/domain/orders/order.ts';
import { type Qty, cents, contracts, dollars, qty } from '../../../src/domain/units.ts';
import { State } from '../../../src/state/state.ts';
import { M0, aFill, aPlace, aReport, after, tickerTable } from '../../support/engine/builders.ts';

const at = after(10);
const TEN = contracts(10);
const ids = (n: number) => ({ clientOrderId: clientOrderId(`c-${n}`), venueOrderId: venueOrderId(`v-${n}`) });

/** One order's history at the exchange: its messages, and its true result. */
interface OrderHistory {
  readonly name: string;
  readonly messages: readonly EngineEvent[];
  readonly filled: Qty;
  readonly truth: OrderReport['status'];
  /** True when we request a cancel as soon as possible, and again whenever it fails. */
  readonly isUnwanted?: true;
  /** True when the order is known to rest already, and a decrease was requested. */
  readonly isShrinking?: true;
  /** Terms of an amend that was requested while the order rested. */
  readonly amend?: AmendedTerms;
}

const fillOf = (n: number, trade: number, size: number): FillReport =>
  aFill({ ...ids(n), tradeId: tradeId(`t-${n}-${trade}`), qty: contracts(size) });
const fill = (n: number, trade: number, size: number): EngineEvent => ({
  kind: 'fill',
  at,
  fill: fillOf(n, trade, size),
});
/** A list of fills has only the exchange's own order ids. */
const page = (...fills: FillReport[]): EngineEvent => {
  const rows = fills.map((one) => ({ ...one, clientOrderId: null }));
  return { kind: 'fills', at, askedAt: at, commandId: 1, rows, cursor: null };
};
interface Of {
  readonly filled: number;
  readonly total: number;
}
/** A report of an order of ten, or of another total; a finished one leaves nothing. */
const reportOf = (n: number, status: OrderReport['status'], traded: number | Of): OrderReport => {
  const { filled, total } = typeof traded === 'number' ? { filled: traded, total: 10 } : traded;
  const leavesQty = contracts(status === 'working' ? total - filled : 0);
  return aReport({ ...ids(n), status, filledQty: contracts(filled), leavesQty });
};
const streamed = (order: OrderReport): EngineEvent => ({ kind: 'order-updated', at, order });
const found = (order: OrderReport): EngineEvent => ({
  kind: 'order-found',
  at,
  askedAt: after(20),
  commandId: 1,
  order,
});
const accepted = (n: number, filled = 0, isOver = false): EngineEvent => ({
  kind: 'order-accepted',
  at,
  exchangeAt: null,
  ...ids(n),
  filledQty: contracts(filled),
  leavesQty: contracts(isOver ? 0 : 10 - filled),
  isFinished: isOver,
});
const lost = (n: number): EngineEvent => ({
  kind: 'order-unknown',
  at,
  clientOrderId: ids(n).clientOrderId,
  reason: 'lost',
});
const canceled = (n: number, filled: number): EngineEvent => ({
  kind: 'cancel-accepted',
  at,
  clientOrderId: ids(n).clientOrderId,
  reducedBy: contracts(10 - filled),
  filledQty: contracts(filled),
});
/** An acknowledgment with the remaining quantity, but not the filled one. */
const left = (n: number, size: number): EngineEvent => ({
  kind: 'amend-accepted',
  at,
  clientOrderId: ids(n).clientOrderId,
  price: null,
  leavesQty: contracts(size),
});
const changeRefused =
  (kind: 'cancel-refused' | 'amend-refused') =>
  (n: number): EngineEvent => ({ kind, at, clientOrderId: ids(n).clientOrderId, code: 'not_found' });
const changeLost =
  (kind: 'cancel-lost' | 'amend-lost') =>
  (n: number): EngineEvent => ({ kind, at, clientOrderId: ids(n).clientOrderId, reason: 'lost' });
const cancelRefused = changeRefused('cancel-refused');
const cancelLost = changeLost('cancel-lost');

/** An amend of the price and to a total of fifteen. */
const AMEND: AmendedTerms = { price: cents(43), qty: contracts(15) };
const amendAccepted = (n: number, filled: number): EngineEvent => ({
  kind: 'amend-accepted',
  at,
  clientOrderId: ids(n).clientOrderId,
  price: AMEND.price,
  filledQty: contracts(filled),
  leavesQty: contracts(15 - filled),
});
const amendRefused = changeRefused('amend-refused');
const amendLost = changeLost('amend-lost');
const amendedReport = (n: number, status: OrderReport['status'], filled: number): EngineEvent =>
  streamed({ ...reportOf(n, status, { filled, total: 15 }), price: AMEND.price });

const HISTORIES: readonly ((n: number) => OrderHistory)[] = [
  (n) => ({
    name: 'filled in two parts',
    messages: [
      accepted(n),
      fill(n, 1, 4),
      fill(n, 2, 6),
      streamed(reportOf(n, 'working', 4)),
      page(fillOf(n, 1, 4)),
      streamed(reportOf(n, 'filled', 10)),
    ],
    filled: TEN,
    truth: 'filled',
  }),
  (n) => ({
    name: 'its answer lost, filled in part, canceled',
    isUnwanted: true,
    messages: [
      lost(n),
      streamed(reportOf(n, 'working', 0)),
      fill(n, 1, 4),
      canceled(n, 4),
      streamed(reportOf(n, 'canceled', 4)),
      page(fillOf(n, 1, 4)),
    ],
    filled: contracts(4),
    truth: 'canceled',
  }),
  (n) => ({
    name: 'filled while it was being canceled',
    isUnwanted: true,
    messages: [
      accepted(n),
      fill(n, 1, 10),
      cancelRefused(n),
      cancelLost(n),
      page(fillOf(n, 1, 10)),
      streamed(reportOf(n, 'filled', 10)),
    ],
    filled: TEN,
    truth: 'filled',
  }),
  (n) => ({
    name: 'filled in part at once, the rest canceled',
    messages: [
      accepted(n, 4, true),
      fill(n, 1, 4),
      fill(n, 1, 4),
      streamed(reportOf(n, 'canceled', 4)),
      page(fillOf(n, 1, 4)),
      lost(n),
    ],
    filled: contracts(4),
    truth: 'canceled',
  }),
  (n) => ({
    name: 'its answer lost and filled at once',
    messages: [
      lost(n),
      fill(n, 1, 3),
      fill(n, 2, 7),
      page(fillOf(n, 1, 3), fillOf(n, 2, 7)),
      streamed(reportOf(n, 'filled', 10)),
      found(reportOf(n, 'working', 3)),
    ],
    filled: TEN,
    truth: 'filled',
  }),
  (n) => ({
    name: 'decreased after a partial fill, and filled',
    isShrinking: true,
    messages: [
      fill(n, 1, 4),
      left(n, 3),
      streamed(reportOf(n, 'working', { filled: 4, total: 7 })),
      fill(n, 2, 3),
      streamed(reportOf(n, 'filled', { filled: 7, total: 7 })),
      page(fillOf(n, 1, 4)),
    ],
    filled: contracts(7),
    truth: 'filled',
  }),
  (n) => ({
    name: 'decreased and then canceled, with an outdated report',
    isShrinking: true,
    messages: [
      fill(n, 1, 4),
      streamed(reportOf(n, 'working', 4)),
      left(n, 3),
      streamed(reportOf(n, 'working', { filled: 4, total: 7 })),
      streamed(reportOf(n, 'canceled', { filled: 4, total: 7 })),
      page(fillOf(n, 1, 4)),
    ],
    filled: contracts(4),
    truth: 'canceled',
  }),
  (n) => ({
    name: 'amended to a larger quantity after a partial fill, and filled',
    amend: AMEND,
    messages: [
      fill(n, 1, 4),
      amendAccepted(n, 4),
      amendedReport(n, 'working', 4),
      fill(n, 2, 11),
      amendedReport(n, 'filled', 15),
      page(fillOf(n, 1, 4)),
    ],
    filled: contracts(15),
    truth: 'filled',
  }),
  (n) => ({
    name: 'filled before its amend arrived',
    amend: AMEND,
    messages: [
      streamed(reportOf(n, 'working', 4)),
      fill(n, 1, 4),
      fill(n, 2, 6),
      amendRefused(n),
      streamed(reportOf(n, 'filled', 10)),
      page(fillOf(n, 1, 4)),
    ],
    filled: TEN,
    truth: 'filled',
  }),
  (n) => ({
    name: 'amended, the answer lost, and then canceled',
    amend: AMEND,
    isUnwanted: true,
    messages: [
      amendLost(n),
      amendedReport(n, 'working', 0),
      fill(n, 1, 12),
      cancelLost(n),
      canceled(n, 12),
      amendedReport(n, 'canceled', 12),
    ],
    filled: contracts(12),
    truth: 'canceled',
  }),
];

function* permutations<T>(items: readonly T[]): Generator<T[]> {
  if (items.length === 0) return void (yield []);
  for (let i = 0; i < items.length; i++) {
    const rest = [...items.slice(0, i), ...items.slice(i + 1)];
    for (const tail of permutations(rest)) yield [items[i]!, ...tail];
  }
}

function startState(histories: readonly OrderHistory[]): State {
  const state = new State(tickerTable(1));
  state.portfolio.setOpeningCash(dollars(100));
  state.portfolio.openAccount();
  histories.forEach(({ isShrinking, amend }, i) => {
    const { clientOrderId: id } = ids(i + 1);
    state.orders.addOrder(aPlace({ clientOrderId: id, id: i + 1 }), '');
    state.orders.applyChange(id, 'send', after(1));
    if (!isShrinking && !amend) return;
    state.applyEvent(accepted(i + 1), []);
    if (amend) state.orders.recordAmend(id, amend);
    state.orders.applyChange(id, 'request-amend', after(2));
  });
  return state;
}

function applyMessage(state: State, message: EngineEvent, histories: readonly OrderHistory[]): void {
  state.applyEvent(message, []);
  histories.forEach(({ isUnwanted }, i) => {
    if (isUnwanted) state.orders.applyChange(ids(i + 1).clientOrderId, 'request-cancel', at);
  });
}

/** Like `expect(found).toBe(expected)`, for a hundred thousand comparisons. */
function expectSame(found: unknown, expected: unknown, name: string): void {
  if (found !== expected) expect(found, name).toBe(expected);
}

/** Quantity that may be held without our knowing counts as open until it is known. */
function expectCounted(state: State, history: OrderHistory, n: number): void {
  const order = state.orders.get(ids(n).clientOrderId)!;
  const isCounted = isFinished(order.state)
    ? order.filledQty >= history.filled
    : countedLeaves(order) >= history.filled - order.filledQty;
  if (!isCounted) expect.fail(`${history.name}: ${order.state}, ${order.filledQty} of ${order.qty} filled`);
}

/** The lookup that settles whatever the messages left open, and the list of all fills. */
function settle(state: State, history: OrderHistory, n: number): void {
  const fills = history.messages.flatMap((message) => (message.kind === 'fill' ? [message.fill] : []));
  const last = reportOf(n, history.truth, 0);
  state.applyEvent(found({ ...last, filledQty: history.filled }), []);
  state.applyEvent(page(...fills), []);
}

function expectTruth(state: State, histories: readonly OrderHistory[]): void {
  let held = 0;
  histories.forEach((history, i) => {
    const order = state.orders.get(ids(i + 1).clientOrderId)!;
    expectSame(order.state, history.truth, history.name);
    expectSame(order.filledQty, history.filled, history.name);
    held += history.filled;
  });
  expectSame(state.orders.openCount, 0, 'open orders');
  expectSame(state.portfolio.position(M0).qty, qty(held), 'position');
  expectSame(state.orphanFills.size, 0, 'orphan fills');
}

describe('messages of one order, in every order', () => {
  it.each(HISTORIES.map((history) => history(1)))('every order of messages ends in the truth: $name', (history) => {
    let count = 0;
    for (const messages of permutations(history.messages)) {
      const state = startState([history]);
      for (const message of messages) {
        applyMessage(state, message, [history]);
        expectCounted(state, history, 1);
      }
      settle(state, history, 1);
      expectTruth(state, [history]);
      count += 1;
    }
    expect(count).toBe(720);
  });

  it.each(HISTORIES.map((history) => history(1)))('a repeated message changes nothing: $name', (history) => {
    for (const messages of permutations(history.messages.slice(0, 4))) {
      const state = startState([history]);
      for (const message of messages) {
        applyMessage(state, message, [history]);
        applyMessage(state, message, [history]);
      }
      for (const message of history.messages) state.applyEvent(message, []);
      settle(state, history, 1);
      expectTruth(state, [history]);
    }
  });

  it.each(HISTORIES.map((history) => history(1)))(
    'after a lost message the lookup alone restores the truth: $name',
    (history) => {
      for (let kept = 0; kept < 2 ** history.messages.length; kept++) {
        const state = startState([history]);
        history.messages.forEach((message, i) => {
          if ((kept >> i) % 2 === 1) applyMessage(state, message, [history]);
        });
        settle(state, history, 1);
        expectTruth(state, [history]);
      }
    },
  );
});

describe('messages of two orders, in every order', () => {
  const pairs = HISTORIES.flatMap((a) => HISTORIES.map((b) => [a(1), b(2)] as const));
  it.each(pairs)('every order of messages of two orders ends in the truth', (a, b) => {
    const messages = [...a.messages.slice(0, 3), ...b.messages.slice(0, 3)];
    for (const sequence of permutations(messages)) {
      const state = startState([a, b]);
      for (const message of sequence) applyMessage(state, message, [a, b]);
      settle(state, a, 1);
      settle(state, b, 2);
      expectTruth(state, [a, b]);
    }
  });
});
