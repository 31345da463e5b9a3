// What fills are charged against what was to be expected: while fees change, are waived, or are of nobody's knowledge.
import { describe, expect, it } from 'vitest';
import { seriesTicker } from '../../src/domain/ids.ts';
import { type Micros, cents, contracts, money } from '../../src/domain/units.ts';
import { FeeBook } from '../../src/risk/fee-book.ts';
import { BEGIN, M0, aMarket, after } from '../support/engine/builders.ts';
import { aSeries } from './context.ts';
import { Scene } from './guarded.ts';

// 0.07 · 4 · 0.4 · 0.6 dollars, and what makers pay of it where they pay.
const TAKEN = { liquidity: 'taker', fee: money(67_200) } as const;
const MADE = { liquidity: 'maker', fee: money(16_800) } as const;
const FREE = { liquidity: 'taker', fee: money(0) } as const;

/** The fees of every group of the series are to change. */
function plan(scene: Scene, feeType: string, at: Micros): void {
  const change = { at, terms: { feeType, feeMultiplierPercent: 100 } };
  scene.state.apply({ kind: 'fees-scheduled', at: BEGIN, seriesTicker: seriesTicker('SERIES'), changes: [change] }, []);
}

function waive(scene: Scene, until: Micros): void {
  scene.state.apply({ kind: 'market', at: BEGIN, market: aMarket(0, { feesWaivedUntil: until }) }, []);
}

describe('a fee', () => {
  it('is expected as it was planned, from the very moment on', () => {
    const scene = new Scene({ feeType: 'quadratic' });
    plan(scene, 'quadratic_with_maker_fees', after(5000));
    scene.at(after(9000)).trade({ ...MADE, fee: money(0), exchangeAt: after(4999) });
    scene.trade({ ...MADE, exchangeAt: after(5000) }).trade(MADE);
    expect(scene.alarms()).toEqual([]);
    scene.trade({ ...MADE, exchangeAt: after(4999) });
    expect(scene.alarms()).toHaveLength(1);
  });

  it('is summed with what was to be expected, over all fills of strategies that could be predicted', () => {
    const scene = new Scene({ feeType: 'quadratic' });
    scene
      .trade(TAKEN)
      .trade({ ...TAKEN, fee: money(67_300) })
      .trade(MADE);
    expect(scene.guard.feesChecked).toEqual({ fills: 3, charged: 67_200 + 67_300 + 16_800, expected: 2 * 67_200 });
    expect(new Scene({ feeType: 'flat' }).trade(TAKEN).guard.feesChecked.fills).toBe(0);
  });

  it('is expected to be none as long as it is waived', () => {
    const scene = new Scene({ feeType: 'quadratic' });
    waive(scene, after(5000));
    scene
      .at(after(9000))
      .trade({ ...FREE, exchangeAt: after(4999) })
      .trade({ ...TAKEN, exchangeAt: after(5000) });
    expect(scene.alarms()).toEqual([]);
    scene.trade({ ...TAKEN, exchangeAt: after(1000) });
    expect(scene.alarms()).toEqual(['fee-unexpected: M-0: a fill of 4 at 40¢ as taker was charged $0.0672, not $0.00']);
  });

  it('of a type that nobody knows is told to be unpredictable, once a market', () => {
    const scene = new Scene({ feeType: 'flat' });
    scene.trade(TAKEN).trade(MADE);
    expect(scene.alarms()).toEqual([
      'fee-unexpected: M-0: what its fills are charged cannot be predicted, for its fees are of a type that is not known: "flat"',
    ]);
  });

  it('is not spoken of while the series is not known', () => {
    const scene = new Scene();
    scene.state.apply(
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

describe('the most that an order may be charged', () => {
  const order = { side: 'buy', price: cents(40), postOnly: false } as const;
  const bound = (change: (scene: Scene) => void, feeType = 'quadratic'): number => {
    const scene = new Scene({ feeType });
    change(scene);
    return new FeeBook(scene.state.markets).most(M0, order, contracts(4));
  };
  const QUADRATIC = bound(() => undefined);

  it('counts on no waiver, which may end before the order does', () => {
    expect(bound((scene) => waive(scene, after(9000)))).toBe(QUADRATIC);
  });

  it('counts on what is planned where it is dearer, and on what holds now where that is', () => {
    expect(bound((scene) => plan(scene, 'quadratic', after(9000)), 'free')).toBe(QUADRATIC);
    expect(bound((scene) => plan(scene, 'free', after(9000)))).toBe(QUADRATIC);
  });

  it('counts on the dearest schedule that there is where a plan is of a type that nobody knows', () => {
    expect(bound((scene) => plan(scene, 'flat', after(9000)), 'free')).toBe(bound(() => undefined, 'flat'));
  });

  it('counts on the coarsest rounding of any time', () => {
    const { markets } = new Scene({ feeType: 'quadratic' }).state;
    const coarse = { since: BEGIN, feeStep: money(100), balanceStep: money(100) };
    const fine = { since: after(1), feeStep: money(1), balanceStep: money(100) };
    const most = (...roundings: ConstructorParameters<typeof FeeBook>[1] & object): number =>
      new FeeBook(markets, roundings).most(M0, order, contracts(4));
    expect(most(coarse, fine)).toBe(most(coarse));
    expect(most(coarse, fine)).toBeGreaterThan(most(fine));
  });

  it('counts on the rounding of the time, those to come, and for a quarter of a year the one before', () => {
    const { markets } = new Scene({ feeType: 'quadratic' }).state;
    const [cents_, hundredths, millionths] = [10_000, 100, 1].map((step, era) => {
      return { since: after(1000 * era * DAY_MS), feeStep: money(step), balanceStep: money(step) };
    });
    const eras = [cents_!, hundredths!, millionths!];
    let now = after(0);
    const book = new FeeBook(markets, eras, () => now);
    const most = (...roundings: typeof eras): number => new FeeBook(markets, roundings).most(M0, order, contracts(4));
    const asked = [0, 1089, 1090, 2089, 2090, 9000].map((days) => {
      now = after(days * DAY_MS);
      return book.most(M0, order, contracts(4));
    });
    const [coarse, fine, finest] = eras.map((era) => most(era));
    expect(asked).toEqual([coarse, coarse, fine, fine, finest, finest]);
    expect(new Set(asked).size).toBe(3);
  });

  it('forgets what was planned with the series', () => {
    const scene = new Scene({ feeType: 'free' });
    plan(scene, 'quadratic', after(9000));
    const { markets } = scene.state;
    const known = markets.groups()[0]!;
    markets.evict([M0]);
    markets.define(aMarket(0));
    markets.defineGroup(known);
    markets.defineSeries(aSeries());
    expect(new FeeBook(markets).most(M0, order, contracts(4))).toBe(0);
  });
});
