// Writes a comparison as one HTML page. Must never leave half a page under its name.
import { writeFileSync } from 'node:fs';
import { pageAssets } from '../../app/report-page.ts';
import { UsageError } from '../../app/usage-error.ts';
import { syncAndRename } from '../../history/export/sync-and-rename.ts';
import { renderComparison } from './comparison-page.ts';
import type { RunComparison } from './group-comparison.ts';

/**
 * Writes the page of a comparison.
 * @throws {UsageError} when it cannot be written.
 */
export function writeComparisonPage(file: string, comparison: RunComparison): void {
  try {
    writeFileSync(`${file}.part`, renderComparison(comparison, pageAssets()));
    syncAndRename(`${file}.part`, file);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(`${file}: the page cannot be written: ${reason}`, { cause });
  }
}
