// Every order in which an exchange's words may reach us, within a small scope: two orders, six words, some of them told
// twice. Whatever comes when, the end is the exchange's truth: no fill lost or counted twice, no ghost, nothing of ours
// uncounted meanwhile.
import { describe, expect, it } from 'vitest';
import type { EngineEvent, FillReport, OrderReport } from '../../src/domain/event.ts';
import { clientOrderId, tradeId, venueOrderId } from '../../src/domain/ids.ts';
import { isFinished, leavesQty } from '../../src/domain/order.ts';
import { type Qty, contracts, dollars, qty } from '../../src/domain/units.ts';
import { State } from '../../src/state/state.ts';
import { M0, aFill, aPlace, aReport, after, tickerTable } from '../support/engine/builders.ts';

const at = after(10);
const TEN = contracts(10);
const ids = (n: number) => ({ clientOrderId: clientOrderId(`c-${n}`), venueOrderId: venueOrderId(`v-${n}`) });

/** One order's way at the exchange: what is said of it, and what is true of it in the end. */
interface Story {
  readonly name: string;
  readonly words: readonly EngineEvent[];
  readonly filled: Qty;
  readonly truth: OrderReport['status'];
  /** Whether we ask for a cancel as soon as we can, and again whenever it comes to nothing. */
  readonly isUnwanted?: true;
  /** Whether it is known to rest already, and has been asked to be smaller. */
  readonly isShrinking?: true;
}

const fillOf = (n: number, trade: number, size: number): FillReport =>
  aFill({ ...ids(n), tradeId: tradeId(`t-${n}-${trade}`), qty: contracts(size) });
const fill = (n: number, trade: number, size: number): EngineEvent => ({
  kind: 'fill',
  at,
  fill: fillOf(n, trade, size),
});
/** A list of fills names only the exchange's own order ids. */
const page = (...fills: FillReport[]): EngineEvent => {
  const rows = fills.map((one) => ({ ...one, clientOrderId: null }));
  return { kind: 'fills', at, askedAt: at, commandId: 1, rows, cursor: null };
};
interface Of {
  readonly filled: number;
  readonly total: number;
}
/** Of an order of ten, or of another total; one that has ended leaves nothing. */
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
/** An answer that tells what remains, and not what had traded by then. */
const left = (n: number, size: number): EngineEvent => ({
  kind: 'amend-accepted',
  at,
  clientOrderId: ids(n).clientOrderId,
  price: null,
  leavesQty: contracts(size),
});
const cancelRefused = (n: number): EngineEvent => ({
  kind: 'cancel-refused',
  at,
  clientOrderId: ids(n).clientOrderId,
  code: 'not_found',
});
const cancelLost = (n: number): EngineEvent => ({
  kind: 'cancel-lost',
  at,
  clientOrderId: ids(n).clientOrderId,
  reason: 'lost',
});

const STORIES: readonly ((n: number) => Story)[] = [
  (n) => ({
    name: 'filled in two parts',
    words: [
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
    words: [
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
    words: [
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
    name: 'taken in part at once, the rest withdrawn',
    words: [
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
    words: [
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
    name: 'made smaller after it had traded in part, and filled',
    isShrinking: true,
    words: [
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
    name: 'made smaller and then canceled, told as it was before as well',
    isShrinking: true,
    words: [
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
];

function* permutations<T>(items: readonly T[]): Generator<T[]> {
  if (items.length === 0) return void (yield []);
  for (let i = 0; i < items.length; i++) {
    const rest = [...items.slice(0, i), ...items.slice(i + 1)];
    for (const tail of permutations(rest)) yield [items[i]!, ...tail];
  }
}

function begin(stories: readonly Story[]): State {
  const state = new State(tickerTable(1));
  state.portfolio.openCash(dollars(100));
  state.portfolio.open();
  stories.forEach(({ isShrinking }, i) => {
    const { clientOrderId: id } = ids(i + 1);
    state.orders.add(aPlace({ clientOrderId: id, id: i + 1 }), '');
    state.orders.move(id, 'send', after(1));
    if (!isShrinking) return;
    state.apply(accepted(i + 1), []);
    state.orders.move(id, 'request-amend', after(2));
  });
  return state;
}

function tell(state: State, word: EngineEvent, stories: readonly Story[]): void {
  state.apply(word, []);
  stories.forEach(({ isUnwanted }, i) => {
    if (isUnwanted) state.orders.move(ids(i + 1).clientOrderId, 'request-cancel', at);
  });
}

/** What may still be held of an order without our knowing is counted as open until it is known. */
function expectCounted(state: State, story: Story, n: number): void {
  const order = state.orders.get(ids(n).clientOrderId)!;
  const isCounted = isFinished(order.state)
    ? order.filledQty >= story.filled
    : leavesQty(order) >= story.filled - order.filledQty;
  expect(isCounted, `${story.name}: ${order.state}, ${order.filledQty} of ${order.qty} filled`).toBe(true);
}

/** The look-up that settles whatever the words have left open, and the list of all fills. */
function settle(state: State, story: Story, n: number): void {
  const fills = story.words.flatMap((word) => (word.kind === 'fill' ? [word.fill] : []));
  const last = reportOf(n, story.truth, 0);
  state.apply(found({ ...last, filledQty: story.filled }), []);
  state.apply(page(...fills), []);
}

function expectTruth(state: State, stories: readonly Story[]): void {
  let held = 0;
  stories.forEach((story, i) => {
    const order = state.orders.get(ids(i + 1).clientOrderId)!;
    expect([order.state, order.filledQty], story.name).toEqual([story.truth, story.filled]);
    held += story.filled;
  });
  expect(state.orders.openCount).toBe(0);
  expect(state.portfolio.position(M0).qty).toBe(qty(held));
  expect(state.orphans.size).toBe(0);
}

describe('the words of one order, in every order', () => {
  it.each(STORIES.map((story) => story(1)))('end in the truth: $name', (story) => {
    let count = 0;
    for (const words of permutations(story.words)) {
      const state = begin([story]);
      for (const word of words) {
        tell(state, word, [story]);
        expectCounted(state, story, 1);
      }
      settle(state, story, 1);
      expectTruth(state, [story]);
      count += 1;
    }
    expect(count).toBe(720);
  });

  it.each(STORIES.map((story) => story(1)))('any of them told twice, change nothing: $name', (story) => {
    for (const words of permutations(story.words.slice(0, 4))) {
      const state = begin([story]);
      for (const word of words) {
        tell(state, word, [story]);
        tell(state, word, [story]);
      }
      for (const word of story.words) state.apply(word, []);
      settle(state, story, 1);
      expectTruth(state, [story]);
    }
  });

  it.each(STORIES.map((story) => story(1)))(
    'any of them lost, end in the truth by the look-up alone: $name',
    (story) => {
      for (let kept = 0; kept < 2 ** story.words.length; kept++) {
        const state = begin([story]);
        story.words.forEach((word, i) => {
          if ((kept >> i) % 2 === 1) tell(state, word, [story]);
        });
        settle(state, story, 1);
        expectTruth(state, [story]);
      }
    },
  );
});

describe('the words of two orders, in every order', () => {
  const pairs = STORIES.flatMap((a) => STORIES.map((b) => [a(1), b(2)] as const));
  it.each(pairs)('end in the truth', (a, b) => {
    const words = [...a.words.slice(0, 3), ...b.words.slice(0, 3)];
    for (const sequence of permutations(words)) {
      const state = begin([a, b]);
      for (const word of sequence) tell(state, word, [a, b]);
      settle(state, a, 1);
      settle(state, b, 2);
      expectTruth(state, [a, b]);
    }
  });
});
