// The views of the page, and the faults that a browser finds in each: one that scrolls sideways, and what axe calls serious.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import type { Visit } from './chromium.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
export const TICKER = 'RAIN-OSLO-26NOV23-T0';

/** The views: their addresses, and a text or an element that only their data brings. */
export const VIEWS: readonly (readonly [name: string, fragment: string, shows: string])[] = [
  ['all bots', '#/', '.bot-card'],
  ['overview', '#/b/demo', '.ticker-cell'],
  ['markets', '#/b/demo/markets', '.grid-space .c-day'],
  ['market', `#/b/demo/market/${TICKER}`, '.plot canvas'],
  ['orders', '#/b/demo/orders', '.order-row'],
  ['an order', '#/b/demo/orders/a1-q-0003', '.state-line li'],
  ['strategies', '#/b/demo/strategies', '.remarks li'],
  ['risk', '#/b/demo/risk', '.group tbody tr'],
  ['feed', '#/b/demo/feed', '.pairs dd'],
  ['timeline', '#/b/demo/timeline?kind=all', '.events li'],
  ['why', `#/b/demo/why?market=${TICKER}&strategy=quoter`, '.checks .fail'],
  ['why of an order', '#/b/demo/why?order=a1-q-0001', '.chain li'],
];

interface Violation {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary?: string }[];
}

/** Returns the faults of weight that axe finds. The source is evaluated, since the policy allows no inline script. */
async function faultsOf(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const violations = await page.evaluate<Violation[]>('axe.run(document).then(({ violations }) => violations)');
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')} ${failureSummary}`),
    );
}

/** Figures that are cut off, or run into the next one. */
const CUT_FIGURES = `[...document.querySelectorAll('main dd, main .table-scroll:has(.ticker-cell)')]
  .filter((box) => box.scrollWidth > box.clientWidth + 1).map((box) => box.textContent.slice(0, 60))`;

/** Opens every view in turn, and returns the faults of each that has some. */
export async function faultsOfViews({ page, goTo }: Visit): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const [name, fragment, shows] of VIEWS) {
    await goTo(fragment);
    await page.waitForSelector(shows);
    const isTooWide = await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth');
    const faults = [...(await faultsOf(page)), ...(await page.evaluate<string[]>(CUT_FIGURES))];
    if (isTooWide || faults.length > 0) found[name] = { isTooWide, faults };
  }
  return found;
}
