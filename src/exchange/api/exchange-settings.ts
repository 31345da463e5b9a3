// The operator's settings, which the machine does not know: shards, maintenance hours, lag of reads, rate limit tier.
// Must never hold anything that changes while the exchange runs.
import type { ExchangeConfig } from '../../config/exchange-config.ts';
import { EPOCH, type Micros } from '../../domain/units.ts';
import type { WireProfile } from '../../venues/trade-api/profiles/wire-profile.ts';

/** A maintenance window, in which nothing trades. */
export interface MaintenanceWindow {
  readonly from: Micros;
  readonly until: Micros;
}

/** Settings that the operator has chosen in the config. */
export interface ExchangeSettings {
  /** Numbers of the shards, ascending, each with its own collateral. The first is always 0. */
  readonly shards: readonly number[];
  /** Lag of private reads, in microseconds. */
  readonly readLag: Micros;
  /** The profile's name of the rate limit tier; `null` for its usual limits. */
  readonly tier: string | null;
  readonly maintenance: readonly MaintenanceWindow[];
}

/** The settings of an exchange without a config. */
export const DEFAULT_SETTINGS: ExchangeSettings = { shards: [0], readLag: EPOCH, tier: null, maintenance: [] };

/** The settings of a config. */
export function settingsOf({ accounts, markets, readLag, tier, maintenance }: ExchangeConfig): ExchangeSettings {
  const named = [
    ...markets.map(({ shard }) => shard),
    ...accounts.flatMap(({ shards }) => Object.keys(shards).map(Number)),
  ];
  const shards = [...new Set([0, ...named])].sort((a, b) => a - b);
  return { shards, readLag, tier: tier ?? null, maintenance };
}

/** The name of the tier with the profile's usual limits; `null` when the tiers have no names. */
export const defaultTier = ({ limits }: WireProfile): string | null => Object.keys(limits.tiers ?? {})[0] ?? null;

/** The maintenance window at a time; `null` when there is none. */
export const maintenanceAt = ({ maintenance }: ExchangeSettings, at: Micros): MaintenanceWindow | null =>
  maintenance.find(({ from, until }) => from <= at && at < until) ?? null;
