// Reads a bot's config through its schema: venue, markets, strategies, limits, budgets and log. Must never give a
// default to a limit that risks money. Must never hold a private key: only the path of its file.
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { READS_IN_FLIGHT_MAX, TRADES_IN_FLIGHT_MAX } from '../domain/rate-budget.ts';
import { RISK_LIMITS, type RiskLimits, isTighter } from '../risk/risk-limits.ts';
import { ADOPTED, FOREIGN, OPERATOR } from '../state/account/orders.ts';
import { isUnencryptedRemote } from './addresses.ts';
import { alertsSchema, withAbsolutePlaces } from './alerts-config.ts';
import { durationField, intervalField, moneyField, nameField, qtyField } from './fields.ts';
import { limitsExample, limitsSchema, strategyLimitsSchema } from './limit-fields.ts';
import { PORT_MAX } from './listen-address.ts';
import { checkWatchdog, logSchema, metricsSchema, watchdogSchema, withTokenPath } from './monitoring-config.ts';
import { simulationSchema, withJournalFolders } from './simulation-config.ts';
import { ordersSchema } from './orders-config.ts';
import { readYaml, textMemberIn } from './yaml.ts';

const keySchema = z.strictObject({
  /** The key's id at the venue. */
  id: z.string().min(1),
  /** File of the private key, relative to the config. Only its owner may be able to read it. */
  file: z.string().min(1),
});

