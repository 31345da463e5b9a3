// A report as one HTML file that needs no network. The content security policy allows only the two scripts and two
// styles inside, by their hashes. Text from outside is escaped, never markup.
import { countedNoun, countText } from '../text/figure-text.ts';
import { card, pageHead, figureTiles, verdictBox } from './page-head.ts';
import { Markup, embedded, html } from './markup.ts';
import { basisCards, budgetCard, denialCard, forecastCard, markoutCard, orderCard } from './page-cards.ts';
import { FILLS_MAX, plotDataOf } from './plot-data.ts';
import { profitBars } from './profit-bars.ts';
import { PAGE_SCRIPT } from './page-script.ts';
import { PAGE_STYLES } from './page-styles.ts';
import { tables } from './page-tables.ts';
import { timeCard } from './time-card.ts';
import type { Report } from '../statement/report.ts';

/** The inputs of a page besides the report. The code in this folder reads no file and computes no hash. */
export interface PageAssets {
  /** The plotting library, as a script that defines `uPlot`. */
  readonly plotScript: string;
  readonly plotStyles: string;
  /** SHA-256 of a text in UTF-8, in base64. */
  readonly sha256: (text: string) => string;
}

/** The content security policy of every report: it allows the scripts and styles of the page by their hashes alone. */
export function reportPolicy({ plotScript, plotStyles, sha256 }: PageAssets): string {
  const hashes = (...texts: readonly string[]): string => texts.map((text) => `'sha256-${sha256(text)}'`).join(' ');
  const [scripts, styles] = [hashes(plotScript, PAGE_SCRIPT), hashes(plotStyles, PAGE_STYLES)];
  return `default-src 'none'; script-src ${scripts}; style-src ${styles}; base-uri 'none'; form-action 'none'`;
}

/** Renders a report as a complete page. */
export function renderHtml(report: Report, assets: PageAssets): string {
  const scripts = [assets.plotScript, PAGE_SCRIPT];
  const styles = [assets.plotStyles, PAGE_STYLES];
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${reportPolicy(assets)}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="referrer" content="no-referrer" />
        <title>${report.run.name} · ${report.run.kind}</title>
        ${styles.map((text) => inside('style', text))}
      </head>
      <body>
        ${pageHead(report)}
        <main>
          ${verdictBox(report)} ${figureTiles(report)}
          ${card('Where the profit came from', { id: 'profit', remark: 'the parts add up to the last millionth of a dollar', body: profitBars(report) })}
          ${timeCard(report)}
          <div class="pair">${markoutCard(report)}${forecastCard(report)}</div>
          ${card('Tables', { id: 'tables', body: tables(report) })} ${tradesCard(report)}
          <div class="pair" id="conduct">${orderCard(report)}${denialCard(report)}</div>
          ${budgetCard(report)} ${basisCards(report)}
        </main>
        <footer>
          Made by Presage, report version ${report.version}. Every formula is in docs/how-to/read-a-report.md. Past
          results are not a promise.
        </footer>
        <script type="application/json" id="report-data">
          ${embedded(plotDataOf(report))}
        </script>
        ${scripts.map((text) => inside('script', text))}
      </body>
    </html> `.text;
}

/** Inserts our own or the plotting library's text unchanged: the policy has the hash of exactly this text. */
const inside = (element: 'script' | 'style', text: string): Markup => new Markup(`<${element}>${text}</${element}>`);

function tradesCard({ fills, fillCount }: Report): Markup {
  if (fillCount === 0) return card('Trades', { id: 'trades', body: html`<p class="empty">There were no trades.</p>` });
  const shown = Math.min(fills.length, FILLS_MAX);
  const remark =
    shown === fillCount
      ? countedNoun(fillCount, 'trade')
      : `${countText(shown)} of ${countText(fillCount)} trades, evenly chosen`;
  const option = (value: string, name: string): Markup => html`<option value="${value}">${name}</option>`;
  const body = html`<div class="filters">
      <input type="search" id="trade-market" placeholder="Market" aria-label="Market" />
      <select id="trade-strategy" aria-label="Strategy">
        ${option('', 'Every strategy')}
      </select>
      <select id="trade-side" aria-label="Side">
        ${option('', 'Buys and sells')}${option('1', 'Buys')}${option('-1', 'Sells')}
      </select>
      <select id="trade-liquidity" aria-label="Maker or taker">
        ${option('', 'Makers and takers')}${option('0', 'Makers')}${option('1', 'Takers')}
      </select>
    </div>
    <div class="plot-title"><span id="trade-plot-name"></span></div>
    <div
      class="plot"
      id="plot-trades"
      role="img"
      aria-label="Trades over time: the figures are in the table beneath"
    ></div>
    <div class="scroll">
      <table class="figures" id="trade-table">
        <thead>
          <tr></tr>
        </thead>
        <tbody></tbody>
      </table>
    </div>
    <div class="pages">
      <button type="button" class="plain" id="trade-back">Back</button><span id="trade-count" aria-live="polite"></span
      ><button type="button" class="plain" id="trade-on">Next</button>
    </div> `;
  return card('Trades', { id: 'trades', remark, body });
}
