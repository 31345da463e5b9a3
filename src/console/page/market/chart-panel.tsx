// The chart of one market. The page reads it every few seconds, and adds the live book between reads. Older times come
// from the history.
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Chart } from '../../api/api-schemas.ts';
import { Empty, Fault, Loading, Panel } from '../parts/blocks.tsx';
import { formatPrice } from '../format/figures.ts';
import { formatMoment, parseIsoTime } from '../format/times.ts';
import { readChart, readPastChart, textOfFault } from '../state/api-calls.ts';
import { detail } from '../state/live-data.ts';
import { address, consoleClockUs, freshness, nowUs, replaceQuery } from '../state/page-state.ts';
import { theme, zone } from '../state/preferences.ts';
import { type SeriesName, breakAtGaps, extendChart, joinCharts } from './chart-data.ts';
import { PriceChart } from './price-chart.ts';

const MINUTE_US = 60_000_000;
const SPANS: readonly (readonly [minutes: number, text: string])[] = [
  [15, '15 m'],
  [60, '1 h'],
  [360, '6 h'],
  [1440, '24 h'],
];
const READ_MS = 4000;
const POINTS = 600;

interface ChartProps {
  readonly bot: string;
  readonly ticker: string;
}

interface Reading {
  readonly chart: Chart | null;
  readonly fault: string | null;
}

const NOTHING_READ: Reading = { chart: null, fault: null };

function spanOf(minutes: number, at: number | null): { readonly from: number; readonly to: number } {
  const now = consoleClockUs();
  const half = (minutes * MINUTE_US) / 2;
  const [from, to] = at === null ? [now - 2 * half, now] : [at - half, at + half];
  return { from: Math.round(from), to: Math.round(to) };
}

/** Reads the chart once for each time span. A console without a history shows the live chart alone. */
function usePast({ bot, ticker }: ChartProps, minutes: number, at: number | null): Chart | null {
  const [past, setPast] = useState<Chart | null>(null);
  useEffect(() => {
    setPast(null);
    const call = new AbortController();
    const query = { ...spanOf(minutes, at), points: POINTS };
    readPastChart({ bot, ticker }, query, call.signal).then(setPast, () => null);
    return () => call.abort();
  }, [bot, ticker, minutes, at]);
  return past;
}

/** Reads the chart repeatedly. A new fill causes a read at once. */
function useChart({ bot, ticker }: ChartProps, minutes: number, at: number | null): Reading {
  const [reading, setReading] = useState<Reading>(NOTHING_READ);
  const filled = detail.value?.value.orders.reduce((sum, order) => sum + order.filled, detail.value.value.position.qty);
  useEffect(() => setReading(NOTHING_READ), [bot, ticker, minutes, at]);
  useEffect(() => {
    const read = (): void => {
      if (document.visibilityState === 'hidden') return;
      readChart(bot, ticker, { ...spanOf(minutes, at), points: POINTS }).then(
        (next) => setReading({ chart: next, fault: null }),
        (reason: unknown) => setReading(({ chart }) => ({ chart, fault: textOfFault(reason) })),
      );
    };
    read();
    const timer = window.setInterval(read, READ_MS);
    return () => window.clearInterval(timer);
  }, [bot, ticker, minutes, at, filled]);
  return reading;
}

export function ChartPanel({ bot, ticker }: ChartProps): JSX.Element {
  const { query } = address.value;
  const minutes = Number(query['span'] ?? 15);
  const at = parseIsoTime(query['at'] ?? '');
  const { chart, fault } = useChart({ bot, ticker }, minutes, at);
  const past = usePast({ bot, ticker }, minutes, at);
  const live = detail.value;
  const whole = past && chart ? joinCharts(past, chart) : (chart ?? past);
  const extended =
    whole && at === null && live && freshness.value === 'live' ? extendChart(whole, live.atUs, live.value) : whole;
  const shown = extended && breakAtGaps(extended);
  const setSpan = (span: number): void => replaceQuery({ ...address.value.query, span: String(span) });
  return (
    <Panel title="Price" class="chart-panel" aside={<SpanButtons minutes={minutes} onSpan={setSpan} />}>
      {fault !== null && <Fault text={fault} />}
      {shown === null && fault === null && <Loading rows={6} label="Loading the chart" />}
      {shown !== null && shown.atUs.length === 0 && <Empty>No prices in this span yet.</Empty>}
      {shown !== null && shown.atUs.length > 0 && <Plot key={`${theme.value} ${zone.value}`} chart={shown} />}
      {shown !== null && shown.atUs.length > 0 && <ChartKey />}
    </Panel>
  );
}

const SpanButtons = ({ minutes, onSpan }: { readonly minutes: number; readonly onSpan: (minutes: number) => void }) => (
  <div class="segments" role="group" aria-label="Span of the chart">
    {SPANS.map(([span, text]) => (
      <button key={span} type="button" aria-pressed={span === minutes} onClick={() => onSpan(span)}>
        {text}
      </button>
    ))}
  </div>
);

function Plot({ chart }: { readonly chart: Chart }): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  const plot = useRef<PriceChart | null>(null);
  const [column, setColumn] = useState<number | null>(null);
  useEffect(() => {
    if (!host.current) return undefined;
    const made = new PriceChart({ host: host.current, zone: zone.peek(), onPoint: setColumn });
    plot.current = made;
    return () => made.close();
  }, []);
  useEffect(() => plot.current?.showChart(chart), [chart]);
  return (
    <>
      <div class="plot" ref={host} role="img" aria-label={summaryOf(chart)} data-fills={chart.fills.length} />
      <Readout chart={chart} column={column} />
    </>
  );
}

function summaryOf(chart: Chart): string {
  const last = (name: SeriesName): string => formatPrice(chart[name].at(-1));
  return `Prices over time. Last bid ${last('bid')}, ask ${last('ask')}, our bid ${last('ownBid')}, our ask ${last('ownAsk')}. ${chart.fills.length} fills.`;
}

function Readout({ chart, column }: { readonly chart: Chart; readonly column: number | null }): JSX.Element {
  const at = column ?? chart.atUs.length - 1;
  const part = (name: string, series: SeriesName, side: 'bid' | 'ask'): JSX.Element => (
    <span>
      {name} <span class={`num ${side}`}>{formatPrice(chart[series][at])}</span>
    </span>
  );
  return (
    <p class="readout" aria-hidden="true">
      <span class="num">{formatMoment(chart.atUs[at], nowUs.peek(), zone.value)}</span>
      {part('bid', 'bid', 'bid')}
      {part('ask', 'ask', 'ask')}
      {part('our bid', 'ownBid', 'bid')}
      {part('our ask', 'ownAsk', 'ask')}
    </p>
  );
}

const ChartKey = (): JSX.Element => (
  <ul class="chart-key" aria-label="Key of the chart">
    <li>
      <span class="key-line bid" /> bid
    </li>
    <li>
      <span class="key-line ask" /> ask
    </li>
    <li>
      <span class="key-line own bid" /> our bid
    </li>
    <li>
      <span class="key-line own ask" /> our ask
    </li>
    <li>
      <span class="bid">▲</span> we bought
    </li>
    <li>
      <span class="ask">▼</span> we sold
    </li>
    <li>
      <span class="key-hatch" /> no data
    </li>
  </ul>
);
