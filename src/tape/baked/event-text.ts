// The text of a row that is neither a level nor a print: its event as JSON, price grids by their ranges alone.
// Must never be asked about a text that this program did not write.
import { type PriceGrid, type PriceRange, priceGrid } from '../../domain/price-grid.ts';
import type { OtherEvent } from './rows.ts';

/** An event as a row holds it. */
export const eventText = (event: OtherEvent): string => JSON.stringify(event, withoutCells);

/** A grid's cells follow from its ranges. */
function withoutCells(member: string, value: unknown): unknown {
  if (member !== 'grid' || typeof value !== 'object' || value === null || !('ranges' in value)) return value;
  return { ranges: value.ranges };
}

/** The event that a row's text holds. */
export function eventOf(text: string): OtherEvent {
  // tidy: as (this very program wrote the text, and the file's checksum says that it is as it was)
  const event = JSON.parse(text) as OtherEvent;
  if (event.kind === 'market') return { ...event, market: { ...event.market, grid: gridOf(event.market.grid) } };
  if (event.kind === 'market-changed' && event.grid !== undefined) return { ...event, grid: gridOf(event.grid) };
  return event;
}

const gridOf = ({ ranges }: Pick<PriceGrid, 'ranges'>): PriceGrid => priceGrid(ranges satisfies readonly PriceRange[]);
