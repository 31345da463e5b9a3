// Writes a report as one HTML page with everything in it. The page must never need a network.
import { createHash } from 'node:crypto';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { type PageAssets, renderHtml } from '../report/page/html-page.ts';
import type { Report } from '../report/statement/report.ts';
import { makeFolder } from '../log/make-folder.ts';
import { UsageError } from './usage-error.ts';

/**
 * Writes a report's page.
 * @throws {UsageError} when the page cannot be written.
 */
export function writePage(file: string, report: Report): void {
  const text = renderHtml(report, pageAssets());
  writeTo(file, () => writeFileSync(file, text));
}

/**
 * Checks before long work that a page can be written. An existing page stays until the new page is written.
 * @throws {UsageError} when the page cannot be written.
 */
export const reservePage = (file: string): void => writeTo(file, () => closeSync(openSync(file, 'a')));

function writeTo(file: string, write: () => void): void {
  try {
    makeFolder(dirname(file));
    write();
  } catch (fault) {
    const reason = fault instanceof Error ? fault.message : String(fault);
    throw new UsageError(`${file}: the report cannot be written: ${reason}`, { cause: fault });
  }
}

/** Loads the parts that every report's page shares. */
export function pageAssets(): PageAssets {
  const { resolve } = createRequire(import.meta.url);
  const text = (file: string): string => readFileSync(resolve(`uplot/dist/${file}`), 'utf8');
  return {
    plotScript: text('uPlot.iife.min.js'),
    plotStyles: text('uPlot.min.css'),
    sha256: (content) => createHash('sha256').update(content, 'utf8').digest('base64'),
  };
}
