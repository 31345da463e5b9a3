// One order, and its messages in every order of arrival: the same fills, fees, cash and position in the end, nothing
// counted twice, and never an exception. Exhaustive over small scopes, then case by case.
import { describe, expect, it } from 'vitest';
import type { EngineEvent, FillReport, OrderAccepted, OrderReport } from '../../../src/domain/event.ts';
import { clientOrderId, tradeId, venueOrderId } from '../../../src/domain/ids.ts';
import { isFinished } from '../../../src/domain/orders/order.ts';
import { cents, contracts, dollars, money, qty } from '../../../src/domain/units.ts';
import type { StateChange } from '../../../src/state/state-change.ts';
import { State } from '../../../src/state/state.ts';
import { BEGIN, M0, aFill, aPlace, aReport, after } from '../../support/engine/builders.ts';

const ID = clientOrderId('c-1');
const VENUE_ID = venueOrderId('v-1');
const PART: FillReport = aFill({ tradeId: tradeId('t-1'), qty: contracts(4), fee: dollars(0.01) });
const REST: FillReport = aFill({ tradeId: tradeId('t-2'), qty: contracts(6), fee: dollars(0.02) });

/** An open account with one order in flight. */
function inFlight(): State {
  const state = new State();
  state.portfolio.setOpeningCash(dollars(100));
  state.portfolio.openAccount();
  state.orders.addOrder(aPlace(), 'test');
  state.orders.applyChange(ID, 'send', BEGIN);
  return state;
}

function apply(state: State, ...events: readonly EngineEvent[]): StateChange[] {
  const changes: StateChange[] = [];
  for (const event of events) state.applyEvent(event, changes);
  return changes;
}

const at = after(1);
const EVENTS = {
  accepted: {
    kind: 'order-accepted',
    at,
    exchangeAt: null,
    clientOrderId: ID,
    venueOrderId: VENUE_ID,
    filledQty: qty(0),
    leavesQty: contracts(10),
    isFinished: false,
  },
  'answer lost': { kind: 'order-unknown', at, clientOrderId: ID, reason: 'timeout' },
  'feed working': { kind: 'order-updated', at, order: aReport() },
  'feed fills part': { kind: 'fill', at, fill: PART },
  'feed fills part by venue id alone': { kind: 'fill', at, fill: { ...PART, clientOrderId: null } },
  'feed fills rest': { kind: 'fill', at, fill: REST },
  'feed filled': {
    kind: 'order-updated',
    at,
    order: aReport({ status: 'filled', filledQty: contracts(10), leavesQty: qty(0) }),
  },
  'list of fills': { kind: 'fills', at, askedAt: at, commandId: 1, rows: [PART, PART, REST, PART], cursor: null },
  'cancel accepted': { kind: 'cancel-accepted', at, clientOrderId: ID, reducedBy: contracts(6) },
  'cancel refused': { kind: 'cancel-refused', at, clientOrderId: ID, code: 'not_found' },
  'cancel lost': { kind: 'cancel-lost', at, clientOrderId: ID, reason: 'timeout' },
  'feed canceled': {
    kind: 'order-updated',
    at,
    order: aReport({ status: 'canceled', filledQty: contracts(4), leavesQty: qty(0) }),
  },
  'stale list': { kind: 'orders', at, askedAt: at, commandId: 2, rows: [aReport()], cursor: null },
} as const satisfies Record<string, EngineEvent>;
type Name = keyof typeof EVENTS;

function* permutations<T>(items: readonly T[]): Generator<T[]> {
  if (items.length === 0) yield [];
  for (const [i, item] of items.entries())
    for (const rest of permutations([...items.slice(0, i), ...items.slice(i + 1)])) yield [item, ...rest];
}

/** Every selection of up to `max` of the names. */
function* subsets<T>(items: readonly T[], most: number): Generator<T[]> {
  if (items.length === 0 || most === 0) {
    yield [];
    return;
  }
  const [first, ...rest] = items;
  yield* subsets(rest, most);
  for (const some of subsets(rest, most - 1)) yield [first!, ...some];
}

