// A list of events, newest first. Must never show a text of the venue, a strategy or a person as markup.
import type { JSX } from 'preact';
import type { LiveEvent } from '../../../runtime/follow/follow-messages.ts';
import { formatAddress } from '../state/address.ts';
import { Empty, Mark } from './blocks.tsx';
import { Moment } from './figures.tsx';

const NO_EVENTS = 'No events yet. Phases, alarms, halts, fills and settlements appear here.';
const TONES = { info: 'calm', warning: 'warning', critical: 'alarm' } as const;

interface EventListProps {
  readonly bot: string;
  readonly events: readonly LiveEvent[];
  /** Text in place of an empty list. */
  readonly empty?: string;
}

export function EventList({ bot, events, empty = NO_EVENTS }: EventListProps): JSX.Element {
  if (events.length === 0) return <Empty>{empty}</Empty>;
  return (
    <ul class="events">
      {events.map((event, at) => (
        <EventRow key={event.number} bot={bot} event={event} row={at} />
      ))}
    </ul>
  );
}

interface RowProps {
  readonly bot: string;
  readonly event: LiveEvent;
  readonly row: number;
}

function EventRow({ bot, event, row }: RowProps): JSX.Element {
  const { atUs, kind, severity, ticker, strategy, clientOrderId, text } = event;
  const why =
    ticker === null
      ? undefined
      : formatAddress({ bot, view: 'why', query: { market: ticker, strategy: strategy ?? '' } });
  return (
    <li data-row={row} data-why={why} tabIndex={-1}>
      <Moment us={atUs} />
      <Mark tone={TONES[severity]}>{kind === 'other' && clientOrderId !== null ? 'order' : kind}</Mark>
      <span class="event-text">
        {text}
        {ticker !== null && (
          <>
            {' '}
            <a href={formatAddress({ bot, view: 'market', subject: ticker })}>{ticker}</a>
          </>
        )}
        {clientOrderId !== null && (
          <>
            {' '}
            <a class="muted" href={formatAddress({ bot, view: 'orders', subject: clientOrderId })}>
              {clientOrderId}
            </a>
          </>
        )}
      </span>
    </li>
  );
}
