// Reads a bot's config through its schema: venue, markets, strategies, limits, budgets and log. No other code reads the
// file's members. Must never give a default to a limit that risks money, and must never hold a private key: only the
// path of its file.
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { RISK_LIMITS, type RiskLimits, isTighter } from '../risk/risk-limits.ts';
import { ADOPTED, FOREIGN, OPERATOR } from '../state/account/orders.ts';
import { isUnencryptedRemote } from './addresses.ts';
import { alertsSchema, withAbsolutePlaces } from './alerts-config.ts';
import { durationField, intervalField, moneyField, nameField, qtyField } from './fields.ts';
import { limitsExample, limitsSchema, strategyLimitsSchema } from './limit-fields.ts';
import { logSchema, metricsSchema, withTokenPath } from './monitoring-config.ts';
import { simulationSchema, withJournalFolders } from './simulation-config.ts';
import { readYaml } from './yaml.ts';

const keySchema = z.strictObject({
  /** The key's id at the venue. */
  id: z.string().min(1),
  /** File of the private key, relative to the config; readable by its owner only. */
  file: z.string().min(1),
});

const url = (schemes: readonly string[]) =>
  z
    .string()
    .refine((text) => schemes.includes(tryUrl(text)?.protocol ?? ''), {
      error: `an address beginning with ${schemes.map((scheme) => `${scheme}//`).join(' or ')}`,
      abort: true,
    })
    .refine((text) => /^[a-z]+:\/\/[^/?#@\\]+$/i.test(text), {
      error: 'only scheme, host and port (the profile has the paths)',
      abort: true,
    });

const countOf = (given: readonly unknown[]): number => given.filter((value) => value !== undefined).length;

function tryUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

/** A value of a field, or `false`, which turns it off. */
const orOff = <Value>(field: z.ZodType<Value>, expected: string) =>
  z.union([z.literal(false).transform(() => null), field], { error: `${expected}, or false` });

/** Maximum number of subaccounts of a key, besides the account itself. */
const SUBACCOUNT_MAX = 63;

/**
 * Protections that the venue itself applies while the bot is gone. In the venue's own environments, or when the config
 * has this section, a protection that is not configured is on where the profile supports it. Otherwise all of them are
 * off.
 */
const guardsSchema = z.strictObject({
  /** The venue cancels every order when trading pauses. */
  cancelOnPause: z.boolean().optional(),
  /** How long an order without an expiration time may rest. Default where the protections are on: one hour. */
  restMax: orOff(intervalField, 'a duration of at least 10ms, such as 1h').optional(),
  /**
   * The venue cancels every order once this many contracts trade in any 15 seconds. Default where the protections are
   * on: `limits.positionQtyMax`.
   */
  orderGroup: orOff(qtyField, 'a number of contracts such as 40').optional(),
});

const venueSchema = z
  .strictObject({
    /** The wire profile by its name. */
    profile: z.string().min(1).default('service'),
    /** The local exchange's config, for an exchange inside this process. */
    embedded: z.string().min(1).optional(),
    /** The account to trade as on the embedded exchange. */
    account: nameField.optional(),
    /** One of the venue's own environments, by the profile's name for it. */
    environment: z.string().min(1).optional(),
    /** Address of the venue's REST API and feed: scheme, host and port, without the profile's paths. */
    url: url(['http:', 'https:']).optional(),
    /** Address of the feed, if its host is another. */
    feedUrl: url(['ws:', 'wss:']).optional(),
    /**
     * Allows `url` and `feedUrl` to be `http:` and `ws:` on another machine. Anyone between the two machines can then
     * read the requests and change orders: signatures do not cover bodies.
     */
    allowPlaintext: z.boolean().default(false),
    /** Without a key the bot only watches. */
    key: keySchema.optional(),
    /** The subaccount to trade as; 0 is the account itself. */
    subaccount: z.int().min(0).max(SUBACCOUNT_MAX).optional(),
    /** How the account clears. With `indirect`, its balance is rounded to whole cents, and fees with it. */
    clearing: z.enum(['direct', 'indirect']).optional(),
    /** Protections that the venue itself applies while the bot is gone. */
    guards: guardsSchema.optional(),
  })
  .refine(({ embedded, url: address, environment }) => countOf([embedded, address, environment]) === 1, {
    error: 'one of embedded, url and environment',
  })
  .refine((venue) => (venue.embedded === undefined) === (venue.account === undefined), {
    error: 'account with embedded, and only with it',
    path: ['account'],
  })
  .refine((venue) => venue.embedded === undefined || venue.key === undefined, {
    error: 'no key with embedded: one is made for the session',
    path: ['key'],
  })
  .refine((venue) => venue.url !== undefined || venue.feedUrl === undefined, {
    error: 'feedUrl only with url',
    path: ['feedUrl'],
  })
  .superRefine((venue, context) => {
    for (const [name, encrypted] of [['url', 'https'] as const, ['feedUrl', 'wss'] as const]) {
      if (venue.allowPlaintext || !isUnencryptedRemote(venue[name] ?? '')) continue;
      const message = `${encrypted}://, except to this machine (127.0.0.1, [::1], localhost) or with venue.allowPlaintext: true`;
      context.addIssue({ code: 'custom', path: [name], message });
    }
  });

