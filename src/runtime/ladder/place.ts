// What of a config the ladder goes by: which of the venue's worlds it is in, how large it trades, what its strategies are.
// Must never take an address of a world for an address of nobody's: real money is real however it is reached.
import { createHash } from 'node:crypto';
import type { BotConfig } from '../../config/bot-config.ts';
import { contracts, dollars } from '../../domain/units.ts';
import { canonicalJson } from '../../tape/canonical.ts';
import type { WireProfile } from '../../venues/trade-api/profile.ts';
import { hashStrategy } from '../plugins/load.ts';
import type { Rung } from './judge.ts';

/** What orders of the smallest size may be and cost. */
const SMALLEST_QTY = contracts(1);
const SMALLEST_COST = dollars(10);
/** The world in which money is real. */
const REAL = 'production';

/** The venue's world that a config trades in; `null` at an exchange that is nobody's but ours. */
export function worldOf({ environment, url }: BotConfig['venue'], { environments }: WireProfile): string | null {
  if (environment !== undefined) return environment;
  if (url === undefined) return null;
  const found = Object.entries(environments).find(([, { rest }]) => ownerOf(rest) === ownerOf(url));
  return found?.[0] ?? null;
}

/** The registered part of a host's name: a venue's hosts are many, and all of one name. */
const ownerOf = (address: string): string =>
  new URL(address).hostname.replace(/\.$/, '').split('.').slice(-2).join('.');

/** The rung that a session of a config would stand on; `null` where it is on none: watching, or an exchange of ours. */
export function rungOf({ venue, strategies, limits }: BotConfig, profile: WireProfile): Rung | null {
  const world = worldOf(venue, profile);
  if (world === null || strategies.length === 0) return null;
  if (world !== REAL) return 'demo';
  const isSmallest =
    limits !== undefined && limits.orderQtyMax <= SMALLEST_QTY && limits.accountCostMax <= SMALLEST_COST;
  return isSmallest ? 'smallest' : 'full';
}

/** What strategies' files are, in one word: the same whatever their order, names and parameters. */
export const strategiesHash = (sha256s: readonly string[]): string => hashOf([...new Set(sha256s)].sort());

/**
 * The same of a config's.
 * @throws {StrategyFileError} when a file cannot be read.
 */
export async function strategiesOf({ strategies }: BotConfig): Promise<string> {
  return strategiesHash(await Promise.all(strategies.map(({ file }) => hashStrategy(file))));
}

/** What a config is, without its key and its folders. */
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
