// The limits in force: the tighter of account and strategy, and overrides that begin, end by themselves, or are
// refused.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { strategyName } from '../../src/domain/ids.ts';
import type { LimitOverride } from '../../src/domain/operator-order.ts';
import { cents, contracts, dollars, micros } from '../../src/domain/units.ts';
import { EffectiveLimits } from '../../src/risk/effective-limits.ts';
import { RISK_LIMITS, isTighter, findLimit, tightened } from '../../src/risk/risk-limits.ts';
import { BEGIN, MAKER, after, wideLimits } from '../support/engine/builders.ts';

const OTHER = strategyName('other');
const ACCOUNT = wideLimits({ orderQtyMax: contracts(20), closeGuardMs: 2000 });
const book = (): EffectiveLimits =>
  new EffectiveLimits(
    ACCOUNT,
    new Map([
      [MAKER, { orderQtyMax: contracts(5), closeGuardMs: 5000 }],
      [OTHER, {}],
    ]),
  );
const override = (over: Partial<LimitOverride> = {}): LimitOverride => ({
  limit: 'orderQtyMax',
  value: contracts(30),
  strategy: null,
  until: after(60_000),
  reason: 'a test',
  ...over,
});

describe('the limits of a strategy', () => {
  it('are the tighter of its own and the account’s', () => {
    expect(book().limitsOf(MAKER)).toEqual({ ...ACCOUNT, orderQtyMax: contracts(5), closeGuardMs: 5000 });
    expect(book().limitsOf(OTHER)).toBe(ACCOUNT);
  });

  it('are never looser than the account’s, whatever its own are', () => {
    const values = fc.record(Object.fromEntries(RISK_LIMITS.map(({ name }) => [name, fc.option(fc.nat(20_000))])));
    fc.assert(
      fc.property(values, (own) => {
        const limits = tightened(ACCOUNT, own);
        for (const info of RISK_LIMITS) {
          expect(isTighter(info, limits[info.name], ACCOUNT[info.name])).toBe(true);
          if (own[info.name] !== null) expect(isTighter(info, limits[info.name], own[info.name] ?? null)).toBe(true);
        }
      }),
    );
  });
});

describe('an override', () => {
  it('of the account applies until exactly its end', () => {
    const limits = book();
    expect(limits.applyOverride(override(), BEGIN)).toBeNull();
    expect(limits.account.orderQtyMax).toBe(contracts(30));
    expect(limits.limitsOf(OTHER).orderQtyMax).toBe(contracts(30));
    expect(limits.limitsOf(MAKER).orderQtyMax).toBe(contracts(5));
    expect(limits.expiresAt()).toBe(after(60_000));
    expect(limits.endExpired(micros(after(60_000) - 1))).toEqual([]);
    expect(limits.endExpired(after(60_000))).toEqual([override()]);
    expect(limits.account).toEqual(ACCOUNT);
    expect(limits.limitsOf(OTHER)).toEqual(ACCOUNT);
    expect(limits.expiresAt()).toBeNull();
  });

  it('of a strategy applies to it alone and may use the limit’s name in a config', () => {
    const limits = book();
    expect(limits.applyOverride(override({ limit: 'closeGuard', value: 9000, strategy: OTHER }), BEGIN)).toBeNull();
    expect(limits.limitsOf(OTHER).closeGuardMs).toBe(9000);
    expect(limits.hasOwnLimit(OTHER, 'closeGuardMs')).toBe(true);
    expect(limits.limitsOf(MAKER).closeGuardMs).toBe(5000);
    expect(limits.account.closeGuardMs).toBe(2000);
  });

  it('of the same limit replaces the earlier one', () => {
    const limits = book();
    limits.applyOverride(override(), BEGIN);
    limits.applyOverride(override({ value: contracts(25) }), BEGIN);
    expect(limits.overrides).toHaveLength(1);
    expect(limits.account.orderQtyMax).toBe(contracts(25));
  });

  it('with the config’s own value ends the earlier one, of the account or of the strategy', () => {
    const limits = book();
    limits.applyOverride(override(), BEGIN);
    limits.applyOverride(override({ value: contracts(3), strategy: MAKER }), BEGIN);
    expect(limits.applyOverride(override({ value: contracts(5), strategy: MAKER }), BEGIN)).toBeNull();
    expect(limits.overrides).toEqual([override()]);
    expect(limits.applyOverride(override({ value: ACCOUNT.orderQtyMax ?? 0 }), BEGIN)).toBeNull();
    expect(limits.overrides).toEqual([]);
    expect(limits.account).toEqual(ACCOUNT);
  });

  it('with the config’s own value and no earlier one holds that value for its time', () => {
    const limits = book();
    const same = override({ value: ACCOUNT.orderQtyMax ?? 0 });
    expect(limits.applyOverride(same, BEGIN)).toBeNull();
    expect(limits.overrides).toEqual([same]);
  });

  it.each([
    [{ limit: 'luck' }, 'there is no limit "luck"'],
    [{ until: BEGIN }, 'its time is over already'],
    [{ until: micros(BEGIN + 86_400_000_001) }, 'it may last at most a day'],
    [{ reason: ' ' }, 'it needs a reason'],
    [{ value: -1 }, '-1 is not a valid value of orderQtyMax in contracts'],
    [{ value: 1.5 }, '1.5 is not a valid value of orderQtyMax in contracts'],
    [{ limit: 'priceMax', value: 10_001 }, '10001 is not a valid value of priceMax in price'],
    [{ strategy: strategyName('missing') }, 'there is no strategy "missing"'],
    [{ strategy: MAKER }, "it is looser than the account's orderQtyMax 2000"],
    [{ strategy: MAKER, limit: 'lossStreakMax', value: 1 }, 'only the account has the limit lossStreakMax'],
  ])('is refused: %o', (over, why) => {
    const limits = book();
    expect(limits.applyOverride(override(over), BEGIN)).toBe(why);
    expect(limits.overrides).toEqual([]);
    expect(limits.account).toBe(ACCOUNT);
  });

  it('may last a whole day', () => {
    expect(book().applyOverride(override({ until: micros(BEGIN + 86_400_000_000) }), BEGIN)).toBeNull();
  });
});

describe('the table of limits', () => {
  it('is consistent within each unit and has no line too long for a terminal', () => {
    for (const { name, configName, meaning, unit } of RISK_LIMITS) {
      expect(meaning.length).toBeLessThanOrEqual(60);
      expect(findLimit(configName)?.name).toBe(name);
      expect(configName === name).toBe(unit !== 'milliseconds');
    }
    expect(findLimit('priceMin')?.bound).toBe('least');
    expect([cents(2), dollars(1)]).toEqual([200, 1_000_000]);
  });
});
