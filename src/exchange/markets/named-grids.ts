// Price grids by their names in the config, which are their names on the wire. Must never hold a grid that has no name
// on the wire.
import type { GridName } from '../../config/grid-names.ts';
import { must } from '../../base/assert.ts';
import type { PriceGrid } from '../../domain/price-grid.ts';
import { gridByName } from '../../venues/trade-api/normalize/grids-by-name.ts';

/** Returns the price grid of a name in the config. */
export const namedGrid = (name: GridName): PriceGrid => must(gridByName(name), `the grid ${name}`);
