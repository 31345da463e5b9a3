// Notes with counts: the singular and the plural, and the sums when tapes are merged.
import { describe, expect, it } from 'vitest';
import { countedNote, joinedNotes, mergedNote } from '../../../src/tape/baked/counted-notes.ts';

const fees = (count: number): string => countedNote('undefinedFees', { counts: [count] });
const early = (count: number): string => countedNote('earlyRows', { counts: [count] });

describe('a note with a count', () => {
  it('has the singular for one, and the plural else', () => {
    expect(fees(1)).toBe('The fees of 1 event group have no definition.');
    expect(fees(2)).toBe('The fees of 2 event groups have no definition.');
    expect(early(1)).toBe("1 row had a time before the row before it; it was given that one's time.");
    expect(early(3)).toBe("3 rows had a time before the row before them; they were given that one's time.");
  });

  it('becomes one with the sum of several tapes, also of sentences of older tapes', () => {
    const older = 'The fees of 1 event groups have no definition.';
    expect(joinedNotes([[fees(1), 'Only trades.'], [older, 'Only trades.'], [fees(4)]], false)).toEqual([
      'The fees of 6 event groups have no definition.',
      'Only trades.',
    ]);
  });

  it('is a bound when the tapes have something in common, and stays one', () => {
    const [note = ''] = joinedNotes([[early(1)], [early(2)]], true);
    expect(note).toMatch(/^At most 3 rows had a time before the row before them/);
    expect(joinedNotes([[note], [early(1)]], false)).toEqual([note.replace('3', '4')]);
    expect(joinedNotes([[early(1)]], true)).toEqual([early(1)]);
  });

  it('adds each count of a sentence, and only where the names agree', () => {
    const part = (counts: readonly number[], name: string): string => countedNote('partOfStream', { counts, name });
    expect(joinedNotes([[part([196, 500], 'dollars')], [part([229, 500], 'dollars')]], false)).toEqual([
      part([425, 1000], 'dollars'),
    ]);
    expect(joinedNotes([[part([196, 500], 'v2')], [part([229, 500], 'v3')]], false)).toHaveLength(2);
  });

  it('leaves other numbers alone', () => {
    const quote = 'A quote without a size is taken to be for 5 contracts, alone on its side.';
    expect(joinedNotes([[quote], [quote]], true)).toEqual([quote]);
  });

  it('of a merge counts the tapes of merged tapes', () => {
    expect(mergedNote([['x'], [mergedNote([[], []]), 'y'], []])).toMatch(/^Merged from 4 tapes;/);
  });
});
