// Config of a simulated venue's fees: clearing and rounding.
import { describe, expect, it } from 'vitest';
import { simulatedRounding, simulationSchema } from '../../src/config/simulation-config.ts';
import { EPOCH, fromSeconds, money } from '../../src/domain/units.ts';
import { kalshiProfile } from '../../src/venues/trade-api/profiles/kalshi-profile.ts';

const feesOf = (fees: unknown) => simulationSchema.parse({ fees }).fees;
const direct = kalshiProfile.feeRounding;

describe('the fees of a simulated venue', () => {
  it('fees are rounded as the profile says where the config does not', () => {
    expect(simulatedRounding(feesOf({}), direct)).toBe(direct);
  });

  it("fees are rounded by the steps of the config in place of the profile's", () => {
    const rounding = [
      { feeStep: 0.01, balanceStep: 0.01 },
      { since: '2026-03-09T00:00:00Z', feeStep: 0.0001, balanceStep: 0.0001 },
    ];
    expect(simulatedRounding(feesOf({ rounding }), direct)).toEqual([
      { since: EPOCH, feeStep: money(10_000), balanceStep: money(10_000) },
      { since: fromSeconds(1_773_014_400), feeStep: money(100), balanceStep: money(100) },
    ]);
  });

  it("fees leave balances in whole cents where the account clears indirectly, by the simulation's own setting first", () => {
    const steps = (fees: unknown, clearing?: 'direct' | 'indirect') =>
      simulatedRounding(feesOf(fees), direct, clearing).map(({ balanceStep }) => balanceStep);
    expect(steps({ clearing: 'indirect' })).toEqual([10_000, 10_000, 10_000]);
    expect(steps({}, 'indirect')).toEqual([10_000, 10_000, 10_000]);
    expect(steps({ clearing: 'direct' }, 'indirect')).toEqual([10_000, 100, 100]);
  });

  it.each([
    ['no step', [{ feeStep: 0, balanceStep: 0.01 }], 'a step of more than zero'],
    ['times that do not ascend', [1, 2].map(() => ({ feeStep: 0.01, balanceStep: 0.01 })), 'ascending times'],
    ['no rows', [], 'rounding'],
  ])('fees are refused with %s', (_name, rounding, message) => {
    expect(() => feesOf({ rounding })).toThrow(message);
  });
});
