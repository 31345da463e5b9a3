// Parallel coordinates: one line for each trial, through its parameters to its value. Must never draw a line through a
// parameter that does not apply: the line has a gap there.
import { type Markup, html } from '../../report/page/markup.ts';
import { card } from '../../report/page/page-head.ts';
import { countedNoun } from '../../report/text/figure-text.ts';
import { type Scale, figureTickText, paramScale, valueScale } from './plot-scale.ts';
import type { PageTrial, StudyReport } from './study-report.ts';

const WIDTH = 1120;
const HEIGHT = 360;
const TOP = 34;
const BOTTOM = 16;
const SIDE = 70;

interface Axis {
  readonly name: string;
  readonly scale: Scale;
  readonly x: number;
  readonly shareOf: (trial: PageTrial) => number | null;
}

/** The data that the page's script needs to select trials: the place of each on each axis, 0 to 1. */
export interface ParallelData {
  readonly axes: readonly { readonly name: string; readonly x: number }[];
  readonly trials: readonly (readonly [n: number, ...shares: (number | null)[]])[];
  readonly top: number;
  readonly bottom: number;
}

const finishedTrials = ({ trials }: StudyReport): PageTrial[] => trials.filter(({ end }) => end === 'finished');

function axesOf(report: StudyReport): Axis[] {
  const trials = finishedTrials(report);
  const params = report.importances.map(({ name }) => ({
    name,
    scale: paramScale(report.space.find((param) => param.name === name)?.domain ?? { kind: 'choice', options: [] }),
    valueOf: ({ params: values }: PageTrial) => values[name] ?? null,
  }));
  const objectives = report.objectives.map(({ figure, isMaximized }, at) => ({
    name: `${figure} ${isMaximized ? '↑' : '↓'}`,
    scale: valueScale(
      trials.flatMap(({ values }) => values[at] ?? []),
      (value) => figureTickText(figure, value),
    ),
    valueOf: ({ values }: PageTrial) => values[at] ?? null,
  }));
  const axes = [...params, ...objectives];
  const gap = (WIDTH - 2 * SIDE) / Math.max(1, axes.length - 1);
  return axes.map(({ name, scale, valueOf }, at) => ({
    name,
    scale,
    x: Math.round(SIDE + at * gap),
    shareOf: (trial) => {
      const value = valueOf(trial);
      return value === null ? null : scale.shareOf(value);
    },
  }));
}

const yOf = (share: number): string => (HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)).toFixed(1);

/** Places of the trials, for the script. */
export function parallelData(report: StudyReport): ParallelData {
  const axes = axesOf(report);
  return {
    axes: axes.map(({ name, x }) => ({ name, x })),
    trials: finishedTrials(report).map((trial) => [
      trial.n,
      ...axes.map(({ shareOf }) => {
        const share = shareOf(trial);
        return share === null ? null : Number(share.toFixed(4));
      }),
    ]),
    top: TOP,
    bottom: HEIGHT - BOTTOM,
  };
}

/** The card of the parallel coordinates. */
export function parallelCard(report: StudyReport): Markup {
  const axes = axesOf(report);
  const trials = finishedTrials(report).toSorted((a, b) => (a.shade ?? -1) - (b.shade ?? -1));
  const body = html`${legend()}
    <div class="scroll" tabindex="0" role="region" aria-label="Parallel coordinates">
      <svg
        id="parallel"
        class="frame parallel"
        viewBox="0 0 ${WIDTH} ${HEIGHT}"
        role="img"
        aria-label="Each finished trial as a line from its parameters to its value; the table beneath has the same values"
      >
        <g class="lines">${trials.map((trial) => lineOf(trial, axes, report.best))}</g>
        ${axes.map(axisOf)}
      </svg>
    </div>
    <p class="small" aria-live="polite" id="selected">${countedNoun(trials.length, 'finished trial')}</p>
    <details id="ranges" hidden>
      <summary>Select by range</summary>
      <div class="ranges"></div>
    </details>`;
  return card('Parameters and value', {
    id: 'parallel-card',
    remark: 'drag along an axis to select trials; the most important parameter is first',
    body,
  });
}

/** Explains the shades. */
export const legend = (): Markup =>
  html`<p class="legend small">
    <span>worst</span
    >${[0, 1, 2, 3, 4, 5].map((shade) => html`<svg class="chip q${shade}" viewBox="0 0 18 12" aria-hidden="true"><rect width="18" height="12" /></svg>`)}<span
      >best sixth</span
    ><span
      ><svg class="chip best" viewBox="0 0 18 12" aria-hidden="true"><rect width="18" height="12" /></svg>the best</span
    ><span
      ><svg class="chip out" viewBox="0 0 18 12" aria-hidden="true"><rect width="18" height="12" /></svg>breaks a
      constraint</span
    >
  </p>`;

/** Class of a trial's mark. */
export const shadeClass = ({ n, shade }: PageTrial, best: number | null): string =>
  n === best ? 'best' : shade === null ? 'out' : `q${shade}`;

function lineOf(trial: PageTrial, axes: readonly Axis[], best: number | null): Markup {
  let path = '';
  let isDown = false;
  for (const { x, shareOf } of axes) {
    const share = shareOf(trial);
    if (share !== null) path += `${isDown ? 'L' : 'M'}${x} ${yOf(share)}`;
    isDown = share !== null;
  }
  return html`<path class="${shadeClass(trial, best)}" data-n="${trial.n}" d="${path}"></path>`;
}

const axisOf = ({ name, scale, x }: Axis): Markup =>
  html`<line class="axis" x1="${x}" x2="${x}" y1="${TOP}" y2="${HEIGHT - BOTTOM}" /><text
      class="title mid"
      x="${x}"
      y="16"
    >
      ${name}</text
    >${scale.ticks.map(
      ({ share, text }) => html`<text class="tick end halo" x="${x - 6}" y="${yOf(share)}" dy="4">${text}</text>`,
    )}`;
