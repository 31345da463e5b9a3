// What is known of the markets of imported data, from the file that `--markets` names: answers of the venue's REST API as
// JSON, or the house's own words as YAML. Must never guess which: the file's ending says it.
import { readFileSync } from 'node:fs';
import { type DefinedMarketConfig, readDefinitionsConfig } from '../config/definitions-config.ts';
import { eventTicker, seriesTicker, ticker } from '../domain/ids.ts';
import { PAYOUT, type Price } from '../domain/units.ts';
import { gridOf } from '../exchange/grids.ts';
import type { Definitions, ImportWire } from '../tape/import/index.ts';
import { UsageError } from './command.ts';

/** Definitions, and what of the file was not read, each with how often. */
export interface ReadDefinitions {
  readonly definitions: Definitions;
  readonly notRead: Readonly<Record<string, number>>;
}

/**
 * Reads definitions.
 * @throws {UsageError} when a JSON file cannot be read.
 * @throws {ConfigError} when a YAML file cannot be read or does not fit.
 */
export function readDefinitions(file: string, wire: ImportWire): ReadDefinitions {
  if (/\.ya?ml$/.test(file)) return { definitions: fromYaml(file), notRead: {} };
  const notRead: Record<string, number> = {};
  const definitions = wire.definitions(jsonIn(file), (kind, detail) => {
    const what = kind.startsWith('field ') ? kind : `${kind} (${detail})`;
    notRead[what] = (notRead[what] ?? 0) + 1;
  });
  return { definitions, notRead };
}

function jsonIn(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    const why =
      cause instanceof SyntaxError ? 'text that is none' : String(cause instanceof Error ? cause.message : cause);
    throw new UsageError(`--markets: expected JSON, or YAML in a file whose name ends so, found ${why}: ${file}`, {
      cause,
    });
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
    grid: gridOf(market.grid),
    result,
    settlementValue: result === 'yes' ? PAYOUT : result === 'no' ? (0 as Price) : (market.settlementValue ?? null),
    strike: market.strike ?? null,
    determinedAt: market.determinedAt ?? null,
    settledAt: market.settledAt ?? null,
    settlementDelay: market.settlesAfter,
  };
}
