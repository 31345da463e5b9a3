// Suggestions for an unknown name: a near known name, or none.
import { describe, expect, it } from 'vitest';
import { didYouMean, nameHint, nearestName } from '../../src/base/near-name.ts';

const KNOWN = ['qtyContracts', 'mode'];

describe('nearestName', () => {
  it.each([
    ['qtyContract', 'qtyContracts'],
    ['QTYCONTRACTS', 'qtyContracts'],
    ['mod', 'mode'],
    ['modes', 'mode'],
    ['qtyContrcats', 'qtyContracts'],
    ['wholly', null],
    ['made', 'mode'],
    ['maid', null],
    ['', null],
  ])('the suggestion for %j is %j', (wrong, meant) => {
    expect(nearestName(wrong, KNOWN)).toBe(meant);
  });

  it('the suggestion is the nearest name, and the first of two equally near ones', () => {
    expect(nearestName('limits', ['limited', 'limit', 'limis'])).toBe('limit');
    expect(nearestName('onPrnt', ['onStart', 'onPrint'])).toBe('onPrint');
  });

  it('without a near name, the known names are listed if they are few', () => {
    expect(didYouMean('modes', KNOWN)).toBe(' (did you mean mode?)');
    expect(didYouMean('wholly', KNOWN)).toBe('');
    expect(nameHint('modes', KNOWN)).toBe(' (did you mean mode?)');
    expect(nameHint('wholly', KNOWN)).toBe(' (known: qtyContracts, mode)');
    const many = Array.from({ length: 13 }, (_, at) => `member${at}`);
    expect(nameHint('wholly', many)).toBe('');
    expect(nameHint('wholly', [])).toBe('');
  });
});
