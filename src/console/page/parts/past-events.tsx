// A list of the events before the live ones, from the history: sessions, alarms, halts, operator's actions, settlements.
// Must never show a text of the venue, a strategy or a person as markup.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ApiProblem, botPath, callSlowApi, queryText, textOfFault } from '../state/api-calls.ts';
import { beginOfEvents } from '../state/event-span.ts';
import { events, hello, isGone } from '../state/live-data.ts';
import { Empty, Loading, Mark, Panel } from './blocks.tsx';
import { Moment, Money } from './figures.tsx';

/** Kinds of events of the history, by the name of a filter of the timeline. `null`: all kinds. */
const KINDS: Readonly<Record<string, string | null>> = {
  important: 'session,alarm,halt,operator,settlement,journal',
  fills: 'settlement',
  operator: 'halt,operator',
  feed: 'feed',
  all: null,
};
const TONES: Readonly<Record<string, string>> = { alarm: 'alarm', halt: 'alarm', journal: 'warning' };
const PAGE = 50;

/** An event of the history. */
interface PastEvent {
  readonly atUs: number;
  readonly session: string;
  readonly seq: number;
  readonly kind: string;
  readonly code: string;
  readonly scope: string;
  readonly who: string;
  readonly text: string;
  readonly micros: number | null;
}

interface PastPage {
  readonly rows: readonly PastEvent[];
  readonly next: string | null;
}

interface PastEventsProps {
  readonly bot: string;
  /** Name of the timeline's filter. */
  readonly kind: string;
  /** Text that an event must contain. */
  readonly q: string;
}

/**
 * The events before the session that runs, or before the first live event of a session with more events than the page
 * has; all events when the bot does not answer.
 */
export function PastEvents({ bot, kind, q }: PastEventsProps): JSX.Element | null {
  const [page, setPage] = useState<PastPage | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const beginUs = beginOfEvents(events.value);
  // Events of the same moment may be earlier than the first live one.
  const endUs = isGone.value ? undefined : beginUs === null ? hello.value?.startedUs : beginUs + 1;
  // Until the bot has answered, or is known not to, the end of the time to list is unknown.
  const isReady = endUs !== undefined || isGone.value;
  const path = (cursor: string | null): string => {
    const kinds = KINDS[kind] ?? null;
    const query = queryText({ limit: PAGE, kind: kinds ?? undefined, to: endUs, cursor: cursor ?? undefined });
    return botPath(bot, `/history/alarms${query}`);
  };
  useEffect(() => {
    let isShown = true;
    setPage(null);
    setFault(null);
    if (!isReady) return undefined;
    callSlowApi<PastPage>(path(null)).then(
      (answer) => isShown && setPage(answer),
      (reason: unknown) =>
        isShown && setFault(reason instanceof ApiProblem && reason.status === 404 ? '' : textOfFault(reason)),
    );
    return () => {
      isShown = false;
    };
  }, [bot, kind, endUs, isReady]);
  if (fault === '') return null;
  const more = (cursor: string): void => {
    callSlowApi<PastPage>(path(cursor)).then(
      ({ rows, next }) => setPage({ rows: [...(page?.rows ?? []), ...rows], next }),
      (reason: unknown) => setFault(textOfFault(reason)),
    );
  };
  const title = isGone.value ? 'From the journals' : beginUs === null ? 'Before this session' : 'Earlier events';
  return (
    <Panel title={title} hasFigures={false}>
      {fault !== null && <Empty>{fault}</Empty>}
      {fault === null && page === null && <Loading />}
      {page !== null && (
        <PastList
          rows={page.rows.filter((event) => textOf(event).includes(q.toLowerCase()))}
          hasMore={page.next !== null}
        />
      )}
      {page !== null && page.next !== null && (
        <button type="button" class="more" onClick={() => more(page.next ?? '')}>
          Show earlier events
        </button>
      )}
    </Panel>
  );
}

const textOf = ({ text, scope, who, code, session }: PastEvent): string =>
  `${text} ${scope} ${who} ${code} ${session}`.toLowerCase();

interface PastListProps {
  readonly rows: readonly PastEvent[];
  /** True: the history has earlier events, which are not read yet. */
  readonly hasMore: boolean;
}

function PastList({ rows, hasMore }: PastListProps): JSX.Element {
  if (rows.length === 0)
    return (
      <Empty>
        {hasMore ? 'None of the events read so far has this text.' : 'Nothing of this kind is in the history.'}
      </Empty>
    );
  return (
    <ul class="events">
      {rows.map(({ atUs, session, seq, kind, code, scope, who, text, micros }) => (
        <li key={`${atUs} ${session} ${seq} ${kind} ${scope}`}>
          <Moment us={atUs} />
          <Mark tone={TONES[kind] ?? 'calm'}>{kind}</Mark>
          <span class="event-text">
            {text}
            {micros !== null && (
              <>
                {' '}
                <Money micros={micros} isSigned isExact />
              </>
            )}
            <span class="muted"> {[code, scope, who].filter((part) => part !== '').join(' · ')}</span>
          </span>
        </li>
      ))}
    </ul>
  );
}
