// A session's regular reads in comparison with its read budget, and its cancels with its trade budget.
import { describe, expect, it } from 'vitest';
import { botConfigSchema } from '../../../src/config/bot-config.ts';
import { parseYaml } from '../../../src/config/yaml.ts';
import type { RateLimit } from '../../../src/domain/rate-budget.ts';
import { checkReadRate, checkTradeRate, slowReadsText } from '../../../src/runtime/session/read-rate.ts';
import { capabilitiesWith } from '../../support/sessions/capabilities.ts';

const SECONDLY: RateLimit = { model: 'rolling-window', count: 20, windowMs: 1000 };

const configWith = (more: string) =>
  parseYaml(
    `venue: { url: http://localhost }\nmarkets: { events: [A, B], tickers: [C], series: [D] }\nlog: { file: a.log }\n${more}\n`,
    { file: 'bot.yaml', schema: botConfigSchema },
  );
const rateOf = (more: string, limit: RateLimit = SECONDLY, hasKey = true) =>
  checkReadRate(configWith(more), capabilitiesWith(limit), hasKey);

describe('the read rate', () => {
  it('compares the reads of upkeep with what the budget allows', () => {
    const { upkeepPerSecond, allowedPerSecond } = rateOf(
      'upkeep: { fills: 5s, compare: 10s, audit: 2s, markets: 10s }',
    );
    // One read of fills, three of a comparison, one book, the status and four lists.
    expect(upkeepPerSecond).toBeCloseTo(1 / 5 + 3 / 10 + 1 / 2 + 5 / 10, 10);
    expect(allowedPerSecond).toBe(18);
    expect(rateOf('upkeep: { audit: 2s, markets: 10s }', SECONDLY, false).upkeepPerSecond).toBe(1);
    const bucket = { model: 'token-bucket', refillPerSecond: 10, capacity: 100 } as const;
    expect(rateOf('budgets: { share: 0.5 }', bucket).allowedPerSecond).toBe(5);
  });

  it('is refused when no order could be looked up before orders.unknownMax', () => {
    const slow = (count: number) => () => rateOf(`budgets: { read: { count: ${count}, window: 1d } }`);
    // 2880 reads a day are one in 30 s.
    expect(slow(2880)).not.toThrow();
    expect(slow(2879)).toThrow(/^budgets\.read\.count: expected a faster read budget/);
    expect(() => rateOf('budgets: { read: { count: 1, window: 1d } }', SECONDLY, false)).not.toThrow();
    const shared = { model: 'rolling-window', count: 10, windowMs: 3_600_000 } as const;
    expect(() => rateOf('', shared)).toThrow(/^budgets\.share: expected a faster read budget/);
    expect(() => rateOf('orders: { unknownMax: 1h }', shared)).not.toThrow();
  });

  it('gives a warning when the reads of upkeep come later than the config says', () => {
    expect(slowReadsText(rateOf(''))).toBeNull();
    expect(slowReadsText(rateOf('budgets: { read: { count: 1, window: 10s } }'))).toBe(
      'the reads of upkeep cost 1.3 units a second, and the read budget allows 0.1: fills, comparisons and lists of markets come later than upkeep says',
    );
  });
});

describe('the trade rate', () => {
  const check =
    (more: string, limit: RateLimit = SECONDLY, hasKey = true) =>
    (): void =>
      checkTradeRate(configWith(more), capabilitiesWith(limit), hasKey);
  const daily = (count: number): string => `budgets: { trade: { count: ${count}, window: 1d } }`;

  it('is refused when no order could be canceled within orders.unknownMax', () => {
    expect(check('')).not.toThrow();
    expect(check(daily(2880))).not.toThrow();
    expect(check(daily(1))).toThrow(
      'budgets.trade.count: expected a faster trade budget: a cancel every 30 s (orders.unknownMax) or more often, not every 86400 s, found 1',
    );
    expect(check(daily(1), SECONDLY, false)).not.toThrow();
    const bucket = { model: 'token-bucket', refillPerSecond: 1, capacity: 100 } as const;
    expect(check('', bucket)).not.toThrow();
    const shared = { model: 'rolling-window', count: 10, windowMs: 3_600_000 } as const;
    expect(check('', shared)).toThrow(/^budgets\.share: expected a faster trade budget/);
    expect(check('orders: { unknownMax: 1h }', shared)).not.toThrow();
  });
});
