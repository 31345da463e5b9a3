// A comparison as one page: the verdict, the figures, each event group, and where the two part. The page needs no network
// and runs no script; text from outside is escaped.
import type { PageAssets } from '../../report/page/html-page.ts';
import { Markup, NO_MARKUP, html } from '../../report/page/markup.ts';
import { card, toneOf } from '../../report/page/page-head.ts';
import { PAGE_STYLES } from '../../report/page/page-styles.ts';
import { countedNoun, signedCents } from '../../report/text/figure-text.ts';
import {
  comparisonHeadline,
  comparisonSentences,
  denialsText,
  differenceText,
  factText,
  figureText,
  FIGURE_TITLES,
  rangeText,
  stepText,
} from './comparison-text.ts';
import type { ComparedFacts, ComparedGroup, RunComparison } from './group-comparison.ts';

const STYLES = `.compare{width:100%;border-collapse:collapse}
.compare th,.compare td{padding:6px 10px;border-bottom:1px solid var(--faint);text-align:right;white-space:nowrap}
.compare th:first-child,.compare td:first-child{text-align:left}
.compare td.value{white-space:normal;overflow-wrap:anywhere;min-width:10em}
.compare tr.differs td{font-weight:600}
.compare th{color:var(--soft);font-weight:500;font-size:13px}
.compare svg{width:180px;height:14px;display:block}
.compare .bar-gain{fill:var(--gain)}.compare .bar-loss{fill:var(--loss)}.compare .axis{stroke:var(--line)}
.wide{overflow-x:auto}`;

const VERDICT_TONES: Readonly<Record<RunComparison['verdict'], string>> = {
  same: '',
  first: 'gain',
  second: 'loss',
  unclear: 'doubt',
};

