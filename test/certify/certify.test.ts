// Certification: sound strategies pass every check, and each planted bad strategy fails exactly the check that is there
// for it.
import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { guardWallClock } from '../../backtest/wall-clock-guard.ts';
import {
  CHECK_NAMES,
  type CheckName,
  EFFORTS,
  type Effort,
  type CheckVerdict,
} from '../../src/certify/check-verdict.ts';
import { inspectSource } from '../../src/certify/runs/source-inspection.ts';
import { certify } from '../../src/certify/check-suite.ts';
import { bundlePlugin } from '../../src/runtime/plugins/plugin-bundle.ts';
import type { Strategy } from '../../src/strategy/strategy-definition.ts';
import { casesOf } from '../support/runner/test-length.ts';
import { PATIENCE_MS } from '../support/runner/patience.ts';

const clock = performance.now.bind(performance);
beforeAll(() => guardWallClock());

const BAD = fileURLToPath(new URL('./bad/', import.meta.url));
const GOOD = fileURLToPath(new URL('../../strategies/', import.meta.url));

/** A smaller effort than a quick one, bounded by runs and not by time, so that it is the same on any machine. */
const SMALL: Effort = {
  ...EFFORTS.quick,
  streams: 1,
  seconds: 70,
  markets: 60,
  memorySeconds: 8,
  shrinkRuns: 80,
  shrinkMs: 60_000,
};

/** Timeout for many short runs. */
const TIMEOUT = { timeout: 2 * PATIENCE_MS } as const;

const filesOf = (folder: string): string[] => readdirSync(folder).filter((name) => name.endsWith('.ts'));

async function certified(
  path: string,
  { params = {}, only = CHECK_NAMES }: { readonly params?: object | undefined; readonly only?: readonly CheckName[] },
): Promise<readonly CheckVerdict[]> {
  const { default: strategy } = (await import(path)) as { readonly default: Strategy };
  const { verdicts } = certify({
    subject: { strategy, params, limits: undefined },
    sourceFaults: await inspectSource(await bundlePlugin(path)),
    seed: 1,
    effort: SMALL,
    only,
    clock,
    ...(process.env['CERTIFY_TOLD'] !== undefined && {
      onVerdict: ({ check, words, stream }, ms) =>
        process.stderr.write(`${check} ${words} ${Math.round(ms)} ms, ${stream?.happenings.length} happenings\n`),
    }),
  });
  return verdicts;
}

/** Parameters that a strategy needs. */
const NEEDED: Readonly<Record<string, object>> = {
  'forecast-follower.ts': {
    forecasts: `ticker,probability\n${Array.from({ length: 24 }, (_, at) => `M${at},0.${10 + 3 * at}`).join('\n')}\n`,
  },
};

/** Strategies of the short tests: one sound one and four bad ones. The long tests run the others. */
const SHORT: ReadonlySet<string> = new Set([
  'two-sided-quoter.ts',
  'emits-nan',
  'exceeds-limit',
  'throws',
  'writes-to-view',
]);

describe('a sound strategy', () => {
  it.each(casesOf(filesOf(GOOD), (file) => SHORT.has(file)))('passes every check: %s', TIMEOUT, async (file) => {
    const failed = (await certified(GOOD + file, { params: NEEDED[file] })).filter(({ isPassed }) => !isPassed);
    expect(failed.map(({ check, words }) => `${check}: ${words}`)).toEqual([]);
  });
});

describe('a check of many runs', () => {
  it('reports the end of each run, so that a slow check is not taken for one that hangs', async () => {
    const { default: strategy } = (await import(`${GOOD}two-sided-quoter.ts`)) as { readonly default: Strategy };
    let runs = 0;
    const subject = { strategy, params: {}, limits: undefined, onRunEnd: () => void (runs += 1) };
    const effort = { ...SMALL, seconds: 5 };
    certify({ subject, seed: 1, effort, only: ['determinism'], clock });
    expect(runs).toBeGreaterThanOrEqual(2);
  });
});

/** The check that must fail, its words, and the most events that its stream may have. */
const PLANTED: Readonly<Record<string, readonly [check: CheckName, words: RegExp, happeningsMax: number | null]>> = {
  'answers-later': ['numbers', /^onBook gave an answer that is not a list of intents, but a promise/, 0],
  'uses-date-now': ['isolation', /^uses-date-now\.ts:12 uses Date\.now: the time of day/, null],
  'leaks-memory': ['memory', /^it (?:grows: .* after 3, 6|holds .* is allowed)/, null],
  'emits-nan': ['numbers', /^onBook gave place: order of price NaN, which is not a whole number/, 0],
  'ignores-denials': [
    'denials',
    /repeated the same intent 26 times in a row, and was denied: price 0\.5¢ is outside 1¢/,
    60,
  ],
  peeks: [
    'blindness',
    /^with another future it decides differently before: buy 1 \S+ at \S+ \(ioc\) at \S+, then buy/,
    60,
  ],
  'reads-files': ['isolation', /^reads-files\.ts imports node:fs$/, null],
  slow: ['time', /of its calls takes|one call in a hundred takes/, null],
  throws: ['throws', /^onBook threw TypeError: best is not iterable \(throws\.ts:11\)$/, 0],
  'exceeds-limit': ['limits', /it wanted more: order qty [\d,]+ is above orderQtyMax 1,000/, 30],
  'forgets-settlement': ['settlement', /^onTimer wants an order in GEN\S+, which is/, 30],
  'writes-to-view': ['writes', /^view\.position\(\)\.qty is written to \(writes-to-view\.ts:15\)$/, 10],
  'differs-after-restart': ['restart', /^restarted at .* decides differently than it would have/, 600],
};

/**
 * Checks that measure, and take longest. They run for the strategy that must fail them. On a busy machine a strategy that
 * leaks memory is slow as well, because of its garbage. Sound strategies show that these checks raise no false alarm.
 */
const MEASURING: readonly CheckName[] = ['time', 'markets', 'memory'];

describe('the advice for an async handler', () => {
  it('is to answer at once, not to check figures', async () => {
    const { default: strategy } = (await import(`${BAD}answers-later.ts`)) as { readonly default: Strategy };
    const subject = { strategy, params: {}, limits: undefined };
    const { verdicts } = certify({ subject, seed: 1, effort: SMALL, only: ['numbers', 'markets'], clock });
    expect(verdicts.map(({ check, isPassed }) => [check, isPassed])).toEqual([
      ['numbers', false],
      ['markets', false],
    ]);
    for (const { remedy } of verdicts) expect(remedy).toMatch(/^a handler answers at once/);
  });
});

describe('a planted bad strategy', () => {
  it('exists for every bad strategy file', () => {
    expect(filesOf(BAD).map((file) => basename(file, '.ts'))).toEqual(Object.keys(PLANTED).sort());
  });

  it.each(casesOf(Object.entries(PLANTED), ([name]) => SHORT.has(name)))(
    'fails exactly the check that is there for it: %s',
    TIMEOUT,
    async (name, planted) => {
      const [check, words, happeningsMax] = planted;
      const only = CHECK_NAMES.filter((each) => each === check || !MEASURING.includes(each));
      const failed = (await certified(`${BAD}${name}.ts`, { only })).filter(({ isPassed }) => !isPassed);
      expect(failed.map((verdict) => verdict.check)).toEqual([check]);
      expect(failed[0]?.words).toMatch(words);
      expect(failed[0]?.remedy).not.toBeNull();
      if (happeningsMax !== null) expect(failed[0]?.stream?.happenings.length).toBeLessThanOrEqual(happeningsMax);
    },
  );
});
