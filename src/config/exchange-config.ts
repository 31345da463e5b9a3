// Reads the local exchange's config through its schema: accounts, listings, simulated traders, and the folder of its
// log. The exchange restarts from the log, its stored inputs. Must never hold a private key: accounts are known by
// their public keys.
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import type { FeeType } from '../domain/fee-schedule.ts';
import { contracts, fromSeconds } from '../domain/units.ts';
import { faultsSchema } from './fault-config.ts';
import { GRID_NAMES } from './grid-names.ts';
import {
  durationField,
  intervalField,
  momentField,
  moneyField,
  nameField,
  priceField,
  qtyField,
  scalarField,
} from './fields.ts';
import { readingsSchema } from './readings.ts';
import { parseYaml, readYaml } from './yaml.ts';

/** Signature schemes of an account's key. */
export const KEY_SCHEMES = ['ecdsa-p256', 'ecdsa-secp256k1', 'ed25519', 'rsa-pss-sha256'] as const;

const FEE_TYPES = [
  'quadratic',
  'quadratic_with_maker_fees',
  'quadratic_with_combo_maker_fees',
  'free',
] as const satisfies readonly FeeType[];

const multiplierField = scalarField('a multiplier from 0 to 10 of two decimals at most, such as 0.5', (text) => {
  const match = /^(\d{1,2})(?:\.(\d{1,2}))?$/.exec(text);
  const percent = match === null ? -1 : Number(`${match[1]}${(match[2] ?? '').padEnd(2, '0')}`);
  return percent >= 0 && percent <= 1000 ? percent : null;
});

const SHARD = /^[1-9]\d?$/;

const keySchema = z
  .strictObject({
    id: nameField,
    scheme: z.enum(KEY_SCHEMES),
    /** The public key as PEM text. `publicKeyFile` names its file instead, relative to the config. */
    publicKey: z.string().includes('BEGIN PUBLIC KEY', 'a public key as PEM text').optional(),
    publicKeyFile: z.string().min(1).optional(),
  })
  .refine((key) => (key.publicKey === undefined) !== (key.publicKeyFile === undefined), {
    message: 'either publicKey or publicKeyFile',
  });

const accountSchema = z.strictObject({
  name: nameField,
  cash: moneyField,
  /** Cash on further shards, by shard number. Cash on one shard cannot be spent on another. */
  shards: z
    .record(z.string().regex(SHARD), moneyField, {
      error: ({ code }) => (code === 'invalid_key' ? 'cash by the number of a shard, 1 to 99' : undefined),
    })
    .default({}),
  /** How the account clears, fixed at its opening. With `indirect`, its balance is rounded to whole cents. */
  clearing: z.enum(['direct', 'indirect']).optional(),
  keys: z.array(keySchema).default([]),
});

export const seriesSchema = z.strictObject({
  ticker: nameField,
  title: z.string().min(1),
  category: z.string().min(1),
  frequency: z.string().min(1).default('custom'),
  feeType: z.enum(FEE_TYPES).default('quadratic'),
  /** Factor of the fees, from 0 to 10. Read as hundredths: 1 becomes 100. */
  feeMultiplier: multiplierField.prefault('1'),
});

/** A change of a series' fees: at a time, or a duration after the first listing of the change. */
const feeChangeSchema = z
  .strictObject({
    at: momentField.optional(),
    in: durationField.optional(),
    feeType: z.enum(FEE_TYPES),
    feeMultiplier: multiplierField.prefault('1'),
  })
  .refine((change) => (change.at === undefined) !== (change.in === undefined), { message: 'either at or in' });
const listedSeriesSchema = seriesSchema.extend({
  /** Tags of the series. `GET /series` can filter by them. */
  tags: z.array(z.string().min(1)).default([]),
  feeChanges: z.array(feeChangeSchema).default([]),
});

export const groupSchema = z.strictObject({
  ticker: nameField,
  series: nameField,
  title: z.string().min(1),
  subtitle: z.string().default(''),
  exclusive: z.boolean().default(false),
});

/** The range of a number for which a market resolves YES. All markets of an event group share the number. */
export const strikeSchema = z.discriminatedUnion('type', [
  z
    .strictObject({ type: z.enum(['greater', 'greater_or_equal']), floor: z.number() })
    .transform((strike) => ({ ...strike, cap: null })),
  z
    .strictObject({ type: z.enum(['less', 'less_or_equal']), cap: z.number() })
    .transform((strike) => ({ ...strike, floor: null })),
  z
    .strictObject({ type: z.literal('between'), floor: z.number(), cap: z.number() })
    .refine(({ floor, cap }) => floor <= cap, { message: 'a cap not below the floor', path: ['cap'] }),
]);

