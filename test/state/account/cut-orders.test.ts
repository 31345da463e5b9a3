// Orders that the venue cuts down to what the account holds: it calls them filled, though less than their quantity traded.
import { expect, it } from 'vitest';
import type { EngineEvent } from '../../../src/domain/event.ts';
import { clientOrderId, venueOrderId } from '../../../src/domain/ids.ts';
import { contracts, dollars, qty } from '../../../src/domain/units.ts';
import type { StateChange } from '../../../src/state/state-change.ts';
import { State } from '../../../src/state/state.ts';
import { BEGIN, aFill, aPlace, aReport, after } from '../../support/engine/builders.ts';

const ID = clientOrderId('c-1');
const at = after(1);
const FILLED_QTY = contracts(4);

const FILL = { kind: 'fill', at, fill: aFill({ qty: FILLED_QTY }) } as const satisfies EngineEvent;
const ACCEPTED = {
  kind: 'order-accepted',
  at,
  exchangeAt: null,
  clientOrderId: ID,
  venueOrderId: venueOrderId('v-1'),
  filledQty: FILLED_QTY,
  leavesQty: qty(0),
  isFinished: true,
} as const satisfies EngineEvent;
const reportFilled = (filledQty = FILLED_QTY): EngineEvent => ({
  kind: 'order-updated',
  at,
  order: aReport({ status: 'filled', filledQty, leavesQty: qty(0) }),
});

interface Applied {
  readonly state: State;
  /** The states that the order enters. */
  readonly entered: string[];
  readonly surprises: readonly StateChange[];
}

/** Applies events to an order of ten contracts that is in flight. */
function statesAfter(...events: readonly EngineEvent[]): Applied {
  const state = new State();
  state.portfolio.setOpeningCash(dollars(100));
  state.portfolio.openAccount();
  state.orders.addOrder(aPlace({ timeInForce: 'ioc', reduceOnly: true }), 'test');
  state.orders.applyChange(ID, 'send', BEGIN);
  const changes: StateChange[] = [];
  for (const event of events) state.applyEvent(event, changes);
  const entered = changes.flatMap((change) => (change.type === 'order' ? [change.to] : []));
  return { state, entered, surprises: changes.filter(({ type }) => type === 'surprise') };
}

it.each([
  ['the fill comes after the answer', [ACCEPTED, FILL, reportFilled()]],
  ['the fill comes before the answer', [FILL, ACCEPTED, reportFilled()]],
])(
  'an order that was cut down and ended as canceled does not end again when it is reported as filled: %s',
  (_, events) => {
    const { state, entered } = statesAfter(...events);
    expect(entered).toEqual(['working', 'canceled']);
    expect(state.orders.get(ID)).toMatchObject({ state: 'canceled', filledQty: FILLED_QTY, qty: contracts(10) });
    expect(state.orders.openCount).toBe(0);
  },
);

it.each([
  ['before its fill', [reportFilled(), FILL, ACCEPTED], ['canceled']],
  ['before its fill, twice', [reportFilled(), reportFilled(), FILL, ACCEPTED], ['canceled']],
  ['after its fill', [FILL, reportFilled(), ACCEPTED], ['working', 'canceled']],
  ['before the answer, both before its fill', [reportFilled(), ACCEPTED, FILL], ['working', 'canceled']],
  ['after the answer, both before its fill', [ACCEPTED, reportFilled(), FILL], ['working', 'canceled']],
])('an order that was cut down ends once, as canceled, when it is reported as filled %s', (_, events, expected) => {
  const { state, entered, surprises } = statesAfter(...events);
  expect(entered).toEqual(expected);
  expect(state.orders.get(ID)).toMatchObject({ state: 'canceled', filledQty: FILLED_QTY, qty: contracts(10) });
  expect(surprises).toEqual([]);
});

it('an order of which the venue cut everything is canceled by its report', () => {
  expect(statesAfter(reportFilled(qty(0))).entered).toEqual(['canceled']);
});

it('a report of more fills than are known still makes a canceled order filled', () => {
  const { entered } = statesAfter(ACCEPTED, FILL, reportFilled(contracts(10)));
  expect(entered).toEqual(['working', 'canceled', 'filled']);
});
