// Checked items as a list for people.
import { describe, expect, it } from 'vitest';
import { checklist } from '../../../src/cli/output/checklist.ts';

const ITEMS = [
  { mark: 'ok', name: 'key', words: 'a key of some kind', remedy: null },
  { mark: 'BAD', name: 'reach', words: 'the venue is not there', remedy: 'look at the address, and at the way to it' },
  { mark: 'ok', name: 'clock', words: '', remedy: null },
];

describe('a checklist', () => {
  it('has a line for each item, with its remedy below and no trailing blanks', () => {
    expect(checklist(ITEMS)).toEqual([
      'ok   key    a key of some kind',
      'BAD  reach  the venue is not there',
      '            → look at the address, and at the way to it',
      'ok   clock',
    ]);
  });

  it('wraps at the width of the terminal, in its own column', () => {
    expect(checklist(ITEMS, 32)).toEqual([
      'ok   key    a key of some kind',
      'BAD  reach  the venue is not',
      '            there',
      '            → look at the',
      '              address, and at',
      '              the way to it',
      'ok   clock',
    ]);
  });

  it('leaves a minimum width for details on the narrowest terminal', () => {
    expect(checklist(ITEMS.slice(0, 1), 3)).toEqual(['ok  key  a key of some kind']);
  });
});
