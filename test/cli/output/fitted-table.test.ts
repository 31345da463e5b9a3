// A table in a terminal: whole where it fits, and without its spare columns, which are named, where it does not.
import { describe, expect, it } from 'vitest';
import { type TextTable, fittedTable } from '../../../src/cli/output/fitted-table.ts';

const TABLE: TextTable = {
  names: ['at', 'market', 'qty', 'trade', 'session'],
  rows: [
    ['09:00', 'RAIN', '5.00', '8acfeabc-0002', 'homejtxltz'],
    ['09:01', 'SNOW', '12.00', '8acfeabc-0003', 'homejtxltz'],
  ],
  texts: ['at', 'market', 'trade', 'session'],
  spare: ['trade', 'session'],
};

describe('a table in a terminal', () => {
  const WHOLE = [
    'at     market    qty  trade          session',
    '09:00  RAIN     5.00  8acfeabc-0002  homejtxltz',
    '09:01  SNOW    12.00  8acfeabc-0003  homejtxltz',
  ];

  it.each([null, 47, 200])('is whole in a width of %s', (width) => {
    expect(fittedTable(TABLE, width)).toEqual(WHOLE);
  });

  it('goes without as few spare columns as it can, and names them', () => {
    expect(fittedTable(TABLE, 46)).toEqual([
      'at     market    qty  session',
      '09:00  RAIN     5.00  homejtxltz',
      '09:01  SNOW    12.00  homejtxltz',
      '(left out in this width: trade; --wide prints all)',
    ]);
    expect(fittedTable(TABLE, 31)).toEqual([
      'at     market    qty',
      '09:00  RAIN     5.00',
      '09:01  SNOW    12.00',
      '(left out in this width: trade, session; --wide prints all)',
    ]);
  });

  it('keeps all other columns in any width', () => {
    expect(fittedTable(TABLE, 3)).toEqual(fittedTable(TABLE, 31));
    expect(fittedTable({ ...TABLE, spare: [] }, 3)).toEqual(WHOLE);
  });
});
