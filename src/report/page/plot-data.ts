// The data for the page's script: columns of plain numbers, thinned for a screen. Plots are in dollars, cents and
// seconds. The rows of trades have times in seconds, and otherwise the units of the record.
import { distinctCurves } from '../statement/markout-curves.ts';
import type { CalibrationBin, MarkoutCurve, Report } from '../statement/report.ts';
import type { FillNote } from '../record/run-record.ts';

/** Maximum number of trades on the page. The JSON has more. */
export const FILLS_MAX = 5000;
const DOLLAR = 1_000_000;
const CENT = 10_000;

/** All data for the script. */
export interface PlotData {
  readonly from: number;
  readonly to: number;
  readonly equity: {
    readonly at: readonly number[];
    readonly equity: readonly number[];
    readonly drawdown: readonly number[];
    readonly locked: readonly number[];
  };
  /** Start and end, in seconds. */
  readonly gaps: readonly (readonly [number, number])[];
  readonly markouts: readonly {
    readonly of: string;
    readonly each: readonly (number | null)[];
    readonly low: readonly (number | null)[];
    readonly high: readonly (number | null)[];
  }[];
  readonly calibration: readonly {
    readonly name: string;
    readonly own: readonly (readonly [said: number, came: number, markets: number])[];
    readonly market: readonly (readonly [said: number, came: number, markets: number])[];
  }[];
  readonly names: { readonly strategies: readonly string[]; readonly markets: readonly string[] };
  /** Rows with the columns that the script's constants name. */
  readonly fills: readonly (readonly (number | string | null)[])[];
  readonly fillCount: number;
}

/** Returns the data of a report's plots. */
export function plotDataOf(report: Report): PlotData {
  const strategies = namesOf(report.fills.map(({ strategy }) => strategy ?? ''));
  const markets = namesOf(report.fills.map(({ ticker }) => ticker));
  const places = { strategies: placesOf(strategies), markets: placesOf(markets) };
  return {
    from: report.run.from / DOLLAR,
    to: report.run.to / DOLLAR,
    equity: equityColumns(report),
    gaps: (report.coverage?.gaps ?? []).map(({ from, to }) => [from / 1e6, to / 1e6] as const),
    markouts: report.fillCount === 0 ? [] : distinctCurves(report.markouts).map(curveOf),
    calibration: report.forecasts.map(({ strategy, calibration, marketCalibration }) => ({
      name: strategy,
      own: binsOf(calibration),
      market: binsOf(marketCalibration),
    })),
    names: { strategies, markets },
    fills: evenChoice(report.fills, FILLS_MAX).map((fill) => fillRow(fill, places)),
    fillCount: report.fillCount,
  };
}

type Places = ReadonlyMap<string, number>;
const placesOf = (names: readonly string[]): Places => new Map(names.map((name, place) => [name, place]));
const namesOf = (names: readonly string[]): string[] => [...new Set(names)].sort();

function equityColumns({ equity }: Report): PlotData['equity'] {
  let peak = Number.NEGATIVE_INFINITY;
  const drawdown = equity.map((note) => {
    peak = Math.max(peak, note.equity);
    return (note.equity - peak) / DOLLAR;
  });
  return {
    at: equity.map(({ at }) => at / 1e6),
    equity: equity.map((note) => note.equity / DOLLAR),
    drawdown,
    locked: equity.map(({ locked }) => locked / DOLLAR),
  };
}

const inCents = (value: number | null | undefined): number | null =>
  value === null || value === undefined ? null : value / CENT;

const curveOf = ({ of, points }: MarkoutCurve): PlotData['markouts'][number] => ({
  of,
  each: points.map(({ perContract }) => inCents(perContract)),
  low: points.map(({ interval }) => inCents(interval?.low)),
  high: points.map(({ interval }) => inCents(interval?.high)),
});

const binsOf = (bins: readonly CalibrationBin[]): (readonly [number, number, number])[] =>
  bins.flatMap(({ said, came, markets }) => (said === null || came === null ? [] : [[said, came, markets] as const]));

/** Chooses at most `most` items evenly, the first and the last among them. */
export function evenChoice<Item>(items: readonly Item[], most: number): Item[] {
  if (items.length <= most) return [...items];
  const step = (items.length - 1) / (most - 1);
  return Array.from({ length: most }, (_, at) => items[Math.round(at * step)]).filter((item) => item !== undefined);
}

function fillRow(fill: FillNote, places: { strategies: Places; markets: Places }): PlotData['fills'][number] {
  const { at, side, price, qty, fee, liquidity, mid, midAfter1s, midAfter1m, clientOrderId } = fill;
  return [
    at / 1e6,
    places.markets.get(fill.ticker) ?? 0,
    places.strategies.get(fill.strategy ?? '') ?? 0,
    side === 'buy' ? 1 : -1,
    price,
    qty,
    fee,
    liquidity === 'maker' ? 0 : 1,
    mid,
    midAfter1s,
    midAfter1m,
    clientOrderId,
  ];
}
