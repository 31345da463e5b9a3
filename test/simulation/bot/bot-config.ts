// The config of a simulated bot, as a user would write it, with shorter intervals so that a minute covers most of its
// duties. Must never omit a limit: the oracle checks every one.
import { type BotConfig, botConfigSchema } from '../../../src/config/bot-config.ts';

/** Timeouts of orders and reads, and the time after sending within which a request may still arrive. Milliseconds. */
export const ORDER_TIMEOUT_MS = 1500;
export const READ_TIMEOUT_MS = 2000;
export const GRACE_MS = 3000;
/** Longest one-way latency; with the delays that the exchange's own faults add, it stays within the grace. */
export const TRAVEL_MS_MAX = 1000;

/** A strategy of one life of the bot. */
export interface ConfiguredStrategy {
  readonly name: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/**
 * The bot's config.
 * @param handling The treatment of orders that differs between simulations.
 */
export const botConfig = (
  strategies: readonly ConfiguredStrategy[],
  handling: Partial<Pick<BotConfig['orders'], 'resendUnknown' | 'moveQuotesBy' | 'batches'>> = {},
): BotConfig =>
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
    orders: { delayMax: '1500ms', grace: `${GRACE_MS}ms`, lookback: '10s', stopWithin: '20s', ...handling },
    upkeep: { fills: '2s', compare: '3s', probe: '500ms', audit: '1s', markets: '5s' },
    dataFolder: 'nowhere',
    log: { level: 'silent', file: 'nowhere' },
  });
