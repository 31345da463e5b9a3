// What a journal says at the beginning of a session, and what a replay makes of it: the same engine.
// Must never hold a key, its id, or a path that means something on this machine alone.
import { createHash } from 'node:crypto';
import { relative, resolve } from 'node:path';
import type { BotConfig } from '../config/bot-config.ts';
import { must } from '../domain/assert.ts';
import type { FeeRounding } from '../domain/fees.ts';
import { TickerTable, ticker } from '../domain/ids.ts';
import { micros, money } from '../domain/units.ts';
import { canonicalJson } from '../tape/canonical.ts';
import type { Manifest } from '../tape/header.ts';
import type { Venue } from '../venue.ts';
import { profileNamed } from '../venues/trade-api/profiles/registry.ts';
import { tradeApiReading } from '../venues/trade-api/venue.ts';
import { LastingTickers } from '../venues/simulated/lasting-tickers.ts';
import { hashStrategy } from './plugins/load.ts';
import { PaperNormalizer } from './paper-normalizer.ts';
import { SETUP_MEMBERS, type SetupConfig } from './setup.ts';

export interface ManifestOptions {
  readonly config: SetupConfig;
  readonly venue: Pick<Venue, 'name' | 'capabilities' | 'tickers'>;
  readonly hasKey: boolean;
  /** Whether the account is simulated. */
  readonly isPaper?: true;
  /** Of the package. */
  readonly version: string;
  /** The journal's folder: the strategies' files are named as seen from it. */
  readonly folder: string;
}

/** A session that cannot be put together again. */
export class ManifestFault extends Error {
  override readonly name = 'ManifestFault';
}

/**
 * The manifest of a session about to begin.
 * @throws {StrategyFileError} when a strategy's file cannot be read.
 */
export async function manifestOf(options: ManifestOptions): Promise<Manifest> {
  const { config, venue, hasKey, isPaper, version, folder } = options;
  const strategies = await Promise.all(config.strategies.map((strategy) => entryOf(strategy, folder)));
  const { costs, feeRounding } = venue.capabilities;
  const decides = {
    profile: venue.name,
    hasKey,
    ...(isPaper && { isPaper }),
    limits: { read: venue.capabilities.limits.read, trade: venue.capabilities.limits.trade },
    ...(costs && { costs }),
    ...(feeRounding && { feeRounding: [...feeRounding] }),
    tickers: namesOf(venue.tickers),
    setup: Object.fromEntries(
      SETUP_MEMBERS.flatMap((name) => (name === 'strategies' ? [] : [[name, config[name]] as const])),
    ),
  };
  const hashed = { ...decides, strategies: strategies.map(({ file: _elsewhere, ...strategy }) => strategy) };
  const hash = createHash('sha256').update(canonicalJson(hashed)).digest('hex');
  return { version, ...decides, strategies, hash };
}

async function entryOf(
  { file, name, params, limits, capital }: BotConfig['strategies'][number],
  folder: string,
): Promise<Manifest['strategies'][number]> {
  const sha256 = await hashStrategy(file);
  const bounds = { ...(limits && { limits }), ...(capital !== undefined && { capital }) };
  return { name, file: relative(folder, file), params, ...bounds, sha256 };
}

/** A table that has given numbers back cannot be described by names alone; at the beginning of a session none has. */
const namesOf = (tickers: TickerTable): string[] => tickers.names().map((name) => must(name, 'a market with a number'));

/** What a replay puts an engine together from, its strategies excepted. */
export interface Remade {
  readonly config: SetupConfig;
  readonly venue: Pick<Venue, 'capabilities' | 'tickers' | 'normalizer'>;
  readonly hasKey: boolean;
}

/**
 * The session's parts from its manifest.
 * @param folder The journal's: strategies' files become absolute from it.
 * @throws {ManifestFault} when the venue's profile is not known, or a part is missing.
 */
export function remake(
  { profile: name, hasKey, isPaper, limits, costs, feeRounding, tickers, setup, strategies }: Manifest,
  folder: string,
): Remade {
  const profile = profileNamed(name);
  if (!profile)
    throw new ManifestFault(`expected a venue profile that this version has, found ${JSON.stringify(name)}`);
  const table = isPaper ? new LastingTickers() : new TickerTable();
  for (const each of tickers) table.intern(ticker(each));
  const missing = SETUP_MEMBERS.find((part) => !(part in setup) && !OPTIONAL.has(part));
  if (missing !== undefined) throw new ManifestFault(`expected the session's ${missing}, found a manifest without`);
  const files = strategies.map((strategy) => ({ ...strategy, file: resolve(folder, strategy.file) }));
  const reading = tradeApiReading({
    profile,
    limits,
    ...(costs && { costs }),
    ...roundingIn(feeRounding),
    tickers: table,
  });
  return {
    // tidy: as (this very program wrote the parts, and the line's checksum says that they are as they were)
    config: { ...setup, strategies: files } as unknown as SetupConfig,
    venue: isPaper ? { ...reading, normalizer: new PaperNormalizer(reading.normalizer) } : reading,
    hasKey,
  };
}

/** Older manifests do not say to what fees were rounded: as the profile says. */
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

/** Parts that a manifest may lack: strategies stand apart, and a session that only watches has no limits. */
const OPTIONAL: ReadonlySet<string> = new Set(['strategies', 'limits']);