const url = (schemes: readonly string[]) =>
  z
    .string()
    .refine((text) => Number(/^[a-z]+:\/\/[^/?#@\\]*:(\d+)$/i.exec(text)?.[1] ?? 0) <= PORT_MAX, {
      error: `a port of at most ${PORT_MAX}`,
      abort: true,
    })
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

/** A value of a field, or `false` to turn the field off. */
const orOff = <Value>(field: z.ZodType<Value>, expected: string) =>
  z.union([z.literal(false).transform(() => null), field], { error: `${expected}, or false` });

/** Maximum number of subaccounts of a key, besides the account itself. */
const SUBACCOUNT_MAX = 63;

/**
 * Protections that the venue itself applies while the bot is gone. In the venue's own environments, or with this
 * section, missing members are on where the profile supports them. Elsewhere, all are off.
 */
const guardsSchema = z.strictObject({
  /** The venue cancels every order when trading pauses. */
  cancelOnPause: z.boolean().optional(),
  /** Maximum time that an order without an expiration time rests. Default where the protections are on: one hour. */
  restMax: orOff(intervalField, 'a duration of at least 10ms, such as 1h').optional(),
  /**
   * The venue cancels every order of the strategies once this many of their contracts trade within 15 seconds. Default
   * where the protections are on: `limits.positionQtyMax`.
   */
  orderGroup: orOff(qtyField, 'a number of contracts such as 40').optional(),
});

const venueSchema = z
  .strictObject({
    /** The wire profile by its name. */
    profile: z.string().min(1).default('service'),
    /** The local exchange's config, for an exchange inside this process. */
    embedded: z.string().min(1).optional(),
    /** The bot's account on the embedded exchange. */
    account: nameField.optional(),
    /** One of the venue's own environments, by its name in the profile. */
    environment: z.string().min(1).optional(),
    /** Address of the venue's REST API and feed: scheme, host and port, without the profile's paths. */
    url: url(['http:', 'https:']).optional(),
    /** Address of the feed, when the feed has another host. */
    feedUrl: url(['ws:', 'wss:']).optional(),
    /**
     * Allows `http:` and `ws:` for `url` and `feedUrl` on another machine. Anyone between the two machines can then
     * read the requests and change orders: signatures do not cover bodies.
     */
    allowPlaintext: z.boolean().default(false),
    /** Without a key, the bot only watches. */
    key: keySchema.optional(),
    /**
     * The code that signs requests. `noble` signs on a thread of the bot's own, a text always with the same signature.
     * `platform` is the cryptography of Node.js: a twentieth of the time, on the event loop for P-256 and Ed25519, and
     * checked by noble before the first order. RSA is always signed by the platform.
     */
    signer: z.enum(['noble', 'platform']).default('noble'),
    /** Time after each message in which the bot takes a whole core, to read the next one sooner. Default: it sleeps. */
    stayAwake: durationField.optional(),
    /** The bot's subaccount. 0 is the account itself. */
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
    /** Series by their tickers: every market of each, also markets that appear later. */
    series: z.array(nameField).default([]),
    /** Time that a settled market stays in the list of markets and on the screen. */
    settledGrace: durationField.prefault('1m'),
  })
  .refine((universe) => universe.events.length + universe.tickers.length + universe.series.length > 0, {
    error: 'at least one of events, tickers and series',
  });

/** A package name as in an import, with an optional scope and an optional subpath. */
const PACKAGE_NAME = /^(?:@[\w~-][\w.~-]*\/)?[\w~-][\w.~-]*(?:\/[\w.~-]+)*$/;

/** Default time in which a strategy must answer. */
export const SLOW_MAX = '250ms';

export const strategySchema = z
  .strictObject({
    /** The strategy's name in reports, halts and limits. Unique in this file. */
    name: nameField,
    /** The strategy's file, relative to the config. */
    file: z.string().min(1).optional(),
    /**
     * An installed package that exports the strategy, in place of a file: `name` or `name/part`. It is looked up from
     * the config's folder.
     */
    package: z.string().regex(PACKAGE_NAME, { error: 'the name of a package, such as my-strategy' }).optional(),
    /** The strategy's parameters, checked by its own schema. */
    params: z.record(z.string(), z.unknown()).default({}),
    /** The strategy's own limits. None may be looser than the account's. */
    limits: strategyLimitsSchema.optional(),
    /**
     * Time in which the strategy must answer. Three slower answers within a minute halt the strategy. So does one
     * answer above two seconds, or above a longer `slowMax`.
     */
    slowMax: intervalField.prefault(SLOW_MAX),
    /**
     * Maximum that the strategy may have at risk and lose, in dollars. Without it, only limits apply. The sum over all
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
  /** Share of the venue's rate limits to use, 0 to 1. The rest is left to other users of the key. */
  share: z.number().gt(0).max(1).default(0.9),
  /** Rate limit of reads, in place of the profile's. */
  read: rollingBudget.optional(),
  trade: rollingBudget.optional(),
  /** Share of the trade budget reserved for cancels. No order may use it, not even a reducing order. */
  cancelReserve: z.number().min(0).max(0.9).default(0.2),
  /**
   * Share of the read budget for comparisons of positions, cash and books with the venue's. The rest is for urgent
   * reads.
   */
  careShare: z.number().gt(0).max(1).default(0.5),
  /** Maximum number of reads in flight. */
  readsInFlightMax: z.int().min(1).max(READS_IN_FLIGHT_MAX).default(4),
  /** Maximum number of orders and cancels in flight. */
  tradesInFlightMax: z.int().min(1).max(TRADES_IN_FLIGHT_MAX).default(16),
});

export const upkeepSchema = z.strictObject({
  /** Interval between reads of fills. */
  fills: intervalField.prefault('5s'),
  /** Interval between comparisons of positions and cash with the venue's. */
  compare: intervalField.prefault('10s'),
  /** Interval between queries about orders of unknown state. */
  probe: intervalField.prefault('1s'),
  /** Interval between comparisons of a book with the venue's. The books take turns. */
  audit: intervalField.prefault('2s'),
  /** Interval between reads of the list of markets. */
  markets: intervalField.prefault('15s'),
});

export const clockSchema = z
  .strictObject({
    /** A larger difference between our clock and the venue's gives a warning. */
    offsetWarn: durationField.prefault('2s'),
    /** At a larger difference, no order is sent. */
    offsetMax: durationField.prefault('10s'),
  })
  .refine((clock) => clock.offsetWarn <= clock.offsetMax, {
    error: 'a duration not below offsetWarn',
    path: ['offsetMax'],
  });

const journalSchema = z.strictObject({
  /**
   * Syncs to disk before an order or an amend is sent. The journal is then safe from a crash of the machine, not only
   * of the bot.
   */
  sync: z.boolean().default(false),
  /** Maximum size on disk. Beyond it, the oldest files are removed, and the log says so. */
  keepMegabytes: z.int().min(100).max(100_000_000).default(20_000),
  /** Time for which closed files are kept. Without it, only the size counts. */
  keepFor: durationField.optional(),
});

const paperSchema = z.strictObject({
  /** Opening cash of the simulated account, for each session. */
  cash: moneyField,
  /** The simulated venue. The feed has its real delay, whatever is set here. */
  simulation: simulationSchema.prefault({}),
});

/**
 * Names in place of a strategy's name, for orders of the operator, foreign orders and adopted orders. No strategy may
 * have one of these names.
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
    /** Folder of data that must survive a session: halts, figures, the journal. Relative to the config. */
    dataFolder: z.string().min(1).optional(),
    watchdog: watchdogSchema.prefault({}),
    journal: journalSchema.prefault({}),
    /** Messages to people outside of this machine. Without it, none are sent. */
    alerts: alertsSchema.optional(),
    /** The simulated account of `presage paper`. */
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
    checkWatchdog(config, context);
  });

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

/** Expected of `priceMax`, where the limits contradict each other. */
export const PRICES_IN_ORDER = 'a price not below priceMin';

/** True when no price can satisfy the limits. */
export const isContradictory = ({ priceMin, priceMax }: Pick<RiskLimits, 'priceMin' | 'priceMax'>): boolean =>
  priceMin > priceMax;

/**
 * Checks that the lowest allowed price is not above the highest. Checks that a strategy's own limits are no looser than
 * the account's.
 */
export function checkLimits(config: Limited, issues: Issues): void {
  const { limits } = config;
  if (limits && isContradictory(limits))
    issues.addIssue({ code: 'custom', path: ['limits', 'priceMax'], message: PRICES_IN_ORDER });
  for (const { path, message } of looserLimits(config)) issues.addIssue({ code: 'custom', path, message });
}

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

interface Limited {
  readonly strategies: readonly z.output<typeof strategySchema>[];
  readonly limits?: RiskLimits | undefined;
}

export type BotConfig = z.output<typeof botConfigSchema>;

/** Returns the data folder that a config names, whatever else is wrong in it; `null` when none can be read. */
export function dataFolderIn(file: string): string | null {
  const folder = textMemberIn(file, 'dataFolder');
  return folder === null ? null : resolve(dirname(file), folder);
}

/**
 * Reads a bot's config. Paths become absolute.
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
