// Writes a comparison as one HTML page. Must never leave half a page under its name.
import { pageAssets, writePageText } from '../../app/report-page.ts';
import { renderComparison } from './comparison-page.ts';
import type { RunComparison } from './group-comparison.ts';

/**
 * Writes the page of a comparison.
 * @throws {UsageError} when it cannot be written.
 */
export const writeComparisonPage = (file: string, comparison: RunComparison): void =>
  writePageText(file, renderComparison(comparison, pageAssets()));
