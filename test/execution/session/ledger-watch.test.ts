// Comparison of cash with the venue's figure: a difference that the venue's read lag may explain does not count yet,
// and one suspicion is about one difference.
import { describe, expect, it } from 'vitest';
import { clientOrderId } from '../../../src/domain/ids.ts';
import { type Micros, type Money, cents, contracts, dollars } from '../../../src/domain/units.ts';
import { LedgerWatch } from '../../../src/execution/session/ledger-watch.ts';
import type { Notice } from '../../../src/execution/engine-notice.ts';
import { CAREFUL_POLICY } from '../../../src/execution/orders/order-policy.ts';
import { VenueReader } from '../../../src/execution/session/venue-reader.ts';
import { State } from '../../../src/state/state.ts';
import { aMarket, aPlace, after, tickerTable } from '../../support/engine/builders.ts';

const GRACE_MS = 3000;

/** A watch over a flat account of $100. */
function watching() {
  const state = new State(tickerTable(1));
  state.applyEvent({ kind: 'market', at: after(0), market: aMarket(0) }, []);
  state.portfolio.setOpeningCash(dollars(100));
  state.portfolio.openAccount();
  const notices: Notice[] = [];
  const halts: string[] = [];
  const watch = new LedgerWatch({
    state,
    reader: new VenueReader({ enqueue: () => true, nextCommandId: () => 1, onEndless: () => {} }),
    policy: CAREFUL_POLICY,
    graceMs: GRACE_MS,
    observe: (notice) => notices.push(notice),
    requestPast: () => undefined,
    actions: { haltAccount: (reason) => halts.push(reason) },
  });
  const at = (ms: number): Micros => {
    state.applyEvent({ kind: 'timer', at: after(ms) }, []);
    return after(ms);
  };
  /** The venue's figure, requested 20 ms ago, arrives together with lists of fills and settlements. */
  const balance = (ms: number, available: Money) => {
    const askedAt = after(ms - 20);
    at(ms);
    const taken = watch.compareBalance(available, askedAt);
    watch.onPastRead('fills', after(ms));
    watch.onPastRead('settlements', after(ms));
    return taken;
  };
  const suspicions = (): string[] =>
    notices.flatMap((notice) =>
      notice.type === 'suspicion' ? [`${notice.change}: ${notice.theirs - notice.ours}`] : [],
    );
  /** Rests an order to buy at 40 cents. */
  const rest = (id: string, count: number): void => {
    const command = aPlace({ clientOrderId: clientOrderId(id), price: cents(40), qty: contracts(count) });
    state.orders.addOrder(command, '');
    state.orders.applyChange(command.clientOrderId, 'send', state.now);
    state.orders.applyChange(command.clientOrderId, 'accept', state.now);
  };
  return { watch, at, balance, rest, suspicions, halts };
}

describe('cash known exactly', () => {
  it('does not compare cash with a figure that may be older than its last change, unless both agree', () => {
    const { watch, at, balance, suspicions } = watching();
    watch.onMoneyMoved(at(1000));
    expect(balance(1500, dollars(98))).toBe(false);
    expect(suspicions()).toEqual([]);
    expect(balance(2000, dollars(100))).toBe(true);
    expect(balance(1000 + GRACE_MS + 100, dollars(98))).toBe(true);
    expect(suspicions()).toEqual(['raised: -2000000']);
  });

  it('starts a new suspicion for every other difference in cash', () => {
    const { balance, suspicions, halts } = watching();
    for (const [index, lost] of [5, 1, 3, 2, 4, 1].entries())
      expect(balance(10_000 + index * 5000, dollars(100 - lost))).toBe(true);
    expect(suspicions()).toEqual([5, 1, 3, 2, 4, 1].map((lost) => `raised: ${-lost * 1_000_000}`));
    expect(halts).toEqual([]);
    balance(60_000, dollars(99));
    expect(halts).toHaveLength(1);
  });
});

describe('cash known within the bounds of what resting orders reserve', () => {
  it('keeps one suspicion while one difference explains every figure, and halts on it', () => {
    const { balance, rest, suspicions, halts } = watching();
    rest('c-1', 10);
    balance(10_000, dollars(80));
    rest('c-2', 5);
    balance(15_000, dollars(82));
    expect(suspicions()).toHaveLength(1);
    expect(halts).toHaveLength(1);
  });

  it('starts a new suspicion when no one difference explains both figures', () => {
    const { balance, rest, suspicions, halts } = watching();
    rest('c-1', 10);
    balance(10_000, dollars(60));
    balance(15_000, dollars(90.5));
    expect(suspicions()).toEqual(['raised: -35500000', 'raised: -5000000']);
    expect(halts).toEqual([]);
  });
});
