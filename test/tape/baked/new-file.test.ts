// The removal of temporary files that dead writers have left: only those of dead processes, and never a fault.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { removeAbandoned, temporaryName } from '../../../src/tape/baked/new-file.ts';

/** More than any process id. */
const NO_PID = 99_999_999;
const folder = mkdtempSync(join(tmpdir(), 'presage-new-file-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('the removal of abandoned files', () => {
  it('removes those of dead writers, and passes over one that cannot be removed', () => {
    const file = join(folder, 'a.arrow');
    const own = temporaryName(file, 'new');
    const stuck = `${file}.${NO_PID}.new`;
    writeFileSync(own, '');
    writeFileSync(`${file}.${NO_PID}.part`, '');
    // A folder cannot be removed as a file, not even by root.
    mkdirSync(stuck);
    removeAbandoned(file);
    expect(
      readdirSync(folder)
        .map((name) => join(folder, name))
        .toSorted(),
    ).toEqual([own, stuck].toSorted());
  });
});
