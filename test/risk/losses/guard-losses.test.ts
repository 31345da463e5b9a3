// Losses that halt the account: of the day, from the peak, and in a row; across restarts, resumes and overrides.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EngineEvent, FillReport } from '../../../src/domain/event.ts';
import { tradeId } from '../../../src/domain/ids.ts';
import { cents, contracts, dollars, micros, subtractMoney } from '../../../src/domain/units.ts';
import { M0, aFill, after } from '../../support/engine/builders.ts';
import { runCount } from '../../support/runner/property-runs.ts';
import { GuardScene } from '../guard-scene.ts';

const UNBOUNDED = { limits: { lossStreakMax: 1000, dailyLossMax: dollars(1000), drawdownMax: dollars(1000) } };

const aTrade = fc.record({
  side: fc.constantFrom('buy', 'sell'),
  price: fc.integer({ min: 30, max: 70 }).map(cents),
  qty: fc.integer({ min: 1, max: 4 }).map(contracts),
  fee: fc.constantFrom(dollars(0), dollars(0.01)),
});

/** A numbered fill that sells, unless the terms say otherwise. */
const aClose = (number: number, terms: Partial<FillReport>): FillReport =>
  aFill({ tradeId: tradeId(`c-${number}`), side: 'sell', clientOrderId: null, ...terms });

const listOf = (rows: readonly FillReport[]): EngineEvent => {
  return { kind: 'fills', at: after(10), askedAt: after(5), commandId: 1, rows, cursor: null };
};

const streakOf = ({ guard }: GuardScene): number | undefined =>
  guard.limitUses().find(({ limit }) => limit === 'lossStreakMax')?.used;

describe('a loss', () => {
  it('of the day above the limit halts the account once and denies later orders', () => {
    const scene = new GuardScene({ limits: { dailyLossMax: dollars(1) } });
    scene.trade({ price: cents(45), qty: contracts(10) });
    expect(scene.halted).toEqual([]);
    scene.book(34, 55, after(300));
    expect(scene.halted).toEqual([
      { scope: { type: 'account' }, reason: "the day's loss $1.10 is above dailyLossMax $1.00" },
    ]);
    scene.at(after(1000)).at(after(2000));
    expect(scene.halted).toHaveLength(1);
    expect(scene.check()).toBe('halted');
  });

  it('halts again after a resume while it is above the limit, unless the limit was overridden', () => {
    const scene = new GuardScene({ limits: { dailyLossMax: dollars(1) } });
    scene.trade({ price: cents(45), qty: contracts(10) }).book(34, 55, after(300));
    scene.halts.liftHalts({ type: 'account' });
    scene.at(after(1000));
    expect(scene.halted).toHaveLength(2);
    const raised = { limit: 'dailyLossMax', value: dollars(5), strategy: null, until: after(60_000), reason: 'seen' };
    scene.guard.applyOverride(raised, after(1000));
    scene.halts.liftHalts({ type: 'account' });
    scene.at(after(59_999));
    expect(scene.halted).toHaveLength(2);
    scene.at(after(60_000));
    expect(scene.halted).toHaveLength(3);
  });

  it('from the peak is counted from a new peak once the operator has resumed', () => {
    const losses = { day: '1970-01-01', dayEquity: dollars(100), peakEquity: dollars(150) };
    const scene = new GuardScene({ limits: { drawdownMax: dollars(49) }, carried: { losses } });
    expect(scene.halted).toHaveLength(1);
    scene.guard.onResume(scene.halts.liftHalts({ type: 'account' }));
    scene.at(after(1000));
    expect(scene.halted).toHaveLength(1);
    expect(scene.guard.lossFigures).toEqual({ ...losses, peakEquity: dollars(100) });
    scene.trade({ price: cents(45), qty: contracts(200) }).book(10, 80, after(2000));
    expect(scene.halted.at(-1)?.reason).toContain('the loss from the peak $');
  });

  it('from the peak keeps its peak when the lifted halt had another reason', () => {
    const losses = { day: '1970-01-01', dayEquity: dollars(100), peakEquity: dollars(150) };
    const scene = new GuardScene({ carried: { losses } });
    const since = after(0);
    scene.halts.addHalt({ scope: { type: 'account' }, by: 'operator', reason: 'lunch', since });
    scene.guard.onResume(scene.halts.liftHalts({ type: 'account' }));
    scene.at(after(1000));
    expect(scene.guard.lossFigures).toEqual(losses);
  });

  it('of an earlier session of the same day counts', () => {
    const losses = { day: '1970-01-01', dayEquity: dollars(102), peakEquity: dollars(150) };
    const scene = new GuardScene({ limits: { dailyLossMax: dollars(1) }, carried: { losses } });
    expect(scene.halted[0]?.reason).toContain("the day's loss $2.00");
    expect(new GuardScene({ limits: { drawdownMax: dollars(49) }, carried: { losses } }).halted[0]?.reason).toContain(
      'the loss from the peak $50.00',
    );
  });

  it('of an earlier session is not computed from cost while a book may still arrive', () => {
    const losses = { day: '1970-01-01', dayEquity: dollars(105), peakEquity: dollars(105) };
    const position = { market: M0, qty: contracts(10), cost: dollars(4), realized: dollars(0), fees: dollars(0) };
    const limits = { dailyLossMax: dollars(0.5), drawdownMax: dollars(0.5) };
    const rising = new GuardScene({ limits, carried: { losses }, held: [position] });
    expect(rising.at(after(9000)).halted).toEqual([]);
    rising.book(50, 55, after(9500)).at(after(20_000));
    expect(rising.halted).toEqual([]);
    // A book that never arrives blocks nothing.
    const silent = new GuardScene({ limits, carried: { losses }, held: [position] });
    expect(silent.at(after(10_000)).halted.map(({ reason }) => reason)).toEqual([
      "the day's loss $1.00 is above dailyLossMax $0.50",
    ]);
  });

  it('in a row counts with its fees and halts the account above the limit', () => {
    const scene = new GuardScene({ limits: { lossStreakMax: 1 } });
    scene.trade({ qty: contracts(10) });
    scene.trade({ side: 'sell', price: cents(39), qty: contracts(3) });
    scene.trade({ side: 'sell', price: cents(41), qty: contracts(3), fee: dollars(0.01) });
    scene.trade({ side: 'sell', price: cents(40), qty: contracts(1), fee: dollars(0.01) });
    scene.trade({ side: 'sell', price: cents(39), qty: contracts(1) });
    expect(scene.halted.map(({ reason }) => reason)).toEqual(['2 losing closes in a row are above lossStreakMax 1']);
  });

  it('in a row is counted from each fill of a list, not from the last one', () => {
    const scene = new GuardScene({ limits: { lossStreakMax: 1 } });
    scene.trade({ price: cents(45), qty: contracts(10) });
    const closes = [1, 2, 3].map((n) => aClose(n, { price: cents(55), qty: contracts(3), fee: dollars(0.01) }));
    scene.apply(listOf(closes));
    expect(streakOf(scene)).toBe(0);
    expect(scene.at(after(1000)).halted).toEqual([]);
  });

  it('in a row is the same whether fills arrive one by one or in lists', () => {
    fc.assert(
      fc.property(fc.array(aTrade, { maxLength: 12 }), fc.integer({ min: 2, max: 5 }), (trades, perList) => {
        const single = new GuardScene(UNBOUNDED);
        const listed = new GuardScene(UNBOUNDED);
        const fills = trades.map((trade, n) => aClose(n, trade));
        for (const fill of fills) single.apply({ kind: 'fill', at: single.state.now, fill });
        for (let from = 0; from < fills.length; from += perList)
          listed.apply(listOf(fills.slice(from, from + perList)));
        expect(streakOf(listed)).toBe(streakOf(single));
      }),
      { numRuns: runCount(200) },
    );
  });

  it('is reported when its figures change, at most once a second', () => {
    const scene = new GuardScene();
    const standings = () => scene.notices.flatMap((notice) => (notice.type === 'losses' ? [notice.standing] : []));
    const began = { day: '1970-01-01', dayEquity: dollars(100), dayMarkEquity: dollars(100) };
    expect(standings()).toEqual([{ ...began, peakEquity: dollars(100) }]);
    scene.trade({ price: cents(45), qty: contracts(10) });
    for (let i = 1; i <= 40; i++) scene.book(45 + i, 99, after(i * 50));
    expect(standings().length).toBe(3);
    expect(standings().at(-1)).toEqual({ ...began, ...scene.guard.lossFigures });
    scene.at(after(5000)).at(after(9000));
    expect(standings().length).toBe(3);
  });
});