const marketSchema = z
  .strictObject({
    ticker: nameField,
    eventGroup: nameField,
    title: z.string().min(1),
    yes: z.string().default('Yes'),
    no: z.string().default('No'),
    rules: z.string().default(''),
    grid: z.enum(GRID_NAMES).default('linear_cent'),
    qtyStep: qtyField.default(contracts(1)),
    /** Time to the opening, from the first listing of the market. */
    opensIn: durationField.optional(),
    opensAt: momentField.optional(),
    /** Time to the close, from the first listing. A market that was paid out and removed is not listed again. */
    closesIn: durationField.optional(),
    closesAt: momentField.optional(),
    canCloseEarly: z.boolean().default(true),
    strike: strikeSchema.optional(),
    /**
     * Time from the result to the payment. Simulated traders (`flow`) bring the result half a second after the close.
     */
    settlesAfter: durationField.default(fromSeconds(5)),
    /** The market's shard: accounts need cash there. */
    shard: z.number().int().min(0).max(99).default(0),
    /** Trades before this time are free of fees. */
    feesWaivedUntil: momentField.optional(),
    /** True probability of YES at the start. Without it, the simulated traders do not trade the market. */
    probability: priceField.optional(),
  })
  .refine((market) => market.opensIn === undefined || market.opensAt === undefined, {
    message: 'opensIn or opensAt, not both',
  })
  .refine((market) => (market.closesIn === undefined) !== (market.closesAt === undefined), {
    message: 'either closesIn or closesAt',
  });

const churnSchema = z.strictObject({
  /** Ticker of a series listed under `series`. */
  series: nameField,
  /** Interval between new event groups. */
  every: intervalField,
  /** Markets in each group. */
  markets: z.number().int().min(1).max(1000).default(1),
  exclusive: z.boolean().default(false),
  opensIn: durationField.prefault('0ms'),
  /** Time from the opening to the close. */
  lifetime: durationField,
  /** Time from the result to the payment. */
  settlesAfter: durationField.default(fromSeconds(5)),
  grid: z.enum(GRID_NAMES).default('linear_cent'),
  qtyStep: qtyField.default(contracts(1)),
});

const rate = z.number().min(0).max(100_000);
const share = z.number().min(0).max(10);

const flowSchema = z.strictObject({
  enabled: z.boolean().default(true),
  /** Initial cash of each simulated trader. */
  agentCash: moneyField.prefault('1000000'),
  makersPerMarket: z.number().int().min(0).max(20).default(2),
  /** Levels that a maker quotes on each side. */
  levels: z.number().int().min(1).max(20).default(5),
  levelQty: qtyField.default(contracts(40)),
  /** Half of the spread between a maker's quotes. */
  halfSpread: priceField.prefault('0.01'),
  /** Approximate number of book changes a second in each market. */
  changesPerSecond: rate.default(20),
  noiseTradesPerMinute: rate.default(30),
  informedTradesPerMinute: rate.default(6),
  /** Standard deviation of the true probability's log-odds over a minute. */
  volatility: share.default(0.25),
  /**
   * Average number of sudden jumps of the true log-odds in an hour. `jumpSize` is the standard deviation of their size.
   */
  jumpsPerHour: rate.default(20),
  jumpSize: share.default(0.4),
  /** Standard deviation of the makers' common error about the true probability, in log-odds. */
  crowdError: share.default(0.25),
  /** Time constant with which the makers' common error decays. */
  crowdMemory: durationField.prefault('6s'),
});

const limitSchema = z.discriminatedUnion('model', [
  z.strictObject({
    model: z.literal('rolling-window'),
    count: z.number().int().min(1),
    windowMs: z.number().int().min(1),
  }),
  z.strictObject({
    model: z.literal('token-bucket'),
    refillPerSecond: z.number().positive(),
    capacity: z.number().positive(),
  }),
]);

/** Rate limits in place of the profile's. */
const limitsSchema = z.strictObject({
  read: limitSchema.optional(),
  trade: limitSchema.optional(),
  feed: limitSchema.optional(),
});

/** A pause of all trading, announced by the schedule. */
const maintenanceSchema = z
  .strictObject({ from: momentField, until: momentField })
  .refine(({ from, until }) => from < until, { message: 'an end after its beginning', path: ['until'] });

type Named = { readonly ticker: string };

