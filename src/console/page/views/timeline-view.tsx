// The events of this session, what happened before it, and the sessions of the history.
import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { LiveEvent } from '../../../runtime/follow/follow-messages.ts';
import { AwaitedFromBot, Empty, Loading, Panel } from '../parts/blocks.tsx';
import { EventList } from '../parts/event-list.tsx';
import { Moment, Money } from '../parts/figures.tsx';
import { PastEvents } from '../parts/past-events.tsx';
import { formatCount } from '../format/figures.ts';
import { API, ApiProblem, botPath, callSlowApi, queryText, textOfFault } from '../state/api-calls.ts';
import { beginOfEvents } from '../state/event-span.ts';
import { events } from '../state/live-data.ts';
import { address, replaceQuery } from '../state/page-state.ts';

const PAGE = 200;

/** Kinds of events, by the name of the filter. */
const FILTERS: readonly { readonly name: string; readonly kinds: readonly LiveEvent['kind'][] }[] = [
  { name: 'important', kinds: ['phase', 'alarm', 'halt', 'resume', 'operator', 'settlement', 'drift'] },
  { name: 'fills', kinds: ['fill', 'settlement'] },
  { name: 'operator', kinds: ['halt', 'resume', 'operator'] },
  { name: 'feed', kinds: ['feed', 'market'] },
  { name: 'all', kinds: [] },
];

export function TimelineView({ bot }: { readonly bot: string }): JSX.Element {
  const { kind = 'important', q = '' } = address.value.query;
  const [count, setCount] = useState(PAGE);
  const all = events.value;
  const rows = useMemo(() => wantedEvents(all ?? [], { kind, q }), [all, kind, q]);
  return (
    <>
      <header class="view-head">
        <h1>Timeline</h1>
        <span class="spacer" />
        <TimelineFilters kind={kind} q={q} />
      </header>
      <Panel title="This session">
        {all === null ? (
          <AwaitedFromBot rows={10} label="Loading the events" />
        ) : (
          <EventList bot={bot} events={rows.slice(0, count)} {...(all.length > 0 && { empty: noneOf(all) })} />
        )}
        {rows.length > count && (
          <button type="button" class="more" onClick={() => setCount(count + PAGE)}>
            Show {formatCount(Math.min(PAGE, rows.length - count))} more
          </button>
        )}
      </Panel>
      <PastEvents bot={bot} kind={kind} q={q} />
      <Sessions bot={bot} />
    </>
  );
}

/** Says that no event of a list is wanted, and where earlier ones are. */
const noneOf = (all: readonly LiveEvent[]): string =>
  beginOfEvents(all) === null
    ? 'No event of this session is of this kind and has this text.'
    : `None of the last ${formatCount(all.length)} events is of this kind and has this text. Earlier events are below.`;

function wantedEvents(all: readonly LiveEvent[], { kind, q }: { kind: string; q: string }): LiveEvent[] {
  const kinds = FILTERS.find(({ name }) => name === kind)?.kinds ?? [];
  const text = q.toLowerCase();
  const isWanted = (event: LiveEvent): boolean =>
    (kinds.length === 0 || kinds.includes(event.kind)) &&
    `${event.text} ${event.ticker ?? ''} ${event.strategy ?? ''} ${event.clientOrderId ?? ''}`
      .toLowerCase()
      .includes(text);
  return all.filter(isWanted).reverse();
}

const TimelineFilters = ({ kind, q }: { readonly kind: string; readonly q: string }): JSX.Element => (
  <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
    <input
      type="search"
      placeholder="Text, market, order"
      aria-label="Filter by text, market or order"
      data-filter
      defaultValue={q}
      onInput={({ currentTarget }) => replaceQuery({ ...address.value.query, q: currentTarget.value.trim() })}
    />
    <div class="segments" role="group" aria-label="Kind">
      {FILTERS.map(({ name }) => (
        <button
          key={name}
          type="button"
          aria-pressed={name === kind}
          onClick={() => replaceQuery({ ...address.value.query, kind: name })}
        >
          {name}
        </button>
      ))}
    </div>
  </form>
);

/** A session of the history. Profit is realized, before fees. */
interface SessionRow {
  readonly session: string;
  readonly startedUs: number;
  readonly lastUs: number;
  readonly how: string;
  readonly orders: number;
  readonly fills: number;
  readonly feeMicros: number;
  readonly realizedMicros: number;
}

interface SessionPage {
  readonly rows: readonly SessionRow[];
  readonly next: string | null;
}

const SESSIONS_PAGE = 50;

function Sessions({ bot }: { readonly bot: string }): JSX.Element | null {
  const [page, setPage] = useState<SessionPage | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const read = (cursor?: string): void => {
    callSlowApi<SessionPage>(botPath(bot, `/history/sessions${queryText({ limit: SESSIONS_PAGE, cursor })}`)).then(
      ({ rows, next }) => setPage({ rows: cursor === undefined ? rows : [...(page?.rows ?? []), ...rows], next }),
      (reason: unknown) => setFault(reason instanceof ApiProblem && reason.status === 404 ? '' : textOfFault(reason)),
    );
  };
  useEffect(() => read(), [bot]);
  if (fault === '') return null;
  return (
    <Panel title="Sessions">
      {fault !== null && <Empty>{fault}</Empty>}
      {fault === null && page === null && <Loading />}
      {page?.rows.length === 0 && <Empty>No session is in the history yet.</Empty>}
      {page !== null && page.next !== null && (
        <p class="muted">The newest {formatCount(page.rows.length)} are shown. The history has earlier ones.</p>
      )}
      {page !== null && page.rows.length > 0 && <SessionTable bot={bot} rows={page.rows} />}
      {page !== null && page.next !== null && (
        <button type="button" class="more" onClick={() => read(page.next ?? '')}>
          Show earlier sessions
        </button>
      )}
    </Panel>
  );
}

interface SessionTableProps {
  readonly bot: string;
  readonly rows: readonly SessionRow[];
}

/** Address of a session's report. The console makes the report when the address is opened. */
const reportPath = (bot: string, session: string): string =>
  `${API}${botPath(bot, `/sessions/${encodeURIComponent(session)}/report`)}`;

const SessionTable = ({ bot, rows }: SessionTableProps): JSX.Element => (
  <div class="table-scroll">
    <table class="table">
      <thead>
        <tr>
          <th>Session</th>
          <th>Started</th>
          <th>Last entry</th>
          <th>How it ended</th>
          <th class="right">Orders</th>
          <th class="right">Fills</th>
          <th class="right">Fees</th>
          <th class="right">Realized</th>
          <th>Report</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ session, startedUs, lastUs, how, orders, fills, feeMicros, realizedMicros }) => (
          <tr key={session}>
            <td>{session}</td>
            <td>
              <Moment us={startedUs} />
            </td>
            <td>
              <Moment us={lastUs} />
            </td>
            <td>{how}</td>
            <td class="right num">{formatCount(orders)}</td>
            <td class="right num">{formatCount(fills)}</td>
            <td class="right">
              <Money micros={feeMicros} isExact />
            </td>
            <td class="right">
              <Money micros={realizedMicros} isSigned isExact />
            </td>
            <td>
              <a
                href={reportPath(bot, session)}
                target="_blank"
                rel="noopener"
                aria-label={`open the report of ${session}`}
              >
                open <span aria-hidden="true">↗</span>
              </a>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
