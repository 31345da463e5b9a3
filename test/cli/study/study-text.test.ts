// The text of a study: figures in their units, and the constraints that trials break.
import { describe, expect, it } from 'vitest';
import { bestText, objectiveText, violationText } from '../../../src/cli/study/study-text.ts';
import { StudyState } from '../../../src/research/study/study-state.ts';
import type { TrialLine } from '../../../src/research/study/trial-lines.ts';

it.each([
  ['profit', -64_310_000, 'profit −$64.31'],
  ['contracts', 123_450, 'contracts 1,234.5'],
  ['fills', 7, 'fills 7'],
  ['fills', 1_234_567, 'fills 1234567'],
  ['sharpePerGroup', -0.123456789, 'sharpePerGroup −0.123457'],
  ['of my own', 2.5, 'of my own 2.50000'],
])('writes the objective %s in its unit', (figure, value, text) => {
  // tidy: as (the text reads nothing else of a study)
  const state = { head: { objectives: [{ figure }] } } as unknown as StudyState;
  expect(objectiveText(state, [value])).toBe(text);
});

it('begins the parameters of each trial in one column, also where a conditional one is absent', () => {
  const params = [{ mode: 'plain' }, { mode: 'lean', width: 3 }];
  // tidy: as (the text reads nothing else of a study)
  const state = {
    head: { objectives: [{ figure: 'fills', isMaximized: true }] },
    bestRows: () => params.map((each, n) => ({ row: { n, params: each }, line: { values: [-n] } })),
  } as unknown as StudyState;
  expect(bestText(state, 2)).toEqual([
    'trial    value  parameters',
    '#0     fills 0  mode=plain',
    '#1     fills 1  mode=lean width=3',
  ]);
});

describe('constraints in the text of a study', () => {
  const constraints = [
    { figure: 'profit', atMost: null, atLeast: 50_000_000 },
    { figure: 'contracts', atMost: 1000, atLeast: null },
    { figure: 'fills', atMost: null, atLeast: 3 },
  ];
  const stateOf = (violations: readonly number[][]): StudyState => {
    const head = {
      kind: 'study',
      v: 1,
      name: 's',
      hash: 'h',
      parts: {},
      objectives: [],
      lag: 1,
      node: 'v20',
      split: null,
    };
    const lines = violations.flatMap((each, n) => [
      { kind: 'proposed', n, hash: `${n}`, params: {} },
      {
        kind: 'finished',
        n,
        hash: `${n}`,
        values: [0],
        violations: each,
        intermediate: [],
        figures: {},
        decisions: [],
        spentMs: 0,
      },
    ]);
    // tidy: as (the text reads nothing else of these lines)
    const state = StudyState.readFrom([head, ...lines] as readonly TrialLine[]);
    if (state === null) throw new Error('expected a study');
    return state;
  };

  it('counts the trials that break each', () => {
    const state = stateOf([
      [1, 1, 0],
      [Number.MAX_VALUE, -1, 0],
      [0, 0, 0],
    ]);
    expect(violationText(state, constraints)).toEqual([
      '2 of 3 finished trials outside the constraints: profit at least $50.00 by 2, contracts at most 10 by 1',
    ]);
  });

  it('says nothing when all trials keep them', () => {
    expect(violationText(stateOf([[0, -1, -2]]), constraints)).toEqual([]);
  });
});