describe('the profit of the day', () => {
  const DAY_MS = 86_400_000;

  it('is equity now less equity at its beginning, with positions at their marks', () => {
    const scene = new GuardScene();
    expect(scene.guard.dayProfit).toBe(0);
    // Sold at 43 it would lose 0.20; the mid is 44.
    scene.trade({ price: cents(45), qty: contracts(10) }).book(43, 45, after(300));
    expect(scene.guard.dayProfit).toBe(dollars(-0.1));
    expect(scene.guard.checkedEquity).toBe(dollars(99.8));
  });

  it('begins again with each day, from the marks of its beginning', () => {
    const scene = new GuardScene();
    scene.trade({ price: cents(45), qty: contracts(10) }).book(43, 45, after(300));
    scene.at(after(DAY_MS));
    expect(scene.guard.dayProfit).toBe(0);
    scene.book(44, 46, after(DAY_MS + 1000));
    expect(scene.guard.dayProfit).toBe(dollars(0.1));
  });

  it('begins with the last check before midnight, as the loss of the day does: a fill just after it counts', () => {
    const scene = new GuardScene();
    scene.at(micros(DAY_MS * 1000 - 1));
    const fill = aFill({ price: cents(45), qty: contracts(10), fee: dollars(1) });
    scene.apply({ kind: 'fill', at: micros(DAY_MS * 1000), fill });
    const lost = subtractMoney(scene.guard.lossFigures!.dayEquity, scene.guard.checkedEquity!);
    // The book is 45 to 55: sold at once, the position would have gained nothing.
    expect(lost).toBe(dollars(1));
    expect(scene.guard.dayProfit).toBe(dollars(-0.5));
  });

  it('goes on after a restart on the same day, and from the equity of an earlier version', () => {
    const losses = { day: '1970-01-01', dayEquity: dollars(101), peakEquity: dollars(150) };
    const marked = { ...losses, dayMarkEquity: dollars(102) };
    expect(new GuardScene({ carried: { losses: marked } }).guard.dayProfit).toBe(dollars(-2));
    expect(new GuardScene({ carried: { losses } }).guard.dayProfit).toBe(dollars(-1));
    expect(new GuardScene({ carried: { losses: { ...marked, day: '1969-12-31' } } }).guard.dayProfit).toBe(0);
  });
});
