// The JSON of a report agrees with docs/how-to/read-a-report.md.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { renderJson } from '../../../src/report/text/json-report.ts';
import { REPORT_VERSION } from '../../../src/report/statement/report.ts';
import { reportOfRun } from '../../../src/report/statement/statement.ts';
import { sampleRun } from '../../support/reports/sample-run.ts';

const DOCS = readFileSync(fileURLToPath(new URL('../../../docs/how-to/read-a-report.md', import.meta.url)), 'utf8');
const json: Record<string, unknown> = JSON.parse(renderJson(reportOfRun(sampleRun())));

/** Returns every number in a value, at any depth. */
function numbersIn(value: unknown): number[] {
  if (typeof value === 'number') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersIn) : [];
}

describe('the JSON of a report', () => {
  it('has every documented member, and no other', () => {
    const table = DOCS.slice(DOCS.indexOf('## JSON'));
    const documented = [...table.matchAll(/^\| (`[^|]+?) +\|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name),
    );
    expect(new Set([...documented, 'version'])).toEqual(new Set(Object.keys(json)));
  });

  it('has the documented version', () => {
    expect(json['version']).toBe(REPORT_VERSION);
    expect(DOCS).toContain(`\`version\` is ${REPORT_VERSION};`);
  });

  it('holds whole amounts of money, and no NaN or infinite number', () => {
    expect(numbersIn(json).every(Number.isFinite)).toBe(true);
    for (const member of ['split', 'equity', 'fills'])
      expect(
        numbersIn(json[member]).every((value) => Number.isInteger(value * 2)),
        member,
      ).toBe(true);
    expect(numbersIn(json['split']).every(Number.isSafeInteger)).toBe(true);
  });
});
