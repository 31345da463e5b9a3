// The manifest holds the session's budgets, so that a replay has the same ones.
import { describe, expect, it } from 'vitest';
import { readBotConfig } from '../../../src/config/bot-config.ts';
import { manifestSimulation, simulationOfManifest, simulationSchema } from '../../../src/config/simulation-config.ts';
import { roundingsFor } from '../../../src/domain/fee-schedule.ts';
import { TickerTable } from '../../../src/domain/ids.ts';
import { type Money, contracts, dollars } from '../../../src/domain/units.ts';
import { manifestOf, setupFromManifest } from '../../../src/runtime/replay/session-manifest.ts';
import { type SetupConfig, engineOptions } from '../../../src/runtime/session/engine-setup.ts';
import { readHeader } from '../../../src/tape/format/segment-header.ts';
import { kalshiProfile } from '../../../src/venues/trade-api/profiles/kalshi-profile.ts';
import { tradeApiReplayParts } from '../../../src/venues/trade-api/replay-parts.ts';
import { cancel, place } from '../../venues/trade-api/normalize/raw-input.ts';

const FOLDER = '/journal';
const LIMITS = { trade: { model: 'token-bucket', refillPerSecond: 300, capacity: 600 } } as const;

const NO_STRATEGIES: SetupConfig = { ...readBotConfig('config/demo.yaml'), strategies: [] };

async function manifestFor(costs?: Readonly<Record<string, number>>, config = NO_STRATEGIES) {
  const reading = tradeApiReplayParts({
    profile: kalshiProfile,
    limits: LIMITS,
    ...(costs && { costs }),
    tickers: new TickerTable(),
  });
  return manifestOf({ config, venue: { name: 'kalshi', ...reading }, hasKey: true, version: '1', folder: FOLDER });
}

/** Writes a manifest, reads it again, and returns the config that a replay gets. */
async function remadeFrom(original: SetupConfig) {
  const manifest = await manifestFor(undefined, original);
  const header = { form: 1, segment: 1, session: 's', of: 'journal', chain: 0, manifest };
  const read = readHeader(Buffer.from(JSON.stringify(header)));
  if (typeof read === 'string' || !read.manifest) throw new Error('the manifest cannot be read');
  const remade = setupFromManifest(read.manifest, FOLDER);
  const {
    observe: _observe,
    tickers: _tickers,
    ...engine
  } = engineOptions({ ...remade, strategies: [], observe: () => undefined });
  return { config: remade.config, engine };
}

describe('a manifest', () => {
  it('holds the venue’s limits and costs, and a replay gets them', async () => {
    const manifest = await manifestFor({ createOrder: 7, cancelOrder: 3 });
    const header = { form: 1, segment: 1, session: 's', of: 'journal', chain: 0, manifest };
    expect(readHeader(Buffer.from(JSON.stringify(header)))).toEqual(header);
    const { capabilities } = setupFromManifest(manifest, FOLDER).venue;
    expect([capabilities.cost(place), capabilities.cost(cancel)]).toEqual([7, 3]);
    expect(capabilities.limits.trade).toEqual(LIMITS.trade);
  });

  it('holds the account’s fee rounding, and a replay gets it', async () => {
    const feeRounding = roundingsFor(kalshiProfile.feeRounding, 'indirect');
    const reading = tradeApiReplayParts({ profile: kalshiProfile, feeRounding, tickers: new TickerTable() });
    const about = { config: NO_STRATEGIES, hasKey: true, version: '1', folder: FOLDER } as const;
    const manifest = await manifestOf({ ...about, venue: { name: 'kalshi', ...reading } });
    const header = { form: 1, segment: 1, session: 's', of: 'journal', chain: 0, manifest };
    expect(readHeader(Buffer.from(JSON.stringify(header)))).toEqual(header);
    expect(setupFromManifest(manifest, FOLDER).venue.capabilities.feeRounding).toEqual(feeRounding);
    const { feeRounding: _unsaid, ...older } = manifest;
    expect(setupFromManifest(older, FOLDER).venue.capabilities.feeRounding).toEqual(kalshiProfile.feeRounding);
  });

  it('holds the models of a paper account, with folders that may move with the tape, and a comparison gets them', async () => {
    const delays = { model: 'journal', folder: '/live/journal' } as const;
    const simulation = simulationSchema.parse({ latency: { order: delays }, queue: { model: 'power' } });
    const venue = { name: 'kalshi', ...tradeApiReplayParts({ profile: kalshiProfile, tickers: new TickerTable() }) };
    const about = { config: NO_STRATEGIES, hasKey: true, isPaper: true, version: '1' } as const;
    const recorded = manifestSimulation(simulation, '/live/paper/journal');
    const manifest = await manifestOf({ ...about, venue, simulation: recorded, folder: '/live/paper/journal' });
    const header = { form: 1, segment: 1, session: 's', of: 'journal', chain: 0, manifest };
    const read = readHeader(Buffer.from(JSON.stringify(header)));
    if (typeof read === 'string' || !read.manifest) throw new Error('the manifest cannot be read');
    expect(JSON.stringify(read)).not.toContain('/live');
    const moved = { ...simulation.latency, order: { ...delays, folder: '/old/journal' } };
    expect(simulationOfManifest(read.manifest.simulation ?? {}, '/old/paper/journal')).toEqual({
      ...simulation,
      latency: moved,
    });
    const other = await manifestOf({ ...about, venue, simulation: { queue: 'another' }, folder: FOLDER });
    expect(other.hash).not.toBe(manifest.hash);
  });

  it('holds everything that the engine reads of a strategy’s config: a replay gets its limits and its capital', async () => {
    const original = readBotConfig('config/demo.yaml');
    const [quoter] = original.strategies;
    const strategies = [{ ...quoter!, limits: { positionQtyMax: contracts(7) }, capital: dollars(12.5) }];
    const { config, engine } = await remadeFrom({ ...original, strategies });
    expect(config.strategies[0]?.file).toBe(quoter!.file);
    expect(engine.capital).toEqual(new Map([['quoter', dollars(12.5)]]));
    expect(engine.strategyLimits).toEqual(new Map([['quoter', { positionQtyMax: contracts(7) }]]));
  });

  it('has another hash when a strategy has another capital', async () => {
    const config = readBotConfig('config/demo.yaml');
    const [quoter] = config.strategies;
    const hashWith = async (capital: Money) =>
      (await manifestFor(undefined, { ...config, strategies: [{ ...quoter!, capital }] })).hash;
    expect(await hashWith(dollars(1))).not.toBe(await hashWith(dollars(2)));
    expect(await hashWith(dollars(1))).toBe(await hashWith(dollars(1)));
  });

  it('holds no costs where the venue gave none: the profile’s apply', async () => {
    const manifest = await manifestFor();
    expect(manifest.costs).toBeUndefined();
    const { capabilities } = setupFromManifest(manifest, FOLDER).venue;
    expect([capabilities.cost(place), capabilities.cost(cancel)]).toEqual([10, 2]);
  });
});
