// `presage why --backtest` over the sample tape: a market that was traded, denied, left alone, or not the strategy's; any market
// at any moment; and questions that have no answer.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { must } from '../../src/base/assert.ts';
import { openBacktest } from '../../src/app/backtest/backtest-runs.ts';
import { runBacktestOnce } from '../../src/app/backtest/backtest-session.ts';
import { answerBacktestWhy } from '../../src/app/why/why-run.ts';
import { whyCommand } from '../../src/cli/why-command.ts';
import type { MarketIndex } from '../../src/domain/ids.ts';
import type { Engine, EngineOptions } from '../../src/engine.ts';
import type { Notice } from '../../src/execution/engine-notice.ts';
import { answersFrom } from '../../src/why/answer-why.ts';
import { CHECK_NAMES } from '../../src/why/checks/why-verdict.ts';
import { RunFacts } from '../../src/why/run-facts.ts';
import { type WhyAnswer, whyAnswerSchema } from '../../src/why/why-answer.ts';
import { ROOT, shippedConfig } from '../e2e/presage.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'presage-why-backtest-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The shipped config, over the first seconds of the sample tape. */
function writeConfig(change: (text: string) => string = (text) => text): string {
  const file = join(folder, 'backtest.yaml');
  const text = shippedConfig('backtest.yaml', folder)
    .replace('../backtest/data/sample', join(ROOT, 'backtest/data/sample'))
    .replace('# to: 2026-11-21T16:50:00Z', 'to: 2026-11-21T16:47:40Z');
  expect(text).toContain('\nto: 2026-11-21T16:47:40Z');
  writeFileSync(file, change(text));
  return file;
}

/** Risk then denies each order of the quoter. */
const withSmallOrders = (text: string): string => text.replace('orderQtyMax: 20', 'orderQtyMax: 2');

/** Asks by the command; returns its exit code and what it printed. */
async function why(file: string, ...question: string[]): Promise<{ readonly code: unknown; readonly text: string }> {
  let text = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((part) => (text += String(part)) !== '');
  vi.spyOn(process.stderr, 'write').mockImplementation(() => true);
  try {
    await whyCommand()
      .exitOverride()
      .parseAsync(['--backtest', file, ...question], { from: 'user' });
    return { code: process.exitCode, text };
  } finally {
    vi.restoreAllMocks();
    process.exitCode = undefined;
  }
}

const questionOf = (market: string, at: string, strategy: string): string[] => [
  '--market',
  market,
  '--at',
  at,
  '--strategy',
  strategy,
];

describe('presage why --backtest', () => {
  it.each([
    ['traded', 'RAIN-OSLO-DAY', '16:47:27.627', 'quoter', /^At 16:47:27\.627Z quoter traded RAIN-OSLO-DAY: buy 5 of /],
    ['was silent', 'CITY-36-AHM', '16:47:24.627', 'arbitrage', / because arbitrage was called at .* answered nothing/],
    ['had not the market', 'RAIN-OSLO-DAY', '16:47:24.627', 'arbitrage', / its selector wants groups whose outcomes /],
  ])('says that a strategy %s', async (_, market, at, strategy, sentence) => {
    const { code, text } = await why(writeConfig(), ...questionOf(market, at, strategy));
    expect(code).toBe(0);
    expect(text.split('\n')[0]).toMatch(sentence);
    expect(text).toMatch(/^ {2}✓ session +session \S+backtest\.yaml ran from 16:47:/m);
  });

  it('says by which limit risk denied its order, with the figures', async () => {
    const file = writeConfig(withSmallOrders);
    const { text } = await why(file, ...questionOf('RAIN-OSLO-DAY', '2026-11-21T16:47:27.627Z', 'quoter'), '--json');
    const answer = whyAnswerSchema.parse(JSON.parse(text));
    expect(answer.isTraded).toBe(false);
    expect(answer.sentence).toMatch(/ denied: order-qty-above-limit: order qty 5 is above orderQtyMax 2\.$/);
    expect(answer.steps.find(({ result }) => result === 'fail')?.check).toBe('denial');
  });

  it('names the nearest markets, and refuses a moment outside of the run', async () => {
    const { code, text } = await why(writeConfig(), ...questionOf('RAIN-OSLO-DAI', '16:47:27', 'quoter'));
    expect(code).toBe(2);
    expect(text.split('\n')[0]).toMatch(/nearest names: RAIN-OSLO-DAY/);
    const late = questionOf('RAIN-OSLO-DAY', '2026-11-22T16:47:27Z', 'quoter');
    await expect(why(writeConfig(), ...late)).rejects.toThrow(
      /--at: expected a moment of the run, from 2026-11-21T16:47/,
    );
    await expect(why(writeConfig(), '--at', '16:47:27')).rejects.toThrow('found no --market');
  });

  it('that is stopped does not answer from a part of the run', async () => {
    const question = { ticker: 'RAIN-OSLO-DAY', at: '16:47:27' };
    const asked = answerBacktestWhy({ file: writeConfig(), question, nowUs: 0, signal: AbortSignal.abort() });
    await expect(asked).rejects.toThrow('the run was stopped before it reached the moment');
  });

  it('answers for any market and moment, and never without the denial that there was', async () => {
    const backtest = openBacktest({ file: writeConfig(withSmallOrders) });
    const run = new RunFacts({
      session: 'run',
      version: '1',
      toUs: Number.MAX_SAFE_INTEGER,
      onPassed: () => undefined,
    });
    const denials: { readonly strategy: string; readonly market: MarketIndex; readonly atUs: number }[] = [];
    let engine: Engine | null = null;
    const observe = (notice: Notice): void => {
      if (notice.type === 'denied' && 'market' in notice.intent && notice.intent.market !== undefined)
        denials.push({ strategy: notice.strategy, market: notice.intent.market, atUs: engine?.state.now ?? 0 });
      run.hooks.observe(notice);
    };
    const makeEngine = (options: EngineOptions): Engine => (engine = run.hooks.makeEngine(options));
    const { config, source, paramsFrom } = backtest;
    await runBacktestOnce(config, source, { paramsFrom, ...run.hooks, observe, makeEngine });
    run.finishRun();
    const { fromUs, toUs } = must(run.store.sessionFacts(), 'facts');
    const { tickers } = source;
    const failing = (answer: WhyAnswer): string | undefined =>
      answer.steps.find(({ result }) => result === 'fail')?.check;
    let count = 0;
    for (const ticker of ['RAIN-OSLO-DAY', 'RAIN-LIMA-NOW', 'CITY-36-AHM'])
      for (let atUs = fromUs; atUs <= toUs; atUs += 700_000)
        for (const answer of answersFrom(run.store, { ticker, atUs }, 0)) {
          const { isTraded, steps } = whyAnswerSchema.parse(answer);
          expect([isTraded, steps.filter(({ result }) => result === 'fail').length]).toEqual([
            isTraded,
            isTraded ? 0 : 1,
          ]);
          count += 1;
        }
    expect(count).toBeGreaterThan(100);
    const checks = denials.map(({ strategy, market, atUs }) =>
      answersFrom(run.store, { ticker: tickers.tickerOf(market), atUs, strategy }, 0)
        .map(failing)
        .join(),
    );
    // A check before it may decide, such as the phase; but none behind it, as if risk had agreed.
    const last = CHECK_NAMES.indexOf('denial');
    expect(checks.filter((check) => check === '' || CHECK_NAMES.indexOf(check) > last)).toEqual([]);
    expect(checks.filter((check) => check === 'denial').length).toBeGreaterThan(50);
    run.store.close();
    backtest.close();
  });
});
