// Shows the positions of a bot that does not answer and its orders without an end, by its journals. The account may have
// changed since: an order that rested may have filled.
import type { JSX } from 'preact';
import type { HistoryOrder, HistoryPosition } from '../../api/history-routes.ts';
import { centDigitsOf, formatCount, formatQty } from '../format/figures.ts';
import { usePastRows } from '../state/past-rows.ts';
import { Empty, Mark, Panel } from './blocks.tsx';
import { Money, Moment, Price, Qty, Side } from './figures.tsx';

/** Most orders that the console gives at once. */
const ORDERS_MAX = 1000;

export function PastAccount({ bot }: { readonly bot: string }): JSX.Element {
  const held = usePastRows<HistoryPosition>(bot, 'positions');
  const open = usePastRows<HistoryOrder>(bot, `orders?state=open&limit=${ORDERS_MAX}`);
  const fault = held.fault ?? open.fault;
  const [first] = held.rows;
  return (
    <>
      {fault !== null && <Empty>{fault}</Empty>}
      {first !== undefined && (
        <Panel title="Positions, from the journals" hasFigures={false}>
          <p class="muted">
            As of <Moment us={first.atUs} />. The account may have changed since.
          </p>
          <HeldTable rows={held.rows} />
        </Panel>
      )}
      {open.rows.length > 0 && (
        <Panel title="Orders without an end in the journals" hasFigures={false}>
          <p class="muted">
            They may rest at the exchange, unless the watchdog or a person has canceled them, or the exchange ran within
            the bot.
            {open.hasMore && ` Only the newest ${formatCount(open.rows.length)} are shown. The journals have more.`}
          </p>
          <OpenTable rows={open.rows} />
        </Panel>
      )}
    </>
  );
}

const HeldTable = ({ rows }: { readonly rows: readonly HistoryPosition[] }): JSX.Element => (
  <div class="table-scroll">
    <table class="table">
      <thead>
        <tr>
          <th>Market</th>
          <th class="right">Held</th>
          <th class="right">Cost</th>
          <th class="right">Mark</th>
          <th class="right">Value</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ ticker, qty, costMicros, mark, valueMicros }) => (
          <tr key={ticker}>
            <td>{ticker}</td>
            <td class="right">
              <Qty qty={qty} isSigned />
            </td>
            <td class="right">
              <Money micros={costMicros} />
            </td>
            <td class="right">
              <Price price={mark} digits={centDigitsOf([mark])} />
            </td>
            <td class="right">
              <Money micros={valueMicros} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

const OpenTable = ({ rows }: { readonly rows: readonly HistoryOrder[] }): JSX.Element => (
  <div class="table-scroll">
    <table class="table">
      <thead>
        <tr>
          <th>Sent</th>
          <th>Market</th>
          <th>Side</th>
          <th class="right">Filled</th>
          <th class="right">Price</th>
          <th>Strategy</th>
          <th>State</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ clientOrderId, sentUs, ticker, side, filledQty, qty, price, strategy, state }) => (
          <tr key={clientOrderId}>
            <td>
              <Moment us={sentUs} />
            </td>
            <td>{ticker}</td>
            <td>
              <Side side={side} />
            </td>
            <td class="right num">
              {formatQty(filledQty)}/{formatQty(qty)}
            </td>
            <td class="right">
              <Price price={price} digits={centDigitsOf([price])} />
            </td>
            <td>{strategy}</td>
            <td>
              <Mark tone="warning">{state}</Mark>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
