// Writes a report as a page: its figures, and the plotting library and its styles, as installed.
// Must never reach for the network: the page has to open without one.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { type PageAssets, renderHtml } from '../report/page.ts';
import type { Report } from '../report/report.ts';
import { UsageError } from './command.ts';

/**
 * Writes a report's page, making its folder where there is none.
 * @throws {UsageError} when it cannot be written.
 */
export function writePage(file: string, report: Report): void {
  const page = renderHtml(report, pageAssets());
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, page);
  } catch (fault) {
    const reason = fault instanceof Error ? fault.message : String(fault);
    throw new UsageError(`${file}: the report cannot be written: ${reason}`, { cause: fault });
  }
}

/** What a page is made of besides its figures. */
function pageAssets(): PageAssets {
  const { resolve } = createRequire(import.meta.url);
  const text = (file: string): string => readFileSync(resolve(`uplot/dist/${file}`), 'utf8');
  return {
    plotScript: text('uPlot.iife.min.js'),
    plotStyles: text('uPlot.min.css'),
    sha256: (content) => createHash('sha256').update(content, 'utf8').digest('base64'),
  };
}
