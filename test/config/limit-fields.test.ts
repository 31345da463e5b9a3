// Limits as text: every limit of the table can be written, read back, and shown in a terminal's width.
import { describe, expect, it } from 'vitest';
import { limitsExample, limitsSchema, parseLimit, strategyLimitsSchema } from '../../src/config/limit-fields.ts';
import { cents, contracts, dollars } from '../../src/domain/units.ts';
import { RISK_LIMITS, findLimit } from '../../src/risk/risk-limits.ts';

const example = (chosen = RISK_LIMITS): Record<string, string> =>
  Object.fromEntries(chosen.map(({ configName, example: text }) => [configName, text]));

describe('the limits of a config', () => {
  it('the limits of a config are read in the unit of each, from every example', () => {
    expect(limitsSchema.parse(example())).toEqual({
      orderQtyMax: contracts(20),
      orderCostMax: dollars(20),
      positionQtyMax: contracts(60),
      marketCostMax: dollars(60),
      groupCostMax: dollars(100),
      accountCostMax: dollars(400),
      dailyLossMax: dollars(50),
      drawdownMax: dollars(100),
      workingOrdersMax: 40,
      ordersPerSecondMax: 20,
      priceMin: cents(2),
      priceMax: cents(98),
      priceDistanceMax: cents(15),
      bookAgeMsMax: 15_000,
      closeGuardMs: 2000,
      messagesPerMinuteMax: 600,
      fillsPerMinuteMax: 60,
      contractsPerMinuteMax: contracts(300),
      lossStreakMax: 10,
      spreadMax: cents(20),
      touchJumpMax: cents(10),
      jumpPauseMs: 2000,
      duplicateWindowMs: 500,
      rejectsPerMinuteMax: 10,
    });
  });

  it('optional limits are absent by default', () => {
    const limits = limitsSchema.parse(example(RISK_LIMITS.filter(({ isRequired }) => isRequired)));
    for (const { name, isRequired } of RISK_LIMITS) expect(limits[name] === null).toBe(!isRequired);
  });

  it.each(RISK_LIMITS.filter(({ isRequired }) => isRequired))(
    'the limits of a config must hold $configName',
    ({ configName }) => {
      const { [configName]: _, ...rest } = example();
      expect(limitsSchema.safeParse(rest).success).toBe(false);
    },
  );

  it('a strategy may have any of its limits', () => {
    expect(strategyLimitsSchema.parse({ closeGuard: '5s', orderQtyMax: 3 })).toEqual({
      closeGuardMs: 5000,
      orderQtyMax: contracts(3),
    });
  });

  it('the example of limits fits a terminal', () => {
    const lines = limitsExample().split('\n');
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    for (const { configName, meaning, isRequired } of RISK_LIMITS)
      expect(lines.some((line) => line.includes(`${configName}:`) && line.includes(meaning))).toBe(isRequired);
  });
});

describe('one limit as text', () => {
  it('one limit as text is read by its config name in its unit', () => {
    const info = findLimit('bookAgeMax')!;
    expect(info).toBe(findLimit('bookAgeMsMax'));
    expect(parseLimit(info, '1.5s')).toEqual({ value: 1500 });
  });

  it.each([
    ['orderQtyMax', 'many', 'a number of contracts such as 10 or 0.01'],
    ['workingOrdersMax', '0', 'a whole number from 1 to 100000'],
    ['closeGuard', '15', 'a duration such as 250ms, 30s, 5m, 2h or 1d, at most 3650d'],
    ['bookAgeMax', '0s', 'a duration of at least 10ms, such as 1s'],
  ])('an invalid limit is refused with its expected form: %s of %s', (name, text, expected) => {
    expect(parseLimit(findLimit(name)!, text)).toEqual({ expected });
  });
});
