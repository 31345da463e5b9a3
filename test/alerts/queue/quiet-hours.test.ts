// Quiet hours on the clock of a time zone, over the days on which summer time begins and ends.
import { describe, expect, it } from 'vitest';
import { isQuiet, minuteOfDay } from '../../../src/alerts/queue/quiet-hours.ts';

const at = (iso: string): number => Date.parse(iso);
const NIGHT = { from: 22 * 60, to: 7 * 60, zone: 'Europe/Berlin' };

describe('quiet hours', () => {
  it('begin at the first minute and end before the last, over midnight', () => {
    const minutes = ['20:59', '21:00', '23:30', '05:59', '06:00'].map((time) =>
      isQuiet(NIGHT, at(`2026-01-15T${time}:00Z`)),
    );
    expect(minutes).toEqual([false, true, true, true, false]);
  });

  it('follow the wall when summer time begins', () => {
    // On 2026-03-29 at 01:00Z, 02:00 becomes 03:00: 07:00 is at 05:00Z from then on.
    expect(isQuiet(NIGHT, at('2026-03-28T06:30:00Z'))).toBe(false);
    expect(isQuiet(NIGHT, at('2026-03-29T04:59:00Z'))).toBe(true);
    expect(isQuiet(NIGHT, at('2026-03-29T05:00:00Z'))).toBe(false);
  });

  it('end at the jump when their end is a time that the day does not have', () => {
    const quiet = { from: 22 * 60, to: 2 * 60 + 30, zone: 'Europe/Berlin' };
    expect(isQuiet(quiet, at('2026-03-29T00:59:59Z'))).toBe(true);
    expect(isQuiet(quiet, at('2026-03-29T01:00:00Z'))).toBe(false);
  });

  it('last through both runs of the hour that the end of summer time repeats', () => {
    // On 2026-10-25, 02:00 to 03:00 happens twice, from 00:00Z and from 01:00Z.
    const quiet = { from: 2 * 60, to: 3 * 60, zone: 'Europe/Berlin' };
    const times = ['00:00', '00:59', '01:00', '01:59', '02:00'];
    expect(times.map((time) => isQuiet(quiet, at(`2026-10-25T${time}:00Z`)))).toEqual([true, true, true, true, false]);
  });

  it('know half hours and the other side of the date line', () => {
    expect(minuteOfDay('Asia/Kolkata', at('2026-01-15T00:00:00Z'))).toBe(5 * 60 + 30);
    expect(minuteOfDay('Pacific/Auckland', at('2026-01-15T11:00:00Z'))).toBe(0);
  });

  it('never hold for a target without any', () => {
    expect(isQuiet(null, at('2026-01-15T23:00:00Z'))).toBe(false);
  });
});
