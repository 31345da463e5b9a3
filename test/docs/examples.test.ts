// The examples in the comments of the public surface: they compile, and their values are those that the comments claim.
import { transformSync } from 'esbuild';
import { describe, expect, it } from 'vitest';
import * as surface from '../../src/index.ts';
import * as testing from '../../src/testing/testing-entry.ts';
import { PATIENCE_MS } from '../support/runner/patience.ts';
import { declaredSurface, docOf } from './surface.ts';
import { typeFaults } from './type-check.ts';

/**
 * The forty symbols that strategies, the pages and the tests of `test/strategies` and `test/kit` use most, most used
 * first.
 */
const MOST_USED = `
  price cents contracts qty probability dollars StrategyView later money fromMillis Intent defineStrategy
  micros MarketIndex Waits kellyFraction Market fairProbabilities takeAt Price Ewma bidOnGrid kellyQty
  Micros logit askOnGrid RollingStats Qty EwmaVariance logistic worthOf deniedMarket waitsState complement
  Candles probabilityFile MarketMemory stage Money fromSeconds
`
  .trim()
  .split(/\s+/);

const examples = declaredSurface().flatMap(({ name, place, node }) =>
  (docOf(node)?.tags ?? [])
    .filter((tag) => tag.name === 'example')
    .map(({ text }) => ({ name, place: `${place} (${name})`, text: `${text}\n` })),
);

/** A value that an example shows, and the value that its code has. */
interface Shown {
  readonly expected: string;
  readonly actual: unknown;
}

/** A line of an example with a value in its comment. A remark in parentheses may follow the value. */
const SHOWN = /^(?!const |let |if |\/\/)(\S.*); \/\/ (.+?)(?: \([^()]*\))?$/gm;

const MODULES: Readonly<Record<string, unknown>> = { 'presage-trading': surface, 'presage-trading/testing': testing };

/** Runs an example and returns the values of the lines that show one. */
function valuesOf(text: string): Shown[] {
  const shown: Shown[] = [];
  const marked = text.replace(SHOWN, (_, code: string, value: string) => `shown(${JSON.stringify(value)}, ${code});`);
  const { code } = transformSync(marked, { loader: 'ts', format: 'cjs' });
  // oxlint-disable-next-line no-implied-eval
  new Function('require', 'module', 'shown', code)(
    (name: string) => MODULES[name],
    { exports: {} },
    (expected: string, actual: unknown) => shown.push({ expected, actual }),
  );
  return shown;
}

/** A value with the numbers rounded to the decimals that the text shows. */
function asShown(actual: unknown, text: string): unknown {
  const decimals = Math.max(0, ...Array.from(text.matchAll(/\.(\d+)/g), ([, digits = '']) => digits.length));
  const plain = JSON.parse(JSON.stringify(actual)) as unknown;
  const rounded = (value: number): number => Number(value.toFixed(decimals));
  if (typeof plain === 'number') return rounded(plain);
  return Array.isArray(plain) ? plain.map((each) => (typeof each === 'number' ? rounded(each) : each)) : plain;
}

// oxlint-disable-next-line no-implied-eval
const parsed = (text: string): unknown => new Function(`return (${text});`)();

describe('examples of the public surface', () => {
  it('are there for the forty most used symbols', () => {
    expect(MOST_USED).toHaveLength(40);
    const shown = new Set(examples.map(({ name }) => name));
    expect(MOST_USED.filter((name) => !shown.has(name))).toEqual([]);
  });

  it('compile against the public surface', { timeout: 2 * PATIENCE_MS }, async () => {
    expect(await typeFaults(examples)).toEqual([]);
  });

  it.each(examples)('the example of $name has the values that it shows', ({ text }) => {
    for (const { expected, actual } of valuesOf(text)) expect(asShown(actual, expected)).toEqual(parsed(expected));
  });

  it('notices a value that is wrong', () => {
    const [wrong] = valuesOf("import { cents } from 'presage-trading';\n\ncents(42); // 42\n");
    expect(wrong).toEqual({ expected: '42', actual: 4200 });
  });
});
