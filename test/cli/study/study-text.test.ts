// Money in the text of a study, as in reports: with the minus before the dollar sign.
import { expect, it } from 'vitest';
import { objectiveText } from '../../../src/cli/study/study-text.ts';
import type { StudyState } from '../../../src/research/study/study-state.ts';

it('writes a loss with the minus before the dollar sign', () => {
  // tidy: as (the text reads nothing else of a study)
  const state = { head: { objectives: [{ figure: 'profit', goal: 'maximize' }] } } as unknown as StudyState;
  expect(objectiveText(state, [-64_310_000])).toBe('profit −$64.31');
});
