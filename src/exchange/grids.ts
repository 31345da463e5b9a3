// Price grids by the names that the config gives them. Data only.
// Must never hold a grid that the wire has no name for.
import type { MarketConfig } from '../config/exchange-config.ts';
import { CENT_GRID, DECI_CENT_GRID, type PriceGrid, TAPERED_DECI_CENT_GRID } from '../domain/price-grid.ts';

export const GRIDS: Readonly<Record<MarketConfig['grid'], PriceGrid>> = {
  linear_cent: CENT_GRID,
  deci_cent: DECI_CENT_GRID,
  tapered_deci_cent: TAPERED_DECI_CENT_GRID,
};
