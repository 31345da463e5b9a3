// The account over time, with the coverage of the tape beneath.
import { durationText, shareText } from '../text/figure-text.ts';
import type { Report } from '../statement/report.ts';
import { card } from './page-head.ts';
import { type Markup, NO_MARKUP, html } from './markup.ts';
import { equityWords } from './page-cards.ts';

/** Returns the card with equity, drawdown, locked capital and coverage. */
export function timeCard(report: Report): Markup {
  if (report.equity.length < 2)
    return card('Over time', {
      id: 'time',
      body: html`<p class="empty">The account was sampled at most once: there is nothing to draw.</p>`,
    });
  const body = html`<div class="plot-title">Equity: cash, and positions at their marks</div>
    <div class="plot" id="plot-equity" role="img" aria-label="Equity over time, ${equityWords(report)}"></div>
    <div class="plot-title">Drawdown: below the highest equity so far</div>
    <div class="plot" id="plot-drawdown" role="img" aria-label="Drawdown over time"></div>
    <div class="plot-title">Locked: what positions cost and unfinished orders reserve</div>
    <div class="plot" id="plot-locked" role="img" aria-label="Locked capital over time"></div>
    ${coverageStrip(report)}`;
  return card('Over time', {
    id: 'time',
    remark: `equity ${equityWords(report)}; drag to zoom in, double-click for all`,
    body,
  });
}

function coverageStrip({ coverage, run }: Report): Markup {
  if (coverage === null) return NO_MARKUP;
  const span = Math.max(1, run.to - run.from);
  const placeOf = (at: number): number =>
    Math.round((Math.min(run.to, Math.max(run.from, at)) - run.from) * (10_000 / span)) / 100;
  const bar = (from: number, to: number, kind: string): Markup => {
    const left = placeOf(from);
    return html`<rect class="${kind}" x="${left}%" width="${Math.max(0.15, placeOf(to) - left)}%" height="14" />`;
  };
  const gaps = coverage.gaps.filter(({ from, to }) => to > run.from && from < run.to);
  const words = `Coverage of the tape: ${shareText(coverage.share, 2)} of the time${coverage.gapCount === 0 ? ', no gaps' : `; ${durationText(coverage.gapTime)} missing`}`;
  return html`<div class="plot-title">${words}</div>
    <div class="strip">
      <svg role="img" aria-label="${words}">
        ${bar(coverage.from, coverage.to, 'covered')}${gaps.map(({ from, to }) => bar(from, to, 'gap'))}
      </svg>
    </div>`;
}
