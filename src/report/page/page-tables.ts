// The run by market, event group, series, strategy and liquidity. A script makes the tables sortable.
import {
  NO_VALUE,
  centsEach,
  summedContracts,
  countText,
  roundedDollars,
  shareText,
  signedCents,
} from '../text/figure-text.ts';
import type { ReportLine, Report } from '../statement/report.ts';
import { toneOf } from './page-head.ts';
import { type Markup, NO_MARKUP, html } from './markup.ts';

/** Maximum number of lines in one table of the page: as many of the largest profits as of the smallest. The JSON has all lines. */
const LINES_MAX = 1000;

interface Column {
  readonly name: string;
  readonly hint: string;
  readonly value: (line: ReportLine) => number | null;
  readonly show: (line: ReportLine) => string;
  readonly isTinted?: boolean;
  readonly isOfMarkets?: boolean;
}

const money = (name: string, hint: string, value: (line: ReportLine) => number): Column => ({
  name,
  hint,
  value,
  show: (line) => signedCents(value(line)),
  isTinted: true,
});

const COLUMNS: readonly Column[] = [
  money('Profit', 'after fees', ({ split }) => split.profit),
  money('Spread', 'traded better than the mid', ({ split }) => split.spread),
  money('Adverse', 'what the mid did in the minute after', ({ split }) => split.adverse),
  money(
    'Holding',
    'from then to settlement or mark',
    ({ split }) => split.settlement + split.marked + split.unsplit + split.carried,
  ),
  money('Fees', 'what the venue charged', ({ split }) => split.fees),
  { name: 'Trades', hint: 'fills', value: ({ fills }) => fills, show: ({ fills }) => countText(fills) },
  { name: 'Contracts', hint: 'traded', value: ({ qty }) => qty, show: ({ qty }) => summedContracts(qty) },
  {
    name: 'Turnover',
    hint: 'money that changed hands',
    value: ({ turnover }) => turnover,
    show: ({ turnover }) => roundedDollars(turnover),
  },
  {
    name: 'Filled',
    hint: 'contracts traded, as a share of those ordered',
    value: ({ fillRatio }) => fillRatio,
    show: ({ fillRatio }) => shareText(fillRatio),
  },
  {
    name: 'Maker',
    hint: 'contracts that rested, as a share of those traded',
    value: ({ makerShare }) => makerShare,
    show: ({ makerShare }) => shareText(makerShare, 0),
  },
  {
    name: 'Each',
    hint: 'profit per contract',
    value: ({ perContract }) => perContract,
    show: ({ perContract }) => centsEach(perContract),
    isTinted: true,
  },
  {
    name: 'Held',
    hint: 'contracts still held: + YES, − NO',
    value: ({ held }) => held,
    show: ({ held }) => (held === null ? NO_VALUE : summedContracts(held)),
    isOfMarkets: true,
  },
];

interface Table {
  readonly id: string;
  readonly name: string;
  readonly lines: readonly ReportLine[];
}

/** Returns all tables, each in a tab. */
export function tables(report: Report): Markup {
  const all: readonly Table[] = [
    { id: 'market', name: 'Markets', lines: report.byMarket },
    { id: 'group', name: 'Event groups', lines: report.byGroup },
    { id: 'series', name: 'Series', lines: report.bySeries },
    { id: 'strategy', name: 'Strategies', lines: report.byStrategy },
    { id: 'liquidity', name: 'Makers and takers', lines: report.byLiquidity },
  ];
  const tabs = all.map(
    ({ id, name, lines }, at) =>
      html`<button
        type="button"
        role="tab"
        id="tab-${id}"
        aria-controls="panel-${id}"
        aria-selected="${at === 0 ? 'true' : 'false'}"
      >
        ${name} <span class="soft">${countText(lines.length)}</span>
      </button>`,
  );
  return html`<div class="filters">
      <div class="tabs" role="tablist">${tabs}</div>
      <input type="search" id="table-filter" placeholder="Find a name" aria-label="Find a name in the tables" hidden />
    </div>
    ${all.map(panel)}`;
}

function panel({ id, lines }: Table): Markup {
  const shown = firstAndLast(lines);
  const columns = COLUMNS.filter(({ isOfMarkets }) => isOfMarkets !== true || id === 'market');
  const head = columns.map(
    ({ name, hint }, at) =>
      html`<th scope="col" title="${hint}" ${sortAttribute(at === 0)}><button type="button">${name}</button></th>`,
  );
  const body =
    shown.length === 0
      ? html`<p class="empty">Nothing to show.</p>`
      : html`<div class="scroll tall">
          <table class="figures sortable">
            <thead>
              <tr>
                <th scope="col"><button type="button">Name</button></th>
                ${head}
              </tr>
            </thead>
            <tbody>
              ${shown.map((line) => lineRow(line, columns))}
            </tbody>
          </table>
        </div>`;
  const left = lines.length - shown.length;
  const more =
    left > 0
      ? html`<p class="soft small">
          The ${countText(LINES_MAX / 2)} with the largest profit and the ${countText(LINES_MAX / 2)} with the smallest;
          ${countText(left)} between them are in the JSON.
        </p>`
      : NO_MARKUP;
  return html`<div role="tabpanel" id="panel-${id}" aria-labelledby="tab-${id}">${body}${more}</div>`;
}

/** The lines are sorted by profit. A table of the first alone would hide every loss. */
const firstAndLast = (lines: readonly ReportLine[]): readonly ReportLine[] =>
  lines.length <= LINES_MAX ? lines : [...lines.slice(0, LINES_MAX / 2), ...lines.slice(-LINES_MAX / 2)];

const sortAttribute = (isSorted: boolean): Markup => (isSorted ? html`aria-sort="descending"` : NO_MARKUP);

const lineRow = (line: ReportLine, columns: readonly Column[]): Markup =>
  html`<tr>
    <td title="${line.name}">
      ${line.name}${line.title === '' || line.title === line.name ? NO_MARKUP : html`<small title="${line.title}">${line.title}</small>`}
    </td>
    ${columns.map(
      ({ value, show, isTinted }) =>
        html`<td data-v="${value(line) ?? ''}" class="${isTinted === true ? toneOf(value(line)) : ''}">
          ${show(line)}
        </td>`,
    )}
  </tr>`;
