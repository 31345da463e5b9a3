// Column widths by what a terminal shows, not by the number of code units: names of markets may be in any script.
import { describe, expect, it } from 'vitest';
import { shortenedName, tableText, wrappedText } from '../../../src/report/text/text-columns.ts';
import { padRight, padLeft, cutToWidth, widthOf } from '../../../src/report/text/text-width.ts';
import { columns } from '../../../src/cli/output/text-format.ts';

const RAIN = '東京の雨'; // four letters, eight columns
const CAFE = 'cafe\u0301'; // five units, four columns

describe('the width of a text', () => {
  it.each([
    ['rain', 4],
    [RAIN, 8],
    [CAFE, 4],
    ['\u001B[31mred\u001B[0m', 3],
    ['', 0],
  ])('the width of %j is %d', (text, width) => {
    expect(widthOf(text)).toBe(width);
  });

  it('padding and cutting follow the width', () => {
    expect(padRight(RAIN, 10)).toBe(`${RAIN}  `);
    expect(padLeft(CAFE, 6)).toBe(`  ${CAFE}`);
    expect(padRight('longer', 3)).toBe('longer');
    expect(cutToWidth(`${RAIN}!`, 7)).toBe('東京の');
    expect(cutToWidth('rain', 4)).toBe('rain');
  });
});

describe('columns', () => {
  it('columns are aligned, whatever is in them', () => {
    const rows = [
      ['market', 'held'],
      [RAIN, '1'],
      [CAFE, '12'],
    ];
    for (const lines of [columns(rows), tableText(rows[0]!, rows.slice(1), 80)])
      expect(new Set(lines.map(widthOf)).size).toBe(1);
  });

  it('columns wrap and shorten by visible width', () => {
    expect(wrappedText(`${RAIN} ${RAIN}`, 16)).toEqual([RAIN, RAIN]);
    expect(wrappedText(`${RAIN} ${RAIN}`, 17)).toEqual([`${RAIN} ${RAIN}`]);
    expect(shortenedName('HIGHTEMP-OSLO-26NOV21-T18', 15)).toBe('HIGHTEMP…21-T18');
    expect(widthOf(shortenedName(`HIGHTEMP-${RAIN}-${RAIN}-T18`, 15))).toBeLessThanOrEqual(15);
  });
});