const tradedBy = (names: readonly Name[]): number => {
  if (names.includes('list of fills')) return 1000;
  const part = names.some((name) => name.startsWith('feed fills part')) ? 400 : 0;
  return part + (names.includes('feed fills rest') ? 600 : 0);
};

function expectBooked(state: State, traded: number, sequence: string): void {
  const order = state.orders.get(ID)!;
  const fees = traded === 1000 ? 30_000 : traded === 400 ? 10_000 : traded === 600 ? 20_000 : 0;
  const { portfolio } = state;
  expect([portfolio.position(M0).qty, portfolio.position(M0).fees, portfolio.cash], sequence).toEqual([
    traded,
    fees,
    money(dollars(100) - traded * 4000 - fees),
  ]);
  expect([order.filledQty, order.fees, order.filledNotional], sequence).toEqual([traded, fees, traded * 4000]);
}

describe('messages of one order, in every order', () => {
  const NAMED = Object.keys(EVENTS) as Name[];

  it('every order of messages ends with the same fills, fees, cash and position, and counts nothing twice', () => {
    let count = 0;
    for (const names of subsets(NAMED, 4))
      for (const order of permutations(names)) {
        const state = inFlight();
        const sequence = order.join(' → ');
        const changes = apply(state, ...order.map((name) => EVENTS[name]));
        // Fills with the venue's id alone reach the order once another message has named it.
        const isNamed = order.some(
          (name) =>
            ![
              'answer lost',
              'cancel accepted',
              'cancel refused',
              'cancel lost',
              'feed fills part by venue id alone',
            ].includes(name),
        );
        count += 1;
        if (isNamed) expectBooked(state, tradedBy(order), sequence);
        expect(state.portfolio.position(M0).qty, sequence).toBe(tradedBy(order));
        const fillCount = changes.filter((change) => change.type === 'fill' && change.order !== null).length;
        expect(fillCount, sequence).toBeLessThanOrEqual(2);
        expect(state.orders.openCount, sequence).toBe(isFinished(state.orders.get(ID)!.state) ? 0 : 1);
      }
    expect(count).toBeGreaterThan(15_000);
  });

  it('an order ends filled once all has filled, whatever else six messages say', () => {
    const names: readonly Name[] = [
      'accepted',
      'answer lost',
      'feed working',
      'feed fills part',
      'list of fills',
      'feed filled',
    ];
    for (const order of permutations(names)) {
      const state = inFlight();
      apply(state, ...order.map((name) => EVENTS[name]));
      expect(state.orders.get(ID)!.state, order.join(' → ')).toBe('filled');
      expectBooked(state, 1000, order.join(' → '));
    }
  });

  it('an order ends canceled with its partial fill, in any order of six messages', () => {
    const names: readonly Name[] = [
      'accepted',
      'feed working',
      'feed fills part',
      'cancel accepted',
      'feed canceled',
      'cancel lost',
    ];
    for (const order of permutations(names)) {
      const state = inFlight();
      apply(state, ...order.map((name) => EVENTS[name]));
      const sequence = order.join(' → ');
      expect(state.orders.get(ID)!.state, sequence).toBe('canceled');
      expectBooked(state, 400, sequence);
    }
  });
});

describe('the order life under events', () => {
  const rows: readonly (readonly [readonly Name[], string])[] = [
    [['accepted'], 'working'],
    [['feed working'], 'working'],
    [['feed fills part'], 'working'],
    [['feed fills part', 'accepted'], 'working'],
    [['feed fills part', 'feed fills rest'], 'filled'],
    [['feed fills part', 'feed fills rest', 'accepted'], 'filled'],
    [['feed filled'], 'in-flight'],
    [['answer lost'], 'unknown'],
    [['answer lost', 'feed working'], 'working'],
    [['answer lost', 'feed filled'], 'unknown'],
    [['answer lost', 'feed fills part'], 'unknown'],
    [['answer lost', 'list of fills'], 'filled'],
    [['answer lost', 'feed canceled'], 'unknown'],
    [['answer lost', 'feed canceled', 'feed fills part'], 'canceled'],
    [['accepted', 'feed canceled', 'feed fills part'], 'canceled'],
    [['accepted', 'feed canceled', 'feed fills part', 'feed fills rest'], 'filled'],
    [['feed fills part', 'feed canceled', 'stale list'], 'canceled'],
    [['accepted', 'cancel accepted'], 'working'],
    [['accepted', 'feed canceled', 'cancel accepted'], 'working'],
    [['accepted', 'cancel accepted', 'feed fills part'], 'canceled'],
    [['feed fills part', 'feed fills rest', 'stale list'], 'filled'],
  ];
  it.each(rows)('%j ends %s', (names, expected) => {
    const state = inFlight();
    apply(state, ...names.map((name) => EVENTS[name]));
    expect(state.orders.get(ID)!.state).toBe(expected);
  });
});

