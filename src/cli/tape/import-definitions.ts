// Reads definitions of markets for an import: answers of the venue's REST API as JSON, or definitions as YAML. Must
// never guess the kind of a file from its content: the file's ending decides.
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type DefinedMarketConfig, readDefinitionsConfig } from '../../config/definitions-config.ts';
import { eventTicker, seriesTicker, ticker } from '../../domain/ids.ts';
import { PAYOUT, type Price } from '../../domain/units.ts';
import { namedGrid } from '../../exchange/markets/named-grids.ts';
import { type Definitions, type ImportWire, withoutMark } from '../../tape/import/import-formats.ts';
import { UsageError } from '../../app/usage-error.ts';

/** Definitions, and counts of unread parts of their files. */
export interface ReadDefinitions {
  readonly definitions: Definitions;
  readonly notRead: Readonly<Record<string, number>>;
}

/**
 * Reads definitions. When a name is defined twice, the later definition counts.
 * @param places files, and folders of files that end in `.json`, `.yaml` or `.yml`.
 * @throws {UsageError} when a JSON file cannot be read, or a folder holds no such file.
 * @throws {ConfigError} when a YAML file cannot be read or does not fit.
 */
export function readDefinitions(places: readonly string[], wire: ImportWire): ReadDefinitions {
  const notRead: Record<string, number> = {};
  const all = places.flatMap(filesAt).map((file) => definitionsIn(file, { wire, notRead }));
  const definitions = {
    markets: lastOfEach(
      all.flatMap(({ markets }) => markets),
      ({ ticker: name }) => name,
    ),
    groups: lastOfEach(
      all.flatMap(({ groups }) => groups),
      ({ eventTicker: name }) => name,
    ),
    series: lastOfEach(
      all.flatMap(({ series }) => series),
      ({ ticker: name }) => name,
    ),
  };
  return { definitions, notRead };
}

const lastOfEach = <T>(all: readonly T[], nameOf: (one: T) => string): readonly T[] => [
  ...new Map(all.map((one) => [nameOf(one), one])).values(),
];

const ENDINGS = /\.(json|ya?ml)$/;

/** Returns the file itself, or the files of a folder, sorted by name. */
function filesAt(place: string): readonly string[] {
  if (statSync(place, { throwIfNoEntry: false })?.isDirectory() !== true) return [place];
  const names = readdirSync(place).filter((name) => ENDINGS.test(name));
  if (names.length > 0) return names.sort().map((name) => join(place, name));
  throw new UsageError(
    `--markets: expected a folder with files that end in .json, .yaml or .yml, found none: ${place}`,
  );
}

interface Reading {
  readonly wire: ImportWire;
  /** Counts of unread parts, by kind. Reading adds to them. */
  readonly notRead: Record<string, number>;
}

function definitionsIn(file: string, { wire, notRead }: Reading): Definitions {
  if (/\.ya?ml$/.test(file)) return fromYaml(file);
  return wire.readDefinitions(jsonIn(file), (kind, detail) => {
    const what = kind.startsWith('field ') ? kind : `${kind} (${detail})`;
    notRead[what] = (notRead[what] ?? 0) + 1;
  });
}

function jsonIn(file: string): unknown {
  const text = withoutMark(textOf(file));
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UsageError(
      `--markets: expected JSON, or YAML in a file that ends in .yaml or .yml, found text that is not JSON: ${file}`,
      { cause },
    );
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
    throw new UsageError(`--markets: expected a file or folder that can be read, found ${code}: ${file}`, { cause });
  }
}

function fromYaml(file: string): Definitions {
  const { series, eventGroups, markets } = readDefinitionsConfig(file);
  return {
    series: series.map(({ ticker: name, feeMultiplier, ...rest }) => ({
      ...rest,
      ticker: seriesTicker(name),
      feeMultiplierPercent: feeMultiplier,
    })),
    groups: eventGroups.map((group) => ({
      eventTicker: eventTicker(group.ticker),
      seriesTicker: seriesTicker(group.series),
      title: group.title,
      isExclusive: group.exclusive,
      tickers: [],
    })),
    markets: markets.map(marketOf),
  };
}

function marketOf(market: DefinedMarketConfig): Definitions['markets'][number] {
  const { result = null } = market;
  return {
    ticker: ticker(market.ticker),
    eventTicker: eventTicker(market.eventGroup),
    title: market.title ?? market.ticker,
    status: 'active',
    openAt: market.opensAt,
    closeAt: market.closesAt,
    canCloseEarly: market.canCloseEarly,
    grid: namedGrid(market.grid),
    result,
    settlementValue: result === 'yes' ? PAYOUT : result === 'no' ? (0 as Price) : (market.settlementValue ?? null),
    strike: market.strike ?? null,
    determinedAt: market.determinedAt ?? null,
    settledAt: market.settledAt ?? null,
    settlementDelay: market.settlesAfter,
  };
}
