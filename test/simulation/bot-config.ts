// The config of a simulated bot, as a user would write it, with shorter times so that a minute holds many of its duties.
// Must never leave a limit out: the oracle holds the venue to every one.
import { type BotConfig, botConfigSchema } from '../../src/config/bot-config.ts';

/** How long a request may take, and how long after it was sent it may still arrive. Milliseconds. */
export const ORDER_TIMEOUT_MS = 1500;
export const READ_TIMEOUT_MS = 2000;
export const GRACE_MS = 3000;
/** Nothing travels longer one way; with what the exchange's own faults add, that is within the grace. */
export const TRAVEL_MS_MAX = 1000;

/** A strategy that a life runs. */
export interface ConfiguredStrategy {
  readonly name: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** The bot's config. `resendUnknown`: whether an order that no list shows is sent again under its own id. */
export const botConfig = (strategies: readonly ConfiguredStrategy[], resendUnknown = false): BotConfig =>
  botConfigSchema.parse({
    venue: { url: 'http://localhost', key: { id: 'simulated', file: 'nowhere' } },
    markets: { events: ['CITY-1', 'RAIN-1'] },
    strategies: strategies.map(({ name, params }) => ({ name, params, file: 'nowhere' })),
    limits: {
      orderQtyMax: 20,
      orderCostMax: 15,
      positionQtyMax: 24,
      marketCostMax: 30,
      accountCostMax: 120,
      workingOrdersMax: 14,
      priceMin: 0.02,
      priceMax: 0.98,
      bookAgeMax: '6s',
      closeGuard: '1s',
      groupCostMax: 60,
      dailyLossMax: 1000,
      drawdownMax: 1000,
      ordersPerSecondMax: 100,
      priceDistanceMax: 0.9,
    },
    budgets: { share: 0.9, cancelReserve: 0.2 },
    orders: { delayMax: '1500ms', grace: `${GRACE_MS}ms`, lookback: '10s', stopWithin: '20s', resendUnknown },
    upkeep: { fills: '2s', compare: '3s', probe: '500ms', audit: '1s', markets: '5s' },
    dataFolder: 'nowhere',
    log: { level: 'silent', file: 'nowhere' },
  });
