// The orders of the session.
import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { LiveOrder } from '../../../runtime/follow/follow-messages.ts';
import { AwaitedFromBot, Panel } from '../parts/blocks.tsx';
import { OrderRows } from '../parts/order-rows.tsx';
import { formatCount } from '../format/figures.ts';
import { orders } from '../state/live-data.ts';
import { address, replaceQuery } from '../state/page-state.ts';

/** Rows that a press of "more" adds. */
const PAGE = 100;

const STATES = ['open', 'ended', 'all'] as const;

function isWanted(order: LiveOrder, state: string, text: string): boolean {
  if (state !== 'all' && order.isOpen !== (state === 'open')) return false;
  const searched = `${order.clientOrderId} ${order.venueOrderId ?? ''} ${order.ticker} ${order.strategy} ${order.state}`;
  return searched.toLowerCase().includes(text.toLowerCase());
}

export function OrdersView({ bot }: { readonly bot: string }): JSX.Element {
  const { subject, query } = address.value;
  const { q = '', state = subject === null ? 'open' : 'all' } = query;
  const [count, setCount] = useState(PAGE);
  const all = orders.value;
  const wanted = useMemo(() => rowsOf(all, { state, q: subject ?? q }), [all, state, q, subject]);
  return (
    <>
      <header class="view-head">
        <h1>Orders</h1>
        <span class="muted num">{all ? `${formatCount(wanted.length)} of ${formatCount(all.size)}` : ''}</span>
        <span class="spacer" />
        <OrderFilters state={state} q={subject ?? q} />
      </header>
      <Panel title="Open orders, and the latest that ended">
        {all === null ? (
          <AwaitedFromBot rows={10} label="Loading the orders" />
        ) : (
          <OrderRows
            bot={bot}
            orders={wanted.slice(0, count)}
            empty={all.size === 0 ? noneText(bot) : unfitText(state)}
            opened={subject}
          />
        )}
        {wanted.length > count && (
          <button type="button" class="more" onClick={() => setCount(count + PAGE)}>
            Show {formatCount(Math.min(PAGE, wanted.length - count))} more
          </button>
        )}
      </Panel>
    </>
  );
}

const noneText = (bot: string): string =>
  `No orders yet. The strategies of ${bot} say in their view what they were last denied.`;

/** Every open order is on the page, and of those that ended the latest. */
const unfitText = (state: string): string =>
  state === 'open'
    ? 'No order fits the filter.'
    : 'No order fits the filter. Of the orders that ended, this page has the latest: presage orders lists all.';

function rowsOf(all: ReadonlyMap<string, LiveOrder> | null, { state, q }: { state: string; q: string }): LiveOrder[] {
  if (!all) return [];
  return [...all.values()].filter((order) => isWanted(order, state, q)).sort((a, b) => b.madeUs - a.madeUs);
}

const OrderFilters = ({ state, q }: { readonly state: string; readonly q: string }): JSX.Element => (
  <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
    <input
      type="search"
      placeholder="Id, market, strategy"
      aria-label="Filter by id, market or strategy"
      data-filter
      defaultValue={q}
      onInput={({ currentTarget }) => setFilter({ q: currentTarget.value.trim() })}
    />
    <div class="segments" role="group" aria-label="State">
      {STATES.map((each) => (
        <button key={each} type="button" aria-pressed={each === state} onClick={() => setFilter({ state: each })}>
          {each}
        </button>
      ))}
    </div>
  </form>
);

/** Changes the filter. The address of one order becomes the address of the list. */
function setFilter(change: Readonly<Record<string, string>>): void {
  const { bot, subject, query } = address.value;
  if (subject !== null) {
    history.replaceState(null, '', '#/');
    address.value = { bot, view: 'orders', subject: null, query };
  }
  replaceQuery({ ...query, ...change });
}