export const universeSchema = z
  .strictObject({
    /** Event groups by their tickers: every market of each. */
    events: z.array(nameField).default([]),
    /** Single markets by their tickers. */
    tickers: z.array(nameField).default([]),
    /** Series by their tickers: every market of every event group of each, also of groups that appear later. */
    series: z.array(nameField).default([]),
    /** How long a settled market stays in the list of markets and on the screen. */
    settledGrace: durationField.prefault('1m'),
  })
  .refine((universe) => universe.events.length + universe.tickers.length + universe.series.length > 0, {
    error: 'at least one of events, tickers and series',
  });

/** A package name as in an import, with an optional scope and an optional subpath. */
const PACKAGE_NAME = /^(?:@[\w~-][\w.~-]*\/)?[\w~-][\w.~-]*(?:\/[\w.~-]+)*$/;

/** Default of the time a strategy may take to answer. */
export const SLOW_MAX = '250ms';

export const strategySchema = z
  .strictObject({
    /** The strategy's name in reports, halts and limits; unique in this file. */
    name: nameField,
    /** The strategy's file, relative to the config. */
    file: z.string().min(1).optional(),
    /**
     * Instead of a file, an installed package that exports the strategy, as seen from the config's folder: `name` or
     * `name/part`.
     */
    package: z.string().regex(PACKAGE_NAME, { error: 'the name of a package, such as my-strategy' }).optional(),
    /** The strategy's parameters, checked by its own schema. */
    params: z.record(z.string(), z.unknown()).default({}),
    /** The strategy's own limits: none may be looser than the account's. */
    limits: strategyLimitsSchema.optional(),
    /**
     * Time the strategy may take to answer. A strategy that is slower three times within a minute is halted, and so is
     * one that once takes more than two seconds, or more than this time if it is longer.
     */
    slowMax: intervalField.prefault(SLOW_MAX),
    /**
     * Maximum that the strategy may have at risk and lose, in dollars; without it only limits apply. The sum over all
     * strategies may exceed the account's cash.
     */
    capital: moneyField.optional(),
  })
  .refine(({ file, package: name }) => countOf([file, name]) === 1, {
    error: 'one of file and package',
    path: ['file'],
  })
  // The loader knows a package by its path in node_modules.
  .transform(({ file, package: name, ...rest }) => ({ ...rest, file: file ?? `node_modules/${name ?? ''}` }));

const rollingBudget = z.strictObject({
  /** Requests within any window. */
  count: z.int().min(1),
  window: intervalField,
});

export const budgetsSchema = z.strictObject({
  /** Share of the venue's rate limits to use, 0 to 1; the rest is left to others on the same key. */
  share: z.number().gt(0).max(1).default(0.9),
  /** Rate limits of reads and trades, in place of the profile's. */
  read: rollingBudget.optional(),
  trade: rollingBudget.optional(),
  /** Share of the trade budget reserved for cancels. No order may use it, not even a reducing one. */
  cancelReserve: z.number().min(0).max(0.9).default(0.2),
  /**
   * Share of the read budget for comparisons of positions, cash and books with the venue's; the rest is for urgent
   * reads.
   */
  careShare: z.number().gt(0).max(1).default(0.5),
  /** Maximum number of reads in flight. */
  readsInFlightMax: z.int().min(1).max(64).default(4),
  /** Maximum number of orders and cancels in flight. */
  tradesInFlightMax: z.int().min(1).max(256).default(16),
});

