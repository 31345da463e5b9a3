// Price grids by name, for messages that name a grid without its ranges. Must never guess: a name that does not
// determine the steps has no grid here.
import { type PriceGrid, priceGrid } from '../../../domain/price-grid.ts';
import { PAYOUT, price } from '../../../domain/units.ts';

/** Step for each word in the name of a grid, in ten-thousandths of a dollar. */
const STEPS = { whole: 100, half: 50, quint: 20, deci: 10 } as const;

/** A grid with one step in the middle and another at both edges. */
const tapered = (low: number, middle: number, edge: number): PriceGrid =>
  priceGrid([
    { start: price(0), end: price(low), step: edge },
    { start: price(low), end: price(PAYOUT - low), step: middle },
    { start: price(PAYOUT - low), end: PAYOUT, step: edge },
  ]);
const even = (step: number): PriceGrid => priceGrid([{ start: price(0), end: PAYOUT, step }]);

const EDGE = 1000;
const NARROW_EDGE = 100;

const tapers = Object.entries(STEPS).flatMap(([middle, step]) =>
  Object.entries(STEPS)
    .filter(([edge]) => edge !== 'whole')
    .map(([edge, fine]) => [`center_${middle}_edge_${edge}_cent`, tapered(EDGE, step, fine)] as const),
);

const GRIDS: ReadonlyMap<string, PriceGrid> = new Map([
  ['linear_cent', even(STEPS.whole)],
  ['deci_cent', even(STEPS.deci)],
  ['tapered_deci_cent', tapered(EDGE, STEPS.whole, STEPS.deci)],
  ...tapers,
  ['center_deci_edge_centi_cent', tapered(NARROW_EDGE, STEPS.deci, 1)],
]);

/** The grid with that name; `null` when the name does not determine the steps. */
export const gridByName = (name: string | null): PriceGrid | null => GRIDS.get(name ?? '') ?? null;
