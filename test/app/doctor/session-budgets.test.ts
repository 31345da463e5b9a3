// The rates that the doctor compares with the account's limits are those of a session.
import { expect, it } from 'vitest';
import { sessionBudgets } from '../../../src/app/doctor/doctor-run.ts';
import { botConfigSchema } from '../../../src/config/bot-config.ts';
import { parseYaml } from '../../../src/config/yaml.ts';
import type { RateLimit } from '../../../src/venue.ts';

const LIMIT: RateLimit = { model: 'rolling-window', count: 100, windowMs: 1000 };

const budgetsOf = (budgets: string) =>
  sessionBudgets(
    parseYaml(
      `venue: { url: http://localhost }\nmarkets: { events: [E] }\nlog: { file: a.log }\nbudgets: ${budgets}\n`,
      {
        file: 'bot.yaml',
        schema: botConfigSchema,
      },
    ),
    { limits: { read: LIMIT, trade: LIMIT } },
  );

it('a share applies to the venue’s limits, and not to a rate that the config sets itself', () => {
  expect(budgetsOf('{ share: 0.5 }')).toEqual({ readPerSecond: 50, tradePerSecond: 50 });
  expect(budgetsOf('{ share: 0.5, trade: { count: 50, window: 2500ms } }')).toEqual({
    readPerSecond: 50,
    tradePerSecond: 20,
  });
});
