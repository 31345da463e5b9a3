// Results of a run by event group, exact to the millionth: their profits add up to the report's, less what no trade
// explains (always 0 in a backtest). Must never leave out a group that did not trade: tables of trials need equal rows.
import { micros } from '../../domain/units.ts';
import type { RunRecord } from '../../report/record/run-record.ts';
import { LINE_NAMINGS, linesOf, marketsByTicker } from '../../report/statement/report-lines.ts';
import type { GroupSpan } from '../runs/group-spans.ts';
import type { GroupResult } from './study-trial.ts';

/**
 * Returns the result of each event group of a run.
 * @param spans Groups of the tape. A group of the record that is not among them follows at the end, as unknown.
 */
export function groupResults(
  record: Pick<RunRecord, 'from' | 'markets' | 'fillSums' | 'orderSums'>,
  spans: readonly GroupSpan[],
): GroupResult[] {
  const lines = new Map(linesOf(record, marketsByTicker(record), LINE_NAMINGS.group).map((line) => [line.name, line]));
  const locked = new Map<string, number>();
  for (const { eventTicker, lockedDollarDays } of record.markets)
    locked.set(eventTicker, (locked.get(eventTicker) ?? 0) + lockedDollarDays);
  const listed = new Set(spans.map(({ group }) => group));
  const unlisted = [...lines.keys()].filter((group) => !listed.has(group)).sort();
  const resultOf = (span: Pick<GroupResult, 'group' | 'cluster' | 'from' | 'known'>): GroupResult => {
    const line = lines.get(span.group);
    return {
      group: span.group,
      cluster: span.cluster,
      from: span.from,
      known: span.known,
      profit: line?.split.profit ?? 0,
      fees: 0 - (line?.split.fees ?? 0) + 0,
      qty: line?.qty ?? 0,
      fills: line?.fills ?? 0,
      lockedDollarDays: locked.get(span.group) ?? 0,
    };
  };
  const asUnknown = (group: string) => resultOf({ group, cluster: group, from: micros(record.from), known: null });
  return [...spans.map(resultOf), ...unlisted.map(asUnknown)];
}
