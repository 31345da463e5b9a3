// Draws how far the choice would hold: in sample against out of sample, the histogram of overfitting, the walk-forward curve. Must
// never be shown without the figures of pure luck beside them.
import { type Markup, NO_MARKUP, html } from '../../report/page/markup.ts';
import { card } from '../../report/page/page-head.ts';
import { countedNoun, decimalText, shareText, signedCents, timeText } from '../../report/text/figure-text.ts';
import type { SplitResults, WindowResult } from '../splits/split-results.ts';
import type { Overfitting, OverfittingGap } from '../statistics/overfitting/overfitting-probability.ts';
import { drawPlot, placeX, placeY } from './plot-frame.ts';
import { countScale, linearScale, valueScale } from './plot-scale.ts';
import type { StudyReport } from './study-report.ts';

/** Most halves drawn as dots; the line and the histogram rest on all of them. */
const DOTS_MAX = 600;

/** Texts that say what a study lacks to show its overfitting. */
export const GAP_TEXTS: Readonly<Record<OverfittingGap, string>> = {
  groups: 'needs 12 event groups with results',
  trials: 'needs two finished trials',
  spread: 'needs results with spread',
};

/** In sample against out of sample, and the histogram of ranks. */
export function overfittingCards({ overfitting, overfittingGap, judgement }: StudyReport): Markup {
  if (overfitting === null) {
    const body = html`<p class="empty">${overfittingGap === null ? '' : `This ${GAP_TEXTS[overfittingGap]}.`}</p>`;
    return card('Overfitting', { id: 'overfitting', body });
  }
  const luck = judgement?.verdict.overfitting?.luck ?? null;
  return html`<div class="pair">${outsideCard(overfitting)}${histogramCard(overfitting, luck)}</div>`;
}

function outsideCard({ inside, outside, line, halves, lossProbability }: Overfitting): Markup {
  const step = Math.max(1, Math.ceil(halves / DOTS_MAX));
  const chosen = Array.from({ length: Math.ceil(halves / step) }, (_, at) => at * step);
  const all = [...inside, ...outside];
  const scale = valueScale(all);
  const dots = chosen.map(
    (at) =>
      html`<circle
        class="half"
        cx="${placeX(scale.shareOf(inside[at] ?? 0))}"
        cy="${placeY(scale.shareOf(outside[at] ?? 0))}"
        r="3"
      />`,
  );
  const ends = [Math.min(...inside), Math.max(...inside)] as const;
  const fit =
    line === null
      ? NO_MARKUP
      : html`<line
          class="fit"
          x1="${placeX(scale.shareOf(ends[0]))}"
          y1="${placeY(scale.shareOf(line.intercept + line.slope * ends[0]))}"
          x2="${placeX(scale.shareOf(ends[1]))}"
          y2="${placeY(scale.shareOf(line.intercept + line.slope * ends[1]))}"
        />`;
  const equal = html`<line class="equal" x1="${placeX(0)}" y1="${placeY(0)}" x2="${placeX(1)}" y2="${placeY(1)}" />`;
  const slope = line === null ? '' : ` The slope is ${decimalText(line.slope, 2)}.`;
  return card('In sample and out of sample', {
    id: 'outside',
    remark: `Sharpe ratio per event group of the best trial of each of ${countedNoun(halves, 'half', 'halves')}`,
    body: html`${drawPlot({
        label: 'Sharpe ratio of the chosen trial out of sample by that in sample',
        x: scale,
        y: scale,
        xTitle: 'in sample',
        yTitle: 'out of sample',
        marks: [equal, ...dots, fit],
      })}
      <p class="small">
        On the dashed line nothing is lost.${slope} In ${shareText(lossProbability, 0)} of the halves the chosen trial
        loses out of sample.
      </p>`,
  });
}

const BINS = 21;
const LOGIT_MAX = 4.2;

