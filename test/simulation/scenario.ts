// Everything that a seed decides in advance: markets and their lives, strategies, limits, spells of network trouble,
// deaths. Each seed has only some kinds of trouble, so that a quiet simulation with one kind is tested as well as a
// wild one.
import { type ExchangeConfig, exchangeConfigSchema } from '../../src/config/exchange-config.ts';
import type { Dialect } from './dialect.ts';
import { Draws } from './draws.ts';
import { troublePlan } from './trouble-plan.ts';
import { type Spell, TROUBLES, type Trouble } from './network/network-conditions.ts';

/** The account the bot trades with. */
export const ACCOUNT = 'bot';

/** A fault of the bot's process or disk, or an operator action, at a time of the simulation. */
export type PlannedBlow =
  | { readonly type: 'kill'; readonly atMs: number; readonly moment: KillMoment; readonly downMs: number }
  | { readonly type: 'halt-bot'; readonly atMs: number; readonly forMs: number }
  | { readonly type: 'cancel-all'; readonly atMs: number }
  | { readonly type: 'disk-full'; readonly atMs: number; readonly bytes: number; readonly forMs: number };

/** The moment of its work at which a process dies: at once, or at the next such moment. */
export type KillMoment = 'now' | 'tearing' | 'journaling' | 'journaled' | 'sending' | 'answered';
const KILL_MOMENTS: readonly KillMoment[] = ['now', 'tearing', 'journaling', 'journaled', 'sending', 'answered'];

export interface Scenario {
  readonly seed: number;
  /** End of all trouble. */
  readonly calmMs: number;
  readonly exchange: ExchangeConfig;
  readonly spells: readonly Spell[];
  readonly blows: readonly PlannedBlow[];
  readonly latencyMs: number;
  readonly jitterMs: number;
  readonly strategies: readonly StrategyChoice[];
  /** True when the bot sends an order again that no list shows. */
  readonly resendsUnknown: boolean;
  /** True when the bot moves its quotes by amends. */
  readonly movesByAmend: boolean;
  /** True when the bot sends the orders that leave together in one request. */
  readonly batches: boolean;
  /** True when the first list of positions of each life is empty: a server of the exchange lags. */
  readonly emptiesFirstPositions: boolean;
}

export type StrategyChoice = 'quoter' | 'arbitrage' | 'nasty';

/** Length of the troubled part. */
const TROUBLED_MS = 45_000;
/** Longest time that a halt may extend into the calm part. */
export const HALTED_CALM_MS = 10_000;

/** The scenario of a seed: the same in every dialect, except for the particulars of its exchanges. */
export function scenarioOf(seed: number, dialect: Dialect): Scenario {
  const draws = new Draws(seed, 'scenario');
  const exchange = exchangeOf(seed, draws, dialect);
  const faults = troublePlan(new Draws(seed, 'faults'), TROUBLED_MS);
  const spells = spellsOf(draws);
  const blows = blowsOf(draws);
  const behavior = new Draws(seed, 'ways');
  return {
    seed,
    calmMs: TROUBLED_MS,
    exchange: { ...exchange, faults },
    spells,
    blows,
    latencyMs: draws.between(0.5, 40),
    jitterMs: draws.between(0.1, 20),
    strategies: strategiesOf(draws),
    resendsUnknown: behavior.happens(0.5),
    movesByAmend: new Draws(seed, 'moves').happens(0.4),
    batches: new Draws(seed, 'batches').happens(0.5),
    emptiesFirstPositions: behavior.happens(0.3),
  };
}

function strategiesOf(draws: Draws): StrategyChoice[] {
  const chosen = draws.some<StrategyChoice>(['arbitrage', 'nasty'], 0.6);
  // One strategy must quote: the check for work waits for a quote.
  return ['quoter', ...chosen];
}

