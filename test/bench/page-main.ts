// `npm run bench:page`: measures the console's page in a real browser: the first paint, and the frames while the table of
// 10,000 markets is scrolled with 500 rows changing four times a second. Its results hold for this machine and this run.
import { parseArgs } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { WIDE, launchBrowser, noBrowser, visitPage } from '../console/page/chromium.ts';

const MARKETS = 10_000;
const PAINT_MS_TARGET = 1000;
const FRAMES_TARGET = 30;
const SCROLL_MS = 6000;
/** Distance that each frame scrolls: more than the table's height, so that every row is a new one. Pixels. */
const STEP_PX = 900;

const { values: options } = parseArgs({
  options: {
    runs: { type: 'string', default: '5' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const runs = Number(options.runs);

if (options.help) {
  console.log(`npm run bench:page -- [--runs 5] [--json]

Opens the built page in chromium (PRESAGE_CHROMIUM names another program) at a console with ${MARKETS} made-up markets, and
measures the first paint (target: below ${PAINT_MS_TARGET} ms) and the frames a second while the table of markets is
scrolled (target: at least ${FRAMES_TARGET}). Ends with 1 when a median misses its target.

Examples:
  npm run bench:page
  npm run bench:page -- --runs 9 --json`);
  process.exit(0);
}
if (!Number.isInteger(runs) || runs < 1 || runs > 100) {
  console.error(`bench:page: --runs: expected a whole number from 1 to 100, found ${options.runs}`);
  process.exit(2);
}
if (noBrowser !== null) {
  console.error(`bench:page: ${noBrowser}`);
  process.exit(2);
}

/** Figures of one run. Milliseconds, and frames a second. */
interface PageFigures {
  readonly firstPaintMs: number;
  readonly framesPerSecond: number;
  readonly frameP50Ms: number;
  readonly frameP99Ms: number;
}

const SCROLL = `new Promise((done) => {
  const scroller = document.querySelector('.grid-scroll');
  const times = [];
  let down = 1;
  const frame = (at) => {
    times.push(at);
    if (at - times[0] > ${SCROLL_MS}) return done(times);
    const before = scroller.scrollTop;
    scroller.scrollTop = before + down * ${STEP_PX};
    if (scroller.scrollTop === before) down = -down;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
})`;
const PAINT = `performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null`;

const sorted = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b);
const quantile = (values: readonly number[], share: number): number =>
  sorted(values)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;

async function scrollFigures(page: Page): Promise<Omit<PageFigures, 'firstPaintMs'>> {
  const times = await page.evaluate<number[]>(SCROLL);
  const gaps = times.slice(1).map((at, i) => at - (times[i] ?? at));
  const span = (times.at(-1) ?? 0) - (times[0] ?? 0);
  return {
    framesPerSecond: (gaps.length * 1000) / span,
    frameP50Ms: quantile(gaps, 0.5),
    frameP99Ms: quantile(gaps, 0.99),
  };
}

async function measure(browser: Browser): Promise<PageFigures> {
  const visit = await visitPage(browser, { markets: MARKETS, context: { ...WIDE, reducedMotion: 'no-preference' } });
  try {
    const { page, goTo } = visit;
    await goTo('#/b/demo/markets');
    await page.reload();
    await page.waitForSelector('.grid-space .c-day');
    const firstPaintMs = await page.evaluate<number | null>(PAINT);
    if (firstPaintMs === null) throw new Error('the browser reported no first paint');
    return { firstPaintMs, ...(await scrollFigures(page)) };
  } finally {
    await visit.close();
  }
}

const browser = await launchBrowser();
const figures: PageFigures[] = [];
for (let run = 1; run <= runs; run++) {
  process.stderr.write(`run ${run}/${runs}\r`);
  figures.push(await measure(browser));
}
await browser.close();

const medianOf = (name: keyof PageFigures): number =>
  quantile(
    figures.map((each) => each[name]),
    0.5,
  );
const medians = {
  firstPaintMs: medianOf('firstPaintMs'),
  framesPerSecond: medianOf('framesPerSecond'),
  frameP50Ms: medianOf('frameP50Ms'),
  frameP99Ms: medianOf('frameP99Ms'),
};
const isMet = medians.firstPaintMs < PAINT_MS_TARGET && medians.framesPerSecond >= FRAMES_TARGET;
if (options.json) console.log(JSON.stringify({ runs, markets: MARKETS, medians, figures, isMet }, null, 2));
else
  console.log(`Medians of ${runs} runs at ${MARKETS} markets
first paint      ${medians.firstPaintMs.toFixed(0)} ms (target: below ${PAINT_MS_TARGET})
frames a second  ${medians.framesPerSecond.toFixed(1)} (target: at least ${FRAMES_TARGET})
time of a frame  p50 ${medians.frameP50Ms.toFixed(1)} ms, p99 ${medians.frameP99Ms.toFixed(1)} ms`);
process.exitCode = isMet ? 0 : 1;