/** Renders a comparison as a complete page. */
export function renderComparison(comparison: RunComparison, { sha256 }: Pick<PageAssets, 'sha256'>): string {
  const styles = PAGE_STYLES + STYLES;
  const policy = `default-src 'none'; style-src 'sha256-${sha256(styles)}'; base-uri 'none'; form-action 'none'`;
  const { first, second, verdict } = comparison;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="referrer" content="no-referrer" />
        <title>A ${first.name} · B ${second.name}</title>
        ${new Markup(`<style>${styles}</style>`)}
      </head>
      <body>
        <header class="top">
          <div>
            <h1>A and B compared <span class="badge">by event group</span></h1>
            ${sideLine('A', first)} ${sideLine('B', second)}
          </div>
        </header>
        <main>
          <div class="verdict ${VERDICT_TONES[verdict]}">
            <strong>${comparisonHeadline(comparison)}</strong>
            ${comparisonSentences(comparison).map((sentence) => html`<div>${sentence}</div>`)}
          </div>
          ${card('Figures', { id: 'figures', remark: 'over the event groups of both sides', body: figureTable(comparison) })}
          ${partingCard(comparison)} ${parameterCard(comparison)}
          ${card('Event groups', { id: 'groups', remark: 'the largest difference first', body: groupTable(comparison) })}
        </main>
        <footer>Made by Presage. Intervals and p are by event group. Past results are not a promise.</footer>
      </body>
    </html> `.text;
}

const sideLine = (side: string, { name, kind, decisionHash, seed }: ComparedFacts): Markup =>
  html`<div class="soft small">
    <strong>${side}</strong> ${name} ·
    ${kind}${
      decisionHash === ''
        ? NO_MARKUP
        : html` · decisions <span class="mono">${decisionHash.slice(0, 16)}</span> · seed ${seed}`
    }
  </div>`;

function figureTable({ figures }: RunComparison): Markup {
  return html`<div class="wide" tabindex="0" role="region" aria-label="Figures">
    <table class="compare">
      <thead>
        <tr>
          <th scope="col">Figure</th>
          <th scope="col">A</th>
          <th scope="col">B</th>
          <th scope="col">A less B</th>
          <th scope="col">95%</th>
        </tr>
      </thead>
      <tbody>
        ${figures.map(
          (figure) =>
            html`<tr>
              <td>${FIGURE_TITLES[figure.name]}</td>
              <td>${figureText(figure.name, figure.first)}</td>
              <td>${figureText(figure.name, figure.second)}</td>
              <td>${differenceText(figure)}</td>
              <td>${rangeText(figure.name, figure.difference)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

function partingCard({ parting }: RunComparison): Markup {
  if (parting === null) return card('Decisions', { id: 'parting', body: html`<p>Every order is the same.</p>` });
  const { index, first, second, before } = parting;
  const remark =
    index === 0 ? 'at the first order' : `after ${countedNoun(index, 'equal order')}, ${denialsText(parting)}`;
  const body = html`<p><strong>A</strong> ${stepText(first)}</p>
    <p><strong>B</strong> ${stepText(second)}</p>
    <ul>
      ${before.map((fact) => html`<li>${factText(fact)}</li>`)}
    </ul>`;
  return card('Where they part', { id: 'parting', remark, body });
}

/** Every parameter of both sides, those that differ first. */
function parameterCard({ first, second }: RunComparison): Markup {
  const [own, other] = [paramsOf(first), paramsOf(second)];
  const names = [...new Set([...own.keys(), ...other.keys()])];
  const rows = names
    .map((name) => ({ name, first: own.get(name) ?? 'absent', second: other.get(name) ?? 'absent' }))
    .map((row) => ({ ...row, isEqual: row.first === row.second }))
    .sort((a, b) => Number(a.isEqual) - Number(b.isEqual));
  const differing = rows.filter(({ isEqual }) => !isEqual).length;
  const body = html`<div class="wide" tabindex="0" role="region" aria-label="Parameters">
    <table class="compare">
      <thead>
        <tr>
          <th scope="col">Parameter</th>
          <th scope="col">A</th>
          <th scope="col">B</th>
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr class="${row.isEqual ? '' : 'differs'}">
              <td>${row.name}</td>
              <td class="value mono">${row.first}</td>
              <td class="value mono">${row.second}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
  return card('Parameters', { id: 'parameters', remark: `${countedNoun(differing, 'difference')}, shown first`, body });
}

/** Parameters of all strategies, as JSON by the name of strategy and parameter. */
const paramsOf = ({ strategies }: ComparedFacts): Map<string, string> =>
  new Map(
    strategies.flatMap(({ name, params }) =>
      Object.entries(typeof params === 'object' && params !== null ? params : {}).map(
        ([param, value]): [string, string] => [`${name}: ${param}`, JSON.stringify(value)],
      ),
    ),
  );

const BAR = 180;
const HALF = BAR / 2;

function groupTable({ groups, firstOnly, secondOnly }: RunComparison): Markup {
  const differenceOf = ({ first, second }: ComparedGroup): number => first - second;
  const rows = groups.toSorted((a, b) => Math.abs(differenceOf(b)) - Math.abs(differenceOf(a)));
  const longest = Math.abs(rows[0] === undefined ? 0 : differenceOf(rows[0]));
  const left = [
    ...firstOnly.map((group) => ({ group, side: 'A' })),
    ...secondOnly.map((group) => ({ group, side: 'B' })),
  ];
  return html`<div class="wide" tabindex="0" role="region" aria-label="Event groups">
    <table class="compare">
      <thead>
        <tr>
          <th scope="col">Event group</th>
          <th scope="col">A</th>
          <th scope="col">B</th>
          <th scope="col">A less B</th>
          <th scope="col"><span class="soft">loss · gain of A over B</span></th>
        </tr>
      </thead>
      <tbody>
        ${rows.map((row) => {
          const difference = differenceOf(row);
          return html`<tr>
            <td>${row.group}${row.isSettled ? '' : ' (no result yet)'}</td>
            <td class="${toneOf(row.first)}">${signedCents(row.first)}</td>
            <td class="${toneOf(row.second)}">${signedCents(row.second)}</td>
            <td class="${toneOf(difference)}">${signedCents(difference)}</td>
            <td>${differenceBar(difference, longest)}</td>
          </tr>`;
        })}
      </tbody>
    </table>
    ${left.length === 0 ? NO_MARKUP : html`<p class="soft small">Left out, because only one side has them: ${left.map(({ group, side }) => `${group} (${side})`).join(', ')}</p>`}
  </div>`;
}

/** A bar to the right for a gain of A over B, to the left for a loss. */
function differenceBar(difference: number, longest: number): Markup {
  const length = longest === 0 ? 0 : (Math.abs(difference) / longest) * HALF;
  const from = difference < 0 ? HALF - length : HALF;
  return html`<svg viewBox="0 0 ${BAR} 14" aria-hidden="true">
    <line class="axis" x1="${HALF}" x2="${HALF}" y1="0" y2="14" />
    <rect
      class="bar-${difference < 0 ? 'loss' : 'gain'}"
      x="${from.toFixed(1)}"
      y="2"
      width="${length.toFixed(1)}"
      height="10"
    />
  </svg>`;
}
