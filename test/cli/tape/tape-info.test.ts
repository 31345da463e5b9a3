// The report of `presage tape info`.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { renderInfo } from '../../../src/cli/tape/tape-info.ts';
import { EPOCH } from '../../../src/domain/units.ts';
import { at, writeTape } from '../../support/tapes/random-facts.ts';

const shown = (from: typeof EPOCH, to: typeof EPOCH): string[] => {
  const folder = mkdtempSync(join(tmpdir(), 'presage-'));
  const facts = writeTape(join(folder, 'tape.arrow'), [], { from, to });
  rmSync(folder, { recursive: true });
  return renderInfo({ tape: 'tape.arrow', of: 'baked', facts, bytes: 1, files: 1, sessions: [], markets: [] });
};

it('a tape that covers no time, as of an import that read nothing, is not dated', () => {
  expect(shown(EPOCH, EPOCH)[1]).toBe('  nothing is on it');
});

it('a tape without rows is dated by its recording', () => {
  expect(shown(at(0), at(1_000_000))[1]).toMatch(/ to .*, 0:01$/);
});
