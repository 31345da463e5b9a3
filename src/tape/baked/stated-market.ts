// The fields of a market that a row's event states: all fields in a definition, some in a change, none in other events.
// Must never pass over a kind of event: a new kind does not compile until it is named here.
import type { MarketIndex } from '../../domain/ids.ts';
import type { Market } from '../../domain/market.ts';
import type { OtherEvent } from './tape-rows.ts';

/** Fields of a market that an event may state. */
export type StatedFields = Partial<Pick<Market, 'result' | 'settlementValue' | 'grid'>>;

/** A market, and its fields in an event. */
export interface StatedMarket {
  readonly market: MarketIndex;
  readonly stated: StatedFields;
}

/** Returns the market that an event defines or changes; `null` for any other event. */
export function statedMarketOf(event: OtherEvent): StatedMarket | null {
  switch (event.kind) {
    case 'market':
      return { market: event.market.index, stated: event.market };
    case 'market-changed':
      return { market: event.market, stated: event };
    case 'book-poll':
    case 'ticker':
    case 'event-group':
    case 'series':
    case 'fees-changed':
    case 'fees-scheduled':
    case 'markets-appeared':
    case 'exchange-status':
    case 'feed-gap':
      return null;
  }
}

/** Returns the same event with other values of its market's fields. An event without a market stays as it is. */
export function restateMarket(event: OtherEvent, fields: StatedFields): OtherEvent {
  switch (event.kind) {
    case 'market':
      return { ...event, market: { ...event.market, ...fields } };
    case 'market-changed':
      return { ...event, ...fields };
    case 'book-poll':
    case 'ticker':
    case 'event-group':
    case 'series':
    case 'fees-changed':
    case 'fees-scheduled':
    case 'markets-appeared':
    case 'exchange-status':
    case 'feed-gap':
      return event;
  }
}
