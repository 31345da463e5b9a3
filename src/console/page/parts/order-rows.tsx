// Orders as rows. An opened row shows the states of the order.
import type { JSX } from 'preact';
import type { LiveOrder } from '../../../runtime/follow/follow-messages.ts';
import { formatPrice, formatQty } from '../format/figures.ts';
import { formatPreciseClock, formatStep, isoTime } from '../format/times.ts';
import { formatAddress } from '../state/address.ts';
import { zone } from '../state/preferences.ts';
import { Empty, Mark } from './blocks.tsx';
import { Moment, Side } from './figures.tsx';
import { whyAddress } from './keyboard.ts';

const stateTone = (state: string): string => {
  if (state === 'filled') return 'well';
  if (state === 'rejected' || state === 'unknown') return 'alarm';
  return state.startsWith('pending') || state === 'queued' || state === 'in-flight' ? 'warning' : 'calm';
};

interface OrderRowsProps {
  readonly bot: string;
  readonly orders: readonly LiveOrder[];
  readonly empty: string;
  /** Client order id of the open row. */
  readonly opened?: string | null;
}

export function OrderRows({ bot, orders, empty, opened = null }: OrderRowsProps): JSX.Element {
  if (orders.length === 0) return <Empty>{empty}</Empty>;
  return (
    <ul class="order-rows">
      {orders.map((order, at) => (
        <OrderRow
          key={order.clientOrderId}
          bot={bot}
          order={order}
          row={at}
          isOpened={order.clientOrderId === opened}
        />
      ))}
    </ul>
  );
}

interface OrderRowProps {
  readonly bot: string;
  readonly order: LiveOrder;
  readonly row: number;
  readonly isOpened: boolean;
}

function OrderRow({ bot, order, row, isOpened }: OrderRowProps): JSX.Element {
  const { clientOrderId, strategy, ticker, side, price, qty, filled, state, queueAhead, madeUs } = order;
  return (
    <li data-row={row} data-why={whyAddress(bot, { market: ticker, strategy })} tabIndex={-1} class="order-row">
      <details open={isOpened}>
        <summary>
          <Moment us={madeUs} />
          <Side side={side} />
          <span class="num right">
            {formatQty(filled)}/{formatQty(qty)}
          </span>
          <span class={`num right ${side === 'buy' ? 'bid' : 'ask'}`}>{formatPrice(price)} ¢</span>
          <span class="order-market">{ticker}</span>
          <span class="muted order-strategy">{strategy}</span>
          <span class="order-state">
            <Mark tone={stateTone(state)}>{state}</Mark>
            {queueAhead !== null && order.isOpen && <span class="muted num"> {formatQty(queueAhead)} before</span>}
          </span>
          <span class="muted order-id">{clientOrderId}</span>
        </summary>
        <OrderLife bot={bot} order={order} />
      </details>
    </li>
  );
}

function OrderLife({ bot, order }: { readonly bot: string; readonly order: LiveOrder }): JSX.Element {
  const { clientOrderId, venueOrderId, reason, states, ticker } = order;
  return (
    <div class="order-life">
      {reason !== '' && (
        <p>
          <span class="muted">Reason:</span> {reason}
        </p>
      )}
      <ol class="state-line">
        {states.map((state, at) => (
          <li key={`${state.state} ${state.atUs}`}>
            <Mark tone={stateTone(state.state)}>{state.state}</Mark>
            <time class="num" dateTime={isoTime(state.atUs)}>
              {formatPreciseClock(state.atUs, zone.value)}
            </time>
            <span class="muted num">
              {at > 0 ? formatStep((state.atUs - (states[at - 1]?.atUs ?? state.atUs)) / 1000) : ''}
            </span>
            <span class="state-why">{state.why}</span>
          </li>
        ))}
      </ol>
      <p class="links">
        <a href={formatAddress({ bot, view: 'market', subject: ticker })}>Market</a>
        <a href={formatAddress({ bot, view: 'why', query: { order: clientOrderId } })}>Why this order?</a>
        <span class="muted">
          {clientOrderId}
          {venueOrderId !== null && ` · at the exchange ${venueOrderId}`}
        </span>
      </p>
    </div>
  );
}
