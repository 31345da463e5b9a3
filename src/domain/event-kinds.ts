// The nature of every kind of event: it decides what a tape saves and what is private to one account. A new kind of
// event does not compile without a row here.
import type { EngineEvent, EventKind } from './event.ts';

/**
 * The nature of an event.
 *
 * - `book`: book levels and public trades. A tape saves them in columns, because most events are of this nature.
 * - `fact`: anything else the venue publishes, and the gaps of its feed. A tape saves it as it is.
 * - `feed`: the state of the connection.
 * - `answer`: the answer to one request. It carries the request's number.
 * - `account`: what happens to our orders and positions, and our fills.
 * - `session`: events of the bot's own process, its clock, and its operator. Unreadable messages are here, too.
 */
export type EventNature = 'book' | 'fact' | 'feed' | 'answer' | 'account' | 'session';

/** The nature of every kind of event. */
export const EVENT_NATURES = {
  'book-snapshot': 'book',
  'book-delta': 'book',
  print: 'book',
  'book-poll': 'fact',
  ticker: 'fact',
  market: 'fact',
  'market-changed': 'fact',
  'event-group': 'fact',
  series: 'fact',
  'fees-changed': 'fact',
  'fees-scheduled': 'fact',
  'markets-appeared': 'fact',
  'exchange-status': 'fact',
  'feed-gap': 'fact',
  'feed-up': 'feed',
  'feed-down': 'feed',
  'feed-heard': 'feed',
  'feed-channel': 'feed',
  'feed-untold': 'feed',
  answered: 'answer',
  'rate-limited': 'answer',
  'read-failed': 'answer',
  'markets-listed': 'answer',
  'order-found': 'answer',
  balance: 'answer',
  positions: 'answer',
  orders: 'answer',
  fills: 'answer',
  settlements: 'answer',
  'queue-positions': 'answer',
  'order-accepted': 'account',
  'order-rejected': 'account',
  'order-not-sent': 'account',
  'order-unknown': 'account',
  'order-updated': 'account',
  'cancel-accepted': 'account',
  'cancel-refused': 'account',
  'cancel-lost': 'account',
  'amend-accepted': 'account',
  'amend-refused': 'account',
  'amend-lost': 'account',
  fill: 'account',
  'position-updated': 'account',
  start: 'session',
  timer: 'session',
  'clock-stepped': 'session',
  'clock-leapt': 'session',
  stop: 'session',
  operator: 'session',
  unrecognized: 'session',
} as const satisfies Record<EventKind, EventNature>;

type Natures = typeof EVENT_NATURES;

/** The kinds of events of a nature. */
export type EventKindOf<Nature extends EventNature> = {
  [Kind in EventKind]: Natures[Kind] extends Nature ? Kind : never;
}[EventKind];

/** The events of a nature. */
export type EventOf<Nature extends EventNature> = Extract<EngineEvent, { kind: EventKindOf<Nature> }>;

/** True when an event has this nature. */
export const isOfNature = <Nature extends EventNature>(event: EngineEvent, nature: Nature): event is EventOf<Nature> =>
  EVENT_NATURES[event.kind] === nature;

/** An event that a tape holds as a row. */
export type TapeEvent = EventOf<'book' | 'fact'>;

/** True when a tape holds the event as a row. */
export const isTapeEvent = (event: EngineEvent): event is TapeEvent =>
  isOfNature(event, 'book') || isOfNature(event, 'fact');
