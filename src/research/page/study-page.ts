// A study as one HTML file that needs no network: the verdict leads. The content security policy allows the page's own script and
// styles by their hashes. Text from outside is escaped, never markup.
import { Markup, embedded, html } from '../../report/page/markup.ts';
import { PAGE_STYLES } from '../../report/page/page-styles.ts';
import type { PageAssets } from '../../report/page/html-page.ts';
import { countText, countedNoun, decimalText } from '../../report/text/figure-text.ts';
import type { Verdict } from '../statistics/study-verdict.ts';
import { VERDICT_WORDS, deflatedText, verdictSentences } from '../statistics/verdict-text.ts';
import { GAP_TEXTS, overfittingCards, splitCard } from './overfit-cards.ts';
import { parallelCard, parallelData } from './parallel-card.ts';
import { figureValueText } from './plot-scale.ts';
import { frontCard, importanceCard, mapCard, sliceCard } from './sample-cards.ts';
import { STUDY_SCRIPT } from './study-page-script.ts';
import { STUDY_STYLES } from './study-page-styles.ts';
import type { StudyReport } from './study-report.ts';
import { trialCard } from './trial-table.ts';

const TONES: Readonly<Record<Verdict, string>> = {
  luck: 'doubt',
  better: 'gain',
  'losses-unseen': 'doubt',
  unknown: 'doubt',
};

/** Renders a study as a complete page. */
export function renderStudy(report: StudyReport, { sha256 }: Pick<PageAssets, 'sha256'>): string {
  const styles = PAGE_STYLES + STUDY_STYLES;
  const policy = `default-src 'none'; script-src 'sha256-${sha256(STUDY_SCRIPT)}'; style-src 'sha256-${sha256(styles)}'; base-uri 'none'; form-action 'none'`;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="referrer" content="no-referrer" />
        <title>${report.name} · study</title>
        ${new Markup(`<style>${styles}</style>`)}
      </head>
      <body>
        ${pageHead(report)}
        <main>
          ${verdictBox(report)} ${tiles(report)} ${parallelCard(report)} ${importanceCard(report)} ${sliceCard(report)}
          ${mapCard(report)} ${frontCard(report)} ${overfittingCards(report)} ${splitCard(report)} ${trialCard(report)}
        </main>
        <footer>
          Made by Presage. The formulas are in docs/how-to/run-a-study.md, with their sources. Past results are not a
          promise.
        </footer>
        <script type="application/json" id="study-data">
          ${embedded(parallelData(report))}
        </script>
        ${new Markup(`<script>${STUDY_SCRIPT}</script>`)}
      </body>
    </html> `.text;
}

const pageHead = ({ name, hash, lag, objectives }: StudyReport): Markup =>
  html`<header class="top">
    <div>
      <h1>${name} <span class="badge">study</span></h1>
      <div class="soft small">
        ${objectives.map(({ figure, isMaximized }) => `${isMaximized ? 'maximize' : 'minimize'} ${figure}`).join(', ')}
        · lag ${lag} · study <span class="mono">${hash.slice(0, 16)}</span>
      </div>
    </div>
    <button id="theme" class="plain" type="button" hidden>Dark</button>
  </header>`;

function verdictBox({ judgement }: StudyReport): Markup {
  if (judgement === null)
    return html`<div class="verdict doubt"><strong>No trial has finished within the constraints.</strong></div>`;
  const { n, verdict, unsettled } = judgement;
  const left = unsettled === 0 ? '' : ` ${countedNoun(unsettled, 'event group')} without a result: not counted.`;
  return html`<div class="verdict ${TONES[verdict.verdict]}">
    <strong>Trial #${n} is the best: ${VERDICT_WORDS[verdict.verdict]}</strong>
    <p>${verdictSentences(verdict).join(' ')}${left}</p>
  </div>`;
}

function tiles({ trials, best, objectives, judgement, overfittingGap }: StudyReport): Markup {
  const count = (end: string): number => trials.filter((trial) => trial.end === end).length;
  const chosen = trials.find(({ n }) => n === best);
  const [objective] = objectives;
  const verdict = judgement?.verdict ?? null;
  const list = [
    {
      name: `Best ${objective?.figure ?? ''}`,
      figure: objective && chosen ? figureValueText(objective.figure, chosen.values[0] ?? 0) : '–',
      remark: chosen ? `trial #${chosen.n}` : 'no trial keeps the constraints',
    },
    {
      name: 'Better than luck',
      figure: deflatedText(verdict?.deflated ?? null),
      remark: 'deflated probability; above 0.95 counts',
    },
    {
      name: 'Overfitting',
      figure: decimalText(verdict?.overfitting?.probability ?? null, 2),
      remark: verdict?.overfitting
        ? `pure luck: ${decimalText(verdict.overfitting.luck.low, 2)} to ${decimalText(verdict.overfitting.luck.high, 2)}`
        : overfittingGap === null
          ? 'no trial keeps the constraints'
          : GAP_TEXTS[overfittingGap],
    },
    {
      name: 'Trials',
      figure: countText(trials.length),
      remark: `${count('finished')} finished, ${count('pruned')} pruned, ${count('failed')} failed, ${count('open')} open`,
    },
  ];
  return html`<dl class="tiles">
    ${list.map(
      ({ name, figure, remark }) =>
        html`<div class="tile">
          <dt>${name}</dt>
          <dd>${figure}<small>${remark}</small></dd>
        </div>`,
    )}
  </dl>`;
}
