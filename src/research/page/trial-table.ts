// The table of all trials. A script sorts it; without the script, it is in the sequence of the best.
import { MINUS } from '../../domain/amounts.ts';
import { type Markup, NO_MARKUP, html } from '../../report/page/markup.ts';
import { card } from '../../report/page/page-head.ts';
import { countedNoun, decimalText, signedCents } from '../../report/text/figure-text.ts';
import { figureValueText } from './plot-scale.ts';
import type { PageTrial, StudyReport } from './study-report.ts';

interface Column {
  readonly title: string;
  readonly cell: (trial: PageTrial) => { readonly value: number | null; readonly text: string };
}

const NONE = { value: null, text: '–' };

type FigureColumn = Column & { readonly figure: string };

const figureColumn = (title: string, figure: string, show: (value: number) => string): FigureColumn => ({
  title,
  figure,
  cell: ({ figures }) => {
    const value = figures[figure] ?? null;
    return value === null ? NONE : { value, text: show(value) };
  },
});

/** Digits of a parameter: the best trials are near each other, and with fewer digits they would look equal. */
const SHOWN_DIGITS = 6;

const paramColumn = (name: string): Column => ({
  title: name,
  cell: ({ params }) => {
    const value = params[name];
    if (value === undefined) return NONE;
    return typeof value === 'number'
      ? { value, text: String(Number(value.toPrecision(SHOWN_DIGITS))).replace('-', MINUS) }
      : { value: null, text: String(value) };
  },
});

function columnsOf({ objectives, importances }: StudyReport): Column[] {
  const named = new Set(objectives.map(({ figure }) => figure));
  const usual = [
    figureColumn('profit', 'profit', signedCents),
    figureColumn('Sharpe over traded groups', 'sharpePerGroup', (value) => decimalText(value, 2)),
    figureColumn('drawdown', 'maxDrawdown', (value) => figureValueText('maxDrawdown', value)),
    figureColumn('trades', 'fills', (value) => String(value)),
  ].filter(({ figure }) => !named.has(figure));
  return [
    ...objectives.map(({ figure }, at): Column => ({
      title: figure,
      cell: ({ values }) => {
        const value = values[at];
        return value === undefined ? NONE : { value, text: figureValueText(figure, value) };
      },
    })),
    ...importances.map(({ name }) => paramColumn(name)),
    ...usual,
  ];
}

/** The card of the table. */
export function trialCard(report: StudyReport): Markup {
  const columns = columnsOf(report);
  const rows = report.trials.toSorted((a, b) => placeOf(a) - placeOf(b) || a.n - b.n);
  const body = html`<div class="scroll tall" tabindex="0" role="region" aria-label="Trials">
      <table class="figures sortable" id="trials">
        <thead>
          <tr>
            ${['Trial', 'End', ...columns.map(({ title }) => title)].map(
              (title, at) =>
                html`<th scope="col" class="${at === 1 ? 'words' : ''}"><button type="button">${title}</button></th>`,
            )}
          </tr>
        </thead>
        <tbody>
          ${rows.map((trial) => rowOf(trial, columns, report.best))}
        </tbody>
      </table>
    </div>
    ${openingText(report)}`;
  const remark = `${countedNoun(report.trials.length, 'trial')}; selecting above shows fewer`;
  return card('Trials', { id: 'trial-card', remark, body });
}

/** The best first; trials that broke a constraint or did not finish last. */
const placeOf = ({ place, end }: PageTrial): number => place ?? (end === 'finished' ? 1e6 : 2e6);

function rowOf(trial: PageTrial, columns: readonly Column[], best: number | null): Markup {
  const { n, href, end, error, isFeasible } = trial;
  const name = html`#${n}${n === best ? html` <span class="badge">best</span>` : NO_MARKUP}`;
  const ended = end === 'finished' && !isFeasible ? 'breaks a constraint' : end;
  return html`<tr data-n="${n}">
    <td data-v="${n}">${href === null ? name : html`<a href="${href}">${name}</a>`}</td>
    <td class="words">${ended}${error === null ? NO_MARKUP : html`<small>${error}</small>`}</td>
    ${columns.map(({ cell }) => {
      const { value, text } = cell(trial);
      return html`<td data-v="${value === null && text !== '–' ? text : (value ?? '')}">${text}</td>`;
    })}
  </tr>`;
}

function openingText({ trials, file }: StudyReport): Markup {
  const linked = trials.filter(({ href }) => href !== null).length;
  const command = `presage study report ${file} --html study.html --trials-html 10`;
  return linked > 0
    ? html`<p class="small">A number that is a link opens the trial’s own report.</p>`
    : html`<p class="small">
        This command also writes the own reports of the ten best trials, and links them here:
        <code class="mono">${command}</code>
      </p>`;
}
