// The text of a row that is neither a level nor a print: its event as JSON. Of a price grid, only the ranges are
// written. Must never be given a text that this program did not write.
import { type PriceGrid, type PriceRange, priceGrid } from '../../domain/price-grid.ts';
import { restateMarket, statedMarketOf } from './stated-market.ts';
import type { OtherEvent } from './tape-rows.ts';

/** An event as a row stores it. */
export const eventText = (event: OtherEvent): string => JSON.stringify(event, withoutCells);

/** Leaves out the members of a price grid that follow from its ranges. */
function withoutCells(member: string, value: unknown): unknown {
  if (member !== 'grid' || typeof value !== 'object' || value === null || !('ranges' in value)) return value;
  return { ranges: value.ranges };
}

/** Returns the event that a row's text stores. */
export function parseEventText(text: string): OtherEvent {
  // tidy: as (this program wrote the text, and the file's checksum proves that it is unchanged)
  const event = JSON.parse(text) as OtherEvent;
  const grid = statedMarketOf(event)?.stated.grid;
  return grid === undefined ? event : restateMarket(event, { grid: gridOf(grid) });
}

const gridOf = ({ ranges }: Pick<PriceGrid, 'ranges'>): PriceGrid => priceGrid(ranges satisfies readonly PriceRange[]);
