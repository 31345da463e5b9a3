// The chart of a market: steps for best prices, dashed steps for our quotes, triangles for fills. Must never draw a
// line over a time without data.
import uPlot from 'uplot';
import type { Chart } from '../../api/api-schemas.ts';
import { formatPrice } from '../format/figures.ts';
import { formatClock, type Zone } from '../format/times.ts';

const US_PER_SECOND = 1_000_000;
const HEIGHT_PX = 320;
const MARK_PX = 7;
/** Distance between two lines of a hatched area. Pixels. */
const HATCH_PX = 6;

interface Colors {
  readonly bid: string;
  readonly ask: string;
  readonly muted: string;
  readonly line: string;
  readonly page: string;
}

function readColors(): Colors {
  const styles = getComputedStyle(document.documentElement);
  const color = (name: string): string => styles.getPropertyValue(`--${name}`).trim();
  return { bid: color('bid'), ask: color('ask'), muted: color('muted'), line: color('line'), page: color('page') };
}

/** Returns the columns in the form of the chart library: seconds, then each line. */
export function chartColumns({ atUs, bid, ask, ownBid, ownAsk }: Chart): uPlot.AlignedData {
  return [atUs.map((us) => us / US_PER_SECOND), bid, ask, ownBid, ownAsk];
}

interface ChartOptions {
  readonly host: HTMLElement;
  readonly zone: Zone;
  /** Called with the column under the pointer; `null` when the pointer leaves. */
  readonly onPoint: (column: number | null) => void;
}

/** A chart in an element. */
export class PriceChart {
  readonly #host: HTMLElement;
  readonly #plot: uPlot;
  readonly #observer: ResizeObserver;
  #chart: Chart = { atUs: [], bid: [], ask: [], ownBid: [], ownAsk: [], fills: [], gaps: [] };

  constructor({ host, zone, onPoint }: ChartOptions) {
    this.#host = host;
    const colors = readColors();
    const plot = new uPlot(
      {
        width: Math.max(1, host.clientWidth),
        height: HEIGHT_PX,
        legend: { show: false },
        cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
        scales: { x: { time: true }, y: { range: (_self, low, high) => rangeOf(low, high) } },
        axes: axesOf(colors, zone),
        series: seriesOf(colors),
        hooks: {
          drawClear: [(self) => this.#drawGaps(self, colors)],
          draw: [(self) => this.#drawFills(self, colors)],
          setCursor: [(self) => onPoint(self.cursor.idx ?? null)],
        },
      },
      chartColumns(this.#chart),
      host,
    );
    this.#plot = plot;
    this.#observer = new ResizeObserver(() =>
      plot.setSize({ width: Math.max(1, host.clientWidth), height: HEIGHT_PX }),
    );
    this.#observer.observe(host);
  }

  showChart(chart: Chart): void {
    this.#chart = chart;
    this.#plot.setData(chartColumns(chart));
  }

  close(): void {
    this.#observer.disconnect();
    this.#plot.destroy();
  }

  #drawGaps(plot: uPlot, { line }: Colors): void {
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.setLineDash([]);
    ctx.strokeStyle = line;
    ctx.lineWidth = devicePixelRatio;
    for (const { fromUs, toUs } of this.#chart.gaps) {
      const left = Math.max(bbox.left, plot.valToPos(fromUs / US_PER_SECOND, 'x', true));
      const right = Math.min(bbox.left + bbox.width, plot.valToPos(toUs / US_PER_SECOND, 'x', true));
      if (right > left) hatch(ctx, { left, right, top: bbox.top, height: bbox.height });
    }
    ctx.restore();
  }

  #drawFills(plot: uPlot, colors: Colors): void {
    const { ctx, bbox } = plot;
    let drawn = 0;
    ctx.save();
    ctx.setLineDash([]);
    const size = MARK_PX * devicePixelRatio;
    for (const { atUs, side, price } of this.#chart.fills) {
      const x = plot.valToPos(atUs / US_PER_SECOND, 'x', true);
      if (x < bbox.left || x > bbox.left + bbox.width) continue;
      const y = plot.valToPos(price, 'y', true);
      const up = side === 'buy' ? 1 : -1;
      ctx.beginPath();
      ctx.moveTo(x, y - up * size);
      ctx.lineTo(x + size, y + up * size);
      ctx.lineTo(x - size, y + up * size);
      ctx.closePath();
      ctx.fillStyle = side === 'buy' ? colors.bid : colors.ask;
      ctx.strokeStyle = colors.page;
      ctx.lineWidth = 1.5 * devicePixelRatio;
      ctx.fill();
      ctx.stroke();
      drawn++;
    }
    ctx.restore();
    this.#host.dataset['drawnFills'] = String(drawn);
    this.#host.dataset['drawnLines'] = linesWithPrices(this.#chart).join(' ');
  }
}

const LINES = ['bid', 'ask', 'ownBid', 'ownAsk'] as const;

const linesWithPrices = (chart: Chart): readonly string[] =>
  LINES.filter((line) => chart[line].some((price) => price !== null));

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly height: number;
}

function hatch(ctx: CanvasRenderingContext2D, { left, right, top, height }: Box): void {
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, top, right - left, height);
  ctx.clip();
  ctx.beginPath();
  const step = HATCH_PX * devicePixelRatio;
  for (let x = left - height; x < right; x += step) {
    ctx.moveTo(x, top + height);
    ctx.lineTo(x + height, top);
  }
  ctx.stroke();
  ctx.restore();
}

const CENT = 100;

/** Adds a cent of room above and below the prices. */
const rangeOf = (low: number | null, high: number | null): uPlot.Range.MinMax =>
  low === null || high === null ? [0, 100 * CENT] : [low - CENT, high + CENT];

const FONT = '12px system-ui, sans-serif';

function axesOf({ muted, line }: Colors, zone: Zone): uPlot.Axis[] {
  const lines = { stroke: line, width: 1 };
  const base = { stroke: muted, font: FONT, grid: lines, ticks: { ...lines, size: 4 } };
  return [
    {
      ...base,
      grid: { show: false },
      space: 80,
      size: 28,
      values: (_self, seconds) => seconds.map((each) => formatClock(each * US_PER_SECOND, zone).replace(/Z$/, '')),
    },
    {
      ...base,
      side: 1,
      size: 44,
      space: 36,
      values: (_self, prices) => prices.map((price) => formatPrice(Math.round(price))),
    },
  ];
}

function seriesOf({ bid, ask }: Colors): uPlot.Series[] {
  const paths = uPlot.paths.stepped?.({ align: 1 });
  const line = (stroke: string, isOwn: boolean): uPlot.Series => ({
    stroke,
    width: isOwn ? 2 : 1.25,
    ...(isOwn ? { dash: [5, 4] } : {}),
    points: { show: false },
    spanGaps: false,
    ...(paths ? { paths } : {}),
  });
  return [{}, line(bid, false), line(ask, false), line(bid, true), line(ask, true)];
}
