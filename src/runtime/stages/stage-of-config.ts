// The facts of a config that the go-live stages need: the order size, the strategies, and a hash of each. Must never count
// a session with real money as one without.
import { createHash } from 'node:crypto';
import type { BotConfig } from '../../config/bot-config.ts';
import { contracts, dollars } from '../../domain/units.ts';
import { canonicalJson } from '../../tape/format/canonical-json.ts';
import type { WireProfile } from '../../venues/trade-api/profiles/wire-profile.ts';
import { hashStrategy } from '../plugins/strategy-loader.ts';
import type { GoLiveStage } from './go-live-stages.ts';
import { environmentOf } from './venue-environment.ts';

/** Largest quantity of an order in the smallest stage. `SMALLEST_COST` is the largest cost of the account. */
const SMALLEST_QTY = contracts(1);
const SMALLEST_COST = dollars(10);
/** The environment in which money is real. */
const REAL_MONEY = 'production';

/**
 * Returns the stage of a session with this config. Returns `null` when the session only watches or its exchange is not
 * the venue's.
 */
export function stageOf({ venue, strategies, limits }: BotConfig, profile: WireProfile): GoLiveStage | null {
  const environment = environmentOf(venue, profile);
  if (environment === null || strategies.length === 0) return null;
  if (environment !== REAL_MONEY) return 'demo';
  const isSmallest =
    limits !== undefined && limits.orderQtyMax <= SMALLEST_QTY && limits.accountCostMax <= SMALLEST_COST;
  return isSmallest ? 'smallest' : 'full';
}

/** Hashes the code of strategies. Their sequence, names and parameters do not matter. */
export const strategiesHash = (sha256s: readonly string[]): string => hashOf([...new Set(sha256s)].sort());

/**
 * Hashes the strategies of a config.
 * @throws {StrategyFileError} when a file cannot be read.
 */
export async function strategiesHashOf({ strategies }: BotConfig): Promise<string> {
  return strategiesHash(await Promise.all(strategies.map(({ file }) => hashStrategy(file))));
}

/** Hashes a config without key, log settings, data folder and the paths of strategies. */
export function configHash({
  venue: { key: _secret, ...venue },
  log: _log,
  dataFolder: _folder,
  ...rest
}: BotConfig): string {
  const strategies = rest.strategies.map(({ file: _elsewhere, ...strategy }) => strategy);
  return hashOf({ ...rest, strategies, venue });
}

const hashOf = (value: unknown): string => createHash('sha256').update(canonicalJson(value)).digest('hex').slice(0, 16);