function histogramCard(
  { logits, probability }: Overfitting,
  luck: { readonly low: number; readonly high: number } | null,
): Markup {
  const counts = Array.from({ length: BINS }, () => 0);
  for (const logit of logits) {
    const share = (Math.min(LOGIT_MAX, Math.max(-LOGIT_MAX, logit)) + LOGIT_MAX) / (2 * LOGIT_MAX);
    const bin = Math.min(BINS - 1, Math.floor(share * BINS));
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  const x = linearScale(-LOGIT_MAX, LOGIT_MAX);
  const y = countScale(Math.max(...counts));
  const bars = counts.map((count, bin) => {
    const [left, right] = [Number(placeX(bin / BINS)), Number(placeX((bin + 1) / BINS))];
    const top = Number(placeY(y.shareOf(count)));
    const isBelow = (bin + 1) / BINS <= 0.5 || bin === (BINS - 1) / 2;
    const height = (Number(placeY(0)) - top).toFixed(1);
    const width = (right - left - 1).toFixed(1);
    return html`<rect
      class="${isBelow ? 'bar-below' : 'bar-above'}"
      x="${left}"
      y="${top}"
      width="${width}"
      height="${height}"
    >
      <title>${countedNoun(count, 'half', 'halves')}</title>
    </rect>`;
  });
  const spread = luck === null ? '' : ` Pure luck gives ${decimalText(luck.low, 2)} to ${decimalText(luck.high, 2)}.`;
  return card('Probability of overfitting', {
    id: 'overfitting',
    remark: 'rank out of sample of the trial that is best in sample, as a logit',
    body: html`${drawPlot({
        label: 'Histogram of the logit of the rank out of sample',
        x,
        y,
        xTitle: 'logit of the rank',
        yTitle: 'halves',
        marks: bars,
      })}
      <p class="small">
        To the left of zero, hatched, the chosen trial is below the median out of sample: ${decimalText(probability, 2)}
        of the halves.${spread}
      </p>`,
  });
}

/** The winners out of sample; nothing without a split. */
export function splitCard({ judgement }: StudyReport): Markup {
  const split = judgement?.split ?? null;
  if (split === null) return NO_MARKUP;
  const { curve, windows, trials } = split;
  const body = html`${curve.length === 0 ? NO_MARKUP : curvePlot(split)}
    <div class="scroll" tabindex="0" role="region" aria-label="Windows">
      <table class="figures">
        <thead>
          <tr>
            ${['Test', 'Groups trained', 'Tested', 'Winner', 'In sample', 'Out of sample', 'Place'].map(
              (title) => html`<th scope="col">${title}</th>`,
            )}
          </tr>
        </thead>
        <tbody>
          ${windows.map((window) => windowRow(window, trials))}
        </tbody>
      </table>
    </div>`;
  const title = split.kind === 'walk-forward' ? 'Walk-forward' : 'Out of sample';
  return card(title, {
    id: 'split',
    remark: 'profit per event group of the trial that is best on each training part',
    body,
  });
}

const windowRow = (
  { cut, testBlocks, trainGroups, testGroups, winner, inside, outside, rank }: WindowResult,
  trials: number,
): Markup =>
  html`<tr>
    <td>
      ${cut === null ? (testBlocks.length === 0 ? 'validation' : `block ${testBlocks.map((block) => block + 1).join(' + ')}`) : `from ${timeText(cut)}`}
    </td>
    <td>${trainGroups}</td>
    <td>${testGroups}</td>
    <td>${winner === null ? 'none' : `#${winner}`}</td>
    <td>${inside === null ? '–' : signedCents(inside)}</td>
    <td>${outside === null ? '–' : signedCents(outside)}</td>
    <td>${rank === null ? '–' : `${rank} of ${trials}`}</td>
  </tr>`;

function curvePlot({ curve, windows }: SplitResults): Markup {
  const profits = [0, ...curve.map(({ profit }) => profit)];
  const x = linearScale(0, curve.length);
  const y = valueScale(profits, (value) => signedCents(value));
  const points = profits.map((profit, at) => `${placeX(x.shareOf(at), true)},${placeY(y.shareOf(profit))}`).join(' ');
  const zero = placeY(y.shareOf(0));
  const total = curve.at(-1)?.profit ?? 0;
  return html`${drawPlot({
      label: 'Profit of the winners out of sample, event group by event group',
      x,
      y,
      xTitle: 'event groups, in the sequence of settlement',
      yTitle: 'profit',
      marks: [
        html`<line class="equal" x1="${placeX(0, true)}" x2="${placeX(1, true)}" y1="${zero}" y2="${zero}" />`,
        html`<polyline class="curve" points="${points}" />`,
      ],
      isWide: true,
    })}
    <p class="small">
      ${signedCents(total)} over ${countedNoun(curve.length, 'event group')} in
      ${countedNoun(windows.length, 'window')}.
    </p>`;
}