const accepted = (over: Partial<OrderAccepted>): EngineEvent => ({ ...EVENTS.accepted, ...over });
const updated = (report: Partial<OrderReport>): EngineEvent => ({ kind: 'order-updated', at, order: aReport(report) });

describe('an immediate order', () => {
  it('an immediate order that filled nothing is canceled by its answer', () => {
    const state = inFlight();
    const changes = apply(state, accepted({ leavesQty: qty(0), isFinished: true }));
    expect(state.orders.get(ID)!.state).toBe('canceled');
    expect(changes).toMatchObject([
      { type: 'order', from: 'in-flight', to: 'working' },
      { type: 'order', from: 'working', to: 'canceled' },
    ]);
  });
  it('an immediate order that filled completely waits for its fills', () => {
    const state = inFlight();
    apply(state, accepted({ filledQty: contracts(10), leavesQty: qty(0), isFinished: true }));
    expect(state.orders.get(ID)!.state).toBe('working');
    apply(state, EVENTS['list of fills']);
    expect(state.orders.get(ID)!.state).toBe('filled');
    expectBooked(state, 1000, '');
  });
});

describe('fills of an unknown order', () => {
  it('fills of an unknown order count at once, and reach the order later', () => {
    const state = inFlight();
    const early = apply(state, EVENTS['feed fills part by venue id alone']);
    expect(early).toMatchObject([{ type: 'fill', order: null }]);
    expect(early[0]).not.toHaveProperty('isCounted');
    expect(state.portfolio.position(M0).qty).toBe(400);
    expect(state.orders.get(ID)!.filledQty).toBe(0);
    const late = apply(state, EVENTS.accepted).filter(({ type }) => type === 'fill');
    expect(late).toMatchObject([{ order: { clientOrderId: ID }, isCounted: true }]);
    expectBooked(state, 400, '');
  });
  it('fills of a stranger’s order count, and wait within a bound', () => {
    const state = inFlight();
    for (let i = 0; i < 1500; i++)
      apply(state, {
        kind: 'fill',
        at,
        fill: aFill({
          tradeId: tradeId(`x-${i}`),
          venueOrderId: venueOrderId(`x-${i}`),
          clientOrderId: null,
          qty: qty(1),
          fee: money(0),
        }),
      });
    expect(state.portfolio.position(M0).qty).toBe(1500);
    expect(state.orphanFills.takeFills(venueOrderId('x-0'))).toEqual([]);
    expect(state.orphanFills.takeFills(venueOrderId('x-1499'))).toHaveLength(1);
  });
});

