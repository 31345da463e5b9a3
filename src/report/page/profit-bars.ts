// The parts of the profit as bars. Each bar begins where the previous one ended. The last bar is the profit, from zero.
import { signedExact } from '../text/figure-text.ts';
import { PROFIT_PARTS } from '../statement/profit-parts.ts';
import type { Report } from '../statement/report.ts';
import { toneOf } from './page-head.ts';
import { type Markup, html } from './markup.ts';

/** Returns the parts as a table with a bar in each row. */
export function profitBars({ split }: Report): Markup {
  const shown = PROFIT_PARTS.filter(({ part, isAlways }) => isAlways || split[part] !== 0);
  const reached = [0];
  for (const { part } of shown) reached.push((reached.at(-1) ?? 0) + split[part]);
  const low = Math.min(...reached);
  const span = Math.max(...reached) - low || 1;
  const placeOf = (money: number): number => Math.round(((money - low) / span) * 9800) / 100 + 1;
  const rows = shown.map(({ part, name, means }, at) =>
    row({ name, means, amount: split[part] }, [placeOf(reached[at] ?? 0), placeOf(reached[at + 1] ?? 0)], placeOf(0)),
  );
  const last = row(
    { name: 'Profit', means: '', amount: split.profit },
    [placeOf(0), placeOf(split.profit)],
    placeOf(0),
  );
  return html`<table class="split">
    <tbody>
      ${rows}${last}
    </tbody>
  </table>`;
}

interface Row {
  readonly name: string;
  readonly means: string;
  readonly amount: number;
}

function row({ name, means, amount }: Row, [from, to]: readonly [number, number], zero: number): Markup {
  const left = Math.min(from, to);
  const width = amount === 0 ? 0 : Math.max(0.4, Math.abs(to - from));
  return html`<tr>
    <td class="part">${name}<small>${means}</small></td>
    <td class="bar">
      <svg role="img" aria-label="${name} ${signedExact(amount)}">
        <line class="bar-zero" x1="${zero}%" x2="${zero}%" y1="0" y2="22" />
        <rect class="bar-${toneOf(amount)}" x="${left}%" width="${width}%" y="4" height="14" rx="2" />
      </svg>
    </td>
    <td class="amount ${toneOf(amount)}">${signedExact(amount)}</td>
  </tr>`;
}
