// Checks that a profile can encode the config's prices and quantities: a wire of whole cents cannot hold a tenth of a
// cent. Must run before the exchange opens.
import type { ExchangeConfig, MarketConfig } from '../../config/exchange-config.ts';
import { ticker } from '../../domain/ids.ts';
import { type PriceGrid, priceOfCell } from '../../domain/price-grid.ts';
import { EPOCH } from '../../domain/units.ts';
import { type Codec, codecOf } from '../../venues/trade-api/wire/codec.ts';
import type { WireProfile } from '../../venues/trade-api/profiles/wire-profile.ts';
import { WireFault } from '../../venues/trade-api/wire/wire-fault.ts';
import type { DeltaRecord } from '../../venues/trade-api/wire/wire-records.ts';
import { namedGrid } from '../markets/named-grids.ts';

/** The error of a config that the profile cannot encode. */
export class EncodingError extends Error {
  override readonly name = 'EncodingError';
}

/**
 * Checks the rate limit tier, and every price and the smallest quantity of every market. Includes the markets of the
 * config's `churn`, and the grids that its incidents set.
 * @throws {EncodingError} when the profile has no such tier, or cannot encode a market.
 */
export function assertEncodable(config: ExchangeConfig, profile: WireProfile): void {
  const { markets, churn, tier } = config;
  const tiers = Object.keys(profile.limits.tiers ?? {});
  if (tier !== undefined && !tiers.includes(tier)) {
    const known = tiers.length === 0 ? 'none, for it has no tiers' : `one of ${tiers.join(', ')}`;
    throw new EncodingError(`tier of profile ${profile.name}: expected ${known}, found ${tier}`);
  }
  const codec = codecOf(profile.feed.messages.delta.record);
  const churned = churn.map(({ series, grid, qtyStep }) => ({ ticker: `${series}-P0-1`, grid, qtyStep }));
  for (const market of [...markets, ...churned, ...regridded(config)]) {
    try {
      encodeAll(codec, market, namedGrid(market.grid));
    } catch (fault) {
      if (!(fault instanceof WireFault)) throw fault;
      const why = `expected ${fault.expected}, found ${fault.found}`;
      throw new EncodingError(`market ${market.ticker}: profile ${profile.name} cannot encode ${fault.field}: ${why}`);
    }
  }
}

const regridded = ({ markets, faults }: ExchangeConfig): readonly MarketConfig[] =>
  (faults?.incidents ?? []).flatMap((rule) => {
    if (rule.incident !== 'regrid') return [];
    const affected = markets.filter((market) => rule.market === undefined || rule.market === market.ticker);
    return affected.map((market) => ({ ...market, grid: rule.grid }));
  });

function encodeAll(codec: Codec<DeltaRecord>, market: Pick<MarketConfig, 'ticker' | 'qtyStep'>, grid: PriceGrid): void {
  for (let cell = 0; cell < grid.cellCount; cell++) {
    const price = priceOfCell(grid, cell);
    const change = market.qtyStep;
    codec.encode({ ticker: ticker(market.ticker), side: 'bid', price, change, clientOrderId: null, at: EPOCH });
  }
}
