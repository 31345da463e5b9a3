// Fees of fills at the simulated venue: exactly those of the schedule that the tape had shown by then.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chargeFill, feeMax, feeSchedule } from '../../../../src/domain/fee-schedule.ts';
import { clientOrderId, eventTicker, seriesTicker } from '../../../../src/domain/ids.ts';
import { FLAT, afterTrade, cashOfTrade } from '../../../../src/domain/position.ts';
import { EPOCH, NO_MONEY, cents, contracts, money, price, qty } from '../../../../src/domain/units.ts';
import { assumedParts } from '../../../../src/venues/simulated/account/fill-fees.ts';
import { BEGIN, aMarket, after } from '../../../support/engine/builders.ts';
import { VenueBench, only } from '../../../support/simulated/venue-bench.ts';
import { CAPABILITIES, aGroup, aSeries } from '../../../support/simulated/simulator-harness.ts';

const EVENT = eventTicker('EVENT');
const SERIES = seriesTicker('SERIES');

/** The fee of taking ten contracts at 55 cents now. */
function takerFee(bench: VenueBench): number {
  bench.setBook(0 as never, [[45, 10]], [[55, 1000]]);
  const before = bench.venue.account.feesPaid;
  bench.placeAccepted({ price: cents(55), timeInForce: 'ioc' });
  return bench.venue.account.feesPaid - before;
}

