// Makes the page of metrics from the table that the program renders them from.
import { BOT_METRICS, OWN_METRICS } from '../../../src/metrics/metric-table.ts';
import { table } from './table.ts';

const seconds = (micros: number): string => String(micros / 1e6);

/** Makes the page. */
export function metricsPage(): string {
  const rows = BOT_METRICS.map(({ name, type, values, help }) => [`\`${name}\``, type, values || '–', help]);
  const own = Object.values(OWN_METRICS).map(({ name, type, values, help }) => [
    `\`${name}\``,
    type,
    values || '–',
    help,
  ]);
  const buckets = BOT_METRICS.flatMap((metric) =>
    metric.type === 'histogram' ? [[`\`${metric.name}\``, metric.bounds.map(seconds).join(' ')]] : [],
  );
  return `# Metrics

What \`/metrics\` offers to Prometheus: see [monitoring](../how-to/monitor.md). Names and labels never change within a version of the
package's first number. Money is in dollars, quantities are in contracts, times in seconds.

## Of a bot

Each has the label \`bot\`, the name of the bot's data folder; of a paper session the live bot's, such as
\`demo (paper)\`. No label holds a ticker, an order, a reason or an address. A bot has
at most 1000 series: beyond fixed numbers, strategies are counted together as \`other\`. Counters begin at 0 with each session.

${table(['name', 'type', 'labels', 'meaning'], rows)}

## Of the process that is scraped

${table(['name', 'type', 'labels', 'meaning'], own)}

## Stages of an order

| stage | from | to |
| --- | --- | --- |
| \`frame_to_intent\` | the receipt of a frame of the feed | the end of the engine's step that it caused |
| \`intent_to_send\` | there; or, for a command that waited for the rate budget, the event that made it | the call of the connection, with the write of the journal |
| \`send_to_ack\` | the first byte of a new, amended or decreased order | the exchange's answer |
| \`cancel_to_ack\` | the event that caused a cancel | the exchange's answer |

## Buckets

Upper bounds in seconds; the last bucket has none.

${table(['histogram', 'bounds'], buckets)}
`;
}
