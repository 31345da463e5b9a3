// Follows the tutorial word for word: runs every command, compares every file and makes every change, in the order of
// the page.
import { afterAll, describe, expect, it } from 'vitest';
import { readPage } from './pages.ts';
import { PageRunner, expectShown } from './page-runner.ts';
import { PATIENCE_MS } from '../support/runner/patience.ts';

const { blocks } = readPage('docs/tutorial.md');

describe('the tutorial', () => {
  const walk = new PageRunner();
  afterAll(() => walk.close());

  it.each(blocks.map((block) => ({ block, name: `${block.lang} ${block.info || block.text.trim().split('\n')[0]}` })))(
    'works as it says: $name',
    { timeout: 2 * PATIENCE_MS },
    ({ block }) => walk.runBlock(block),
  );

  it('has commands, files, changes and output', () => {
    const count = (lang: string): number => blocks.filter((block) => block.lang === lang).length;
    for (const lang of ['sh', 'text', 'ts', 'diff']) expect(count(lang), lang).toBeGreaterThan(1);
  });
});

describe('expected output on a page', () => {
  const output = 'my-first · backtest\n  one  two   \n\n  Gained −$1,004.72. Eleven, 0.5 of them.\nend\n';

  it('is compared line by line, except for the parts that it leaves open', () => {
    expectShown('my-first · backtest\n…\n  Gained … Eleven, 12 of them.\n', output);
    expectShown('  Gained +$3. Eleven…\n', output);
    expect(() => expectShown('  Gained …\nmy-first …\n', output)).toThrow('the output differs from the page');
    expect(() => expectShown('…\n  Lost −$1,004.72. Eleven…\n', output)).toThrow('the output differs from the page');
    expect(() => expectShown('…\n  Gained −$1,004.72. Twelve…\n', output)).toThrow('the output differs from the page');
  });
});
