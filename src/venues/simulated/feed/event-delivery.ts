// How public events of a tape reach a bot: streamed, or as the answer to a read, as in live trading. Must never let a
// bot learn of an event sooner than it would live.
import type { OtherEvent } from '../../../tape/baked/tape-rows.ts';

/**
 * How a bot learns of an event.
 *
 * - `streamed`: the feed sends it for every market.
 * - `followed`: the feed sends it for the markets that the bot has subscribed to.
 * - `asked`: only the answer to a read contains it.
 */
export type EventDelivery = 'streamed' | 'followed' | 'asked';

/** How a bot learns of each kind of event. */
export const EVENT_DELIVERY: Readonly<Record<OtherEvent['kind'], EventDelivery>> = {
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
