// Fees of fills compared with the expected ones: planned fee changes, waivers, and unknown fee types.
import { describe, expect, it } from 'vitest';
import { seriesTicker } from '../../src/domain/ids.ts';
import { type Micros, cents, contracts, money } from '../../src/domain/units.ts';
import { FeeSchedules } from '../../src/risk/exposure/fee-schedules.ts';
import { BEGIN, M0, aMarket, after } from '../support/engine/builders.ts';
import { aSeries } from './rule-context.ts';
import type { FeeTerms } from '../../src/domain/market.ts';
import { GuardScene } from './guard-scene.ts';

// 0.07 · 4 · 0.4 · 0.6 dollars, and the share of it that a maker pays.
const TAKEN = { liquidity: 'taker', fee: money(67_200) } as const;
const MADE = { liquidity: 'maker', fee: money(16_800) } as const;
const FREE = { liquidity: 'taker', fee: money(0) } as const;

/** Schedules a fee change of every group of the series. */
const plan = (scene: GuardScene, feeType: string, at: Micros): void =>
  planTerms(scene, { feeType, feeMultiplierPercent: 100 }, at);

function planTerms(scene: GuardScene, terms: FeeTerms, at: Micros): void {
  const change = { at, terms };
  scene.state.applyEvent(
    { kind: 'fees-scheduled', at: BEGIN, seriesTicker: seriesTicker('SERIES'), changes: [change] },
    [],
  );
}

function waive(scene: GuardScene, until: Micros): void {
  scene.state.applyEvent({ kind: 'market', at: BEGIN, market: aMarket(0, { feesWaivedUntil: until }) }, []);
}

describe('a fee', () => {
  it('is expected to change at exactly the planned time', () => {
    const scene = new GuardScene({ feeType: 'quadratic' });
    plan(scene, 'quadratic_with_maker_fees', after(5000));
    scene.at(after(9000)).trade({ ...MADE, fee: money(0), exchangeAt: after(4999) });
    scene.trade({ ...MADE, exchangeAt: after(5000) }).trade(MADE);
    expect(scene.alarms()).toEqual([]);
    scene.trade({ ...MADE, exchangeAt: after(4999) });
    expect(scene.alarms()).toHaveLength(1);
  });

  it('is added up with the expected one, over all predictable fills of strategies', () => {
    const scene = new GuardScene({ feeType: 'quadratic' });
    scene
      .trade(TAKEN)
      .trade({ ...TAKEN, fee: money(67_300) })
      .trade(MADE);
    expect(scene.guard.feesChecked).toEqual({ fills: 3, charged: 67_200 + 67_300 + 16_800, expected: 2 * 67_200 });
    expect(new GuardScene({ feeType: 'flat' }).trade(TAKEN).guard.feesChecked.fills).toBe(0);
  });

  it('is expected to be zero while it is waived', () => {
    const scene = new GuardScene({ feeType: 'quadratic' });
    waive(scene, after(5000));
    scene
      .at(after(9000))
      .trade({ ...FREE, exchangeAt: after(4999) })
      .trade({ ...TAKEN, exchangeAt: after(5000) });
    expect(scene.alarms()).toEqual([]);
    scene.trade({ ...TAKEN, exchangeAt: after(1000) });
    expect(scene.alarms()).toEqual(['fee-unexpected: M-0: a fill of 4 at 40¢ as taker was charged $0.0672, not $0.00']);
  });

  it('of an unknown type raises one alarm for each market', () => {
    const scene = new GuardScene({ feeType: 'flat' });
    scene.trade(TAKEN).trade(MADE);
    expect(scene.alarms()).toEqual([
      'fee-unexpected: M-0: its fees cannot be predicted, because their type is not known: "flat"',
    ]);
  });

  it('raises no alarm while the series is not known', () => {
    const scene = new GuardScene();
    scene.state.applyEvent(
      {
        kind: 'event-group',
        at: BEGIN,
        group: { ...scene.state.markets.groups()[0]!, seriesTicker: seriesTicker('NEW') },
      },
      [],
    );
    scene.trade(TAKEN);
    expect(scene.alarms()).toEqual([]);
  });
});

