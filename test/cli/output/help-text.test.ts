// Help on a terminal: no word is broken, and commands to copy stay on one line.
import { describe, expect, it } from 'vitest';
import { fittedHelp } from '../../../src/cli/output/help-text.ts';

const HELP = `
One sentence that is longer than the terminal is wide, and that the source has broken
somewhere else. Another.

Examples:
  presage backtest --config config/backtest.yaml --html report.html --seed 7
After it.
`;

describe('fittedHelp', () => {
  it('wraps sentences at the terminal’s width, and keeps a command whole', () => {
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

  it('leaves a text that fits as it is', () => {
    const short = 'Usage: presage [options]\n\nOptions:\n  --json  print JSON\n';
    expect(fittedHelp(short, 80)).toBe(short);
  });
});