export const ordersSchema = z.strictObject({
  /** An order that could not be sent within this time is dropped. */
  delayMax: durationField.prefault('2s'),
  /** How long an order of unknown state may take to appear at the venue after it was sent. */
  grace: durationField.prefault('3s'),
  /** Margin by which each read of new fills reaches into the time that was already read. */
  lookback: durationField.prefault('10s'),
  /** How long an order's state may be unknown before an alarm is raised and its market is closed to new orders. */
  unknownMax: intervalField.prefault('30s'),
  /**
   * Handling of orders that no strategy of this session placed. `cancel` cancels them. `adopt` counts them and leaves
   * them alone, even when the session stops; an operator's flatten cancels them, and so does a halt or cancel of the
   * account or their market, and a fault of the session. `refuse` leaves them alone, and halts the account.
   */
  unexpected: z.enum(['cancel', 'adopt', 'refuse']).default('cancel'),
  /** Handling of a position or cash that nothing explains: halts the account, or only raises an alarm. */
  onDrift: z.enum(['alarm', 'halt']).default('halt'),
  /**
   * Sends an order again, under its own id, when no list shows it and the venue refuses ids that it knows. Without
   * this, lists settle its state as well, a little later, and an order that turns up after all is canceled. Immediate
   * orders are never sent again.
   */
  resendUnknown: z.boolean().default(false),
  /** Time allowed for stopping; orders still open after it are only reported. */
  stopWithin: durationField.prefault('15s'),
});

export const upkeepSchema = z.strictObject({
  /** How often fills are read again. */
  fills: intervalField.prefault('5s'),
  /** How often positions and cash are compared with the venue's. */
  compare: intervalField.prefault('10s'),
  /** How often orders of unknown state are looked up. */
  probe: intervalField.prefault('1s'),
  /** How often a book is compared with the venue's, each book in turn. */
  audit: intervalField.prefault('2s'),
  /** How often markets are listed again. */
  markets: intervalField.prefault('15s'),
});

export const clockSchema = z
  .strictObject({
    /** Difference between our clock and the venue's from which a warning is given. */
    offsetWarn: durationField.prefault('2s'),
    /** Difference beyond which no order is sent. */
    offsetMax: durationField.prefault('10s'),
  })
  .refine((clock) => clock.offsetWarn <= clock.offsetMax, {
    error: 'a duration not below offsetWarn',
    path: ['offsetMax'],
  });

const journalSchema = z.strictObject({
  /**
   * Syncs to disk before an order or an amend is sent, so that the journal survives a crash of the machine, not only of
   * the bot.
   */
  sync: z.boolean().default(false),
  /** Maximum size on disk; beyond it the oldest files are removed, and the log says so. */
  keepMegabytes: z.int().min(100).max(100_000_000).default(20_000),
  /** How long closed files are kept. Without it, only the size counts. */
  keepFor: durationField.optional(),
});

const watchdogSchema = z.strictObject({
  /**
   * Runs a separate process that cancels resting orders when the bot crashes or hangs. Needs a key and a venue at an
   * address.
   */
  enabled: z.boolean().default(true),
  /** Maximum time without a heartbeat of the bot. */
  deadline: intervalField.prefault('5s'),
  /** Orders that the watchdog cancels: those of the crashed session, or all orders resting in the account. */
  cancels: z.enum(['session', 'account']).default('session'),
  /** How long the watchdog keeps trying when the venue refuses. */
  giveUpAfter: durationField.prefault('1h'),
});

const paperSchema = z.strictObject({
  /** Opening cash of the simulated account, for each session. */
  cash: moneyField,
  /** The simulated venue. The feed has its real delay, whatever is set here. */
  simulation: simulationSchema.prefault({}),
});

/**
 * Names that orders of the operator, foreign orders and adopted orders carry in place of a strategy's name. No strategy
 * may have one of these names.
 */
const RESERVED_NAMES: readonly string[] = [OPERATOR, FOREIGN, ADOPTED];