const listed = z.strictObject({
  /** The wire profile by its name. */
  profile: z.string().min(1).default('service'),
  seed: z.number().int().min(0).max(0xffff_ffff),
  /** Port on 127.0.0.1. 0 takes any free port. */
  port: z.number().int().min(0).max(65_535).default(0),
  /**
   * Folder of the log, the stored inputs from which the exchange restarts. Relative to the config. Without it, nothing
   * is saved.
   */
  dataFolder: z.string().min(1).optional(),
  /** Syncs the log to disk. The log then survives a crash of the machine, not only of the process. Slow. */
  syncsLog: z.boolean().default(false),
  accounts: z.array(accountSchema).default([]),
  series: z.array(listedSeriesSchema).min(1),
  eventGroups: z.array(groupSchema).default([]),
  markets: z.array(marketSchema).default([]),
  /** Markets that are listed and closed while the exchange runs. */
  churn: z.array(churnSchema).default([]),
  /** Time that a market stays listed after its payment. Without it, the oldest are removed by count. */
  forgetsAfter: intervalField.optional(),
  flow: flowSchema.prefault({}),
  limits: limitsSchema.default({}),
  /** Tier of every caller, by its name in the profile. Default: the first tier of the profile. */
  tier: z.string().min(1).optional(),
  /** Delay of reads of an account's own data. */
  readLag: durationField.prefault('0ms'),
  maintenance: z.array(maintenanceSchema).default([]),
  /** Behavior of the exchange where the venue's is not proven, in place of the profile's choice. */
  readings: readingsSchema.default({}),
  /** Logs every request and every feed command, not only refused ones. */
  logsRequests: z.boolean().default(false),
  /** Faults to inject. Without it, there are none. */
  faults: faultsSchema.optional(),
});

/** The whole file. */
export const exchangeConfigSchema = listed.superRefine((config, context) => {
  const fault = (path: PropertyKey[], message: string): void => context.addIssue({ code: 'custom', path, message });
  const unique = (list: readonly Named[], key: string): void =>
    list.forEach(({ ticker }, index) => {
      if (list.findIndex((other) => other.ticker === ticker) < index)
        fault([key, index, 'ticker'], 'a ticker not used before');
    });
  unique(config.series, 'series');
  unique(config.eventGroups, 'eventGroups');
  unique(config.markets, 'markets');
  const names = config.accounts.map((account) => account.name);
  names.forEach((name, index) => {
    if (names.indexOf(name) < index) fault(['accounts', index, 'name'], 'a name not used before');
  });
  const series = new Set(config.series.map((each) => each.ticker));
  config.eventGroups.forEach((group, index) => {
    if (!series.has(group.series)) fault(['eventGroups', index, 'series'], `one of ${[...series].join(', ')}`);
  });
  config.churn.forEach((rule, index) => {
    if (!series.has(rule.series)) fault(['churn', index, 'series'], `one of ${[...series].join(', ')}`);
    if (config.churn.findIndex((other) => other.series === rule.series) < index)
      fault(['churn', index, 'series'], 'a series that has no other churn rule');
  });
  if (config.markets.length === 0 && config.churn.length === 0) fault(['markets'], 'at least one market, or churn');
  const groups = new Set(config.eventGroups.map((each) => each.ticker));
  config.markets.forEach((market, index) => {
    if (!groups.has(market.eventGroup)) fault(['markets', index, 'eventGroup'], `one of ${[...groups].join(', ')}`);
  });
});

export type ExchangeConfig = z.output<typeof exchangeConfigSchema>;
export type AccountConfig = ExchangeConfig['accounts'][number];
export type KeyConfig = AccountConfig['keys'][number];
export type MarketConfig = ExchangeConfig['markets'][number];
export type ChurnConfig = ExchangeConfig['churn'][number];
export type FlowConfig = ExchangeConfig['flow'];

/**
 * Reads the exchange's config. Paths become absolute.
 * @throws {ConfigError} when the file cannot be used.
 */
export function readExchangeConfig(file: string): ExchangeConfig {
  return withPaths(readYaml(file, exchangeConfigSchema), dirname(resolve(file)));
}

/**
 * Parses the exchange's config from a text. Messages name `file`, and paths are relative to its folder.
 * @throws {ConfigError} when the text cannot be used.
 */
export function parseExchangeConfig(text: string, file: string): ExchangeConfig {
  return withPaths(parseYaml(text, { file, schema: exchangeConfigSchema }), dirname(resolve(file)));
}

function withPaths(config: ExchangeConfig, folder: string): ExchangeConfig {
  const { dataFolder } = config;
  const withFile = (key: KeyConfig): KeyConfig =>
    key.publicKeyFile === undefined ? key : { ...key, publicKeyFile: resolve(folder, key.publicKeyFile) };
  return {
    ...config,
    ...(dataFolder === undefined ? {} : { dataFolder: resolve(folder, dataFolder) }),
    accounts: config.accounts.map((account) => ({ ...account, keys: account.keys.map(withFile) })),
  };
}
