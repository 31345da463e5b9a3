// Price grids by the names that the config gives them, which are those of the wire. Must never hold a grid that has no
// name on the wire.
import type { GridName } from '../config/grid-names.ts';
import { must } from '../domain/assert.ts';
import type { PriceGrid } from '../domain/price-grid.ts';
import { gridNamed } from '../venues/trade-api/normalize-grids.ts';

/** The price grid of a name. */
export const gridOf = (name: GridName): PriceGrid => must(gridNamed(name), `the grid ${name}`);
