// Which facts reach a bot by themselves, and which it must ask for: as it is with a live feed.
// Must never let a bot learn sooner than it would live.
import type { OtherEvent } from '../../tape/baked/rows.ts';

/**
 * How a bot learns of a fact.
 *
 * - `streamed`: the feed tells it, of any market.
 * - `followed`: the feed tells it of the markets that the bot has subscribed to.
 * - `asked`: only an answer to a read tells it.
 */
export type Telling = 'streamed' | 'followed' | 'asked';

/** How a bot learns of each kind of fact. */
export const TELLING: Readonly<Record<OtherEvent['kind'], Telling>> = {
  'market-changed': 'streamed',
  'markets-appeared': 'streamed',
  'fees-changed': 'streamed',
  'feed-gap': 'streamed',
  ticker: 'followed',
  market: 'asked',
  'event-group': 'asked',
  series: 'asked',
  'fees-scheduled': 'asked',
  'exchange-status': 'asked',
  'book-poll': 'asked',
};