/** The whole file. */
export const botConfigSchema = z
  .strictObject({
    venue: venueSchema,
    markets: universeSchema,
    strategies: z.array(strategySchema).default([]),
    limits: limitsSchema.optional(),
    budgets: budgetsSchema.prefault({}),
    orders: ordersSchema.prefault({}),
    upkeep: upkeepSchema.prefault({}),
    clock: clockSchema.prefault({}),
    log: logSchema,
    metrics: metricsSchema.prefault({}),
    /** Folder of data that must survive a session: halts, figures, its journal. Relative to the config. */
    dataFolder: z.string().min(1).optional(),
    watchdog: watchdogSchema.prefault({}),
    journal: journalSchema.prefault({}),
    /** Messages to people outside of this machine. Without it, none are sent. */
    alerts: alertsSchema.optional(),
    /** The simulated account of `presage paper`; nothing else reads it. */
    paper: paperSchema.optional(),
  })
  .superRefine((config, context) => {
    checkNames(config.strategies, context);
    if (config.strategies.length > 0 && config.dataFolder === undefined) {
      const message = 'dataFolder, because strategies run: a folder for halts and the journal, such as ../var/my-bot';
      context.addIssue({ code: 'custom', path: ['dataFolder'], message });
    }
    if (config.strategies.length > 0 && !config.limits) {
      const message = `limits, because strategies run; each of these must be chosen:\n${limitsExample()}\n(the figures are examples)`;
      context.addIssue({ code: 'custom', path: ['limits'], message });
    }
    checkLimits(config, context);
  });

/** Receives the faults of a config. */
interface Issues {
  addIssue(issue: { code: 'custom'; path: (string | number)[]; message: string }): void;
}

/** Checks that strategy names are unique and not reserved. */
export function checkNames(strategies: Limited['strategies'], issues: Issues): void {
  const names = strategies.map(({ name }) => name);
  names.forEach((name, index) => {
    const path = ['strategies', index, 'name'];
    if (names.indexOf(name) < index) issues.addIssue({ code: 'custom', path, message: 'a name not used before' });
    if (!RESERVED_NAMES.includes(name)) return;
    issues.addIssue({ code: 'custom', path, message: `a name other than ${RESERVED_NAMES.join(', ')}` });
  });
}

/**
 * Checks that the lowest allowed price is not above the highest, and that a strategy's own limits are no looser than
 * the account's.
 */
export function checkLimits(config: Limited, issues: Issues): void {
  const { limits } = config;
  if (limits && limits.priceMin > limits.priceMax)
    issues.addIssue({ code: 'custom', path: ['limits', 'priceMax'], message: 'a price not below priceMin' });
  for (const { path, message } of looserLimits(config)) issues.addIssue({ code: 'custom', path, message });
}

/** A strategy's own limits that are looser than the account's. */
function looserLimits({ strategies, limits }: Limited): { path: (string | number)[]; message: string }[] {
  return strategies.flatMap(({ limits: own = {} }, index) =>
    RISK_LIMITS.flatMap((info) => {
      const value = own[info.name];
      if (!limits || value === undefined || isTighter(info, value, limits[info.name])) return [];
      const message = `a limit no looser than the account's limits.${info.configName}`;
      return [{ path: ['strategies', index, 'limits', info.configName], message }];
    }),
  );
}

/** The part of a config that has limits. */
interface Limited {
  readonly strategies: readonly z.output<typeof strategySchema>[];
  readonly limits?: RiskLimits | undefined;
}

export type BotConfig = z.output<typeof botConfigSchema>;

/**
 * Reads a bot's config; paths in it become absolute.
 * @throws {ConfigError} when the file cannot be used.
 */
export function readBotConfig(file: string): BotConfig {
  const config = readYaml(file, botConfigSchema);
  const folder = dirname(resolve(file));
  const { venue, log, dataFolder, paper, alerts } = config;
  const { embedded, key } = venue;
  return {
    ...config,
    venue: {
      ...venue,
      ...(embedded === undefined ? {} : { embedded: resolve(folder, embedded) }),
      ...(key === undefined ? {} : { key: { ...key, file: resolve(folder, key.file) } }),
    },
    strategies: config.strategies.map((strategy) => ({ ...strategy, file: resolve(folder, strategy.file) })),
    log: { ...log, file: resolve(folder, log.file) },
    metrics: withTokenPath(config.metrics, folder),
    ...(dataFolder === undefined ? {} : { dataFolder: resolve(folder, dataFolder) }),
    ...(alerts && { alerts: withAbsolutePlaces(alerts, folder) }),
    ...(paper && { paper: { ...paper, simulation: withJournalFolders(paper.simulation, folder) } }),
  };
}
