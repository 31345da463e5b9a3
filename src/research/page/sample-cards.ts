// Draws what was sampled: slices through each parameter, and maps of two parameters. Must never fill in what was not tried.
import { type Markup, NO_MARKUP, html } from '../../report/page/markup.ts';
import { card } from '../../report/page/page-head.ts';
import { countedNoun } from '../../report/text/figure-text.ts';
import { shareText } from '../../report/text/figure-text.ts';
import { IMPORTANCE_TRIALS_MIN } from '../search/importance/ped-anova.ts';
import { shadeClass } from './parallel-card.ts';
import { drawPlot, placeX, placeY } from './plot-frame.ts';
import { type Scale, figureTickText, figureValueText, paramScale, valueScale } from './plot-scale.ts';
import type { PageTrial, StudyReport } from './study-report.ts';

/** Maps of the most important parameters only: their number grows with the square. */
const MAPPED_PARAMS = 3;

const scaleOf = ({ space }: StudyReport, name: string): Scale =>
  paramScale(space.find((param) => param.name === name)?.domain ?? { kind: 'choice', options: [] });

/** The shares of importance of the parameters. */
export function importanceCard({ importances }: StudyReport): Markup {
  const body = html`<table class="figures importance">
    <thead>
      <tr>
        <th scope="col">Parameter</th>
        <th scope="col">Importance</th>
        <th scope="col">Trials</th>
      </tr>
    </thead>
    <tbody>
      ${importances.map(
        ({ name, importance, trials }) =>
          html`<tr>
            <td>${name}</td>
            <td>
              <svg class="meter" viewBox="0 0 90 10" aria-hidden="true">
                <rect class="meter-ground" width="90" height="10" rx="3" />
                <rect class="meter-fill" width="${((importance ?? 0) * 90).toFixed(1)}" height="10" rx="3" /></svg
              >${shareText(importance, 0)}
            </td>
            <td>${trials}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
  const isFew = importances.some(({ trials }) => trials < IMPORTANCE_TRIALS_MIN);
  const few = isFew
    ? html`<p class="small">
        A parameter with fewer than ${IMPORTANCE_TRIALS_MIN} trials has no importance yet: they show nothing.
      </p>`
    : NO_MARKUP;
  return card('Importance', {
    id: 'importance',
    remark: 'how much the best tenth of the trials differs from all (PED-ANOVA)',
    body: html`${body}${few}`,
  });
}

