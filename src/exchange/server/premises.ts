// What the exchange's operator has arranged and the machine does not know: its shards, its hours, how late its reads are.
// Must never hold anything that changes while it runs.
import type { ExchangeConfig } from '../../config/exchange-config.ts';
import { EPOCH, type Micros } from '../../domain/units.ts';
import type { WireProfile } from '../../venues/trade-api/profile.ts';

/** When nothing trades for the sake of the machines. */
export interface Maintenance {
  readonly from: Micros;
  readonly until: Micros;
}

/** What callers find arranged. */
export interface Premises {
  /** Parts of the exchange, each with collateral of its own, in order; 0 is always the first. */
  readonly shards: readonly number[];
  /** How late reads of an account's own are, in microseconds. */
  readonly readLag: Micros;
  /** What callers may ask for, by the name that the profile has for it; `null` for its usual limits. */
  readonly tier: string | null;
  readonly maintenance: readonly Maintenance[];
}

/** Nothing out of the ordinary. */
export const PLAIN: Premises = { shards: [0], readLag: EPOCH, tier: null, maintenance: [] };

/** What a config arranges. */
export function premisesOf({ accounts, markets, readLag, tier, maintenance }: ExchangeConfig): Premises {
  const named = [
    ...markets.map(({ shard }) => shard),
    ...accounts.flatMap(({ shards }) => Object.keys(shards).map(Number)),
  ];
  const shards = [...new Set([0, ...named])].sort((a, b) => a - b);
  return { shards, readLag, tier: tier ?? null, maintenance };
}

/** What a profile's limits are called where nothing else is asked for; `null` where they have no names. */
export const usualTier = ({ limits }: WireProfile): string | null => Object.keys(limits.tiers ?? {})[0] ?? null;

/** The maintenance that holds at a time. */
export const maintenanceAt = ({ maintenance }: Premises, at: Micros): Maintenance | null =>
  maintenance.find(({ from, until }) => from <= at && at < until) ?? null;
