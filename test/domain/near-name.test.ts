// Which name was meant by one that is not known: a near one or none.
import { describe, expect, it } from 'vitest';
import { didYouMean, nameHint, nearestName } from '../../src/domain/near-name.ts';

const KNOWN = ['qtyContracts', 'mode'];

describe('the name that was meant', () => {
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
  ])('of %j is %j', (wrong, meant) => {
    expect(nearestName(wrong, KNOWN)).toBe(meant);
  });

  it('is the nearest, and of two that are equally near the first', () => {
    expect(nearestName('limits', ['limited', 'limit', 'limis'])).toBe('limit');
    expect(nearestName('onPrnt', ['onStart', 'onPrint'])).toBe('onPrint');
  });

  it('is asked for; where none is near, the known names are listed if they are few', () => {
    expect(didYouMean('modes', KNOWN)).toBe(' (did you mean mode?)');
    expect(didYouMean('wholly', KNOWN)).toBe('');
    expect(nameHint('modes', KNOWN)).toBe(' (did you mean mode?)');
    expect(nameHint('wholly', KNOWN)).toBe(' (known: qtyContracts, mode)');
    const many = Array.from({ length: 13 }, (_, at) => `member${at}`);
    expect(nameHint('wholly', many)).toBe('');
    expect(nameHint('wholly', [])).toBe('');
  });
});
