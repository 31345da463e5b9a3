// Tables of a study: an objective has the unit and the sign of its figure.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeStudyTables } from '../../../src/research/export/study-tables.ts';
import { StudyState } from '../../../src/research/study/study-state.ts';
import { STUDY_VERSION } from '../../../src/research/study/trial-lines.ts';

it('an objective is written as its figure is: money in dollars, contracts as contracts', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'presage-'));
  const objectives = [
    { figure: 'profit', isMaximized: true },
    { figure: 'contracts', isMaximized: false },
    { figure: 'sharpePerGroup', isMaximized: true },
    { figure: 'report.capital.peak', isMaximized: false },
  ];
  const figures = { profit: -1_250_000, contracts: 1250, sharpePerGroup: 0.5 };
  const state = StudyState.readFrom([
    { kind: 'study', v: STUDY_VERSION, name: 's', hash: 'h', parts: {}, objectives, lag: 1, node: 'v20', split: null },
    { kind: 'proposed', n: 0, hash: 'a', params: { x: 1 } },
    {
      kind: 'finished',
      n: 0,
      hash: 'a',
      values: [1_250_000, 1250, -0.5, 7],
      violations: [],
      intermediate: [],
      figures,
      decisions: [],
      spentMs: 1,
    },
  ]);
  try {
    await writeStudyTables(folder, { state: state!, folder });
    const [names = [], cells = []] = readFileSync(join(folder, 'trials.csv'), 'utf8')
      .split('\n')
      .map((line) => line.split(','));
    const cell = (name: string): string | undefined => cells[names.indexOf(name)];
    for (const { figure } of objectives.slice(0, 3)) expect(cell(`objective_${figure}`)).toBe(cell(figure));
    expect(cell('objective_profit')).toBe('-1.250000');
    expect(cell('objective_report.capital.peak')).toBe('7');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
