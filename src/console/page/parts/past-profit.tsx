// The profit of the last days of a bot that does not answer, from its journals. A console that began after the bot's end
// has no other figures of it.
import type { JSX } from 'preact';
import type { HistoryProfit } from '../../api/history-routes.ts';
import { formatCount } from '../format/figures.ts';
import { usePastRows } from '../state/past-rows.ts';
import { Empty, Panel } from './blocks.tsx';
import { Money, Qty } from './figures.tsx';

const DAYS_SHOWN = 7;

export function PastProfit({ bot }: { readonly bot: string }): JSX.Element | null {
  const { rows, fault } = usePastRows<HistoryProfit>(bot, 'pnl?by=day');
  const days = rows.toSorted((a, b) => (a.group < b.group ? 1 : -1)).slice(0, DAYS_SHOWN);
  if (fault === null && days.length === 0) return null;
  return (
    <Panel title="Profit by day (UTC), from the journals" hasFigures={false}>
      {fault !== null && <Empty>{fault}</Empty>}
      {days.length > 0 && <DayTable days={days} />}
    </Panel>
  );
}

const DayTable = ({ days }: { readonly days: readonly HistoryProfit[] }): JSX.Element => (
  <div class="table-scroll">
    <table class="table">
      <thead>
        <tr>
          <th>Day</th>
          <th class="right">Profit</th>
          <th class="right">Fees</th>
          <th class="right">Fills</th>
          <th class="right">Contracts</th>
        </tr>
      </thead>
      <tbody>
        {days.map(({ group, fills, contracts, feeMicros, profitMicros }) => (
          <tr key={group}>
            <td class="num">{group}</td>
            <td class="right">
              <Money micros={profitMicros} isSigned isExact />
            </td>
            <td class="right">
              <Money micros={feeMicros} isExact />
            </td>
            <td class="right num">{formatCount(fills)}</td>
            <td class="right">
              <Qty qty={contracts} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
