// A venue whose lists and look-ups lag behind its answers to orders: what they do not show yet is not doubted, and what
// they should have shown by now is.
import { describe, expect, it } from 'vitest';
import type { PositionReport } from '../../../src/domain/event.ts';
import { cents, fromMillis } from '../../../src/domain/units.ts';
import { M0 } from '../../support/engine/builders.ts';
import { buy, once, print } from '../../support/engine/intents.ts';
import { EngineHarness, aStrategy, depthQuoter } from '../../support/engine/engine-harness.ts';

/** The lag of the venue's reads. */
const LAG_MS = 300;
/** The time of the first comparison of orders, counted from the start. */
const COMPARED_MS = 3000;

/** A harness whose lists and look-ups show orders only after the lag. */
function lagging(): EngineHarness {
  const harness = new EngineHarness({ strategies: [aStrategy(once([buy()]))] }).startTrading();
  const isShown = ({ createdAt }: { readonly createdAt: number | null }, askedAt: number): boolean =>
    (createdAt ?? 0) <= askedAt - fromMillis(LAG_MS);
  harness.venue.script.answers = (_, truth) => {
    if (truth.kind === 'orders') return { ...truth, rows: truth.rows.filter((row) => isShown(row, truth.askedAt)) };
    if (truth.kind !== 'order-found' || truth.order === null) return truth;
    return { ...truth, order: isShown(truth.order, truth.askedAt) ? truth.order : null };
  };
  return harness;
}

const steps = (harness: EngineHarness): string[] =>
  harness.noticesOf('order').map(({ from, to, why }) => `${from} > ${to}: ${why}`);

/** A harness with an order accepted a moment before a list is requested. */
function placedBeforeList(): EngineHarness {
  const harness = lagging();
  harness.run(COMPARED_MS - 50 - LAG_MS / 2);
  print(harness);
  return harness;
}

describe('an order accepted a moment before a list is requested', () => {
  it('a new order is not doubted because a lagging list lacks it, and not canceled', () => {
    const harness = placedBeforeList();
    harness.run(10_000);
    expect(steps(harness)).toEqual(['queued > in-flight: sent', 'in-flight > working: seen at the venue']);
    expect(harness.commands('cancel')).toEqual([]);
    const looked = harness.commands('read').filter(({ target }) => target.what === 'order');
    expect(looked).toEqual([]);
  });

  it('a missing order is checked again, and ends when the venue really no longer has it', () => {
    const harness = placedBeforeList();
    harness.run(10);
    harness.venue.loseOrder(harness.venue.resting()[0]!);
    harness.run(1500);
    expect(steps(harness).at(-1)).toBe('in-flight > working: seen at the venue');
    harness.run(8000);
    expect(steps(harness).slice(-2)).toEqual([
      'working > unknown: the venue knows no such order',
      'unknown > not-sent: the venue knows no such order',
    ]);
  });
});

describe('a market paid out while an account is being opened', () => {
  /** A session that held five contracts, and the one after it, one of whose figures is older than the payment. */
  function opening(late: 'positions' | 'balance'): EngineHarness {
    const before = new EngineHarness({ strategies: [aStrategy(depthQuoter())] }).startTrading();
    const { venue } = before;
    venue.changeLevel(M0, 'bid', { price: cents(44), change: 100 });
    before.run(10);
    venue.tradeOrder(venue.resting()[0]!, 500);
    // Long enough that no figure can be older than the trade.
    before.run(20_000).stop();
    while (venue.takeNext() !== undefined);
    const harness = new EngineHarness({ venue, strategies: [aStrategy({})] });
    let held: readonly PositionReport[] = [];
    const available = venue.available;
    let paidAt = Number.POSITIVE_INFINITY;
    venue.script.answers = (_, truth) => {
      if (truth.kind === 'fills' && paidAt === Number.POSITIVE_INFINITY) {
        paidAt = venue.now;
        held = [{ market: M0, ...venue.position(M0) }];
        venue.settleMarket(M0, cents(100));
      }
      if (truth.kind !== late || truth.askedAt >= paidAt + fromMillis(LAG_MS)) return truth;
      return truth.kind === 'positions' ? { ...truth, rows: held } : { ...truth, available };
    };
    return harness.startTrading();
  }

  it.each(['positions', 'balance'] as const)(
    'a payout counts once, although the reported %s is older than it',
    (late) => {
      const harness = opening(late);
      harness.run(6000);
      expect(harness.engine.session.phase).toBe('trading');
      expect(harness.engine.state.portfolio.cash).toBe(harness.venue.cash);
      harness.run(10_000);
      harness.stop();
      expect(harness.noticesOf('cash-drift')).toEqual([]);
      expect(harness.engine.session.drift).toEqual({ positions: 0, isCashEqual: true });
    },
  );
});
