// Sizes of terminals that report none, and of streams without a terminal.
import { expect, it } from 'vitest';
import { terminalHeight, terminalWidth } from '../../../src/cli/output/terminal-size.ts';

it('a terminal has the size that it reports', () => {
  expect([terminalWidth({ columns: 132 }), terminalHeight({ rows: 50 })]).toEqual([132, 50]);
});

it('a terminal that reports 0 has 80 columns and 24 rows', () => {
  expect([terminalWidth({ columns: 0 }), terminalHeight({ rows: 0 })]).toEqual([80, 24]);
});

it('a stream without a terminal has no size', () => {
  expect([terminalWidth({}), terminalHeight({})]).toEqual([undefined, undefined]);
});
