// The manifest at the beginning of a session's journal, and its conversion back into the same engine setup for a
// replay. Must never hold a key or its id.
import { createHash } from 'node:crypto';
import { relative, resolve } from 'node:path';
import type { BotConfig } from '../../config/bot-config.ts';
import { must } from '../../base/assert.ts';
import type { FeeRounding } from '../../domain/fee-schedule.ts';
import { TickerTable, ticker } from '../../domain/ids.ts';
import { micros, money } from '../../domain/units.ts';
import { canonicalJson } from '../../tape/format/canonical-json.ts';
import type { Manifest } from '../../tape/format/segment-header.ts';
import type { Venue } from '../../venue.ts';
import { profileByName } from '../../venues/trade-api/profiles/profile-registry.ts';
import { tradeApiReplayParts } from '../../venues/trade-api/replay-parts.ts';
import { PermanentTickers } from '../../venues/simulated/feed/permanent-tickers.ts';
import { hashStrategy } from '../plugins/strategy-loader.ts';
import { PaperNormalizer } from '../paper/paper-normalizer.ts';
import { SETUP_MEMBERS, type SetupConfig } from '../session/engine-setup.ts';

export interface ManifestOptions {
  readonly config: SetupConfig;
  readonly venue: Pick<Venue, 'name' | 'capabilities' | 'tickers'>;
  readonly hasKey: boolean;
  /** Present when the account is simulated. */
  readonly isPaper?: true;
  /** Models of the simulated account, as `manifestSimulation` returns them. */
  readonly simulation?: Readonly<Record<string, unknown>> | undefined;
  readonly version: string;
  /** The journal's folder. In the manifest, paths of strategy files are relative to it. */
  readonly folder: string;
  /** SHA-256 of the code that runs, by the strategy's file. @default that of the file as it is now. */
  readonly codeHashes?: ReadonlyMap<string, string>;
}

/** Thrown for a session that cannot be set up again. */
export class ManifestFault extends Error {
  override readonly name = 'ManifestFault';
}

/**
 * Returns the manifest of a session that is about to begin.
 * @throws {StrategyFileError} when a strategy's file cannot be read.
 */
export async function manifestOf(options: ManifestOptions): Promise<Manifest> {
  const { config, venue, hasKey, isPaper, simulation, version } = options;
  const strategies = await Promise.all(config.strategies.map((strategy) => entryOf(strategy, options)));
  const { costs, feeRounding } = venue.capabilities;
  const settings = {
    profile: venue.name,
    hasKey,
    ...(isPaper && { isPaper }),
    ...(simulation && { simulation: { ...simulation } }),
    limits: { read: venue.capabilities.limits.read, trade: venue.capabilities.limits.trade },
    ...(costs && { costs }),
    ...(feeRounding && { feeRounding: [...feeRounding] }),
    tickers: marketNames(venue.tickers),
    setup: Object.fromEntries(
      SETUP_MEMBERS.flatMap((name) => (name === 'strategies' ? [] : [[name, config[name]] as const])),
    ),
  };
  const hashedParts = { ...settings, strategies: strategies.map(({ file: _elsewhere, ...strategy }) => strategy) };
  const hash = createHash('sha256').update(canonicalJson(hashedParts)).digest('hex');
  return { version, ...settings, strategies, hash };
}

async function entryOf(
  { file, name, params, limits, capital }: BotConfig['strategies'][number],
  { folder, codeHashes }: Pick<ManifestOptions, 'folder' | 'codeHashes'>,
): Promise<Manifest['strategies'][number]> {
  const sha256 = codeHashes?.get(file) ?? (await hashStrategy(file));
  const bounds = { ...(limits && { limits }), ...(capital !== undefined && { capital }) };
  return { name, file: relative(folder, file), params, ...bounds, sha256 };
}

/**
 * Names of all markets by index. At the beginning of a session no index has been released, so the names describe the
 * whole table.
 */
const marketNames = (tickers: TickerTable): string[] =>
  tickers.tickersByIndex().map((name) => must(name, 'a market with a number'));

/** The parts from which a replay builds an engine, without its strategies. */
export interface ReplaySetup {
  readonly config: SetupConfig;
  readonly venue: Pick<Venue, 'capabilities' | 'tickers' | 'normalizer'>;
  readonly hasKey: boolean;
}

/**
 * Builds the session's parts from its manifest.
 * @param folder The journal's folder. Paths of strategy files are resolved from it.
 * @throws {ManifestFault} for an unknown venue profile or a missing part.
 */
export function setupFromManifest(
  { profile: name, hasKey, isPaper, limits, costs, feeRounding, tickers, setup, strategies }: Manifest,
  folder: string,
): ReplaySetup {
  const profile = profileByName(name);
  if (!profile) throw new ManifestFault(`expected a venue profile of this version, found ${JSON.stringify(name)}`);
  const table = isPaper ? new PermanentTickers() : new TickerTable();
  for (const each of tickers) table.internTicker(ticker(each));
  const missing = SETUP_MEMBERS.find((part) => !(part in setup) && !OPTIONAL.has(part));
  if (missing !== undefined) throw new ManifestFault(`expected the session's ${missing}, found a manifest without`);
  const files = strategies.map((strategy) => ({ ...strategy, file: resolve(folder, strategy.file) }));
  const reading = tradeApiReplayParts({
    profile,
    limits,
    ...(costs && { costs }),
    ...roundingIn(feeRounding),
    tickers: table,
  });
  return {
    // tidy: as (this program wrote the parts, and the checksum of the line says that they are unchanged)
    config: { ...setup, strategies: files } as unknown as SetupConfig,
    venue: isPaper ? { ...reading, normalizer: new PaperNormalizer(reading.normalizer) } : reading,
    hasKey,
  };
}

/** Older manifests do not say how fees were rounded; the profile's rounding applies. */
const roundingIn = (rows: Manifest['feeRounding']): { feeRounding?: readonly FeeRounding[] } =>
  rows === undefined
    ? {}
    : {
        feeRounding: rows.map(({ since, feeStep, balanceStep }) => ({
          since: micros(since),
          feeStep: money(feeStep),
          balanceStep: money(balanceStep),
        })),
      };

/**
 * Parts that a manifest's `setup` may lack. Strategies are stored beside it, and a session that only watches has no
 * limits.
 */
const OPTIONAL: ReadonlySet<string> = new Set(['strategies', 'limits']);