describe('the fee of a fill', () => {
  it('the fee follows the series, and the event group where that differs, from when the tape shows it', () => {
    const bench = new VenueBench();
    // 0.07 x 10 x 0.55 x 0.45 = 17.325 cents, rounded up to the hundredth of a cent.
    expect(takerFee(bench)).toBe(173_300);
    bench.applyTapeEvent({ kind: 'fees-changed', eventTicker: EVENT, fees: { feeMultiplierPercent: 200 } });
    expect(takerFee(bench)).toBe(346_500);
    bench.applyTapeEvent({ kind: 'fees-changed', eventTicker: EVENT, fees: { feeType: 'free' } });
    expect(takerFee(bench)).toBe(0);
    bench.applyTapeEvent({ kind: 'fees-changed', eventTicker: EVENT, fees: null });
    bench.applyTapeEvent({ kind: 'series', series: aSeries({ feeMultiplierPercent: 50 }) });
    expect(takerFee(bench)).toBe(86_700);
  });

  it("the fee follows the series' planned changes at their times, unless the event group overrides them", () => {
    const bench = new VenueBench();
    const [sooner, later] = [after(10_000), after(20_000)];
    const terms = { feeType: 'quadratic', feeMultiplierPercent: 100 };
    const changes = [
      { at: sooner, terms: { ...terms, feeMultiplierPercent: 200 } },
      { at: later, terms: { ...terms, feeType: 'free' } },
    ];
    bench.applyTapeEvent({ kind: 'fees-scheduled', seriesTicker: SERIES, changes });
    expect(takerFee(bench)).toBe(173_300);
    const plans = () => only(bench.read({ what: 'fee-changes', seriesTicker: SERIES }), 'fees-scheduled').changes;
    const series = () => only(bench.read({ what: 'series', seriesTicker: SERIES }), 'series').series;
    expect(plans()).toEqual(changes);
    expect(takerFee(bench.advanceTo(10_000))).toBe(346_500);
    expect([plans(), series()]).toMatchObject([[changes[1]], { feeMultiplierPercent: 200 }]);
    bench.applyTapeEvent({ kind: 'fees-changed', eventTicker: EVENT, fees: { feeMultiplierPercent: 100 } });
    expect(takerFee(bench)).toBe(173_300);
    expect(takerFee(bench.advanceTo(20_000))).toBe(0);
    bench.applyTapeEvent({ kind: 'fees-scheduled', seriesTicker: SERIES, changes: [] });
    bench.applyTapeEvent({ kind: 'fees-changed', eventTicker: EVENT, fees: null });
    expect(takerFee(bench)).toBe(173_300);
  });

  it('a planned fee rise cancels the orders that the account can no longer pay for', () => {
    const bench = new VenueBench({ openingCash: money(8_300_000) });
    const ids = [
      bench.placeAccepted({ price: cents(40) }),
      bench.placeAccepted({ price: cents(40), clientOrderId: clientOrderId('last') }),
    ];
    const terms = { feeType: 'quadratic_with_maker_fees', feeMultiplierPercent: 700 };
    bench.applyTapeEvent({ kind: 'fees-scheduled', seriesTicker: SERIES, changes: [{ at: after(10_000), terms }] });
    bench.advanceTo(9999);
    expect(bench.takeEvents('order-updated').filter(({ order }) => order.reason === 'HaltCancel')).toEqual([]);
    bench.advanceTo(10_000);
    expect(only(bench.feed, 'order-updated').order).toMatchObject({ venueOrderId: ids[1], reason: 'HaltCancel' });
  });

  it("the config's fee applies where the tape shows none or an unknown type", () => {
    const fees = { fallback: 'quadratic', multiplierPercent: 10 };
    expect(takerFee(new VenueBench({ hasSeries: false, simulation: { fees } }))).toBe(17_400);
    const bench = new VenueBench({ simulation: { fees } });
    bench.applyTapeEvent({ kind: 'series', series: aSeries({ feeType: 'by-the-moon' }) });
    expect(takerFee(bench)).toBe(17_400);
  });

  it('no fee is charged while the market waives it, and rounding follows the rules of the day', () => {
    const coarse = { since: BEGIN, feeStep: money(100), balanceStep: money(10_000) };
    const fine = { since: after(20_000), feeStep: money(1), balanceStep: money(100) };
    const bench = new VenueBench({
      markets: [aMarket(0, { feesWaivedUntil: after(10_000) })],
      capabilities: { ...CAPABILITIES, feeRounding: [coarse, fine] },
    });
    expect(takerFee(bench)).toBe(0);
    // 17.325 cents, rounded up so that the balance stays on whole cents.
    expect(takerFee(bench.advanceTo(10_000))).toBe(180_000);
    expect(takerFee(bench.advanceTo(20_000))).toBe(173_300);
  });

  it('at most two cents a contract are reserved for rounding to cents, whatever the quantity step', () => {
    const schedule = feeSchedule('quadratic', 100, {
      since: EPOCH,
      feeStep: money(10_000),
      balanceStep: money(10_000),
    });
    const order = { price: cents(50), qty: contracts(10), liquidity: 'taker' } as const;
    const mostFor = (qtyStep: number): number => feeMax(schedule, order, assumedParts(schedule, qtyStep));
    expect(mostFor(1)).toBe(180_000 + 10 * 20_000);
    expect(mostFor(100)).toBe(mostFor(1));
  });

  it("a resting order pays the maker's fee, an order that takes the taker's", () => {
    const bench = new VenueBench();
    bench.placeAccepted({ price: cents(45) });
    bench.addPrint('sell', [45, 20]);
    expect(only(bench.feed.slice(-3), 'fill').fill).toMatchObject({ liquidity: 'maker', fee: 43_400 });
  });

  it('rounding accumulates per order, as the schedule says', () => {
    const bench = new VenueBench({ capabilities: { ...CAPABILITIES, qtyStep: 1 } });
    const schedule = feeSchedule('quadratic_with_maker_fees');
    bench.placeAccepted({ side: 'buy', price: cents(45), qty: contracts(1000) });
    bench.addPrint('sell', [45, 10]);
    let [gathered, position] = [NO_MONEY, FLAT];
    const expected: number[] = [];
    for (let i = 0; i < 300; i++) {
      const trade = { side: 'buy', price: cents(45), qty: qty(1 + ((i * 37) % 601)) } as const;
      bench.venue.matching.applyPrint({ ...trade, side: 'sell', market: 0 as never });
      const charged = { ...trade, liquidity: 'maker' as const, cash: cashOfTrade(position.qty, trade), gathered };
      const charge = chargeFill(schedule, charged);
      ({ gathered } = charge);
      position = afterTrade(position, { ...trade, fee: charge.fee });
      expected.push(charge.fee);
    }
    const fills = bench.feed.flatMap((event) => (event.kind === 'fill' ? [event.fill.fee] : []));
    expect(fills).toEqual(expected);
    // Some fills got cents back.
    expect(gathered).toBeGreaterThan(0);
    expect(new Set(fills).size).toBeGreaterThan(100);
  });

  it('a fee rise cancels the orders that the account can no longer pay for, the latest first', () => {
    const bench = new VenueBench({ openingCash: money(8_300_000) });
    const first = bench.placeAccepted({ price: cents(40) });
    const last = bench.placeAccepted({ price: cents(40), clientOrderId: clientOrderId('last') });
    expect(bench.available).toBeGreaterThanOrEqual(0);
    bench.feed.length = 0;
    bench.applyTapeEvent({ kind: 'fees-changed', eventTicker: EVENT, fees: { feeMultiplierPercent: 700 } });
    expect(only(bench.feed, 'order-updated').order).toMatchObject({ venueOrderId: last, reason: 'HaltCancel' });
    expect(only(bench.cancel(first), 'cancel-accepted').reducedBy).toBe(1000);
  });

  it('the fee never exceeds what was reserved for it, however the fills are cut', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 12 });
    const prices = fc.integer({ min: 1, max: 9999 });
    fc.assert(
      fc.property(
        sizes,
        prices,
        fc.constantFrom('maker', 'taker'),
        fc.constantFrom(1, 100),
        (cuts, at, liquidity, step) => {
          const schedule = feeSchedule('quadratic_with_maker_fees', 130);
          const fills = cuts.map((cut) => qty(cut * step));
          const total = qty(fills.reduce((sum, each) => sum + each, 0));
          let [charged, gathered] = [0, NO_MONEY];
          for (const each of fills) {
            const cash = cashOfTrade(qty(0), { side: 'buy', price: price(at), qty: each });
            const charge = chargeFill(schedule, { price: price(at), qty: each, liquidity, cash, gathered });
            ({ gathered } = charge);
            charged += charge.fee;
          }
          expect(charged).toBeLessThanOrEqual(
            feeMax(schedule, { price: price(at), qty: total, liquidity }, assumedParts(schedule, step)),
          );
        },
      ),
    );
  });
});

describe("fees in the venue's answers", () => {
  it('the answered fees are those charged, so that a bot predicts them correctly', () => {
    const bench = new VenueBench({ markets: [aMarket(0, { eventTicker: EVENT })] });
    bench.applyTapeEvent({ kind: 'event-group', group: aGroup({ fees: { feeMultiplierPercent: 70 } }) });
    const group = only(bench.read({ what: 'event', eventTicker: EVENT }), 'event-group').group;
    expect(group.fees).toEqual({ feeMultiplierPercent: 70 });
    const { series } = only(bench.read({ what: 'series', seriesTicker: seriesTicker('SERIES') }), 'series');
    expect(series.feeType).toBe('quadratic_with_maker_fees');
  });
});
