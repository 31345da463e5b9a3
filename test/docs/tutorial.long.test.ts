// Follows the tutorial word for word: runs every command, compares every file and every figure, and makes every change,
// in the order of the page.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ROOT, readPage } from './pages.ts';
import { PageRunner, type VaryingLine, expectShown } from './page-runner.ts';
import { PATIENCE_MS } from '../support/runner/patience.ts';

const PAGE = 'docs/tutorial.md';
const { blocks } = readPage(PAGE);

/** The lines whose figures no run repeats. All other figures are those that the commands print. */
const VARYING: readonly VaryingLine[] = [
  { name: 'the length of the live session: a busy machine stops it later', line: /^session of \d/ },
  { name: 'the orders and fills of the live session: it runs by the clock', line: /^my-first: \d+ orders, / },
];

/** Figures of money in the sentences of a page. */
const moneyIn = (page: string): string[] => {
  const sentences = readFileSync(join(ROOT, page), 'utf8').replaceAll(/^```[^]*?^```$/gm, '');
  return sentences.match(/[+−]?\$\d[\d,]*(?:\.\d+)?/g) ?? [];
};

describe('the tutorial', () => {
  const walk = new PageRunner(VARYING);
  afterAll(() => walk.close());

  it.each(blocks.map((block) => ({ block, name: `${block.lang} ${block.info || block.text.trim().split('\n')[0]}` })))(
    'works as it says: $name',
    { timeout: 2 * PATIENCE_MS },
    ({ block }) => walk.runBlock(block),
  );

  it('has no figure of money in its sentences that no command has printed', () => {
    const figures = moneyIn(PAGE);
    expect(figures.length).toBeGreaterThan(4);
    expect(figures.filter((figure) => !walk.printed.includes(figure))).toEqual([]);
  });

  it.each(VARYING)('shows what varies: $name', ({ line }) => {
    expect(blocks.some(({ lang, text }) => lang === 'text' && text.split('\n').some((each) => line.test(each)))).toBe(
      true,
    );
  });

  it('has commands, files, changes and output', () => {
    const count = (lang: string): number => blocks.filter((block) => block.lang === lang).length;
    for (const lang of ['sh', 'text', 'ts', 'diff']) expect(count(lang), lang).toBeGreaterThan(1);
  });
});

describe('expected output on a page', () => {
  const output = 'my-first · backtest\n  one  two   \n\n  Gained −$1,004.72. Eleven, 0.5 of them.\nend\n';

  it('is compared line by line, except for the parts that it leaves open', () => {
    expectShown('my-first · backtest\n…\n  Gained … Eleven, 0.5 of them.\n', output);
    expectShown('  Gained −$1,004.72. Eleven…\n', output);
    expect(() => expectShown('  Gained …\nmy-first …\n', output)).toThrow('the output differs from the page');
    expect(() => expectShown('…\n  Lost −$1,004.72. Eleven…\n', output)).toThrow('the output differs from the page');
    expect(() => expectShown('…\n  Gained −$1,004.72. Twelve…\n', output)).toThrow('the output differs from the page');
  });

  it('has the same figures, except in the lines that vary', () => {
    const varying = [{ name: 'the gain', line: /^ {2}Gained / }];
    const shown = '  Gained +$3. Eleven, 12 of them.\n';
    expectShown(shown, output, varying);
    expect(() => expectShown(shown, output)).toThrow('the output differs from the page');
    expect(() => expectShown('  Gained −$1,004.7\n', output)).toThrow('the output differs from the page');
    expect(() => expectShown('  Gained −$1,004.73. Eleven…\n', output)).toThrow('the output differs from the page');
    expect(() => expectShown('  Gained −$1,004.72. Eleven, 5 of them.\n', output)).toThrow('the output differs');
  });
});
