// What docs/how-to/read-a-report.md says of the JSON holds.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { renderJson } from '../../src/report/json.ts';
import { REPORT_VERSION } from '../../src/report/report.ts';
import { summarize } from '../../src/report/statement.ts';
import { sampleRun } from '../support/sample-run.ts';

const DOCS = readFileSync(fileURLToPath(new URL('../../docs/how-to/read-a-report.md', import.meta.url)), 'utf8');
const json: Record<string, unknown> = JSON.parse(renderJson(summarize(sampleRun())));

/** Every number in a value, wherever it is. */
function numbersIn(value: unknown): number[] {
  if (typeof value === 'number') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersIn) : [];
}

describe('the JSON of a report', () => {
  it('has every member that is documented, and no other', () => {
    const table = DOCS.slice(DOCS.indexOf('## JSON'));
    const told = [...table.matchAll(/^\| (`[^|]+?) +\|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name),
    );
    expect(new Set([...told, 'version'])).toEqual(new Set(Object.keys(json)));
  });

  it('is of the version that is documented', () => {
    expect(json['version']).toBe(REPORT_VERSION);
    expect(DOCS).toContain(`\`version\` is ${REPORT_VERSION};`);
  });

  it('holds whole amounts of money, and no number that is none', () => {
    expect(numbersIn(json).every(Number.isFinite)).toBe(true);
    for (const member of ['split', 'equity', 'fills'])
      expect(
        numbersIn(json[member]).every((value) => Number.isInteger(value * 2)),
        member,
      ).toBe(true);
    expect(numbersIn(json['split']).every(Number.isSafeInteger)).toBe(true);
  });
});
