// Writes a comparison as one HTML page. Must never leave half a page under its name.
import { dirname } from 'node:path';
import { pageAssets } from '../../app/report-page.ts';
import { asUsageError } from '../../app/usage-error.ts';
import { makeFolder } from '../../log/make-folder.ts';
import { writeWhole } from '../../history/export/sync-and-rename.ts';
import { renderComparison } from './comparison-page.ts';
import type { RunComparison } from './group-comparison.ts';

/**
 * Writes the page of a comparison.
 * @throws {UsageError} when it cannot be written.
 */
export function writeComparisonPage(file: string, comparison: RunComparison): void {
  const text = renderComparison(comparison, pageAssets());
  asUsageError(() => {
    makeFolder(dirname(file));
    writeWhole(file, text);
  });
}