/** A slice for each parameter: its value against the first objective. */
export function sliceCard(report: StudyReport): Markup {
  const [objective] = report.objectives;
  const trials = shownTrials(report);
  if (objective === undefined || trials.length === 0) return NO_MARKUP;
  const { figure } = objective;
  const y = valueScale(
    trials.flatMap(({ values }) => values[0] ?? []),
    (value) => figureTickText(figure, value),
  );
  const plots = report.importances.map(({ name }) => {
    const x = scaleOf(report, name);
    const marks = trials.flatMap((trial) => {
      const { params, values } = trial;
      const at = params[name];
      if (at === undefined) return [];
      const [cx, cy] = [placeX(x.shareOf(at)), placeY(y.shareOf(values[0] ?? 0))];
      return [
        html`<circle class="${shadeClass(trial, report.best)}" data-n="${trial.n}" cx="${cx}" cy="${cy}" r="4">
          <title>${`#${trial.n}: ${name} ${String(at)}, ${figureValueText(figure, values[0] ?? 0)}`}</title>
        </circle>`,
      ];
    });
    return drawPlot({ label: `${figure} by ${name}`, x, y, xTitle: name, yTitle: figure, marks });
  });
  return card('Slices', {
    id: 'slices',
    remark: 'every finished trial, one parameter at a time',
    body: html`<div class="plots">${plots}</div>`,
  });
}

/** Maps of the most important parameters, two at a time. A cell has the best value that was sampled in it. */
export function mapCard(report: StudyReport): Markup {
  const names = report.importances.slice(0, MAPPED_PARAMS).map(({ name }) => name);
  const pairs = names.flatMap((first, at) => names.slice(at + 1).map((second) => [first, second] as const));
  const trials = shownTrials(report);
  if (pairs.length === 0 || trials.length === 0) return NO_MARKUP;
  return card('Maps', {
    id: 'maps',
    remark: 'a cell has the shade of the best trial in it, a dot is a trial; an empty cell was not tried',
    body: html`<div class="plots">${pairs.map((pair) => mapOf(report, trials, pair))}</div>`,
  });
}

const CELLS = 8;

function mapOf(report: StudyReport, trials: readonly PageTrial[], [first, second]: readonly [string, string]): Markup {
  const [x, y] = [scaleOf(report, first), scaleOf(report, second)];
  const cells = new Map<string, { readonly column: number; readonly row: number; best: PageTrial }>();
  const dots: Markup[] = [];
  // The worst first: the best trial of a cell remains.
  for (const trial of trials) {
    const [atX, atY] = [trial.params[first], trial.params[second]];
    if (atX === undefined || atY === undefined) continue;
    const [shareX, shareY] = [x.shareOf(atX), y.shareOf(atY)];
    dots.push(
      html`<circle class="dot" data-n="${trial.n}" cx="${placeX(shareX)}" cy="${placeY(shareY)}" r="1.8"></circle>`,
    );
    const [column, row] = [cellOf(shareX), cellOf(shareY)];
    cells.set(`${column} ${row}`, { column, row, best: trial });
  }
  const marks = [...cells.values()].map(({ column, row, best }) => {
    const [left, right] = [Number(placeX(column / CELLS)), Number(placeX((column + 1) / CELLS))];
    const [top, bottom] = [Number(placeY((row + 1) / CELLS)), Number(placeY(row / CELLS))];
    const size = { width: (right - left - 1).toFixed(1), height: (bottom - top - 1).toFixed(1) };
    const value = figureValueText(report.objectives[0]?.figure ?? '', best.values[0] ?? 0);
    return html`<rect
      class="${shadeClass(best, report.best)}"
      x="${left}"
      y="${top}"
      width="${size.width}"
      height="${size.height}"
    >
      <title>${`best here: #${best.n}, ${value}`}</title>
    </rect>`;
  });
  return drawPlot({
    label: `Best value by ${first} and ${second}`,
    x,
    y,
    xTitle: first,
    yTitle: second,
    marks: [...marks, ...dots],
  });
}

const cellOf = (share: number): number => Math.min(CELLS - 1, Math.floor(share * CELLS));

/** Finished trials, the worst first, so that the best are drawn on top. */
const shownTrials = ({ trials, best }: StudyReport): PageTrial[] =>
  trials
    .filter(({ end }) => end === 'finished')
    .toSorted((a, b) => Number(a.n === best) - Number(b.n === best) || placeOf(b) - placeOf(a));

/** The place of a trial among all: those that broke a constraint are behind the others. */
const placeOf = ({ place }: PageTrial): number => place ?? Number.MAX_SAFE_INTEGER;

/** The trials by two objectives, with the front of those that no other beats in both. */
export function frontCard(report: StudyReport): Markup {
  const [first, second] = report.objectives;
  if (first === undefined || second === undefined) return NO_MARKUP;
  const trials = shownTrials(report);
  const scale = (at: number, figure: string): Scale =>
    valueScale(
      trials.flatMap(({ values }) => values[at] ?? []),
      (value) => figureTickText(figure, value),
    );
  const [x, y] = [scale(0, first.figure), scale(1, second.figure)];
  const placed = (trial: PageTrial) => ({
    cx: placeX(x.shareOf(trial.values[0] ?? 0), true),
    cy: placeY(y.shareOf(trial.values[1] ?? 0)),
  });
  const front = trials.filter(({ isOnFront }) => isOnFront).sort((a, b) => (a.values[0] ?? 0) - (b.values[0] ?? 0));
  const path = front.map((trial) => `${placed(trial).cx},${placed(trial).cy}`).join(' ');
  const marks = trials.map((trial) => {
    const { cx, cy } = placed(trial);
    return html`<circle
      class="${shadeClass(trial, report.best)} ${trial.isOnFront ? 'front' : ''}"
      data-n="${trial.n}"
      cx="${cx}"
      cy="${cy}"
      r="${trial.isOnFront ? 6 : 4}"
    >
      <title>#${trial.n}</title>
    </circle>`;
  });
  return card('Pareto front', {
    id: 'front',
    remark: `${front.length} of ${countedNoun(trials.length, 'trial')} on the front, beaten by no other`,
    body: drawPlot({
      label: `${second.figure} by ${first.figure}, with the Pareto front`,
      x,
      y,
      xTitle: first.figure,
      yTitle: second.figure,
      marks: [html`<polyline class="front-line" points="${path}" />`, ...marks],
      isWide: true,
    }),
  });
}
