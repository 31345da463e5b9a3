// A baked file of a later version of the program: refused as such, whatever it holds; a copy in a tape's folder is made again.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ArrowFile } from '../../../src/tape/baked/arrow-file.ts';
import { BAKER_VERSION, METADATA_KEY, metadataText } from '../../../src/tape/baked/baked-format.ts';
import { openBakedFile } from '../../../src/tape/baked/baked-reader.ts';
import { EPOCH } from '../../../src/domain/units.ts';
import { withTemporaryFolder } from '../../support/tapes/baked-rows.ts';

const FACTS = {
  source: 'trades-csv',
  venue: 'service',
  from: EPOCH,
  to: EPOCH,
  rows: 0,
  counts: {},
  gaps: [],
  assumptions: [],
  sourceHash: '',
};

const opened = (bakerVersion: number, more: object = {}): number =>
  withTemporaryFolder((folder) => {
    const path = join(folder, 'a.arrow');
    const notes = metadataText({ facts: { ...FACTS, ...more, bakerVersion }, tickers: [], blocks: [] });
    new ArrowFile(path).finish(new Map([[METADATA_KEY, notes]]), false);
    const source = openBakedFile(path);
    source.close();
    return source.facts.bakerVersion;
  });

describe('a baked file of another version', () => {
  it.each([
    ['in the same form', {}],
    ['with more facts', { sessions: 3 }],
  ])('a baked file of a later version is refused by its version, %s', (_name, more) => {
    expect(() => opened(BAKER_VERSION + 1, more)).toThrow(
      `was made by a later version of this program: expected rows of version ${BAKER_VERSION} or earlier, found ${BAKER_VERSION + 1}`,
    );
  });

  it('a baked file of an earlier version is read', () => {
    expect(opened(BAKER_VERSION - 1)).toBe(BAKER_VERSION - 1);
  });
});