describe('terms of an order', () => {
  it('terms come from a streamed report, and not from an older list', () => {
    const state = inFlight();
    apply(state, EVENTS.accepted, {
      kind: 'orders',
      at,
      askedAt: at,
      commandId: 1,
      rows: [aReport({ price: cents(30) })],
      cursor: null,
    });
    expect(state.orders.get(ID)!.price).toBe(cents(40));
    apply(state, updated({ price: cents(41), leavesQty: contracts(7) }));
    expect(state.orders.get(ID)).toMatchObject({ price: cents(41), qty: contracts(7), filledQty: 0, state: 'working' });
  });
  it('terms that leave only the filled quantity finish the order', () => {
    const state = inFlight();
    apply(state, EVENTS.accepted, EVENTS['feed fills part'], updated({ filledQty: contracts(4), leavesQty: qty(0) }));
    expect(state.orders.get(ID)!.state).toBe('filled');
    expect(state.orders.openCount).toBe(0);
  });
  it('terms of an amend apply from its answer on', () => {
    const state = inFlight();
    apply(state, EVENTS.accepted, EVENTS['feed fills part']);
    state.orders.applyChange(ID, 'request-amend', at);
    apply(state, {
      kind: 'amend-accepted',
      at,
      clientOrderId: ID,
      price: cents(42),
      filledQty: contracts(4),
      leavesQty: contracts(3),
    });
    expect(state.orders.get(ID)).toMatchObject({
      price: cents(42),
      qty: contracts(7),
      filledQty: contracts(4),
      state: 'working',
    });
  });
  it('an amend to zero ends the order', () => {
    const state = inFlight();
    apply(state, EVENTS.accepted, EVENTS['feed fills part']);
    state.orders.applyChange(ID, 'request-amend', at);
    apply(state, {
      kind: 'amend-accepted',
      at,
      clientOrderId: ID,
      price: null,
      filledQty: contracts(4),
      leavesQty: qty(0),
    });
    expect(state.orders.get(ID)).toMatchObject({ state: 'canceled', filledQty: contracts(4) });
  });
  it('a refused amend keeps the terms, and a lost one must be looked up', () => {
    for (const [event, expected] of [
      [{ kind: 'amend-refused', at, clientOrderId: ID, code: 'no' }, 'working'],
      [{ kind: 'amend-lost', at, clientOrderId: ID, reason: 'timeout' }, 'unknown'],
    ] as const) {
      const state = inFlight();
      apply(state, EVENTS.accepted);
      state.orders.applyChange(ID, 'request-amend', at);
      apply(state, event);
      expect(state.orders.get(ID)).toMatchObject({ state: expected, price: cents(40), qty: contracts(10) });
    }
  });
});

describe('other endings', () => {
  it('expired, rejected and not sent are distinct endings', () => {
    const ends: readonly (readonly [EngineEvent, string])[] = [
      [updated({ status: 'canceled', reason: 'ExpiryCancel' }), 'expired'],
      [{ kind: 'order-rejected', at, clientOrderId: ID, code: 'c', message: 'm' }, 'rejected'],
      [{ kind: 'order-not-sent', at, clientOrderId: ID, reason: 'aborted' }, 'not-sent'],
    ];
    for (const [event, expected] of ends) {
      const state = inFlight();
      const changes = apply(state, event);
      expect(state.orders.get(ID)!.state).toBe(expected);
      expect(changes).toMatchObject([{ type: 'order', from: 'in-flight' }]);
    }
  });
  it('an ending is revoked when the venue shows the order working', () => {
    for (const state of [inFlight(), inFlight()]) {
      apply(state, { kind: 'order-not-sent', at, clientOrderId: ID, reason: 'aborted' });
      expect(state.orders.openCount).toBe(0);
      apply(state, EVENTS['stale list']);
      expect(state.orders.get(ID)!.state).toBe('working');
      expect(state.orders.openIn(M0)).toHaveLength(1);
    }
  });
  it('transitions outside the table are counted as surprises', () => {
    const state = inFlight();
    const changes = apply(state, EVENTS['feed working'], {
      kind: 'order-not-sent',
      at,
      clientOrderId: ID,
      reason: 'no',
    });
    expect(changes.at(-1)).toMatchObject({ type: 'surprise', what: 'order-life' });
    expect(state.surprises.get('order-life')).toBe(1);
    apply(state, { ...EVENTS['cancel accepted'], clientOrderId: clientOrderId('unknown') });
    expect(state.surprises.get('order-not-known')).toBe(1);
  });
});

describe('a lost answer', () => {
  it('a lost answer leaves an order working that the feed has shown', () => {
    const state = inFlight();
    apply(state, EVENTS['feed working']);
    expect(apply(state, EVENTS['answer lost'])).toEqual([]);
    expect(state.orders.get(ID)?.state).toBe('working');
  });
});
