// The top of the page: the run, its result, and the main figures.
import {
  NO_VALUE,
  centsEach,
  summedContracts,
  countedNoun,
  countText,
  roundedDollars,
  durationText,
  shareText,
  signedRounded,
  timeText,
} from '../text/figure-text.ts';
import type { ConfidenceInterval, Report } from '../statement/report.ts';
import { explainedName, explainedProfit } from '../statement/profit-parts.ts';
import { lockedReturnText, proofText, yearText } from '../text/result-text.ts';
import { type Markup, NO_MARKUP, html } from './markup.ts';

/** Returns the CSS class of a gain or a loss. */
export const toneOf = (value: number | null): string => {
  if (value === null || value === 0) return '';
  return value > 0 ? 'gain' : 'loss';
};

const JUMPS: readonly (readonly [id: string, name: string])[] = [
  ['profit', 'Where it came from'],
  ['time', 'Over time'],
  ['markouts', 'Markouts'],
  ['tables', 'Tables'],
  ['trades', 'Trades'],
  ['conduct', 'Orders, denials, budgets'],
  ['basis', 'What it is based on'],
];

/** The hash of the run's decisions distinguishes two runs. A live session has none. */
const decisionLine = ({ decisionHash, seed }: Report['run']): Markup =>
  decisionHash === ''
    ? NO_MARKUP
    : html`<div class="soft small">
        decisions <span class="mono">${decisionHash.slice(0, 16)}</span> · seed ${seed}
      </div>`;

/** Name and time of the run, and links to the sections. */
export const pageHead = ({ run }: Report): Markup =>
  html`<header class="top">
    <div>
      <h1>${run.name} <span class="badge">${run.kind}</span></h1>
      <div class="soft small">
        ${timeText(run.from)} to ${timeText(run.to)} UTC ·
        ${durationText(run.to - run.from)}${run.events === 0 ? '' : ` · ${countedNoun(run.events, 'event')}`}
      </div>
      ${decisionLine(run)}
      <nav class="jumps" aria-label="Sections">${JUMPS.map(([id, name]) => html`<a href="#${id}">${name}</a>`)}</nav>
    </div>
    <button id="theme" class="plain" type="button" hidden>Dark</button>
  </header>`;

/** The result, and whether it proves anything. */
export function verdictBox(report: Report): Markup {
  const { headline, faults, neverReady, fillCount, expectancy } = report;
  const { verdict } = expectancy;
  const isDoubtful = fillCount === 0 || verdict === 'proves-nothing' || verdict === 'not-distinguishable';
  const hasFailed = faults.length > 0 || neverReady !== null;
  const tone = isDoubtful ? 'doubt' : verdict;
  return html`<div class="verdict ${hasFailed ? 'loss' : tone}"><strong>${headline}</strong>${proofText(report)}</div>`;
}

interface Tile {
  readonly name: string;
  readonly figure: string;
  readonly remark: string;
  readonly tone?: string;
}

const rangeOf = (interval: ConfidenceInterval | null, show: (value: number) => string): string =>
  interval === null ? 'no interval: one event group, or none' : `95%: ${show(interval.low)} to ${show(interval.high)}`;

/** The main figures. */
export const figureTiles = (report: Report): Markup =>
  html`<dl class="tiles">
    ${tileList(report).map(
      ({ name, figure, remark, tone = '' }) =>
        html`<div class="tile">
          <dt>${name}</dt>
          <dd><span class="${tone}">${figure}</span><small>${remark}</small></dd>
        </div>`,
    )}
  </dl>`;

function tileList(report: Report): Tile[] {
  const { account, expectancy, capital, drawdown, trading } = report;
  const deepest = drawdown.drawdown;
  return [
    {
      name: `${explainedName(report)}, after fees`,
      figure: signedRounded(explainedProfit(report)),
      remark: rangeOf(account.interval, signedRounded),
      tone: toneOf(explainedProfit(report)),
    },
    {
      name: 'Per contract, settled markets',
      figure: centsEach(expectancy.perContract),
      remark: rangeOf(expectancy.interval, centsEach),
      tone: toneOf(expectancy.perContract),
    },
    {
      name: 'Return per locked day',
      figure: lockedReturnText(report),
      remark: yearText(report),
      tone: lockedReturnText(report) === NO_VALUE ? '' : toneOf(capital.returnPerDay),
    },
    {
      name: 'Deepest drawdown',
      figure: deepest === null ? NO_VALUE : roundedDollars(-deepest.depth),
      remark:
        deepest === null
          ? 'equity never fell from a peak'
          : `${shareText(drawdown.share, (drawdown.share ?? 0) < 0.01 ? 3 : 1)} of the peak; ${durationText(drawdown.underwaterMax)} under water at most`,
    },
    {
      name: 'Fill ratio',
      figure: shareText(trading.fillRatio),
      remark: `${summedContracts(trading.qty)} of ${summedContracts(trading.askedQty)} contracts ordered`,
    },
    {
      name: 'Maker share',
      figure: shareText(trading.makerShare),
      remark: `${countedNoun(trading.fills, 'trade')} from ${countedNoun(trading.orders, 'order')}`,
    },
    {
      name: 'Turnover',
      figure: roundedDollars(trading.turnover),
      remark: trading.turns === null ? '' : `${countText(Math.round(trading.turns))} × the average locked capital`,
    },
    {
      name: 'Capital locked',
      figure: capital.lockedMean === null ? NO_VALUE : roundedDollars(Math.round(capital.lockedMean)),
      remark: `on average; ${roundedDollars(capital.lockedMax)} at most`,
    },
  ];
}

/** Returns a card of the page: a title, a remark and a body. */
export const card = (
  title: string,
  of: { readonly id?: string; readonly remark?: string; readonly body: Markup },
): Markup =>
  html`<section class="card" id="${of.id ?? ''}">
    <header>
      <h2>${title}</h2>
      ${of.remark === undefined ? NO_MARKUP : html`<p>${of.remark}</p>`}
    </header>
    ${of.body}
  </section>`;