function exchangeOf(seed: number, draws: Draws, { orderCost, readLagMs }: Dialect): ExchangeConfig {
  const secondsLater = (least: number, most: number): string => `${draws.integer(least * 1000, most * 1000)}ms`;
  const market = (ticker: string, eventGroup: string, probability: number) => ({
    ticker,
    eventGroup,
    title: `Will ${ticker} happen?`,
    closesIn: '1h',
    settlesAfter: secondsLater(1, 5),
    probability: probability.toFixed(2),
  });
  const short = (life: object): object => life;
  return exchangeConfigSchema.parse({
    seed: seed >>> 0,
    readLag: `${readLagMs}ms`,
    accounts: [{ name: ACCOUNT, cash: 1000 }],
    series: [
      { ticker: 'CITY', title: 'City', category: 'Sports', feeType: 'quadratic', feeMultiplier: '0.5' },
      { ticker: 'RAIN', title: 'Rain', category: 'Weather', feeType: 'quadratic_with_maker_fees' },
    ],
    eventGroups: [
      { ticker: 'CITY-1', series: 'CITY', title: 'Which city?', exclusive: true },
      { ticker: 'RAIN-1', series: 'RAIN', title: 'Rain?' },
    ],
    markets: [
      market('CITY-1-A', 'CITY-1', 0.5),
      market('CITY-1-B', 'CITY-1', 0.3),
      market('CITY-1-C', 'CITY-1', 0.2),
      market('RAIN-1-STAYS', 'RAIN-1', draws.between(0.2, 0.8)),
      short({ ...market('RAIN-1-ENDS', 'RAIN-1', draws.between(0.2, 0.8)), closesIn: secondsLater(12, 35) }),
      short({ ...market('RAIN-1-LATE', 'RAIN-1', draws.between(0.2, 0.8)), opensIn: secondsLater(5, 25) }),
    ],
    flow: {
      changesPerSecond: draws.between(2, 6),
      noiseTradesPerMinute: draws.between(20, 80),
      informedTradesPerMinute: draws.between(2, 20),
      makersPerMarket: 2,
      levels: 3,
      volatility: draws.between(0.1, 1),
    },
    limits: draws.happens(0.4)
      ? { trade: { model: 'rolling-window', count: draws.integer(6, 12) * orderCost, windowMs: 1000 } }
      : {},
  });
}

/** Longest spell of each kind. */
const SPELL_MS_MAX: Readonly<Record<Trouble, number>> = {
  partition: 9000,
  refusal: 5000,
  loss: 12_000,
  slowness: 8000,
  'half-open': 0,
  cut: 0,
};

function spellsOf(draws: Draws): Spell[] {
  return draws.some(TROUBLES, 0.4).flatMap((trouble) =>
    Array.from({ length: draws.integer(1, 2) }, () => {
      const fromMs = draws.between(0, TROUBLED_MS - 1000);
      const untilMs = Math.min(TROUBLED_MS, fromMs + draws.between(0, SPELL_MS_MAX[trouble]));
      return { trouble, fromMs, untilMs };
    }),
  );
}

function blowsOf(draws: Draws): PlannedBlow[] {
  const at = (): number => draws.between(500, TROUBLED_MS - 8000);
  const blows: PlannedBlow[] = [];
  if (draws.happens(0.5))
    for (let i = draws.integer(1, 3); i > 0; i--)
      blows.push({ type: 'kill', atMs: at(), moment: draws.pick(KILL_MOMENTS), downMs: draws.between(20, 6000) });
  if (draws.happens(0.2)) {
    const atMs = at();
    blows.push({ type: 'halt-bot', atMs, forMs: draws.between(2000, TROUBLED_MS + HALTED_CALM_MS - atMs) });
  }
  if (draws.happens(0.2)) blows.push({ type: 'cancel-all', atMs: at() });
  if (draws.happens(0.08))
    blows.push({ type: 'disk-full', atMs: at(), bytes: draws.integer(0, 20_000), forMs: draws.between(500, 6000) });
  return blows.sort((a, b) => a.atMs - b.atMs);
}
