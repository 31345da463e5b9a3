// Help on a terminal: nothing is broken in the middle of a word, and what is to be copied stays in one piece.
import { describe, expect, it } from 'vitest';
import { fittedHelp } from '../../../src/cli/output/help-text.ts';

const HELP = `
One sentence that is longer than the terminal is wide, and that the source has broken
somewhere else. Another.

Examples:
  presage backtest --config config/backtest.yaml --html report.html --seed 7
After it.
`;

describe('help', () => {
  it('breaks sentences where the terminal ends, and keeps a command whole', () => {
    expect(fittedHelp(HELP, 40).split('\n')).toEqual([
      '',
      'One sentence that is longer than the',
      'terminal is wide, and that the source',
      'has broken somewhere else. Another.',
      '',
      'Examples:',
      '  presage backtest --config config/backtest.yaml --html report.html --seed 7',
      'After it.',
      '',
    ]);
  });

  it('stays as it is where it fits', () => {
    const short = 'Usage: presage [options]\n\nOptions:\n  --json  print JSON\n';
    expect(fittedHelp(short, 80)).toBe(short);
  });
});
