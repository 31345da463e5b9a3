// The status of a session: its figures of losses are those that the limits on losses count with.
import { expect, it } from 'vitest';
import { must } from '../../../src/base/assert.ts';
import { statusOf } from '../../../src/app/session/status-record.ts';
import { cents, formatMoney, money } from '../../../src/domain/units.ts';
import { sessionSnapshot } from '../../../src/report/account/session-snapshot.ts';
import { M0, aMarket } from '../../support/engine/builders.ts';
import { aStrategy, quoter } from '../../support/engine/engine-harness.ts';
import { FollowBench } from '../../support/sessions/follow-bench.ts';

it('counts the loss from the peak as drawdownMax does, at the prices at which positions could be sold', () => {
  const { harness, tally } = new FollowBench({ strategies: [aStrategy(quoter())], markets: [aMarket(0)] });
  harness.startTrading();
  const moveBid = (change: number): void => harness.venue.changeLevel(M0, 'bid', { price: cents(46), change });
  moveBid(100);
  harness.run(1000);
  const order = must(
    harness.venue.resting(M0).find(({ report }) => report.side === 'buy'),
    'a bid',
  );
  harness.venue.tradeOrder(order, 200);
  harness.run(1000);
  moveBid(-100);
  harness.run(1000);
  const { engine, now } = harness;
  const snapshot = sessionSnapshot(engine, tally, { now, startedAt: now });
  const { losses } = statusOf({ engine, tally, sessionName: 's', remarks: () => [] }, snapshot);
  const limit = must(
    engine.risk.limitUses().find((use) => use.limit === 'drawdownMax'),
    'the use of drawdownMax',
  );
  expect(limit.used).toBeGreaterThan(0);
  expect(losses?.sincePeak).toBe(formatMoney(money(-limit.used)));
});

it('says when the exchange has paused trading: the phase does not', () => {
  const { harness, tally } = new FollowBench({ strategies: [aStrategy(quoter())], markets: [aMarket(0)] });
  harness.startTrading();
  const { engine, now } = harness;
  const shown = () => {
    const snapshot = sessionSnapshot(engine, tally, { now, startedAt: now });
    return statusOf({ engine, tally, sessionName: 's', remarks: () => ['an order group stands there'] }, snapshot);
  };
  expect(shown().remarks).toEqual(['an order group stands there']);
  engine.state.applyEvent({ kind: 'exchange-status', at: now, isActive: true, isTrading: false }, []);
  expect(shown()).toMatchObject({
    phase: 'trading',
    remarks: ['the exchange has paused trading: no order is sent until it trades again', 'an order group stands there'],
  });
});
