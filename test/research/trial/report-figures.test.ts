// Figures of the report that a study names.
import { describe, expect, it } from 'vitest';
import type { Report } from '../../../src/report/statement/report.ts';
import { reportFigureOf } from '../../../src/research/trial/report-figures.ts';

describe('a figure of the report', () => {
  it('is absent, and no fault, where equity never fell', () => {
    // tidy: as (the figure needs one member of the report)
    const report = { drawdown: { drawdown: null, share: null, underwaterMax: 7 } } as unknown as Report;
    expect(reportFigureOf(report, 'report.drawdown.drawdown.depth')).toBeNull();
    expect(reportFigureOf(report, 'report.drawdown.underwaterMax')).toBe(7);
  });
});
