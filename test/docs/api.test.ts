// Checks that the pages of the public surface agree with the sources and their comments, and that every type on them
// can be imported.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'oxfmt';
import { describe, expect, it } from 'vitest';
import { ROOT } from './pages.ts';
import { apiPages } from './reference/api-page.ts';
import { PATIENCE_MS } from '../support/runner/patience.ts';

const options: Record<string, unknown> = JSON.parse(readFileSync(join(ROOT, '.oxfmtrc.json'), 'utf8'));

describe('the reference of the public surface', () => {
  it(
    'agrees with the sources, and refers only to types that can be imported',
    { timeout: 2 * PATIENCE_MS },
    async () => {
      const { pages, warnings } = await apiPages();
      for (const { page, text } of pages) {
        const { code } = await format(page, text, options);
        await expect(code).toMatchFileSnapshot(join(ROOT, 'docs/reference', page));
      }
      expect(warnings).toEqual([]);
    },
  );
});
