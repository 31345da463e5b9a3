// Checks the glossary: it has every term once, and a row for every word that a trader searches for.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as surface from '../../src/index.ts';
import { ROOT } from './pages.ts';

const text = readFileSync(join(ROOT, 'docs/reference/glossary.md'), 'utf8');
const rows = text
  .split('\n')
  .filter((line) => line.startsWith('|') && !/^\| (-|our word)/.test(line))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

describe('the glossary', () => {
  it('has three cells in every row, and none is empty', () => {
    expect(rows.length).toBeGreaterThan(80);
    expect(rows.filter((cells) => cells.length !== 3 || cells.includes(''))).toEqual([]);
  });

  it('explains every word once', () => {
    const words = rows.flatMap(([word = '']) => word.split(', '));
    expect(words.filter((word, i) => words.indexOf(word) !== i)).toEqual([]);
  });

  it.each([
    'P&L',
    'PnL',
    'mark',
    'margin',
    'resting order',
    'open order',
    'slippage',
    'collateral',
    'buying power',
    'kill switch',
    'dead man',
    'order book',
    'depth',
    'symbol',
    'fill',
    'execution',
    'rate limit',
    'subaccount',
    'inventory',
    'drawdown',
    'paper',
    'dry run',
    'backtest',
    'time in force',
    'BBO',
  ])('has a row for a search of “%s”', (word) => {
    const found = rows.filter(([ours = '', theirs = '']) => `${ours}, ${theirs}`.includes(word));
    expect(found.length).toBeGreaterThan(0);
  });

  it('names only types that the public surface has', () => {
    const source = readFileSync(join(ROOT, 'api/presage-trading.api.md'), 'utf8');
    const types = [...text.matchAll(/\(`([A-Z]\w+)`\)/g)].map(([, name = '']) => name);
    expect(types.length).toBeGreaterThan(2);
    expect(types.filter((name) => !(name in surface) && !source.includes(`type ${name} `))).toEqual([]);
  });
});
