// After any interleaving of changes, stalls and skipped frames, a follower's state equals that of a fresh one.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { must } from '../../../src/base/assert.ts';
import { clientOrderId } from '../../../src/domain/ids.ts';
import { contracts } from '../../../src/domain/units.ts';
import type { FollowedBot } from '../../../src/runtime/follow/followed-bot.ts';
import { aPlace, index } from '../../support/engine/builders.ts';
import { UNREAD_SKIP } from '../../../src/runtime/follow/follower.ts';
import { MarketBaselines } from '../../../src/runtime/follow/market-baselines.ts';
import { MarketTable } from '../../../src/runtime/follow/market-table.ts';
import { runCount } from '../../support/runner/property-runs.ts';
import { FollowBench } from '../../support/sessions/follow-bench.ts';
import { FollowScene, anAct } from '../../support/sessions/follow-scene.ts';

/** Everything that a console shows of a bot. Orders and rows have no order of their own. */
const stateOf = ({ facts, rows, orders, events, session, details, isComplete }: FollowedBot, watched: string) => ({
  facts: [...facts].sort(([a], [b]) => a - b),
  rows: [...rows].sort(([a], [b]) => a - b),
  orders: [...orders.values()].sort((a, b) => (a.clientOrderId < b.clientOrderId ? -1 : 1)),
  events,
  session,
  // The prints that a fresh follower finds may be fewer; everything else is of the moment.
  detail: { ...details.get(watched)?.market, prints: [] },
  isComplete,
});

describe('the state of a follower', () => {
  it('equals that of a fresh one after any interleaving of changes, stalls and skipped frames', () => {
    let skipped = 0;
    fc.assert(
      fc.property(fc.array(anAct, { maxLength: 60 }), (acts) => {
        const scene = new FollowScene();
        const { bench } = scene;
        const follower = must(scene.follower, 'a follower');
        for (const act of acts) {
          scene.carryOut(act);
          if (follower.writableLength > UNREAD_SKIP) skipped += 1;
        }
        follower.stall(false);
        bench.pass(3000);
        const fresh = bench.follow(10);
        if (scene.watched !== '') fresh.send(`${JSON.stringify({ type: 'watch', markets: [scene.watched] })}\n`);
        // The engine stands still: both read the same moment.
        bench.scheduler.advance(2000);
        expect([follower.faults, fresh.faults, bench.logged]).toEqual([[], [], []]);
        expect(fresh.isDestroyed).toBe(false);
        // One that was stalled for too long has lost its connection.
        if (follower.isDestroyed) return;
        expect(stateOf(follower.bot, scene.watched)).toEqual(stateOf(fresh.bot, scene.watched));
        // Followers share a table: its rows are those of a table that is made now, but for the profit of the day.
        const { state, risk } = bench.harness.engine;
        const table = new MarketTable(state, new MarketBaselines(state, risk));
        table.start();
        for (const [market, row] of fresh.bot.rows)
          expect(row.slice(0, 12)).toEqual(table.cellsAt(index(market))?.slice(0, 12));
        table.stop();
      }),
      { numRuns: runCount(25) },
    );
    expect(skipped).toBeGreaterThan(0);
  });
});

describe('a session that is followed', () => {
  it('sends the commands and has the figures of the same session without a follower', () => {
    let canceled = 0;
    fc.assert(
      fc.property(fc.array(anAct, { maxLength: 60 }), (acts) => {
        const [followed, alone] = [new FollowScene(true), new FollowScene(false)];
        followed.follower?.send(`${JSON.stringify({ type: 'watch', markets: ['M-0', 'M-1', 'M-2', 'M-3'] })}\n`);
        for (const act of acts) {
          // The follower reads the figures between any two acts.
          followed.bench.scheduler.advance(100);
          for (const scene of [followed, alone]) if (act.type !== 'watch') scene.carryOut(act);
        }
        const figuresOf = ({ bench: { harness } }: FollowScene) => ({
          sent: harness.sent,
          losses: harness.engine.risk.lossFigures,
          equity: harness.engine.risk.checkedEquity,
          cash: harness.engine.state.portfolio.cash,
          wakeAt: harness.engine.wakeAt(),
        });
        expect(figuresOf(followed)).toEqual(figuresOf(alone));
        canceled += followed.bench.harness.commands('cancel').length;
      }),
      { numRuns: runCount(25) },
    );
    expect(canceled).toBeGreaterThan(0);
  });
});

describe('orders that end while a follower does not read', () => {
  it('are not open to it afterwards, though more ended than are kept', () => {
    const bench = new FollowBench();
    bench.harness.startTrading();
    const follower = bench.follow();
    const orders = Array.from({ length: 2100 }, (_, number) => {
      const state = bench.harness.engine.state.orders;
      return state.addOrder(aPlace({ clientOrderId: clientOrderId(`x-${number}`), qty: contracts(1) }), 'test');
    });
    for (const order of orders)
      bench.publisher.publishNotice({ type: 'order', order, from: 'in-flight', to: 'working', why: 'accepted' });
    bench.scheduler.advance(3000);
    const open = (): number => [...follower.bot.orders.values()].filter(({ isOpen }) => isOpen).length;
    expect(open()).toBe(2100);
    follower.stall(true);
    for (const order of orders) {
      const { state } = bench.harness.engine;
      for (const change of ['send', 'cancel'] as const)
        state.orders.applyChange(order.clientOrderId, change, state.now);
      bench.publisher.publishNotice({ type: 'order', order, from: 'working', to: 'canceled', why: 'test' });
    }
    bench.scheduler.advance(1000);
    follower.stall(false);
    bench.scheduler.advance(3000);
    expect([open(), follower.bot.orders.size]).toEqual([0, 2000]);
  });
});
