// The cards of the page other than profit, time, tables and trades.
import {
  centsEach,
  countedNoun,
  countText,
  decimalText,
  durationText,
  exactDollars,
  shareText,
  signedShare,
  stateText,
  timeText,
} from '../text/figure-text.ts';
import { distinctCurves } from '../statement/markout-curves.ts';
import type { CoverageFigures, MarkoutPoint, Report } from '../statement/report.ts';
import { card, toneOf } from './page-head.ts';
import { type Markup, NO_MARKUP, html } from './markup.ts';

const HORIZONS: Readonly<Record<MarkoutPoint['horizon'], string>> = {
  trade: 'at once',
  '1s': 'after 1 s',
  '1m': 'after 1 min',
  close: 'at close',
  settlement: 'at settlement',
};

const figures = (head: readonly string[], rows: readonly (readonly (string | Markup)[])[], isWordy = false): Markup =>
  html`<div class="scroll${isWordy ? ' wordy' : ''}">
    <table class="figures">
      <thead>
        <tr>
          ${head.map((cell) => html`<th scope="col">${cell}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${row.map((cell) => html`<td>${cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;

const empty = (text: string): Markup => html`<p class="empty">${text}</p>`;

/** Returns the card of the markouts. */
export function markoutCard({ markouts }: Report): Markup {
  const curves = distinctCurves(markouts);
  const [first] = curves;
  if (first === undefined) return card('Markouts', { id: 'markouts', body: empty('There were no trades.') });
  const rows = first.points.map(({ horizon, fills, interval }, at) => [
    HORIZONS[horizon],
    ...curves.map(({ points }) => {
      const value = points[at]?.perContract ?? null;
      return html`<span class="${toneOf(value)}">${centsEach(value)}</span>`;
    }),
    interval === null ? '–' : `${centsEach(interval.low)} … ${centsEach(interval.high)}`,
    countText(fills),
  ]);
  const head = ['', ...curves.map(({ of }) => of), `95% of ${first.of}`, 'trades'];
  const body = html`<div
      class="plot"
      id="plot-markouts"
      role="img"
      aria-label="Markouts: the figures are in the table beneath"
    ></div>
    ${figures(head, rows)}`;
  return card('Markouts', { id: 'markouts', remark: 'how far a contract was ahead after a while, before fees', body });
}

/** Returns the card of the forecast scores, if any. */
export function forecastCard({ forecasts }: Report): Markup {
  if (forecasts.length === 0) return NO_MARKUP;
  const rows = forecasts.map(({ strategy, markets, brier, logLoss, paired }) => [
    strategy,
    countText(markets),
    decimalText(brier, 4),
    decimalText(paired.marketBrier, 4),
    decimalText(logLoss, 3),
    decimalText(paired.marketLogLoss, 3),
    html`<span class="${toneOf(paired.skill)}">${signedShare(paired.skill)}</span>`,
  ]);
  const head = ['', 'Markets', 'Brier', 'Market’s', 'Log loss', 'Market’s', 'Skill'];
  const gains = forecasts.map((score) => html`<li>${gainText(score)}</li>`);
  const body = html`<div
      class="plot"
      id="plot-calibration"
      role="img"
      aria-label="Share that came true by forecast probability, in tenths"
    ></div>
    ${figures(head, rows)}
    <ul class="notes small soft">
      ${gains}
    </ul>`;
  return card('Forecasts', {
    id: 'forecasts',
    remark: 'lower is better; skill above 0 beats the market’s own price',
    body,
  });
}

function gainText({ strategy, paired, groups }: Report['forecasts'][number]): string {
  const { gain, forecasts } = paired;
  if (gain === null) return `${strategy}: ${countedNoun(groups, 'event group')}, too few for an interval.`;
  const range = `${decimalText(gain.low, 4)} to ${decimalText(gain.high, 4)}`;
  const said =
    gain.low > 0
      ? 'better than the market'
      : gain.high < 0
        ? 'worse than the market'
        : 'not distinguishable from the market';
  return `${strategy}: advantage over the market in Brier score, 95%: ${range} over ${countedNoun(gain.groups, 'event group')}, ${countedNoun(forecasts, 'forecast')}: ${said}.`;
}

/** Returns the card of the orders by state, with the reasons for orders that were not sent or were rejected. */
export function orderCard({ trading }: Report): Markup {
  const states = Object.entries(trading.byState).filter(([, count]) => count > 0);
  const rows = states
    .sort((a, b) => b[1] - a[1])
    .map(([state, count]) => [stateText(state), countText(count), shareText(count / Math.max(1, trading.orders))]);
  const reasons = trading.ends.map(({ state, reason, count }) => [stateText(state), countText(count), reason]);
  const body =
    rows.length === 0
      ? empty('There were no orders.')
      : html`${figures(['State at the end', 'Orders', 'Share'], rows)}
        ${reasons.length === 0 ? NO_MARKUP : figures(['State', 'Orders', 'Why'], reasons, true)}`;
  return card('Orders', {
    remark: `${countedNoun(trading.orders, 'order')}, ${countText(trading.ordersTraded)} of which traded`,
    body,
  });
}

/** Returns the card of the denials by risk. */
export function denialCard({ denials }: Report): Markup {
  const rows = denials.map(({ code, strategy, count }) => [code, strategy, countText(count)]);
  const body = rows.length === 0 ? empty('Risk denied nothing.') : figures(['Reason', 'Strategy', 'Times'], rows);
  return card('Denied by risk', { body });
}

/** Returns the card of the rate budgets and the halts. */
export function budgetCard({ budgets, halts }: Report): Markup {
  const rows = budgets.map(({ budget, used, allowed, usedShare, leastLeft, capacity, refused }) => [
    budget,
    html`<svg class="meter" role="img" aria-label="${shareText(usedShare)} used">
        <rect class="meter-ground" width="100%" height="10" rx="5" />
        <rect class="meter-fill" width="${Math.min(100, (usedShare ?? 0) * 100)}%" height="10" rx="5" /></svg
      >${shareText(usedShare)}`,
    `${countText(used)} of ${countText(allowed)}`,
    `${countText(leastLeft)} of ${countText(capacity)}`,
    countText(refused),
  ]);
  const stopped = halts.map(({ at, scope, reason }) => html`<li>${timeText(at)} · ${scope}: ${reason}</li>`);
  const body = html`${figures(['Budget', 'Used', 'Units', 'Least left', 'Refused'], rows)}${
    stopped.length === 0
      ? NO_MARKUP
      : html`<h3>Halts</h3>
          <ul class="notes">
            ${stopped}
          </ul>`
  }`;
  return card('Rate budgets', { remark: 'the same budgets as live', body });
}

/** Returns the cards of assumptions, caveats, models and coverage. */
export function basisCards(report: Report): Markup {
  const { assumptions, caveats, run } = report;
  const items = (sentences: readonly string[]): Markup =>
    html`<ul class="notes">
      ${sentences.map((sentence) => html`<li>${sentence}</li>`)}
    </ul>`;
  return html`<div class="pair" id="basis">
      ${card('What this does not show', { body: items(caveats) })}${card('Assumptions', { body: items(assumptions) })}
    </div>
    <div class="pair">
      ${card('Models and parameters', { body: modelList(run) })}${card('Coverage', { body: coverageBody(report.coverage) })}
    </div>`;
}

function modelList(run: Report['run']): Markup {
  const models = Object.entries(run.models).map(
    ([name, model]) =>
      html`<dt>${name}</dt>
        <dd>${modelText(model)}</dd>`,
  );
  const strategies = run.strategies.map(
    ({ name, file, params }) =>
      html`<h3>${name} <span class="soft mono">${placeText(file)}</span></h3>
        <pre>${JSON.stringify(params, null, 2) ?? ''}</pre>`,
  );
  return html`<dl class="facts">
      <dt>kind</dt>
      <dd>${run.kind}</dd>
      ${models}
      ${
        run.decisionHash === ''
          ? NO_MARKUP
          : html`<dt>seed</dt>
              <dd>${run.seed}</dd>
              <dt>decision hash</dt>
              <dd class="mono">${run.decisionHash}</dd>`
      }
    </dl>
    ${strategies}`;
}

/** Settings in microseconds, by their names in the simulation's config. */
const DURATIONS: ReadonlySet<string> = new Set(['delay', 'median', 'p99']);

/** Keeps only the file and its folder: a page may be shared, and should not show the layout of this machine. */
const placeText = (file: string): string => file.split(/[\\/]/).slice(-2).join('/');

/** Formats a model and its settings: `constant, delay 150 ms`. */
function modelText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return JSON.stringify(value) ?? '';
  return Object.entries(value)
    .map(([name, each]) => {
      const text = modelText(each);
      if (name === 'model') return text;
      if (DURATIONS.has(name) && typeof each === 'number') return `${name} ${durationText(each)}`;
      return typeof each === 'object' ? `${name}: ${text}` : `${name} ${text}`;
    })
    .join(Object.values(value).some((each) => typeof each === 'object') ? '; ' : ', ');
}

function coverageBody(coverage: CoverageFigures | null): Markup {
  if (coverage === null) return empty('A live feed: nothing was replayed.');
  const { source, from, to, rows, share, gapTime, gapCount, partialGaps, gaps } = coverage;
  const list = longestOf(gaps).map((gap) => [timeText(gap.from), durationText(gap.to - gap.from), gap.reason]);
  return html`<dl class="facts">
      <dt>source</dt>
      <dd>${source}</dd>
      <dt>from</dt>
      <dd>${timeText(from)} UTC</dd>
      <dt>to</dt>
      <dd>${timeText(to)} UTC</dd>
      <dt>rows</dt>
      <dd>${countText(rows)}</dd>
      <dt>time covered</dt>
      <dd>${shareText(share, 2)}</dd>
      <dt>gaps</dt>
      <dd>
        ${countText(gapCount)} of all markets, ${durationText(gapTime)} in all; ${countText(partialGaps)} of some
        markets
      </dd>
    </dl>
    ${
      list.length === 0
        ? NO_MARKUP
        : html`<h3>${list.length < gapCount ? `The ${list.length} longest gaps` : 'Gaps'}</h3>
            ${figures(['From, UTC', 'Length', 'Reason'], list, true)}`
    }`;
}

const GAPS_MAX = 100;

/** In the sequence of time. */
const longestOf = (gaps: CoverageFigures['gaps']): CoverageFigures['gaps'] =>
  gaps
    .toSorted((a, b) => b.to - b.from - (a.to - a.from))
    .slice(0, GAPS_MAX)
    .sort((a, b) => a.from - b.from);

/** Equity at the start and the end of the plots, as text for screen readers. */
export const equityWords = ({ account }: Report): string =>
  `from ${exactDollars(account.openingEquity)} to ${exactDollars(account.closingEquity)}`;
