// Tables of a run in a folder that cannot take them: the error names the file, and no half file stays.
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { UsageError } from '../../../src/app/usage-error.ts';
import { TableFolder } from '../../../src/research/export/run-tables.ts';

it('a table that cannot be written is refused with its file, and leaves no part of it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'presage-'));
  try {
    const taken = join(folder, 'fills.csv');
    mkdirSync(taken);
    const write = () => new TableFolder(folder).addTable('fills', [], []);
    expect(write).toThrow(UsageError);
    expect(write).toThrow(`${taken}: cannot be written: `);
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