const DAY_MS = 24 * 3600 * 1000;

describe('the highest fee of an order', () => {
  const order = { side: 'buy', price: cents(40), postOnly: false } as const;
  const bound = (change: (scene: GuardScene) => void, feeType = 'quadratic'): number => {
    const scene = new GuardScene({ feeType });
    change(scene);
    return new FeeSchedules(scene.state.markets).highestFee(M0, order, contracts(4));
  };
  const QUADRATIC = bound(() => undefined);

  it('ignores a waiver, which may end before the order does', () => {
    expect(bound((scene) => waive(scene, after(9000)))).toBe(QUADRATIC);
  });

  it('uses the more expensive of the present and the planned schedule', () => {
    expect(bound((scene) => plan(scene, 'quadratic', after(9000)), 'free')).toBe(QUADRATIC);
    expect(bound((scene) => plan(scene, 'free', after(9000)))).toBe(QUADRATIC);
  });

  it('uses the most expensive schedule of all when a planned one is of an unknown type', () => {
    expect(bound((scene) => plan(scene, 'flat', after(9000)), 'free')).toBe(bound(() => undefined, 'flat'));
  });

  it('multiplies the fee of an unknown type where its multiplier is above 1, and never lowers it', () => {
    const planned = (feeType: string, feeMultiplierPercent: number): number =>
      bound((scene) => planTerms(scene, { feeType, feeMultiplierPercent }, after(9000)), 'free');
    const flat = (percent: number): number => planned('flat', percent);
    expect(flat(200)).toBe(planned('quadratic_with_combo_maker_fees', 200));
    expect(flat(200)).toBeGreaterThan(flat(100));
    expect(flat(50)).toBe(flat(100));
  });

  it('uses the coarsest rounding of all time without a clock', () => {
    const { markets } = new GuardScene({ feeType: 'quadratic' }).state;
    const coarse = { since: BEGIN, feeStep: money(100), balanceStep: money(100) };
    const fine = { since: after(1), feeStep: money(1), balanceStep: money(100) };
    const highest = (...roundings: ConstructorParameters<typeof FeeSchedules>[1] & object): number =>
      new FeeSchedules(markets, roundings).highestFee(M0, order, contracts(4));
    expect(highest(coarse, fine)).toBe(highest(coarse));
    expect(highest(coarse, fine)).toBeGreaterThan(highest(fine));
  });

  it('uses the rounding of now and later ones, and the one before for 90 days', () => {
    const { markets } = new GuardScene({ feeType: 'quadratic' }).state;
    const [cents_, hundredths, millionths] = [10_000, 100, 1].map((step, era) => {
      return { since: after(1000 * era * DAY_MS), feeStep: money(step), balanceStep: money(step) };
    });
    const eras = [cents_!, hundredths!, millionths!];
    let now = after(0);
    const schedules = new FeeSchedules(markets, eras, () => now);
    const highest = (...roundings: typeof eras): number =>
      new FeeSchedules(markets, roundings).highestFee(M0, order, contracts(4));
    const highestFees = [0, 1089, 1090, 2089, 2090, 9000].map((days) => {
      now = after(days * DAY_MS);
      return schedules.highestFee(M0, order, contracts(4));
    });
    const [coarse, fine, finest] = eras.map((era) => highest(era));
    expect(highestFees).toEqual([coarse, coarse, fine, fine, finest, finest]);
    expect(new Set(highestFees).size).toBe(3);
  });

  it('drops a planned change when its series is dropped', () => {
    const scene = new GuardScene({ feeType: 'free' });
    plan(scene, 'quadratic', after(9000));
    const { markets } = scene.state;
    const group = markets.groups()[0]!;
    markets.evictMarkets([M0]);
    markets.defineMarket(aMarket(0));
    markets.defineGroup(group);
    markets.defineSeries(aSeries());
    expect(new FeeSchedules(markets).highestFee(M0, order, contracts(4))).toBe(0);
  });
});
